"""A judge's score on all questions, corrected by people's verdicts on some of them.

Prediction-powered inference with power tuning (PPI++; Angelopoulos, Duchi and Zrnic 2023, section 6)
for means, and its bootstrap form (Zrnic 2024) for ratios, F1, differences and groups. With P what
people's verdicts make of the labelled questions, J what the judge's make of them, and R what the
judge's make of the rest:

    corrected = P + tuning x (R - J)

``tuning``, from 0 to 1, is what makes the variance least: 0 ignores a judge that tells nothing. The
corrected score is people's score whatever the judge, as long as the labelled questions were drawn
at random from all of them.

Intervals use Student's t with n - 1 degrees of freedom on the n labels (the bootstrap form percentiles
at levels that reach as far). Three things keep them from promising more than few labels tell; the
coverage study in ``benchmarks/coverage.py`` holds them to it:

1. The variance leans to that of people's verdicts alone, as if two more labels had a judge that tells
   nothing: disagreements of a good judge are rare, and few labels may hold none of them. So does that of
   the judge's bias.
2. While fewer than ten labelled questions differ from the commonest value, the interval also spans that
   of the labels alone.
3. Below twenty labelled questions, or five that differ from the commonest value, there is none.

Arrays have questions in the first place and may have any number of studies or systems behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from argue_bench.stats.averages import (
    Array,
    Average,
    Columns,
    Macro,
    scored_alone,
    take,
)
from argue_bench.stats.bootstrap import RESAMPLES, SEED, Groups, bounds, weights, widened_level

# These four are by judgment: see 1. to 3. above. benchmarks/coverage.py measures how often the intervals that
# they leave hold the truth, and how much wider they are than those of the labels alone.
# Labelled questions below which no interval is given.
FEWEST = 20
# Labelled questions that must differ from the commonest value; below, no interval is given.
FEWEST_RARE = 5
# The same, below which the interval also spans that of the labels alone.
FEW_RARE = 10
# Labels whose judge tells nothing, as which the variance of the labels alone is mixed in.
LEANING = 2


class Corrected(NamedTuple):
    """A corrected score; every field has the shape (...) of what stands behind the questions."""

    value: Array
    standard_error: Array
    tuning: Array
    low: Array
    high: Array
    bias: Array
    """The judge's score on the labelled questions minus people's."""
    bias_low: Array
    bias_high: Array


def corrected_mean(people: Array, judge: Array, rest: Array, level: float = 0.95) -> Corrected:
    """The corrected mean: people's values (n, ...), the judge's on the same and on the rest (N, ...).

    ``value``, ``standard_error`` and ``tuning`` are those of the published method to the digit; the
    interval is wider, because that method's normal interval is too narrow on few labels.
    """
    from scipy.special import stdtrit

    n, others = len(people), len(rest)
    # PPI++, section 6: tuning = Cov(people, judge) / ((1 + n / N) Var(judge)), kept between 0 and 1.
    covariance = ((people - people.mean(0)) * (judge - judge.mean(0))).mean(0)
    variance = np.concatenate([judge, rest]).var(0, ddof=1)
    # No rest: nothing is left to correct, and people's mean stands.
    share = (1 + n / others) * variance if others else np.full_like(variance, np.inf)
    tuning = np.clip(_divide(covariance, share), 0.0, 1.0)
    # The corrected mean is the mean of what is left of people's values, plus the judge's mean on the rest.
    left = people - tuning * judge
    value = left.mean(0) + (tuning * rest.mean(0) if others else 0.0)
    imputed = tuning**2 * rest.var(0) / others if others else np.zeros_like(tuning)
    error = np.sqrt(imputed + left.var(0) / n)
    alone = people.var(0, ddof=1) / n
    t = stdtrit(n - 1, (1 + level) / 2)
    reach = t * np.sqrt(_leaning(imputed + left.var(0, ddof=1) / n, alone, n))
    low, high = value - reach, value + reach
    # With few of the rarer value Student's interval of the labels alone is kept inside.
    few, reach = rarer(people) < FEW_RARE, t * np.sqrt(alone)
    low = np.where(few, np.minimum(low, people.mean(0) - reach), low)
    high = np.where(few, np.maximum(high, people.mean(0) + reach), high)
    gap = judge - people
    bias, reach = gap.mean(0), t * np.sqrt(_leaning(gap.var(0, ddof=1) / n, alone, n))
    return Corrected(value, error, tuning, low, high, bias, bias - reach, bias + reach)


def _leaning(variance: Array, alone: Array, units: int) -> Array:
    """The variance, mixed with that of the labels alone; see 1. above."""
    return np.asarray(
        (units * variance + LEANING * np.maximum(alone, variance)) / (units + LEANING)
    )


# The score of columns under rows of weights, (rows, ...): an average's ``values``, or a difference of two.
Score = Callable[[Columns, Array], Array]


def corrected_score(
    score: Score,
    people: Columns,
    judge: Columns,
    labelled: np.ndarray,
    *,
    groups: Groups | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = 0.95,
) -> Corrected:
    """The corrected value of any score, by the bootstrap.

    ``people`` are columns of the labelled questions, ``judge`` of all of them (n, ...), ``labelled``
    says which are which (n,). Labelled questions and the rest are drawn apart, or ``groups`` with
    all their questions. Where the judge's score is unknown on either part, people's stands.
    """
    from scipy.special import stdtrit

    rare, units = rarer(scored_alone(score, people)), units_drawn(labelled, groups)
    others, judge = take(judge, ~labelled), take(judge, labelled)
    once = tuple(np.ones((1, np.count_nonzero(at))) for at in (labelled, ~labelled))
    parts: list[list[Array]] = [[], [], []]
    # The first row of each part is the score on the questions as they are.
    for rows, of_rest in chain([once], _draws(labelled, groups, resamples, seed)):
        parts[0].append(score(people, rows))
        parts[1].append(score(judge, rows))
        parts[2].append(score(others, of_rest))
    whole = (np.concatenate(part) for part in parts)
    (p, drawn_p), (j, drawn_j), (r, drawn_r) = ((part[0], part[1:]) for part in whole)
    known = ~np.isnan(r - j)
    gap = drawn_r - drawn_j
    # The slope of people's resamples on the gap is the tuning that leaves the least variance.
    tuning = np.where(known, np.clip(-_slope(drawn_p, gap), 0.0, 1.0), 0.0)
    helped = known & (tuning > 0)
    corrected = drawn_p + np.where(helped, tuning * gap, 0.0)
    value = p + np.where(helped, tuning * (r - j), 0.0)
    # Percentiles of few units reach as far as Student's t does only at a higher level.
    wide = widened_level(level, units)
    low, high = bounds(corrected, value, level=wide)
    variance, alone = _variance(corrected), _variance(drawn_p)
    wider = np.sqrt(_divide(_leaning(variance, alone, units), variance))
    low, high = value - wider * (value - low), value + wider * (high - value)
    few = rare < FEW_RARE
    if np.any(few):
        ends = bounds(drawn_p, p, level=wide)
        low = np.where(few, np.minimum(low, ends[0]), low)
        high = np.where(few, np.maximum(high, ends[1]), high)
    drawn_bias, bias = drawn_j - drawn_p, j - p
    spread = _variance(drawn_bias)
    leaning = np.sqrt(_leaning(spread, alone, units))
    ends = bounds(drawn_bias, bias, level=wide)
    # A judge that people never contradicted has resamples without spread, and may err all the same.
    reach = _divide(leaning, np.sqrt(spread)), leaning * stdtrit(max(units - 1, 1), (1 + level) / 2)
    bias_low, bias_high = (
        np.where(spread > 1e-15, bias + reach[0] * (end - bias), bias + sign * reach[1])
        for end, sign in zip(ends, (-1, 1), strict=True)
    )
    return Corrected(value, np.sqrt(variance), tuning, low, high, bias, bias_low, bias_high)


def units_drawn(labelled: np.ndarray, groups: Groups | None) -> int:
    """How many labelled questions, or groups that hold some, a resample draws."""
    return int(labelled.sum()) if groups is None else len(np.unique(groups[labelled]))


def is_mean(average: Average, people: Columns, judge: Columns, labelled: np.ndarray) -> bool:
    """Whether a score is the mean of values that people and judge both give, question by question."""
    return type(average) is Macro and bool(
        np.array_equal(
            judge[average.column].denominator[labelled] != 0,
            people[average.column].denominator != 0,
        )
    )


def rarer(values: Array) -> np.ndarray:
    """The number of questions that differ from the commonest value, (n, ...) gives (...); NaN
    is left out.

    Of a binary outcome that is the rarer one.
    """
    # Sorted, equal values stand together: the longest run is the commonest value. Rounded, since a mean of
    # the same verdicts can differ in the last digits.
    ordered = np.sort(np.round(values, 9), axis=0)
    run = best = np.zeros(ordered.shape[1:], dtype=int)
    for at, row in enumerate(ordered):
        known = ~np.isnan(row)
        again = (row == ordered[at - 1]) if at else np.zeros_like(known)
        run = np.where(again, run + 1, known.astype(int))
        best = np.maximum(best, run)
    return np.asarray(np.count_nonzero(~np.isnan(ordered), axis=0) - best)


def _draws(
    labelled: np.ndarray, groups: Groups | None, resamples: int, seed: int
) -> Iterator[tuple[Array, Array]]:
    """Weights (rows, n) of resamples: of the labelled questions, and of the rest."""
    if groups is not None:
        for drawn in weights(int(groups.max()) + 1, resamples, seed):
            yield drawn[:, groups[labelled]], drawn[:, groups[~labelled]]
        return
    sides = [int(np.count_nonzero(at)) for at in (labelled, ~labelled)]
    # Four million weights at once are 32 MB.
    step = max(1, (1 << 22) // len(labelled))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        mine, others = (
            np.concatenate([chunk.copy() for chunk in weights(n, rows, seed + start + side)])
            if n
            else np.empty((rows, 0))
            for side, n in enumerate(sides)
        )
        yield mine, others


def _slope(one: Array, other: Array) -> Array:
    """The slope of one on the other over resamples (rows, ...), without rows that lack either."""
    lacking = np.isnan(one + other)
    a, b = _from_mean(one, lacking), _from_mean(other, lacking)
    return _divide(_products(a, b), _products(b, b))


def _variance(values: Array) -> Array:
    """The variance over resamples (rows, ...), without rows that lack the value."""
    lacking = np.isnan(values)
    left = _from_mean(values, lacking)
    return _divide(_products(left, left), len(values) - np.count_nonzero(lacking, axis=0))


def _from_mean(values: Array, lacking: np.ndarray) -> Array:
    """How far each value is from the mean of those that are not lacking; 0 for these."""
    if not lacking.any():
        return np.asarray(values - values.mean(0))
    known = np.where(lacking, 0.0, values)
    return np.where(
        lacking, 0.0, known - _divide(known.sum(0), len(values) - np.count_nonzero(lacking, axis=0))
    )


def _products(one: Array, other: Array) -> Array:
    """The sum over the first place of the products, without an array of them."""
    return np.asarray(np.einsum("i...,i...->...", one, other))


def _divide(above: Array | float, below: Array | float) -> Array:
    above, below = np.broadcast_arrays(np.asarray(above, float), np.asarray(below, float))
    return np.divide(above, below, out=np.zeros(above.shape), where=below > 1e-15)
