"""Decides what a finished scoring publishes, and writes the files: result, bands, sealed tallies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from argue_bench.eval import Report
from argue_bench.leaderboard.formats.bound import FEWEST_TOLD, told_value
from argue_bench.leaderboard.formats.bundle import Bundle
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.layout import BRIDGES, FETCHED, UNCHANGED
from argue_bench.leaderboard.formats.ledger import lapsed_scores, owners, told_scores
from argue_bench.leaderboard.formats.outcome import Disclosed, StepOutcome
from argue_bench.leaderboard.formats.results import AnswerFacts, Result, Setting
from argue_bench.leaderboard.scoring.alike import check_signatures
from argue_bench.leaderboard.scoring.bridge import make_bridge, scores_after, scores_before
from argue_bench.leaderboard.scoring.disclosure import (
    RankedScore,
    climbs,
    clusters_of,
    counts_enough,
    disclose,
    improves,
    ranked_columns,
    stands_above,
    tell,
    units_told,
)
from argue_bench.leaderboard.scoring.gold_overlap import Rate, overlap_note
from argue_bench.leaderboard.scoring.job import ScoringJob
from argue_bench.leaderboard.scoring.local_scoring import gold_digest
from argue_bench.leaderboard.scoring.results_branch import TALLIES, RankedColumns, seal_tallies
from argue_bench.leaderboard.scoring.standings import told_bands
from argue_bench.leaderboard.signing.keys import sign_bytes
from argue_bench.records.digests import sha256_each
from argue_bench.stats.averages import Columns
from argue_bench.stats.clusters import number_clusters


@dataclass(frozen=True)
class ScoredRun:
    """A report for each setting, the ranked score, and how much gold stands in the answers."""

    reports: Mapping[str, Report]
    ranked: RankedScore
    overlaps: Mapping[str, Rate]
    facts: Mapping[str, AnswerFacts]


def decide(
    job: ScoringJob, bundle: Bundle, run: ScoredRun, outcome: StepOutcome
) -> tuple[StepOutcome, dict[str, bytes], str]:
    """The settings whose rows change, the files to record, and notes for the organiser alone."""
    season, state, ranked = job.season, job.state, run.ranked
    new = {
        setting: replace(ranked_columns(report, ranked), overlap=run.overlaps[setting])
        for setting, report in run.reports.items()
    }
    tallies = state.counted(state.systems, job.secrets.key) | job.before
    check_signatures(job, {s: one.signature for s, one in new.items()}, tallies)
    owner = owners(state.events)
    own = [one for name, one in tallies.items() if owner.get(name) == bundle.author]
    others = [one for name, one in tallies.items() if owner.get(name) != bundle.author]
    notes = "\n".join(
        overlap_note(
            setting, rate, [o.overlap for one in others if (o := one.get(setting)) and o.overlap]
        )
        for setting, rate in run.overlaps.items()
    )
    moved = {
        setting: _is_told(job, bundle, run, setting, one, [o[setting] for o in own if setting in o])
        for setting, one in new.items()
    }
    rows = {
        setting: replace(tell(report, ranked, season.step), answers=run.facts[setting])
        for setting, report in run.reports.items()
        if moved[setting]
    }
    nothing = Disclosed(False)
    few = season.step is not None and len(job.dataset) < FEWEST_TOLD
    outcome = replace(
        outcome,
        questions=len(job.dataset) if few else None,
        ranked=ranked.key,
        state="scored" if rows else UNCHANGED,
        settings={s: disclose(rows[s], ranked) if s in rows else nothing for s in new},
    )
    if not rows:
        return outcome, {}, notes
    files = _result(job, bundle, outcome, rows)
    before = {} if job.again else tallies.get(bundle.system, {})
    tallies[bundle.system] = {**before, **{s: new[s] for s in rows}}
    if job.again:
        job.before[bundle.system] = tallies[bundle.system]
    files |= _statistics(job, bundle.system, ranked, tallies)
    if job.again:
        told = {s: one.value for s, one in outcome.settings.items() if one.value is not None}
        job.told[bundle.system] = told
        files |= _bridge(job, ranked, next(iter(new.values())).signature, outcome.date)
    return replace(outcome, files=sha256_each(files)), files, notes


def _is_told(
    job: ScoringJob,
    bundle: Bundle,
    run: ScoredRun,
    setting: str,
    new: RankedColumns,
    own: Sequence[RankedColumns],
) -> bool:
    """Whether this setting is published: always where the gold is public, else where the
    rules of disclosure allow it."""
    step, ranked = job.season.step, run.ranked
    if step is None:
        return True
    value = run.reports[setting].scores[ranked.key].value
    if value is None or not counts_enough(new, ranked):
        return False
    # What was told before is told again when it is scored anew: quota and ladder are of runs.
    if job.again:
        return True
    events, season = job.state.events, job.season.season
    # By other pages the very answers that lapsed have another score, so that telling it is news.
    answers = None if job.season.sources == FETCHED else bundle.answers
    before = told_scores(events, bundle.author, season, answers).get(setting, [])
    told, report = told_value(value, step), run.reports[setting]
    clusters = clusters_of(report)
    n = units_told(report.n, clusters)
    if not climbs(told, before, ranked, step):
        return False
    lapsed = lapsed_scores(events, bundle.author, season, answers).get(setting, [])
    return stands_above(told, lapsed, ranked, n, step) and improves(new, ranked, own, clusters)


def _result(
    job: ScoringJob, bundle: Bundle, outcome: StepOutcome, rows: Mapping[str, Setting]
) -> dict[str, bytes]:
    """The result with its signature; settings that did not move stay as they were."""
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
        job.season.group,
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
    job: ScoringJob, ranked: RankedScore, signature: Mapping[str, str], date: str
) -> dict[str, bytes]:
    """The season's bridges, signed: those of before, and the one that this re-scoring makes."""
    state, name, reason = job.state, job.season.season, job.again
    stood = state.bridges(job.keys)
    mine = [one for one in stood if one["reason"] == reason]
    old = [one for bridge in mine for one in bridge["from"]]
    for settings in state.counted(state.systems, job.secrets.key).values():
        for one in settings.values():
            if dict(one.signature) not in (dict(signature), *old):
                old.append(dict(one.signature))
    bridge = make_bridge(
        scores_before(state.events, name, reason),
        {**scores_after(state.events, name, reason), **job.told},
        (old, signature),
        reason,
        date,
        ranked.sign,
    )
    kept = [*(one for one in stood if one["reason"] != reason), bridge]
    content = canonical({"schema": 1, "season": name, "bridges": kept})
    return signed_file(f"results/{name}/{BRIDGES}", content, job.secrets.signing)


def _bands(job: ScoringJob, ranked: RankedScore, columns: Mapping[str, Columns]) -> dict[str, Any]:
    step, n = job.season.step, len(job.dataset)
    clusters = number_clusters(question.cluster for question in job.dataset)
    if step is None:
        return job.banding(ranked.key, ranked.average, columns, clusters)
    return told_bands(ranked, columns, n, step, units_told(n, clusters))
