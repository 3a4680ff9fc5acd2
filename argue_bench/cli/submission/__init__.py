"""Commands of a participant."""

from __future__ import annotations

from argue_bench.cli.commands import group

submission = group(
    "submission",
    {
        "init": "submission.participate:submission_init",
        "check": "submission.check:submission_check",
        "preview": "submission.participate:preview",
        "send": "submission.participate:send",
        "withdraw": "submission.participate:withdraw",
        "supersede": "submission.participate:supersede",
    },
    """Prepare a submission.

    Example: argue-bench submission check leaderboard-submissions
    """,
)
