"""The commands of a board: for organisers, its workflows and participants."""

from argue_bench.cli.commands import group

site_group = group(
    "site",
    {"build": "leaderboard.commands.site:build Render every page of the board in FOLDER."},
    """Make the pages of a board.

    Example: argue-bench site build
    """,
)
