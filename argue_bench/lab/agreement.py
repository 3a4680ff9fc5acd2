"""Agreement of a judge's scores with people's scores, at several levels, with intervals.

    system level   correlation of the systems' mean scores over topics
    topic level    correlation within each topic, then averaged: nearly always lower
    pairwise       share of the significant differences that judge and people find alike
    bias           mean of judge minus truth, which a correlation hides
    leaving out    the correlation without one topic or run, which shows whether it hangs on one

Intervals resample topics, the same topics for both sides. Noise on topics pulls a correlation of means
towards 0, and resampling topics pulls it down a second time: percentiles would nearly always miss the
true agreement. So the system level has the basic interval (2 x value - quantile, Efron and Tibshirani
1993, chapter 13), which reverses that pull; docs/labels.md reports the measured coverage.

The pairwise tests are the second question of the Auto-ARGUE paper (Walden et al. 2025): for every pair of runs Wilcoxon's test
over topics, once on the truth's scores and once on the judge's. Each test has three verdicts: the first
run is better, the second is better, no difference at alpha.

    agree         the verdicts are the same
    missed        the truth has a difference and the judge does not (low power)
    false alarm   the judge has a difference and the truth does not
    opposite      both have a difference, in opposite directions: the only error that misleads
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any, Literal, TypeVar

import numpy as np

from argue_bench.errors import ArgueBenchError, DataError
from argue_bench.lab.score_table import AgreementStudy, AlignedSystems, Pair, ScoreTable
from argue_bench.stats.averages import Array
from argue_bench.stats.bootstrap import RESAMPLES, SEED, bounds, weights
from argue_bench.stats.correlation import METHODS, correlations, parse_method
from argue_bench.stats.permutation import ALPHA, wilcoxon_p

Outcome = Literal["agree", "missed", "false alarm", "opposite"]
OUTCOMES: tuple[Outcome, ...] = ("agree", "missed", "false alarm", "opposite")


@dataclass(frozen=True)
class PairVerdict:
    """The verdicts of both sides on one pair of runs: 1 first better, -1 second better, 0 neither."""

    first: str
    second: str
    truth: int
    truth_p: float
    judge: int
    judge_p: float

    @property
    def outcome(self) -> Outcome:
        if self.truth == self.judge:
            return "agree"
        if not self.judge:
            return "missed"
        return "opposite" if self.truth else "false alarm"


def pair_verdicts(study: AgreementStudy, alpha: float = ALPHA) -> dict[Pair, list[PairVerdict]]:
    """Every pair of runs that both sides have, by pair of measures; a difference has p below alpha.

    Raises DataError.
    """
    study.check()
    topics = study.shared_topics()
    found = {}
    for pair in study.measure_pairs():
        runs = study.align(pair).runs
        truth = _tests(score_matrix(study.truth, pair[0], runs, topics), alpha)
        judge = _tests(score_matrix(study.judge, pair[1], runs, topics), alpha)
        found[pair] = [
            PairVerdict(first, second, *x, *y)
            for (first, second), x, y in zip(combinations(runs, 2), truth, judge, strict=True)
        ]
    return found


def score_matrix(
    table: ScoreTable,
    measure: str,
    runs: Sequence[str],
    topics: Sequence[str],
    missing: float = np.nan,
) -> Array:
    """Scores as (topics, runs); NaN where a run lacks a topic, ``missing`` where it lacks all."""
    by_run = table.values.get(measure, {})
    rows = [
        [by_run[run].get(topic, np.nan) if run in by_run else missing for run in runs]
        for topic in topics
    ]
    return np.array(rows, dtype=np.float64).reshape(len(topics), len(runs))


def _tests(scores: Array, alpha: float) -> list[tuple[int, float]]:
    """Verdict and p of every pair of columns, over the topics that both have."""
    first, second = np.triu_indices(scores.shape[1], 1)
    gaps = scores[:, first] - scores[:, second]
    # The sign of the summed gap says who is better, Wilcoxon's p whether that is shown.
    tested = ((np.sign(np.nansum(gap)), wilcoxon_p(gap)) for gap in gaps.T)
    return [(int(sign) if p < alpha else 0, float(p)) for sign, p in tested]


T = TypeVar("T")
# How many resamples, and their seed.
Draws = tuple[int, int]

_ALIKE = "no interval: every draw of topics gives the same order"


@dataclass(frozen=True)
class CorrelationEstimate:
    """A correlation with its interval over topics; None where undefined, and then why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Agreement:
    """One measure of the judge against one of the truth."""

    truth_measure: str
    judge_measure: str
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
    """For "topic" and "run": the first method without each of them in turn."""
    notes: tuple[str, ...] = ()

    @property
    def outcomes(self) -> dict[str, int]:
        """The number of pairs of runs with each outcome."""
        counts = Counter(one.outcome for one in self.pairwise)
        return {outcome: counts[outcome] for outcome in OUTCOMES}

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        plain = asdict(self)
        plain["outcomes"] = self.outcomes
        plain["pairwise"] = [{**asdict(one), "outcome": one.outcome} for one in self.pairwise]
        return plain


def measure_agreement(
    study: AgreementStudy,
    methods: Sequence[str] = METHODS,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[Agreement]:
    """Every pair of measures of a study, by these methods.

    Raises DataError and UsageError where the study cannot be computed at all. Single correlations that
    are undefined are None with a note.
    """
    correlations, draws = study.correlate(methods), (resamples, seed)
    untested: tuple[str, ...] = ()
    verdicts: Mapping[Pair, Sequence[PairVerdict]] = {}
    try:
        verdicts = pair_verdicts(study)
    except ArgueBenchError as error:
        untested = (f"no pair of runs is tested: {error}",)
    return [
        _agreement(study, pair, correlations[pair], verdicts.get(pair, ()), untested, draws)
        for pair in study.measure_pairs()
    ]


def _agreement(
    study: AgreementStudy,
    pair: Pair,
    values: Mapping[str, float],
    verdicts: Sequence[PairVerdict],
    untested: Sequence[str],
    draws: Draws,
) -> Agreement:
    """One pair of measures; ``values`` are the system-level correlations by method."""
    only = replace(study, truth_measures=pair[:1], judge_measures=pair[1:])
    aligned = study.align(pair)
    topics = _or_none(study.shared_topics) or []
    per_topic = {topic: _within_topic(only, topic, values) for topic in sorted(topics)}
    sides = [
        score_matrix(study.truth, pair[0], aligned.runs, topics),
        score_matrix(study.judge, pair[1], aligned.runs, topics, missing=0.0),
    ]
    gaps = np.subtract(aligned.judge, aligned.truth).tolist()
    notes = [finding.message for finding in only.missing_topics()]
    try:
        replace(only, on_missing="error").align(pair)
    except DataError as error:
        notes += [finding.message for finding in error.findings]
    left_out: dict[str, dict[str, float | None]] = {}
    first = next(iter(values))
    for what, leave_out in (("topic", only.leave_out_topics), ("run", only.leave_out_runs)):
        if left := _or_none(partial(leave_out, first)):
            left_out[what] = {name: _defined(value) for name, value in left[pair].items()}
        else:
            notes.append(f"leaving one {what} out leaves too little to correlate")
    return Agreement(
        *pair,
        aligned.runs,
        tuple(topics),
        system_level(aligned, values, sides, *draws),
        {m: _mean([found[m] for found in per_topic.values()], draws) for m in values},
        per_topic,
        float(np.mean(gaps)),
        dict(zip(aligned.runs, gaps, strict=True)),
        tuple(verdicts),
        left_out,
        (*notes, *untested),
    )


def _within_topic(
    study: AgreementStudy, topic: str, methods: Iterable[str]
) -> dict[str, float | None]:
    """One topic's correlations; None where undefined or where too few runs have the topic."""
    alone = replace(study, topics=(topic,))
    values: dict[str, float | None] = {}
    for method in methods:
        found = _or_none(partial(alone.correlate_topics, (method,)))
        values[method] = None
        if found is not None:
            [by_topic] = found.values()
            values[method] = _defined(by_topic[topic][method])
    return values


def _mean(values: Sequence[float | None], draws: Draws) -> CorrelationEstimate:
    """The mean over topics of a correlation within a topic, without topics where undefined."""
    defined = np.array([value for value in values if value is not None])
    n, lost = len(defined), len(values) - len(defined)
    note = f"undefined on {lost} of {len(values)} topics" if lost else ""
    if not n:
        return CorrelationEstimate(None, note=note or "no topic in common")
    means = [drawn @ defined / n for drawn in weights(n, *draws) if n > 1]
    return _estimate(
        float(defined.mean()), (np.concatenate(means) if means else np.empty(0)), n, note
    )


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
    means = [_resampled_means(side, resamples, seed) for side in sides]
    found = {}
    for method, value in values.items():
        name, k = parse_method(method)
        best = aligned.best[:k] if k else aligned.runs
        at = np.array([i for i, run in enumerate(aligned.runs) if run in best], dtype=np.int64)
        # A resample in which a run has no topic has no mean for it, and is left out.
        rows = [side[:, at] for side in means]
        complete = ~np.isnan(rows[0]).any(axis=1) & ~np.isnan(rows[1]).any(axis=1)
        resampled = correlations(name, rows[0][complete], rows[1][complete])
        why = next(
            (
                f"the {side} gives all {len(at)} systems the same score"
                for side, scores in (("truth", aligned.truth), ("judge", aligned.judge))
                if np.ptp(np.array(scores)[at]) <= 1e-12
            ),
            "",
        )
        found[method] = _basic(_estimate(value, resampled, len(sides[0]), why))
    return found


def _basic(one: CorrelationEstimate) -> CorrelationEstimate:
    """The estimate with the basic interval in place of percentiles."""
    if one.value is None or one.low is None or one.high is None:
        return one
    # 2 x value - quantile: the ends change places.
    ends = (2 * one.value - one.high, 2 * one.value - one.low)
    low, high = (min(1.0, max(-1.0, end)) for end in ends)
    if (
        low == high
    ):  # a point would promise what few runs can't: the next topic may swap two of them
        return replace(one, low=None, high=None, note=one.note or _ALIKE)
    return replace(one, low=low, high=high)


def _resampled_means(side: Array, resamples: int, seed: int) -> Array:
    """The systems' means over resampled topics, (resamples, runs); over the topics a run has."""
    if len(side) < 2:
        return np.empty((0, side.shape[1]))
    scored = (~np.isnan(side)).astype(np.float64)
    parts = []
    for drawn in weights(len(side), resamples, seed):
        counts = drawn @ scored
        empty = np.full_like(counts, np.nan)
        parts.append(np.divide(drawn @ np.nan_to_num(side), counts, out=empty, where=counts > 0))
    return np.concatenate(parts)


def _estimate(value: float, resampled: Array, n: int, note: str) -> CorrelationEstimate:
    if np.isnan(value):
        return CorrelationEstimate(None, note=f"undefined: {note}")
    if n < 2 or not np.any(~np.isnan(resampled)):
        return CorrelationEstimate(value, note=note or "no interval: it takes two topics")
    low, high = bounds(resampled, np.asarray(value))
    return CorrelationEstimate(value, float(low), float(high), note)


def _or_none(compute: Callable[[], T]) -> T | None:
    """The result, or None where the computation raises an error of the package."""
    try:
        return compute()
    except ArgueBenchError:
        return None


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
