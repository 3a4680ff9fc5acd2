"""Commands on data: what rows or a data set hold, and nuggets drafted and edited."""

from __future__ import annotations

from argue_bench.cli.commands import group

data = group(
    "data",
    {
        "check": "cli.data.check:data_check",
        "nuggets": "cli.data.nuggets:draft",
        "edit": "cli.data.nuggets:edit",
    },
    """Look at rows and data sets before scoring; draft and edit nuggets.

    Example: argue-bench data check rows.jsonl
    """,
)
