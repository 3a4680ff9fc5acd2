"""Commands on judges: labels, attempts to steer them, agreement with people."""

from __future__ import annotations

from argue_bench.cli.commands import group

judge = group(
    "judge",
    {
        "check": "judging.check:judge_check",
        "card": "judging.card:card",
        "fit": "judging.fit:fit",
        "agreement": "judging.agreement:agreement",
        "leaderboard": "judging.leaderboard:leaderboard",
    },
    """Find out which judge can be trusted.

    Example: argue-bench judge check lexical --labels labels.jsonl
    """,
)
