"""Commands of an organiser, and the workflows' steps."""

from __future__ import annotations

from argue_bench.cli.commands import group

season_group = group(
    "season",
    {
        "open": "leaderboard.commands.board.results:season_open Open the sealed gold of a season, or the diagnosis of a scoring, with the key in ANSWERS_KEY.",
        "reveal": "leaderboard.commands.board.results:season_reveal Publish a season's gold on its last day, with the key in ANSWERS_KEY and everybody's tallies.",
        "verify": "leaderboard.commands.board.results:season_verify Check a season's folder: set and promised hashes; with the key in ANSWERS_KEY, or a published one, its gold.",
    },
    """Check a season's folder, open its sealed gold, and publish it on the last day.

    Example: argue-bench board season verify leaderboard-submissions
    """,
)
ci_group = group(
    "ci",
    {
        "intake": "leaderboard.commands.board.job:intake Copy one submission out of a pull request, as data, into OUT/bundle.",
        "score": "leaderboard.commands.board.job:ci_score Score a bundle against the sealed gold of the season in FOLDER, within its quota and steps.",
        "record": "leaderboard.commands.board.job:record Commit a signed outcome to the results branch.",
        "comment": "leaderboard.commands.board.job:comment Write what the board answers to a pull request.",
    },
    """Run the steps of the workflows between a pull request and its row.

    Example: argue-bench board ci comment --outcome /tmp/scored --out comment.md
    """,
    hidden=True,
)
board = group(
    "board",
    {
        "init": "leaderboard.commands.board.init:board_init Make a new board in OUT, ready to be pushed: season, sealed gold, public key, texts, workflows.",
        "import": "leaderboard.commands.board.init:board_import Bring another board's submissions, labels and results into our layout.",
        "score": "leaderboard.commands.board.job:board_score Check and score the submissions in FOLDER at home.",
        "screen": "leaderboard.commands.board.results:screen Show what the screening sees in a submission, beside what is usual on the board in FOLDER.",
        "season": "leaderboard.commands.board:season_group Check a season's folder, open its sealed gold, and publish it on the last day.",
        "ledger": "leaderboard.commands.board.results:ledger Show the board's event log, or add an organiser's decision with its reason.",
        "fetch": "leaderboard.commands.board.results:board_fetch Bring results beside the merged submissions of FOLDER, ready for `site build OUT`.",
        "verify": "leaderboard.commands.board.results:board_verify Check every signature and snapshot in FOLDER, and the chain of its ledger, without secret or network.",
        "archive": "leaderboard.commands.board.results:archive Keep the boards of FOLDER, which `board fetch` brought, under archive/DAY of the results branch.",
        "bridge": "leaderboard.commands.board.job:board_bridge Sign FILE, which `judge bridge --out` wrote, with the key in SIGNING_KEY, on the results branch.",
        "rescore": "leaderboard.commands.board.job:rescore Score again what is merged in FOLDER and was scored before, each system into OUT/SYSTEM.",
        "rotate-key": "leaderboard.commands.board.init:board_rotate_key Make a new signing key; the one before is retired, and verifies what it signed.",
        "doctor": "leaderboard.commands.board.results:doctor Check the settings of the board's repository on GitHub; reads, and changes nothing.",
        "ci": "leaderboard.commands.board:ci_group",
    },
    """Run a board. The steps under `board ci` are for its workflows, which call them.

    Example: argue-bench board score leaderboard-submissions
    """,
)
