"""A judge's score on all questions, corrected by people's verdicts on some of them.

Prediction-powered inference with power tuning (PPI++; Angelopoulos, Duchi and Zrnic 2023, section 6)
for means, and its bootstrap form (Zrnic 2024) for ratios, F1, differences and clusters. With P what
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
   nothing: disagreements of a good judge are rare, and few labels may hold none of them.
2. While fewer than ten labelled questions differ from the commonest value, the interval also spans that
   of the labels alone.
3. Below twenty labelled questions, or five that differ from the commonest value, there is none.

Arrays have questions in the first place and may have any number of studies or systems behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from argue_bench.stats.averages import Array, Average, Column, Columns, Macro, Weights, take
from argue_bench.stats.bootstrap import RESAMPLES, SEED, bounds
from argue_bench.stats.clusters import Clusters, widened_level
from argue_bench.stats.resampling import weights

FEWEST = 20
"""Labelled questions below which no interval is given."""
FEWEST_RARE = 5
"""Labelled questions that must differ from the commonest value; below, no interval is given."""
FEW_RARE = 10
"""The same, below which the interval also spans that of the labels alone."""
LEANING = 2
"""Labels whose judge tells nothing, as which the variance of the labels alone is mixed in."""


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
    covariance = ((people - people.mean(0)) * (judge - judge.mean(0))).mean(0)
    variance = np.concatenate([judge, rest]).var(0, ddof=1)
    # No rest: nothing is left to correct, and people's mean stands.
    share = (1 + n / others) * variance if others else np.full_like(variance, np.inf)
    tuning = np.clip(_divide(covariance, share), 0.0, 1.0)
    left = people - tuning * judge
    value = left.mean(0) + (tuning * rest.mean(0) if others else 0.0)
    imputed = tuning**2 * rest.var(0) / others if others else np.zeros_like(tuning)
    error = np.sqrt(imputed + left.var(0) / n)
    alone = people.var(0, ddof=1) / n
    t = stdtrit(n - 1, (1 + level) / 2)
    reach = t * np.sqrt(_leaning(imputed + left.var(0, ddof=1) / n, alone, n))
    low, high = value - reach, value + reach
    few, reach = rarer(people) < FEW_RARE, t * np.sqrt(alone)
    low = np.where(few, np.minimum(low, people.mean(0) - reach), low)
    high = np.where(few, np.maximum(high, people.mean(0) + reach), high)
    gap = judge - people
    bias, reach = gap.mean(0), t * gap.std(0, ddof=1) / np.sqrt(n)
    return Corrected(value, error, tuning, low, high, bias, bias - reach, bias + reach)


def _leaning(variance: Array, alone: Array, units: int) -> Array:
    """The variance, mixed with that of the labels alone; see 1. above."""
    mixed = (units * variance + LEANING * np.maximum(alone, variance)) / (units + LEANING)
    return np.asarray(mixed)


def normal_interval(found: Corrected, level: float = 0.95) -> tuple[Array, Array]:
    """The published normal interval, which holds the truth too seldom on few labels."""
    from scipy.special import ndtri

    reach = ndtri((1 + level) / 2) * found.standard_error
    return found.value - reach, found.value + reach


Score = Callable[[Columns, Weights], Array]
"""The score of columns under rows of weights: an average's ``values``, or a difference of two."""


def corrected_score(
    score: Score,
    people: Columns,
    judge: Columns,
    labelled: np.ndarray,
    *,
    clusters: Clusters | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = 0.95,
) -> Corrected:
    """The corrected value of any score, by the bootstrap.

    ``people`` are columns of the labelled questions, ``judge`` of all of them (n, ...), ``labelled``
    says which are which (n,). Labelled questions and the rest are drawn apart, or ``clusters`` with
    all their questions.
    """
    on_labelled, rest = take(judge, labelled), take(judge, ~labelled)
    parts = ((people, labelled), (on_labelled, labelled), (rest, ~labelled))
    n, others = int(labelled.sum()), int((~labelled).sum())
    once = np.ones((1, len(labelled)))
    p, j, r = (score(columns, once[:, at])[0] for columns, at in parts)
    drawn: list[list[Array]] = [[], [], []]
    for rows in _draws(labelled, clusters, resamples, seed):
        for columns, at in parts:
            place = drawn[0 if columns is people else 1 if columns is on_labelled else 2]
            place.append(score(columns, rows[:, at]))
    drawn_p, drawn_j, drawn_r = (np.concatenate(part) for part in drawn)
    gap = drawn_r - drawn_j
    tuning = np.zeros_like(p)
    if others:
        tuning = np.clip(-_covariance(drawn_p, gap), 0.0, 1.0)
    with_rest = tuning * gap if others else 0.0
    corrected = drawn_p + with_rest
    value = p + (tuning * (r - j) if others else 0.0)
    units = n if clusters is None else len(np.unique(clusters[labelled]))
    wide = widened_level(level, units)
    low, high = bounds(corrected, value, level=wide)
    variance, alone = np.nanvar(corrected, axis=0), np.nanvar(drawn_p, axis=0)
    wider = np.sqrt(_divide(_leaning(variance, alone, units), variance))
    low, high = value - wider * (value - low), value + wider * (high - value)
    few = rarer(scored_alone(score, people)) < FEW_RARE
    ends = bounds(drawn_p, p, level=wide)
    low, high = (
        np.where(few, np.minimum(low, ends[0]), low),
        np.where(few, np.maximum(high, ends[1]), high),
    )
    bias_low, bias_high = bounds(drawn_j - drawn_p, j - p, level=wide)
    return Corrected(value, np.sqrt(variance), tuning, low, high, j - p, bias_low, bias_high)


def is_mean(average: Average, people: Columns, judge: Columns, labelled: np.ndarray) -> bool:
    """Whether a score is the mean of values that people and judge both give, question by question."""
    if type(average) is not Macro:
        return False
    applies = judge[average.column].denominator != 0
    return bool(np.array_equal(applies[labelled], people[average.column].denominator != 0))


def rarer(values: Array) -> np.ndarray:
    """The number of questions that differ from the commonest value, (n, ...) gives (...); NaN
    is left out.

    Of a binary outcome that is the rarer one.
    """
    ordered = np.sort(np.round(values, 9), axis=0)
    run = best = np.zeros(ordered.shape[1:], dtype=int)
    for at, row in enumerate(ordered):
        known = ~np.isnan(row)
        again = (row == ordered[at - 1]) if at else np.zeros_like(known)
        run = np.where(again, run + 1, known.astype(int))
        best = np.maximum(best, run)
    return np.asarray(np.count_nonzero(~np.isnan(ordered), axis=0) - best)


def scored_alone(score: Score, columns: Columns) -> Array:
    """The score on each question alone: (n, ...); NaN where it does not apply.

    Each question with each system is a system of its own on a set of one: no n by n weights.
    """
    alone = {
        name: Column(*(part.reshape(1, -1) for part in column)) for name, column in columns.items()
    }
    shape = next(iter(columns.values())).numerator.shape
    return score(alone, np.ones((1, 1))).reshape(shape)


def labels_that_halve(people: Array, judge: Array, rest: Array) -> int | None:
    """The number of labels that would halve the width of the interval; None where no number would.

    By the same formula with the variances found: people's values (n,), the judge's on the same and on
    the rest (N,).
    """
    from scipy.special import stdtrit

    n, whole = len(people), len(people) + len(rest)
    covariance = float(((people - people.mean()) * (judge - judge.mean())).mean())
    spread, noise = float(np.concatenate([judge, rest]).var(ddof=1)), float(people.var(ddof=1))

    def half_width(labels: np.ndarray) -> Array:
        others = np.maximum(whole - labels, 1e-9)
        tuning = np.clip(_divide(covariance, (1 + labels / others) * spread), 0.0, 1.0)
        left = np.maximum(noise - 2 * tuning * covariance + tuning**2 * spread, 0.0)
        variance = left / labels + tuning**2 * spread / others
        return np.asarray(stdtrit(labels - 1, 0.975) * np.sqrt(variance))

    wanted = half_width(np.array([float(n)]))[0] / 2
    candidates = np.arange(n + 1, whole + 1, dtype=float)
    enough = np.flatnonzero(half_width(candidates) <= wanted)
    return int(candidates[enough[0]]) if len(enough) else None


def _draws(
    labelled: np.ndarray, clusters: Clusters | None, resamples: int, seed: int
) -> Iterator[Array]:
    """Weights (rows, n) of resamples."""
    if clusters is not None:
        for drawn in weights(int(clusters.max()) + 1, resamples, seed):
            yield drawn[:, clusters]
        return
    sides = [np.flatnonzero(at) for at in (labelled, ~labelled)]
    step = max(1, (1 << 22) // len(labelled))
    for start in range(0, resamples, step):
        rows = np.zeros((min(step, resamples - start), len(labelled)))
        for number, side in enumerate(sides):
            if len(side):
                some = weights(len(side), len(rows), seed + start + number)
                rows[:, side] = np.concatenate([chunk.copy() for chunk in some])
        yield rows


def _covariance(one: Array, other: Array) -> Array:
    """The slope of one on the other over resamples (rows, ...), without rows that lack either."""
    whole = ~np.isnan(one) & ~np.isnan(other)
    count = np.maximum(whole.sum(0), 1)
    a, b = np.where(whole, one, 0.0), np.where(whole, other, 0.0)
    a, b = a - whole * (a.sum(0) / count), b - whole * (b.sum(0) / count)
    return _divide((a * b).sum(0), (b * b).sum(0))


def _divide(above: Array | float, below: Array | float) -> Array:
    above, below = np.broadcast_arrays(np.asarray(above, float), np.asarray(below, float))
    return np.divide(above, below, out=np.zeros(above.shape), where=below > 1e-15)
