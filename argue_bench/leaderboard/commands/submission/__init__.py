"""Commands of a participant."""

from __future__ import annotations

from argue_bench.cli.commands import group

submission = group(
    "submission",
    {
        "init": "leaderboard.commands.submission.participate:submission_init Write the metadata of a system, by options or by questions; further keys are added to the file.",
        "check": "leaderboard.commands.submission.participate:submission_check Check the submissions in FOLDER as the board will; with --track, a TREC run.",
        "send": "leaderboard.commands.submission.participate:send Check a submission and push it as a branch with one commit of exactly its files.",
    },
    """Prepare a submission.

    Example: argue-bench submission check leaderboard-submissions
    """,
)
