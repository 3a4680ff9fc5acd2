"""Commands on judges: labels, attempts to steer them, agreement with people."""

from __future__ import annotations

from argue_bench.cli.commands import group

judge = group(
    "judge",
    {
        "check": "lab.commands.check:judge_check",
        "bridge": "lab.commands.bridge:judge_bridge",
        "card": "lab.commands.card:card",
        "get": "lab.commands.get:judge_get",
        "injections": "lab.commands.check:judge_injections",
        "agreement": "lab.commands.agreement:agreement",
        "leaderboard": "adapters.autojudge_phases:leaderboard",
    },
    """Find out which judge can be trusted.

    Example: argue-bench judge check lexical --labels labels.jsonl
    """,
)
