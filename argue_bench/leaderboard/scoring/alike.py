"""Checks that all tallies of a season were made in the same way: by one release, judge, metric
and set.

The ladder compares tallies, and tallies compare only under one signature. After a change nothing new is
scored until what stands is scored again (`board rescore`): else every author would begin anew. What can be
known before judging is compared first, so that no judge is paid in vain; parameters that a server refused
are known only after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from argue_bench.errors import Code
from argue_bench.eval.judging import judges_for
from argue_bench.eval.signature import Signature, sign, without_observed
from argue_bench.leaderboard.formats.git_objects import refusal
from argue_bench.leaderboard.formats.ledger import removed_systems
from argue_bench.leaderboard.scoring.job import ScoringJob
from argue_bench.leaderboard.scoring.results_branch import RankedColumns
from argue_bench.leaderboard.scoring.web_pages import WebPages
from argue_bench.metrics import parse

Tallies = Mapping[str, Mapping[str, RankedColumns]]


def check_tallies(job: ScoringJob, pages: Mapping[str, WebPages]) -> None:
    """Raises SubmissionError where tallies of the season were not made as this job makes them."""
    state = job.state
    standing = _standing(job, state.counted(state.systems, job.secrets.key))
    if job.again or not standing:
        return
    wanted = _expected(job, next(iter(pages.values()), None))
    if wanted is None:
        return
    _refuse(
        system
        for system, settings in standing.items()
        for one in settings.values()
        if _without_observed(one.signature) != wanted
    )


def check_signatures(
    job: ScoringJob, made: Mapping[str, Mapping[str, str]], tallies: Tallies
) -> None:
    """The same for the signatures by setting that a scoring ended with. Raises SubmissionError."""
    if job.again or not made:
        return
    signature = next(iter(made.values()))
    _refuse(
        system
        for system, settings in _standing(job, tallies).items()
        for one in settings.values()
        if dict(one.signature) != dict(signature)
    )


def _standing(job: ScoringJob, tallies: Tallies) -> Tallies:
    gone = removed_systems(job.state.events, job.season.season)
    return {system: one for system, one in tallies.items() if system not in gone}


def _expected(job: ScoringJob, pages: WebPages | None) -> dict[str, str] | None:
    """The signature of the ranked score as this job will make it, as far as that is known.

    None where the season leaves its metrics to the set: then it is known after judging.
    """
    named, _, score = job.season.ranked.rpartition(".")
    metrics = [parse(text) for text in job.season.metrics]
    metric = next((m for m in metrics if named in (str(m), m.name) and score in m.scores), None)
    if metric is None:
        return None
    specs = job.season.judge_specs(job.judges)
    judge = None
    if metric.requests:
        judge = judges_for([metric], specs.pop(""), specs)[metric.judge_name]
    data = job.dataset
    signed = sign(metric, judge, data=data.title, n=len(data), answers="all", on_failure="refuse")
    web = {} if pages is None else pages.signed
    return _without_observed(Signature({**signed, **web}).comparable)


def _without_observed(signature: Mapping[str, str]) -> dict[str, str]:
    return {key: without_observed(part) for key, part in signature.items()}


def _refuse(systems: Iterable[str]) -> None:
    others = sorted(set(systems))
    if others:
        why = f"{len(others):,} rows of the season were made otherwise: by another release, judge or metric"
        hint = "The organiser scores them again first: argue-bench board rescore."
        raise refusal(Code.TALLIES_OTHER, why, hint=hint)
