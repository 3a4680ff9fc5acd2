"""The command that builds a board's pages."""

from __future__ import annotations

from argue_bench.cli.commands import group

site = group(
    "site",
    {"build": "site.build:build"},
    """Make the pages of a board.

    Example: argue-bench site build
    """,
)
