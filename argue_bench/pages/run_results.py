"""Results from run files: bands by paired tests, topics, report viewers.

Run files are in ``runs/SEASON/SETTING/SYSTEM.run``, and only where the gold is public: they hold
scores question by question. A hidden split has ``results/SEASON/bands.json`` instead: setting to what
`argue_bench.analysis.bands.rank_bands` gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from argue_bench.analysis.bands import interval_ranks, p_threshold, rank_bands
from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.eval.report import Report
from argue_bench.eval.run import read_entries, read_reports
from argue_bench.eval.signature import Signature
from argue_bench.loaders.dataset import Dataset
from argue_bench.pages.columns import find_key
from argue_bench.pages.inputs import (
    Bands,
    BoardSeason,
    QuestionScores,
    SystemRank,
    SystemResult,
    View,
)
from argue_bench.records import Question
from argue_bench.records.untrusted import Limits, read_json
from argue_bench.stats.averages import Average, Columns, columns_of, take, value_of
from argue_bench.stats.bootstrap import Groups, number_groups
from argue_bench.stats.permutation import ALPHA, holm, permutation_test
from argue_bench.stats.proportion import is_share, share_tests, wilson_interval
from argue_bench.view import safe
from argue_bench.view.columns import split_key
from argue_bench.view.render import page_stems

ENDS = ("low", "high")
# System to the p value of its test against the leader, in words, and the difference.
Tests = Mapping[str, tuple[str, float]]


@dataclass(frozen=True)
class _RunResult:
    """One system's ranked score with its columns and values by question."""

    key: str
    report: Report
    columns: Columns
    groups: Groups | None
    average: Average
    signature: Mapping[str, str]


def run_files(folder: Path, season: str) -> dict[str, dict[str, Path]]:
    """Setting to system to its run file."""
    found: dict[str, dict[str, Path]] = {}
    for path in sorted((folder / "runs" / season).glob("*/*.run")):
        found.setdefault(path.parent.name, {})[path.stem] = path
    return found


def with_runs(
    season: BoardSeason,
    folder: Path,
    dataset: Dataset | None,
    published: Path | None,
    findings: list[Finding],
) -> tuple[BoardSeason, list[View]]:
    """The season with what its run files, or its bands.json, say; and the reports to show.

    ``published`` is that bands.json, where there is one with a valid signature.
    """
    season = with_shares(season) if season.questions else season
    bands = dict(season.bands)
    if published is not None:
        bands |= _published(published, findings, season.entries)
    topics: dict[str, Any] = {}
    views: dict[str, dict[str, str]] = {}
    shown: list[View] = []
    systems = {entry.system: entry for entry in season.entries}
    for setting, files in run_files(folder, season.season).items():
        known = {name: path for name, path in files.items() if name in systems}
        results = dict(_run_results(season, setting, known, findings))
        groups: dict[str, dict[str, _RunResult]] = {}
        for name, one in results.items():
            groups.setdefault(systems[name].group, {})[name] = one
        # Systems of other groups, such as those published elsewhere, rank nowhere beside the most.
        most = max(groups.values(), key=len, default={})
        if len(most) > 1 and (made := _bands(most)) is not None:
            bands[setting] = made
        if dataset is not None:
            # Of runs that people labelled there may be scores alone: no reports to show.
            for name, path in ((n, p) for n, p in known.items() if _has_texts(p)):
                place = f"view/{season.season}/{setting}/{name}/"
                views.setdefault(setting, {})[name] = f"{place}index.html"
                back = f"board/{season.season}/{setting}.html#{name}"
                called = safe.text((systems[name].metadata or {}).get("name"), 80)
                shown.append(View(path, dataset, place, called or name, back))
            folders = {
                name: f"view/{season.season}/{setting}/{name}/" for name in views.get(setting, {})
            }
            topics[setting] = _topics(results, dataset, folders)
    if dataset is not None:  # a question is public, though scores on it may not be
        for setting in dict.fromkeys(name for entry in season.entries for name in entry.settings):
            topics.setdefault(setting, question_rows(dataset))
    return replace(season, bands=bands, topics=topics, views=views), shown


def with_shares(season: BoardSeason) -> BoardSeason:
    """The season with intervals, and ranks by unpaired tests, of what was published as bare shares of its questions.

    A score is a share of k questions where every system's value is some k of the set's n, to the digits of a
    double: means of graded values never are, over as many systems.
    """
    n, ranked = season.questions, season.ranked
    graded = {
        key
        for entry in season.entries
        for one in entry.settings.values()
        for key, score in one["scores"].items()
        if not (n and is_share(score, n))
    }

    def filled(key: str, score: Mapping[str, Any]) -> Mapping[str, Any]:
        if key in graded or score["value"] is None or n is None:
            return score
        return {**score, **dict(zip(ENDS, wilson_interval(score["value"], n), strict=True)), "n": n}

    entries = tuple(
        replace(
            entry,
            settings={
                name: {**one, "scores": {key: filled(key, s) for key, s in one["scores"].items()}}
                for name, one in entry.settings.items()
            },
        )
        for entry in season.entries
    )
    bands = {}
    for setting in season.settings if n and ranked not in graded else ():
        scored = {e.system: e.settings.get(setting, {}).get("scores", {}) for e in entries}
        shares = {name: one[ranked]["value"] for name, one in scored.items() if ranked in one}
        bands[setting] = _share_bands({k: v for k, v in shares.items() if v is not None}, n or 0)
    return replace(season, entries=entries, bands=bands)


def _share_bands(values: Mapping[str, float], n: int) -> Bands:
    """Ranks of systems of which only shares of ``n`` questions are known: the places that tests leave open."""
    names = sorted(values, key=lambda name: -values[name])
    p = np.ones((len(names), len(names)))
    p[np.triu_indices(len(names), 1)] = holm(
        share_tests([values[name] for name in names], [n] * len(names))
    )
    # Names stand from the best down, so above[a, b] says that a is shown to be better than b.
    above = np.triu(p < ALPHA)
    standings: dict[str, SystemRank] = {}
    leader, band = 0, 1
    for place, name in enumerate(names):
        if above[leader, place]:
            leader, band = place, band + 1
        best, worst = 1 + int(above[:, place].sum()), len(names) - int(above[place].sum())
        told = (p_threshold(p[0, place]) or "") if place else ""
        standings[name] = SystemRank(band, best, worst, told, values[name] - values[names[0]])
    return Bands(standings, f"unpaired test at alpha = {ALPHA:g}, correction: holm, n = {n}")


def _has_texts(path: Path) -> bool:
    """Whether the run file holds any answer's text; one that cannot be read is looked at elsewhere."""
    try:
        return any(not entry.answer.empty for entry in read_entries(path))
    except DataError:
        return True


def _run_results(
    season: BoardSeason, setting: str, files: Mapping[str, Path], findings: list[Finding]
) -> Iterator[tuple[str, _RunResult]]:
    """Each system whose run can be read and is the one that its result was made from."""
    entries = {entry.system: entry for entry in season.entries}
    for name, path in files.items():
        try:
            report = next(iter(read_reports(path).values()))
        except DataError as error:
            findings += error.findings
            continue
        key = find_key(season.ranked, report.scores)
        scored = entries[name].settings.get(setting, {"signature": {}, "scores": {}})
        if not key or key not in scored["scores"]:
            continue
        metric, score = split_key(key)
        columns = columns_of(rows.get(metric) for rows in report.per_question.values())
        groups = number_groups(report.groups.get(one, "") for one in report.per_question)
        average = report.averages(metric)[score]
        value, published = report.scores[key].value, scored["scores"][key]["value"]
        # A run file that gives another value is of another run: its questions would contradict the signed result.
        if value is None or published is None or abs(value - published) > 1e-9:
            why = f"its {key} is not the one of the result; it was left out"
            findings.append(Finding(Code.OTHER_RESULT, why, str(path), level="warning"))
            continue
        signature = Signature(scored["signature"].get(metric, {}))
        yield name, _RunResult(key, report, columns, groups, average, signature)


def _bands(results: Mapping[str, _RunResult]) -> Bands | None:
    """Bands and tests against the leader, among systems with the same signature."""
    first = next(iter(results.values()))
    comparable = {n: one.columns for n, one in results.items() if one.signature == first.signature}
    try:
        data = rank_bands(first.key, first.average, comparable, groups=first.groups)
        return _from_data(data, _leader_tests(data, first.average, comparable, first.groups))
    except UsageError:
        return None


def _leader_tests(
    ranked: Mapping[str, Any],
    average: Average,
    systems: Mapping[str, Columns],
    groups: Groups | None = None,
) -> dict[str, tuple[str, float]]:
    """For each system below the leader of `rank_bands`: its p value (Holm over them) in words, and its difference."""
    leader, *others = ranked["systems"]
    told = [row for row in others if row["value"] is not None]
    columns = systems[leader["system"]]
    p = holm(
        [
            float(permutation_test(average, columns, systems[row["system"]], groups=groups))
            for row in told
        ]
    )
    return {
        row["system"]: (p_threshold(one) or "", row["value"] - leader["value"])
        for row, one in zip(told, p, strict=True)
    }


def _from_data(data: Mapping[str, Any], tests: Tests) -> Bands:
    """The data of `rank_bands` in the form of pages."""
    best = next((row["value"] for row in data["systems"] if row["value"] is not None), None)
    standings = {}
    for row in data["systems"]:
        if row["band"] is None:
            continue
        given = (row["p_below_leader"] or "" if row["band"] == 1 else "", row["value"] - best)
        p, gap = tests.get(row["system"], given)
        standings[row["system"]] = SystemRank(
            row["band"], row["rank_low"], row["rank_high"], p, gap
        )
    n = f"{data['n']} in {data['clusters']} groups" if "clusters" in data else f"{data['n']}"
    how = (
        f"{data['test']}, told in steps of {data['step']:g} points, n = {n}"
        if "step" in data
        else f"{data['test']} test at alpha = {data['alpha']:g}, correction: {data['correction']}, "
        f"n = {n}; rank intervals from {data['resamples']:,} resamples"
    )
    return Bands(standings, how, data["resolvable"])


def _published(
    path: Path, findings: list[Finding], entries: Iterable[SystemResult]
) -> Iterator[tuple[str, Bands]]:
    """The bands of a hidden split, setting by setting; signed bands list signed results only.

    They are of the last scoring of each system, merged or not. Told ones are ranked again by the scores that are
    shown; of others a row keeps its rank where it shows the score that was ranked.
    """
    signed = path.with_name(f"{path.name}.sig").is_file()
    # Signed bands vouch for signed results alone: an unsigned row gets no rank from them.
    shown = {one.system: one for one in entries if not signed or one.seal != "unsigned"}
    try:
        value = read_json(path, Limits(file_bytes=50_000_000, line_bytes=50_000_000))
        for setting, data in value.get("settings", value).items():
            if isinstance(data, dict) and "systems" in data:
                rows = [*_shown(data, setting, shown)]
                if "step" in data:
                    best = data["better"] != "lower"
                    rows.sort(key=lambda row: row["value"], reverse=best)
                    ranks = interval_ranks(rows, data["better"])
                    rows = [{**row, **one} for row, one in zip(rows, ranks, strict=True)]
                yield setting, _from_data({**data, "systems": rows}, {})
    except DataError as error:
        findings += error.findings
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        why = f"these are no bands ({type(error).__name__}: {error})"
        findings.append(Finding(Code.WRONG_SHAPE, why, str(path)))


def _shown(
    bands: Mapping[str, Any], setting: str, entries: Mapping[str, SystemResult]
) -> Iterator[dict[str, Any]]:
    """The rows of bands that a page shows, told ones with the score that it shows."""
    for row in bands["systems"]:
        entry = entries.get(row["system"])
        there = {} if entry is None else entry.settings.get(setting, {})
        score = there.get("scores", {}).get(bands["score"])
        if not score or score["value"] is None:
            continue
        if "step" in bands or math.isclose(score["value"], row["value"], abs_tol=1e-6):
            yield {**row, **{key: score[key] for key in ("value", *ENDS)}}


def _topics(
    results: Mapping[str, _RunResult], dataset: Dataset, folders: Mapping[str, str]
) -> tuple[QuestionScores, ...]:
    """Every question with the ranked score that each system got on it, and where its report is."""
    values: dict[str, dict[str, float | None]] = {question.id: {} for question in dataset}
    reports: dict[str, dict[str, tuple[str, str]]] = {question.id: {} for question in dataset}
    for name, one in results.items():
        for place, id in enumerate(one.report.per_question):
            if id in values:
                values[id][name] = value_of(one.average, take(one.columns, [place]))
        known = [id for id in values if name in folders and id in one.report.per_question]
        for id, stem in page_stems(known).items():
            reports[id][name] = (folders[name], stem)
    return tuple(
        replace(one, values=values[one.id], gold=_gold(question), reports=reports[one.id])
        for one, question in zip(question_rows(dataset), dataset, strict=True)
    )


def question_rows(dataset: Dataset) -> tuple[QuestionScores, ...]:
    """The questions of a set, nothing of their gold and of any score."""
    return tuple(
        QuestionScores(
            question.id,
            request.title if (request := question.request) and request.title else question.text,
            {},
            (request.problem_statement if request else "") or question.text,
        )
        for question in dataset
    )


def _words(value: Any) -> str:
    """A structured answer on one line."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_words(one)}" for name, one in value.items())
    return ", ".join(map(_words, value)) if isinstance(value, tuple) else str(value)


def _gold(question: Question) -> tuple[str, ...]:
    """The gold of a question in lines that people read: its answers, then its nuggets."""
    if (gold := question.gold) is None:
        return ()
    if not gold.answerable:
        return ("The documents do not answer this question.",)
    lines = [_words(gold.answer)] if gold.answer else []
    short = () if gold.nuggets else gold.short_answers  # nuggets ask the same
    lines += [f"{one.question} {' or '.join(one.answers)}".strip() for one in short]
    for nugget in gold.nuggets:
        way = " and " if nugget.combine == "all" else " or "
        lines.append(f"{nugget.question} {way.join(answer.text for answer in nugget.answers)}")
    return tuple(lines or gold.long_answers[:1])
