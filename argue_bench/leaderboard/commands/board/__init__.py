"""Commands of an organiser, and the workflows' steps."""

from __future__ import annotations

from argue_bench.cli.commands import group

season_group = group(
    "season",
    {
        "open": "leaderboard.commands.board.results:season_open",
        "reveal": "leaderboard.commands.board.results:season_reveal",
        "verify": "leaderboard.commands.board.results:season_verify",
    },
    """Check a season's folder, open its sealed gold, and publish it on the last day.

    Example: argue-bench board season verify leaderboard-submissions
    """,
)
import_group = group(
    "import",
    {
        "fanoutqa": "leaderboard.commands.board.init:fanoutqa",
        "dragun": "published.rubrics.command:dragun",
        "runs": "leaderboard.commands.board.init:runs",
    },
    """Bring another board's submissions, labels and results into our layout.

    Example: argue-bench board import fanoutqa leaderboard-submissions --out imported
    """,
)
ci_group = group(
    "ci",
    {
        "intake": "leaderboard.commands.board.job:intake",
        "score": "leaderboard.commands.board.job:ci_score",
        "record": "leaderboard.commands.board.job:record",
        "comment": "leaderboard.commands.board.job:comment",
    },
    """Run the steps of the workflows between a pull request and its row.

    Example: argue-bench board ci comment --outcome /tmp/scored --out comment.md
    """,
    hidden=True,
)
board = group(
    "board",
    {
        "init": "leaderboard.commands.board.init:board_init",
        "workflows": "leaderboard.commands.board.init:workflows",
        "import": "leaderboard.commands.board:import_group",
        "score": "leaderboard.commands.board.job:board_score",
        "screen": "leaderboard.commands.board.results:screen",
        "season": "leaderboard.commands.board:season_group",
        "queue": "leaderboard.commands.board.results:queue",
        "ledger": "leaderboard.commands.board.results:ledger",
        "fetch": "leaderboard.commands.board.results:board_fetch",
        "verify": "leaderboard.commands.board.results:board_verify",
        "archive": "leaderboard.commands.board.results:archive",
        "rescore": "leaderboard.commands.board.job:rescore",
        "diagnosis": "leaderboard.commands.board.results:diagnosis",
        "rotate-key": "leaderboard.commands.board.init:board_rotate_key",
        "doctor": "leaderboard.commands.board.results:doctor",
        "ci": "leaderboard.commands.board:ci_group",
    },
    """Run a board.

    Example: argue-bench board score leaderboard-submissions
    """,
)
