"""Commands of an organiser, and the workflows' steps."""

from __future__ import annotations

from argue_bench.cli.commands import group

season_group = group(
    "season",
    {
        "new": "board.season:new",
        "gold": "board.season:gold",
        "reveal": "board.season:season_reveal",
        "verify": "board.season:season_verify",
        "script": "board.season:script",
    },
    """Run a season on a generated set whose gold is sealed.

    Example: argue-bench board season new --seed-file ~/season.seed --size small --out season-1
    """,
)
import_group = group(
    "import",
    {
        "fanoutqa": "board.importing:fanoutqa",
        "dragun": "board.importing:dragun",
        "runs": "board.importing:runs",
    },
    """Bring another board's submissions, labels and results into our layout.

    Example: argue-bench board import fanoutqa leaderboard-submissions --out imported
    """,
)
ci_group = group(
    "ci",
    {
        "intake": "board.ci:intake",
        "fetch": "board.ci:ci_fetch",
        "score": "board.ci_score:ci_score",
        "record": "board.ci:record",
        "comment": "board.ci:comment",
    },
    """Run the steps of the workflows between a pull request and its row.

    Example: argue-bench board ci comment --outcome /tmp/scored --out comment.md
    """,
    hidden=True,
)
board = group(
    "board",
    {
        "init": "board.init:board_init",
        "workflows": "board.init:workflows",
        "import": "board:import_group",
        "score": "board.score:board_score",
        "season": "board:season_group",
        "rehearse": "board.rehearse:rehearse",
        "receive": "board.results:receive",
        "queue": "board.results:queue",
        "ledger": "board.results:ledger",
        "fetch": "board.results:board_fetch",
        "verify": "board.results:board_verify",
        "archive": "board.results:archive",
        "rescore": "board.rescore:rescore",
        "diagnosis": "board.results:diagnosis",
        "rotate-key": "board.init:board_rotate_key",
        "doctor": "board.doctor:doctor",
        "power": "board.power:power",
        "export": "board.export:export_board",
        "ci": "board:ci_group",
    },
    """Run a board.

    Example: argue-bench board score leaderboard-submissions
    """,
)
