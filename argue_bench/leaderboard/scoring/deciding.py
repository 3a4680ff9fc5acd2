"""Decides what a finished scoring publishes, and writes the files: result, bands, sealed tallies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from argue_bench.eval import Report
from argue_bench.leaderboard.formats.bound import FEWEST_TOLD, told_value
from argue_bench.leaderboard.formats.bundle import Bundle
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.layout import BRIDGES, UNCHANGED
from argue_bench.leaderboard.formats.ledger import told_scores
from argue_bench.leaderboard.formats.outcome import Disclosed, StepOutcome
from argue_bench.leaderboard.formats.results import AnswerFacts, Result, Setting
from argue_bench.leaderboard.scoring.alike import check_alike
from argue_bench.leaderboard.scoring.bridge import make_bridge, scores_after, scores_before
from argue_bench.leaderboard.scoring.disclosure import (
    RankedScore,
    climbs,
    disclose,
    ranked_columns,
    tell,
    units_told,
)
from argue_bench.leaderboard.scoring.results_branch import TALLIES, RankedColumns, seal_tallies
from argue_bench.leaderboard.scoring.scored_settings import gold_digest
from argue_bench.leaderboard.scoring.scoring_inputs import Rescoring, ScoringJob
from argue_bench.leaderboard.scoring.standings import told_bands
from argue_bench.leaderboard.signing.keys import sign_bytes
from argue_bench.records.digests import sha256_each
from argue_bench.stats.averages import Columns
from argue_bench.stats.groups import number_groups


@dataclass(frozen=True)
class ScoredRun:
    """A report for each setting, the ranked score, and the facts about the answers."""

    reports: Mapping[str, Report]
    ranked: RankedScore
    facts: Mapping[str, AnswerFacts]


def decide(
    job: ScoringJob, bundle: Bundle, run: ScoredRun, outcome: StepOutcome
) -> tuple[StepOutcome, dict[str, bytes]]:
    """The settings whose rows change, and the files to record."""
    season, state, ranked = job.season, job.state, run.ranked
    new = {setting: ranked_columns(report, ranked) for setting, report in run.reports.items()}
    tallies = state.counted(state.systems, job.secrets.key)
    if job.again:
        tallies |= job.again.tallies
    # Settings differ in what systems may read and not in how they are scored: any one stands for all.
    check_alike(job, next(iter(new.values())).signature)
    moved = {setting: _is_told(job, bundle, run, setting) for setting in new}
    rows = {
        setting: replace(tell(report, ranked, season.step), answers=run.facts[setting])
        for setting, report in run.reports.items()
        if moved[setting]
    }
    nothing = Disclosed(False)
    # Then no run of this season will ever be told, and the comment says why.
    few = season.step is not None and len(job.dataset) < FEWEST_TOLD
    outcome = replace(
        outcome,
        questions=len(job.dataset) if few else None,
        ranked=ranked.key,
        state="scored" if rows else UNCHANGED,
        settings={
            s: disclose(rows[s], ranked, None if season.step else run.reports[s])
            if s in rows
            else nothing
            for s in new
        },
    )
    if not rows:
        return outcome, {}
    files = _result(job, bundle, outcome, rows)
    # A setting that did not move keeps its row and so its tallies; a re-scoring replaces both.
    before = {} if job.again else tallies.get(bundle.system, {})
    tallies[bundle.system] = {**before, **{s: new[s] for s in rows}}
    files |= _statistics(job, bundle.system, ranked, tallies)
    if job.again:
        told = {s: one.value for s, one in outcome.settings.items() if one.value is not None}
        job.again.keep(bundle.system, tallies[bundle.system], told)
        files |= _bridge(job, job.again, ranked, next(iter(new.values())).signature, outcome.date)
    return replace(outcome, files=sha256_each(files)), files


def _is_told(job: ScoringJob, bundle: Bundle, run: ScoredRun, setting: str) -> bool:
    """Whether this setting is published: always where the gold is public, else a step above the
    author's best."""
    step, ranked = job.season.step, run.ranked
    if step is None:
        return True
    value = run.reports[setting].scores[ranked.key].value
    if value is None or job.again:
        # What was told before is told again when it is scored anew: quota and gate are of runs.
        return value is not None
    if len(job.dataset) < FEWEST_TOLD:
        return False
    told = told_scores(job.state.events, bundle.author, job.season.season, bundle.answers)
    return climbs(told_value(value, step), told.get(setting, []), ranked, step)


def _result(
    job: ScoringJob, bundle: Bundle, outcome: StepOutcome, rows: Mapping[str, Setting]
) -> dict[str, bytes]:
    """The result with its signature; settings that did not move stay as they were."""
    # After a re-scoring no row of before may stand beside the new ones: they were made otherwise.
    before = None if job.again else job.state.result(bundle.system, job.keys)
    scored = {
        path: content
        for path, content in bundle.files.items()
        if path.startswith("metadata/") or path.partition("-generations/")[0] in rows
    }
    result = Result(
        job.season.season,
        bundle.system,
        {**(before.settings if before else {}), **rows},
        {**(before.submission if before else {}), **sha256_each(scored)},
        gold_digest(job.dataset),
        bundle.author,
        bundle.commit,
        job.season.group or "",
        outcome.date,
    )
    return signed_result(result, job.secrets.signing)


def signed_result(result: Result, signing: str) -> dict[str, bytes]:
    return signed_file(result.path.as_posix(), canonical(result.to_json()), signing)


def signed_file(path: str, content: bytes, signing: str) -> dict[str, bytes]:
    return {path: content, f"{path}.sig": sign_bytes(content, signing)}


def _statistics(
    job: ScoringJob,
    system: str,
    ranked: RankedScore,
    tallies: Mapping[str, Mapping[str, RankedColumns]],
) -> dict[str, bytes]:
    """The system's tallies, encrypted, and the bands of all settings, signed."""
    name = job.season.season
    bands = {}
    for setting in job.season.settings:
        there = {s: one[setting] for s, one in tallies.items() if setting in one}
        if there:
            # Only scores that were made alike are compared: like the scored one, or like the first.
            signature = (there.get(system) or next(iter(there.values()))).signature
            columns = {s: one.columns for s, one in there.items() if one.signature == signature}
            bands[setting] = _bands(job, ranked, columns)
    content = canonical({"schema": 1, "season": name, "settings": bands})
    sealed = seal_tallies(tallies[system], job.secrets.key, name, system)
    return {
        f"results/{name}/{TALLIES}/{system}.sealed": sealed,
        **signed_file(f"results/{name}/bands.json", content, job.secrets.signing),
    }


def _bridge(
    job: ScoringJob, again: Rescoring, ranked: RankedScore, signature: Mapping[str, str], date: str
) -> dict[str, bytes]:
    """The season's bridges, signed: those of before, and the one that this re-scoring makes."""
    state, name, reason = job.state, job.season.season, again.reason
    stood = state.bridges(job.keys)
    mine = [one for one in stood if one["reason"] == reason]
    old = [one for bridge in mine for one in bridge["from"]]
    for settings in state.counted(state.systems, job.secrets.key).values():
        for one in settings.values():
            if dict(one.signature) not in (dict(signature), *old):
                old.append(dict(one.signature))
    bridge = make_bridge(
        scores_before(state.events, name, reason),
        {**scores_after(state.events, name, reason), **again.told},
        (old, signature),
        reason,
        date,
        ranked.sign,
    )
    kept = [*(one for one in stood if one["reason"] != reason), bridge]
    content = canonical({"schema": 1, "season": name, "bridges": kept})
    return signed_file(f"results/{name}/{BRIDGES}", content, job.secrets.signing)


def _bands(job: ScoringJob, ranked: RankedScore, columns: Mapping[str, Columns]) -> dict[str, Any]:
    # Bands of hidden gold come from told scores alone; tests over tallies would tell more.
    step, n = job.season.step, len(job.dataset)
    groups = number_groups(question.cluster for question in job.dataset)
    if step is None:
        return job.banding(ranked.key, ranked.average, columns, groups)
    return told_bands(ranked, columns, n, step, units_told(n, groups))
