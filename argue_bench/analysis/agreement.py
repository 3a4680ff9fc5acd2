"""Can a judge be trusted? Its leaderboard against people's, at every level, with intervals.

    system level   correlation of mean scores over topics: would it rank systems as people do?
    topic level    correlation within each topic, then averaged: nearly always lower; another question
    pairwise       does it find the differences that people find, and none the other way round?
    bias           mean of judge minus truth: what a correlation hides
    leaving out    the correlation without one topic, run, team: does it hang on one of them?

Intervals resample topics, the same topics for both sides. Noise on topics pulls a correlation of means
towards 0, and resampling topics pulls it down once more: percentiles would miss the true agreement
nearly always. So the system level has the basic interval (2 x value - quantile, Efron and Tibshirani
1993, chapter 13), which turns that pull around; docs/agreement.md has the coverage that was measured.
Groups (the paper's languages) are groups of runs; each is measured as if it were alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ParamSpec, TypeVar

import numpy as np

from argue_bench.analysis.leave_out import leave_out_runs, leave_out_teams, leave_out_topics
from argue_bench.analysis.pairwise import (
    OUTCOMES,
    Correction,
    PairVerdict,
    Test,
    pair_verdicts,
    score_matrix,
)
from argue_bench.analysis.rankings import (
    AgreementOptions,
    AlignedSystems,
    Pair,
    align_systems,
    correlate,
    correlate_topics,
    measure_pairs,
    missing_topics,
    shared_topics,
)
from argue_bench.analysis.score_table import ScoreTable
from argue_bench.errors import ArgueBenchError, DataError, UsageError
from argue_bench.stats.averages import Array
from argue_bench.stats.bootstrap import RESAMPLES, SEED, bounds, weights
from argue_bench.stats.correlation import METHODS, correlations, parse_method
from argue_bench.stats.significance import ALPHA

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class CorrelationEstimate:
    """A correlation with its interval over topics; None where undefined, and then why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Agreement:
    """One measure of the judge against one of the truth, for one group of runs."""

    truth_measure: str
    judge_measure: str
    group: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    systems: Mapping[str, CorrelationEstimate]
    """By method, over mean scores."""
    within: Mapping[str, CorrelationEstimate]
    """By method, the mean over topics of the correlation within a topic."""
    per_topic: Mapping[str, Mapping[str, float | None]]
    """Topic to method."""
    bias: float
    """Mean of judge minus truth over runs."""
    bias_by_run: Mapping[str, float]
    pairwise: tuple[PairVerdict, ...]
    left_out: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    """"topic", "run" or "team" to what was left out to the first method without it."""
    notes: tuple[str, ...] = ()

    @property
    def outcomes(self) -> dict[str, int]:
        """How many pairs of runs came out how."""
        counted = Counter(one.outcome for one in self.pairwise)
        return {outcome: counted[outcome] for outcome in OUTCOMES}

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        plain = asdict(self)
        plain["outcomes"] = self.outcomes
        plain["pairwise"] = [{**asdict(one), "outcome": one.outcome} for one in self.pairwise]
        return plain


def measure_agreement(
    truth: ScoreTable,
    judge: ScoreTable,
    methods: Sequence[str] = METHODS,
    options: AgreementOptions = AgreementOptions(),  # noqa: B008
    *,
    groups: Mapping[str, str] | None = None,
    teams: Mapping[str, str] | None = None,
    alpha: float = ALPHA,
    test: Test = "wilcoxon",
    correction: Correction = "none",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[Agreement]:
    """Every pair of measures, all runs first (group ""), then each group of runs.

    ``groups`` and ``teams`` map runs to names. Raises DataError and UsageError where what is asked
    cannot be computed at all; single correlations that are undefined are None with a note, and a
    group of fewer than three runs is left out with a note.
    """
    found: list[Agreement] = []
    small: dict[str, str] = {}
    for name, runs in _grouped(truth, judge, options, groups or {}):
        alone = options if not name else replace(options, runs=runs)
        try:
            system = correlate(truth, judge, methods, alone)
        except UsageError as error:
            if not name:
                raise
            small[name] = f"the group {name} is left out: {error}"
            continue
        try:
            tested = pair_verdicts(
                truth, judge, alone, alpha=alpha, test=test, correction=correction
            )
            untested = ""
        except ArgueBenchError as error:
            tested, untested = {}, f"no pair of runs is tested: {error}"
        for pair in measure_pairs(truth, judge, alone):
            one = _one(
                truth,
                judge,
                pair,
                methods,
                alone,
                name,
                system[pair],
                tested.get(pair, []),
                teams or {},
                resamples,
                seed,
            )
            found.append(replace(one, notes=(*one.notes, untested)) if untested else one)
    return [
        one if one.group else replace(one, notes=(*one.notes, *small.values())) for one in found
    ]


def _grouped(
    truth: ScoreTable, judge: ScoreTable, options: AgreementOptions, groups: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    runs = sorted({*truth.runs, *judge.runs})
    kept = tuple(run for run in runs if options.runs is None or run in options.runs)
    yield "", kept
    for name in sorted({groups[run] for run in kept if run in groups}):
        yield name, tuple(run for run in kept if groups.get(run) == name)


def _one(
    truth: ScoreTable,
    judge: ScoreTable,
    pair: Pair,
    methods: Sequence[str],
    options: AgreementOptions,
    group: str,
    values: Mapping[str, float],
    tested: Sequence[PairVerdict],
    teams: Mapping[str, str],
    resamples: int,
    seed: int,
) -> Agreement:
    aligned = align_systems(truth, judge, pair, options)
    only = replace(options, truth_measures=(pair[0],), judge_measures=(pair[1],))
    notes = _missing(truth, judge, pair, only)
    topics = _or_none(shared_topics, truth, judge, options) or []
    per_topic = dict(_per_topic(truth, judge, pair, methods, only, topics))
    bias = {r: y - x for r, x, y in zip(aligned.runs, aligned.truth, aligned.judge, strict=True)}
    sides = [
        score_matrix(truth, pair[0], aligned.runs, topics),
        score_matrix(judge, pair[1], aligned.runs, topics, missing=0.0),
    ]
    systems = system_level(aligned, values, sides, resamples, seed)
    within = {
        method: _within([found[method] for found in per_topic.values()], resamples, seed)
        for method in methods
    }
    left_out = {}
    for what, leave, extra in (
        ("topic", leave_out_topics, ()),
        ("run", leave_out_runs, ()),
        *((("team", leave_out_teams, (teams,)),) if teams else ()),
    ):
        left = _or_none(leave, truth, judge, methods[0], only, *extra)
        if not left:
            notes.append(f"leaving one {what} out leaves too little to correlate")
        else:
            left_out[what] = {k: _plain(v) for k, v in left[pair].items()}
    return Agreement(
        *pair,
        group,
        aligned.runs,
        tuple(topics),
        systems,
        within,
        per_topic,
        float(np.mean(list(bias.values()))),
        bias,
        tuple(tested),
        left_out,
        tuple(notes),
    )


def _missing(truth: ScoreTable, judge: ScoreTable, pair: Pair, only: AgreementOptions) -> list[str]:
    """What is missing on a side, in words."""
    notes = [finding.message for finding in missing_topics(truth, judge, only)]
    try:
        align_systems(truth, judge, pair, replace(only, on_missing="error"))
    except DataError as error:
        notes += [finding.message for finding in error.findings]
    return notes


def system_level(
    aligned: AlignedSystems,
    values: Mapping[str, float],
    sides: Sequence[Array],
    resamples: int,
    seed: int,
) -> dict[str, CorrelationEstimate]:
    """Each system-level correlation with its basic interval over topics.

    ``values`` are the correlations by method, ``sides`` truth and judge as (topics, runs).
    """
    drawn = [_means(side, resamples, seed) for side in sides]
    found = {}
    for method, value in values.items():
        name, k = parse_method(method)
        at = np.arange(len(aligned.runs))
        if k:
            best = set(aligned.best[:k])
            at = np.array([i for i, run in enumerate(aligned.runs) if run in best])
        rows = [side[:, at] for side in drawn]
        whole = ~np.isnan(rows[0]).any(axis=1) & ~np.isnan(rows[1]).any(axis=1)
        resampled = correlations(name, rows[0][whole], rows[1][whole])
        why = _why(name, aligned, at)
        found[method] = _mirrored(_estimate(value, resampled, len(sides[0]), why))
    return found


def _means(side: Array, resamples: int, seed: int) -> Array:
    """The systems' means over resampled topics, (resamples, runs); over the topics a run has."""
    if len(side) < 2:
        return np.empty((0, side.shape[1]))
    told = (~np.isnan(side)).astype(np.float64)
    parts = []
    for drawn in weights(len(side), resamples, seed):
        below = drawn @ told
        parts.append(
            np.divide(
                drawn @ np.nan_to_num(side), below, out=np.full_like(below, np.nan), where=below > 0
            )
        )
    return np.concatenate(parts)


def _within(values: Sequence[float | None], resamples: int, seed: int) -> CorrelationEstimate:
    """The mean over topics of a correlation within a topic; undefined topics are left out."""
    told = np.array([value for value in values if value is not None])
    lost = len(values) - len(told)
    note = f"undefined on {lost} of {len(values)} topics" if lost else ""
    if not len(told):
        return CorrelationEstimate(None, note=note or "no topic in common")
    resampled = (
        np.concatenate([drawn @ told / len(told) for drawn in weights(len(told), resamples, seed)])
        if len(told) > 1
        else np.empty(0)
    )
    return _estimate(float(told.mean()), resampled, len(told), note)


def _estimate(value: float, resampled: Array, n: int, note: str) -> CorrelationEstimate:
    if np.isnan(value):
        return CorrelationEstimate(None, note=f"undefined: {note}")
    if n < 2 or not np.any(~np.isnan(resampled)):
        return CorrelationEstimate(value, note=note or "no interval: it takes two topics")
    low, high = bounds(resampled, np.asarray(value))
    return CorrelationEstimate(value, float(low), float(high), note)


def _mirrored(found: CorrelationEstimate) -> CorrelationEstimate:
    """The basic interval in place of the percentile one, within -1 and 1."""
    if found.value is None or found.low is None or found.high is None:
        return found
    low, high = (min(1.0, max(-1.0, 2 * found.value - end)) for end in (found.high, found.low))
    return replace(found, low=low, high=high)


def _why(method: str, aligned: AlignedSystems, at: np.ndarray) -> str:
    """What is odd about the scores behind a correlation."""
    for side, scores in (("truth", aligned.truth), ("judge", aligned.judge)):
        if np.ptp(np.array(scores)[at]) <= 1e-12:
            return f"the {side} gives all {len(at)} systems the same score"
    return ""


def _per_topic(
    truth: ScoreTable,
    judge: ScoreTable,
    pair: Pair,
    methods: Sequence[str],
    only: AgreementOptions,
    topics: Sequence[str],
) -> Iterator[tuple[str, dict[str, float | None]]]:
    """Each shared topic's correlations; None where undefined or where too few runs have it."""
    for topic in sorted(topics):
        alone = replace(only, topics=(topic,))
        values: dict[str, float | None] = dict.fromkeys(methods)
        for method in methods:
            found = _or_none(correlate_topics, truth, judge, (method,), alone)
            if found is not None:
                values[method] = _plain(found[pair][topic][method])
        yield topic, values


def _or_none(function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
    """The function's result, or None where it says that it cannot be computed."""
    try:
        return function(*args, **options)
    except ArgueBenchError:
        return None


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
