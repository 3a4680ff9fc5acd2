"""Commands on judges: labels, attempts to steer them, agreement with people."""

from __future__ import annotations

from argue_bench.cli.commands import group

judge = group(
    "judge",
    {
        "check": "lab.commands.check:judge_check Compare a judge with labels: confusion, accuracy, kappa with its interval, flips.",
        "bridge": "lab.commands.bridge:judge_bridge Carry the scores of the judge OLD over to the judge NEW, by requests that both judge.",
        "card": "lab.commands.check:card Write how a judge agrees with people, set by set, what a verdict costs, and how easily it is steered.",
        "get": "lab.commands.check:judge_get Fetch a published model that checks claims, once; without a name, list them.",
        "agreement": "lab.commands.agreement:agreement Compare a judge's scores with people's: rankings, significance and bias.",
        "leaderboard": "adapters.autojudge_phases:leaderboard Judge the RUNS of a track and write a leaderboard that `judge agreement` and auto-judge read.",
    },
    """Find out which judge can be trusted.

    Example: argue-bench judge check lexical --labels labels.jsonl
    """,
)
