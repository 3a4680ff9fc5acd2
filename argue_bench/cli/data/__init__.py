"""Commands on data: what rows or a data set hold."""

from __future__ import annotations

from argue_bench.cli.commands import group

data = group(
    "data",
    {"check": "data.check:check_data"},
    """Look at rows and data sets before scoring.

    Example: argue-bench data check rows.jsonl
    """,
)
