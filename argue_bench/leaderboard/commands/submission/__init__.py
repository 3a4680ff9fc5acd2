"""Commands of a participant."""

from __future__ import annotations

from argue_bench.cli.commands import group

submission = group(
    "submission",
    {
        "init": "leaderboard.commands.submission.participate:submission_init",
        "check": "leaderboard.commands.submission.participate:submission_check",
        "preview": "leaderboard.commands.submission.participate:preview",
        "send": "leaderboard.commands.submission.participate:send",
        "status": "leaderboard.commands.submission.participate:status",
    },
    """Prepare a submission.

    Example: argue-bench submission check leaderboard-submissions
    """,
)
