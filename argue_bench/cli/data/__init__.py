"""Commands on data: what rows or a data set hold, and nuggets drafted and edited."""

from __future__ import annotations

from argue_bench.cli.commands import group

data = group(
    "data",
    {
        "check": "cli.data.check:data_check Say in ten lines what rows or a data set hold.",
        "nuggets": "cli.data.nuggets:draft Draft nuggets for questions that have none, from their documents or from --reports.",
        "edit": "cli.data.nuggets:edit Write FOLDER.html, a page on which people accept, edit, merge and weight the nuggets in FOLDER.",
    },
    """Look at rows and data sets before scoring; draft and edit nuggets.

    Example: argue-bench data check rows.jsonl
    """,
)
