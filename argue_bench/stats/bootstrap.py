"""Confidence intervals of scores, by the bootstrap over questions.

Bootstrap over questions (Efron and Tibshirani 1993, chapters 13 and 14). A resample draws n of n
questions with replacement; a row of weights says how often each was drawn, so that every average,
ratios and harmonic means too, is recomputed on each resample by matrix work on its tallies.

    percentile   the quantiles of the resampled values at (1 - level) / 2 and at its mirror
    bca          the same at levels shifted by the bias z0 (how many resampled values lie below the
                 score) and by the acceleration a (its skewness, each question left out in turn)

Where questions form groups these are drawn in their place.

The weights depend on (n, resamples, seed) alone: all scores and systems meet the same resamples,
so their differences are paired.

A score that applies to fewer than two questions has no interval (None). Where all resamples
give one value, the interval is what the number of questions allows.
Resamples that hold no question to which the score applies are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from argue_bench.stats.averages import Array, Average, Columns, Sum, Unit, take

# Intervals of scores that are equal on every question: as wide as their number requires, not a point.
#
# Resamples of one value have no spread, which does not prove that there is none. Where n questions gave one
# value c, the share of all possible questions that give it is at least p = ((1 - level) / 2)^(1 / n)
# (Clopper and Pearson 1934, at the rim), and the others may give anything from the lowest to the highest
# value: a mean lies between p c + (1 - p) lowest and p c + (1 - p) highest. For 20 questions that are all
# right that is 83.2 to 100 %.

# Bounds that are nearer than this are of resamples without spread.
_SAME = 1e-12


def widened_constant(
    low: Array | np.floating,
    high: Array | np.floating,
    value: Array,
    units: np.ndarray | int,
    unit: Unit = "share",
    *,
    lowest: float = 0.0,
    level: float = 0.95,
) -> tuple[Array, Array]:
    """The bounds, those without spread as wide as so many questions or groups allow.

    Shares lie between ``lowest`` and 1. NaN for other scores without spread, and for what is called a
    share and lies outside: nobody knows how far those could lie apart.
    """
    least, most, value = (np.asarray(one, dtype=float) for one in (low, high, value))
    same = np.abs(most - least) <= _SAME
    if not same.any():
        return least, most
    if unit != "share":
        return np.where(same, np.nan, least), np.where(same, np.nan, most)
    p = ((1 - level) / 2) ** (1 / np.maximum(units, 1))
    share = (value >= lowest - _SAME) & (value <= 1 + _SAME)
    return (
        np.where(same, np.where(share, lowest + p * (value - lowest), np.nan), least),
        np.where(same, np.where(share, 1 - p * (1 - value), np.nan), most),
    )


# Questions that belong together: of one conversation, document or author.
#
# Answers within a group go right or wrong together, so n questions in G groups tell less than n
# questions apart. Resamples then draw G of G groups, each with all of its questions (Cameron, Gelbach
# and Miller 2008, section 2), the jackknife leaves out a group at a time, and a test swaps whole
# groups. With few groups percentiles lie too near: their levels are widened to those of Student's t
# (Hesterberg 2015, section 5.3.2).
#
# Everything takes ``groups``: an array (n,) of the group's number of each question, from 0, or None
# where every question stands alone.

Groups = npt.NDArray[np.intp]


def number_groups(names: Iterable[str]) -> Groups | None:
    """The group of each question by its name; a question without a name stands alone.

    None where no two questions share a group.
    """
    numbers: dict[object, int] = {}
    found = np.array(
        [numbers.setdefault(name or at, len(numbers)) for at, name in enumerate(names)],
        dtype=np.intp,
    )
    return found if len(numbers) < len(found) else None


def count_units(n: int, groups: Groups | None) -> int:
    """The number of what is drawn: questions, or their groups, of which each counts as one question."""
    return n if groups is None else int(groups.max()) + 1


def take_groups(groups: Groups | None, at: npt.NDArray[np.bool_]) -> Groups | None:
    """The groups of some questions, numbered anew; None where no two of them share one."""
    if groups is None:
        return None
    found, numbers = np.unique(groups[at], return_inverse=True)
    return numbers.astype(np.intp) if len(found) < len(numbers) else None


def units_of(groups: Groups | None, at: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """How many groups, or questions that stand alone, are true in ``at``: (n, ...) gives (...)."""
    if groups is None:
        return np.asarray(np.count_nonzero(at, axis=0))
    counts = [len(np.unique(groups[column])) for column in at.reshape(len(at), -1).T]
    return np.array(counts, dtype=np.intp).reshape(at.shape[1:])


def sums_by_group(values: Array, groups: Groups | None) -> Array:
    """The sum over the questions of each group: (n, ...) gives (G, ...)."""
    if groups is None:
        return values
    sums = np.zeros((int(groups.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, groups, values)
    return sums


def widened_level(level: float, units: int) -> float:
    """The level at which percentiles of so many resampled units have the width of Student's t."""
    # Not scipy.stats, whose import takes longer than the intervals of a report.
    from scipy.special import ndtr, stdtrit

    if units < 2:
        return level
    reach = stdtrit(units - 1, (1 + level) / 2) * np.sqrt(units / (units - 1))
    return float(2 * ndtr(reach) - 1)


# Bootstrap resamples: how often each question is drawn, the same for all scores and systems.
#
# Weights are made in blocks that fit the processor's cache, each used for all scores before the next, and
# they are counts of drawn places: for many questions that is ten times faster than drawing a multinomial.

# Weights made at once: as numbers and as counts they fit into a cache of 1 MB.
_BLOCK = 1 << 16
# Bytes of the resamples that are kept for the next score or system of the same size.
_KEPT = 1 << 26


def weights(n: int, resamples: int, seed: int) -> Iterator[Array]:
    """The resamples in blocks of shape (rows, n): how often each of n questions was drawn.

    Each block is written over by the next.
    """
    rows = min(max(1, _BLOCK // max(n, 1)), resamples)
    blocks: Iterable[np.ndarray]
    if n * resamples <= _KEPT:
        kept = kept_counts(n, resamples, seed, rows)
        blocks = (kept[start : start + rows] for start in range(0, resamples, rows))
    else:
        blocks = _blocks(n, resamples, seed, rows)
    unpacked = np.empty((rows, n))
    for block in blocks:
        some = unpacked[: len(block)]
        some[:] = block
        yield some


def _blocks(n: int, resamples: int, seed: int, rows: int) -> Iterator[np.ndarray]:
    """How often each question was drawn, so many rows at a time."""
    offsets = n * np.arange(rows)[:, None]
    for index, start in enumerate(range(0, resamples, rows)):
        count = min(rows, resamples - start)
        draw = np.random.default_rng([seed, n, index])
        places = draw.integers(0, max(n, 1), (count, n)) + offsets[:count]
        yield np.bincount(places.ravel(), minlength=count * n).reshape(count, n)


@lru_cache(maxsize=2)
def kept_counts(n: int, resamples: int, seed: int, rows: int) -> np.ndarray:
    """All blocks as bytes, (resamples, n), kept for the next callers: all systems of a data set have one n,
    or two where people labelled some questions.
    """
    # A byte holds every count: the chance that one of n is drawn 256 times is below 1e-500.
    kept = np.empty((resamples, n), np.uint8)
    blocks = _blocks(n, resamples, seed, rows)
    for start, block in zip(range(0, resamples, rows), blocks, strict=True):
        kept[start : start + rows] = block
    return kept


# The share of draws beyond an end of a 95 % interval, 2.5 %, has then a standard error of 0.16 points.
RESAMPLES = 10_000
# Any number would do; one for all, so that the same tallies get the same interval.
SEED = 20_250_926
# Numbers in memory at once (32 MB), where work is done in parts.
CHUNK = 1 << 22
# Questions below which an interval is too narrow (docs/statistics.md).
ENOUGH_QUESTIONS = 20
# Systems whose bounds are found at once: their 10,000 resampled values fit into a cache of 1 MB.
_TOGETHER = 8
# Sums that are folded at once: with what averages make of them they fit into a cache of 1 MB.
_AT_ONCE = 1 << 16
# Values nearer than this are the same value, added up in another order.
TOLERANCE = 1e-12


Intervals = dict[str, tuple[float, float] | None]
_Family = tuple[Mapping[str, Average], Columns]


def intervals(averages: Mapping[str, Average], columns: Columns, **options: Any) -> Intervals:
    """The interval of each average over columns of shape (n,); None where it has none.

    ``options``: those of `intervals_together`.
    """
    return intervals_together([(averages, columns)], **options)[0]


def intervals_together(
    families: Sequence[_Family],
    *,
    groups: Groups | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = 0.95,
) -> list[Intervals]:
    """The intervals of several families of averages, each over columns of its own, from one draw.

    All columns have the same shape (n,), and ``groups`` are of their questions.
    """
    found: list[Intervals] = [dict.fromkeys(averages) for averages, _ in families]
    wanted = [
        (
            {
                name: average
                for name, average in averages.items()
                if average.resampled and int(applies_to(average, columns, groups)) >= 2
            },
            columns,
        )
        for averages, columns in families
    ]
    for n in {_size(averages, columns) for averages, columns in wanted if averages}:
        draws = weights(count_units(n, groups), resamples, seed)
        drawn = _resampled(wanted, draws, groups, resamples)
        for (averages, columns), values, into in zip(wanted, drawn, found, strict=True):
            left = jackknife(averages, columns, groups)
            for name, average in averages.items():
                value = estimate(average, columns)
                apart = int(applies_to(average, columns, groups))
                at = resampled_level(level, apart, groups)
                low, high = widened_constant(
                    *bounds(values[name], value, left[name], level=at),
                    value,
                    apart,
                    average.unit,
                    level=level,
                )
                if np.isfinite(low) and np.isfinite(high):
                    into[name] = (float(low), float(high))
    return found


def few_questions(n: int, values: Iterable[float | None]) -> str:
    """A warning for readers of intervals from so few questions; empty where they are enough.

    ``values``: scores on one question each. Of what is only right or wrong an interval is wide enough from
    five questions on.
    """
    few = 0 < n < ENOUGH_QUESTIONS and any(value not in (None, 0.0, 1.0) for value in values)
    return (
        f"Intervals are too narrow: {n} questions, and graded scores need {ENOUGH_QUESTIONS}." * few
    )


def resampled_level(level: float, units: int, groups: Groups | None) -> float:
    """The level of percentiles that gives an interval of ``level``: wider where groups are drawn."""
    return level if groups is None else widened_level(level, units)


def applies_to(average: Average, columns: Columns, groups: Groups | None = None) -> np.ndarray:
    """To how many questions the scarcest column of an average applies, for each system.

    With ``groups``, to how many of these.
    """
    counts = [units_of(groups, columns[name].denominator != 0) for name in average.columns_read]
    return np.asarray(np.min(np.stack(counts), axis=0))


def estimate(average: Average, columns: Columns) -> Array:
    """The average over the questions as they are: shape () or (systems,)."""
    n = len(columns[average.columns_read[0]].numerator)
    return np.asarray(average.values(columns, np.ones((1, n)))[0])


def replicates(
    averages: Mapping[str, Average],
    columns: Columns,
    *,
    groups: Groups | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Array]:
    """Each average on every resample: shape (resamples,), or (resamples, systems).

    Columns may hold one system, arrays (n,), or many, arrays (n, systems).
    """
    n = count_units(_size(averages, columns), groups)
    return _resampled([(averages, columns)], weights(n, resamples, seed), groups, resamples)[0]


def jackknife(
    averages: Mapping[str, Average], columns: Columns, groups: Groups | None = None
) -> dict[str, Array]:
    """Each average with question, or group, i left out: shape (n,) or (n, systems)."""
    found = {}
    for name, average in averages.items():
        # Leaving one out of a sum takes one subtraction, where n sums over n - 1 would take n times as long.
        terms = [sums_by_group(one.terms(columns), groups) for one in average.sums]
        found[name] = average.fold([one.sum(axis=0) - one for one in terms])
    return found


def _resampled(
    families: Sequence[_Family], blocks: Iterable[Array], groups: Groups | None, resamples: int
) -> list[dict[str, Array]]:
    """Each average of each family on every resample; the resamples come in blocks of rows."""
    found: list[dict[str, Array]] = [{} for _ in families]
    # By sum: its columns in the matrix of all sums, and the shape of a row; of a sum that never changes, no
    # columns, and what it is.
    places: dict[tuple[int, Sum], tuple[slice, tuple[int, ...]]] = {}
    parts: list[Array] = []
    first = 0
    for number, (averages, columns) in enumerate(families):
        for name, average in averages.items():
            for one in average.sums:
                every = one.terms(columns)
                shape = every.shape[1:]
                found[number][name] = np.empty((resamples, *shape))
                if groups is None and (every == 1).all():
                    # Most scores apply to every question, of which each resample draws as many.
                    places[number, one] = slice(0), (len(every),)
                elif (number, one) not in places:
                    parts.append(sums_by_group(every.reshape(len(every), -1), groups))
                    end = first + parts[-1].shape[1]
                    places[number, one] = slice(first, end), shape
                    first = end
    # One product of matrices is faster than a product for each sum.
    matrix = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1) if parts else None
    start = 0
    for product in _products(blocks, matrix):
        sums = {
            key: np.ascontiguousarray(product[:, at]).reshape(len(product), *shape)
            if at.stop
            else np.array(float(shape[0]))
            for key, (at, shape) in places.items()
        }
        end = start + len(product)
        for number, (averages, _) in enumerate(families):
            for name, average in averages.items():
                found[number][name][start:end] = average.fold(
                    [sums[number, one] for one in average.sums]
                )
        start = end
    return found


def _products(blocks: Iterable[Array], matrix: Array | None) -> Iterator[Array]:
    """The blocks of weights times a matrix, as many rows at once as a cache of 1 MB holds.

    Rows without columns where there is no matrix.
    """
    made: list[Array] = []
    for block in blocks:
        made.append(np.empty((len(block), 0)) if matrix is None else block @ matrix)
        if sum(one.size for one in made) >= _AT_ONCE:
            yield np.concatenate(made)
            made.clear()
    if made:
        yield np.concatenate(made)


def standard_error(
    average: Average, columns: Columns, groups: Groups | None = None
) -> float | None:
    """The jackknife's standard error over the questions to which the score applies, columns (n,).

    Of a mean it is the sample standard deviation / sqrt(n). None for fewer than two such questions, or
    groups.
    """
    applies = np.logical_or.reduce(
        [columns[name].denominator != 0 for name in average.columns_read]
    )
    n = int(units_of(groups, applies))
    if n < 2 or not average.resampled:
        return None
    kept = take({name: columns[name] for name in average.columns_read}, applies)
    left_out = jackknife({"": average}, kept, take_groups(groups, applies))[""]
    error = math.sqrt((n - 1) / n * float(np.sum((left_out - left_out.mean()) ** 2)))
    return error if math.isfinite(error) else None


def spread(drawn: Array, n: int | np.ndarray) -> Array:
    """The standard error that resamples (resamples, ...) show of a score on n questions: (...).

    Their standard deviation, times sqrt(n / (n - 1)), by which drawing n of n questions makes it too
    small. NaN where fewer than two resamples have a value.
    """
    count = np.count_nonzero(~np.isnan(drawn), axis=0)
    mean = np.nansum(drawn, axis=0) / np.maximum(count, 1)
    deviation = np.sqrt(np.nansum((drawn - mean) ** 2, axis=0) / np.maximum(count - 1, 1))
    correction = np.sqrt(n / np.maximum(np.asarray(n) - 1, 1))
    return np.asarray(np.where(count > 1, deviation * correction, np.nan))


def bounds(
    drawn: Array, value: Array, left_out: Array | None = None, *, level: float = 0.95
) -> tuple[Array, Array]:
    """The lower and upper bound of each system; BCa where jackknife values are given.

    ``drawn`` (resamples, ...), ``value`` (...), ``left_out`` (n, ...). NaN where nothing was drawn.
    """
    shape = drawn.shape[1:]
    flat, scores = drawn.reshape(len(drawn), -1), np.broadcast_to(value, shape).reshape(-1)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    skewness = None if left_out is None else _acceleration(left_out).reshape(-1)
    found = np.empty((2, len(scores)))
    # Some systems at a time, for copies of all values would leave the cache.
    for start in range(0, len(scores), _TOGETHER):
        some = np.s_[start : start + _TOGETHER]
        values = np.ascontiguousarray(flat[:, some].T)
        finite = np.count_nonzero(~np.isnan(values), axis=-1)
        at = np.broadcast_to(tails, (len(values), 2))
        if skewness is not None:
            at = _bca_levels(tails, values, finite, scores[some], skewness[some])
        found[:, some] = _quantiles(values, finite, at)
    low, high = found
    return low.reshape(shape), high.reshape(shape)


def _acceleration(left_out: Array) -> Array:
    """A sixth of the skewness of a score on each question left out in turn, (n, ...) gives (...)."""
    mean = np.nansum(left_out, axis=0) / np.maximum((~np.isnan(left_out)).sum(axis=0), 1)
    influence = np.nan_to_num(mean - left_out)
    squares = (influence**2).sum(axis=0)
    cubes = (influence**3).sum(axis=0)
    out = np.zeros_like(squares)
    return np.asarray(np.divide(cubes, 6 * squares**1.5, out=out, where=squares > 0))


def _bca_levels(
    tails: Array, values: Array, finite: np.ndarray, scores: Array, acceleration: Array
) -> Array:
    """The levels of the BCa interval of each system, (systems, 2); values (systems, resamples)."""
    # Not scipy.special's, whose import takes longer than the intervals of a report.
    from statistics import NormalDist

    normal = NormalDist()
    ndtr = np.vectorize(normal.cdf, otypes=[float])
    ndtri = np.vectorize(normal.inv_cdf, otypes=[float])
    # System by system, for a comparison of one row stays in the nearest cache.
    rows = list(zip(values, scores.tolist(), strict=True))
    below = np.array([np.count_nonzero(row < score - TOLERANCE) for row, score in rows])
    upto = np.array([np.count_nonzero(row <= score + TOLERANCE) for row, score in rows])
    count = np.maximum(finite, 1)
    # Half a resample at least on either side: a score at the rim has a bias, not an infinite one.
    bias = ndtri(np.clip((below + upto) / 2 / count, 0.5 / count, 1 - 0.5 / count))[:, None]
    # Two groups widen the level to 1 as far as a float can tell, of which no normal value is known.
    z = bias + ndtri(np.clip(tails, 2**-53, 1 - 2**-53))
    return np.asarray(ndtr(bias + z / (1 - acceleration[:, None] * z)))


def _quantiles(values: Array, finite: np.ndarray, at: Array) -> tuple[Array, Array]:
    """Two quantiles of each system by linear interpolation among the finite values, (systems, resamples)."""
    last = np.maximum(finite - 1, 0)[..., None]
    place = at * last
    lower = np.floor(place).astype(np.int64)
    upper = np.minimum(lower + 1, last)
    wanted = np.stack([lower[:, 0], upper[:, 0], lower[:, 1], upper[:, 1]], axis=1).tolist()
    picked = np.array(
        [np.partition(row, at)[at] for row, at in zip(values, wanted, strict=True)]
    ).reshape(-1, 2, 2)
    found = picked[..., 0] + (picked[..., 1] - picked[..., 0]) * (place - lower)
    return found[:, 0], found[:, 1]


def _size(averages: Mapping[str, Average], columns: Columns) -> int:
    return len(columns[next(iter(averages.values())).columns_read[0]].numerator)
