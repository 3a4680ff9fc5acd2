"""Commands of a participant."""

from __future__ import annotations

from argue_bench.cli.commands import group

submission = group(
    "submission",
    {
        "init": "leaderboard.commands.submission.participate:submission_init",
        "check": "leaderboard.commands.submission.participate:submission_check",
        "send": "leaderboard.commands.submission.participate:send",
    },
    """Prepare a submission.

    Example: argue-bench submission check leaderboard-submissions
    """,
)
