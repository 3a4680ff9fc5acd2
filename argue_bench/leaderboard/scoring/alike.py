"""Checks that all rows of a season are made in the same way: by one release, judge, metric and set.

Rows rank together only under one signature. After a change nothing new is scored until what stands is scored
again (`board rescore`). Release and set are compared before a judge is paid; the rest is known after it.
"""

from __future__ import annotations

from collections.abc import Mapping

from argue_bench.errors import Code
from argue_bench.leaderboard.formats.git_objects import refusal
from argue_bench.leaderboard.formats.ledger import removed_systems
from argue_bench.leaderboard.scoring.scoring_inputs import ScoringJob
from argue_bench.version import __version__


def check_alike(job: ScoringJob, signature: Mapping[str, str] | None = None) -> None:
    """Raises SubmissionError where rows of the season have another signature than this one.

    Without one, those parts are compared that are known before anything is judged.
    """
    if job.again:
        return
    wanted = signature or {"data": job.dataset.title, "version": __version__}
    gone = removed_systems(job.state.events, job.season.season)
    standing = job.state.counted(job.state.systems, job.secrets.key)
    others = [
        system
        for system, settings in standing.items()
        if system not in gone
        and any(
            (dict(one.signature) if signature else {k: one.signature.get(k) for k in wanted})
            != dict(wanted)
            for one in settings.values()
        )
    ]
    if others:
        why = f"{len(others):,} rows of the season were made otherwise: by another release, judge or metric"
        hint = "The organiser scores them again first: argue-bench board rescore."
        raise refusal(Code.TALLIES_OTHER, why, hint=hint)
