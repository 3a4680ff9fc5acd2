"""Confidence intervals of scores, by the bootstrap over questions.

Bootstrap over questions (Efron and Tibshirani 1993, chapters 13 and 14). A resample draws n of n
questions with replacement; a row of weights says how often each was drawn, so that every average,
ratios and harmonic means too, is recomputed on each resample by matrix work on its tallies.

    percentile   the quantiles of the resampled values at (1 - level) / 2 and at its mirror
    bca          the same at levels shifted by the bias z0 (how many resampled values lie below the
                 score) and by the acceleration a (its skewness, each question left out in turn)

Where questions form clusters (`argue_bench.stats.clusters`) these are drawn in their place.

The weights depend on (n, resamples, seed) alone: all scores and systems meet the same resamples,
so their differences are paired. Memory is bounded by chunks of resamples.

A score that applies to fewer than two questions has no interval (None). Where all resamples
give one value, both bounds are that value: the questions show no spread, which does not prove that
there is none. Resamples that hold no question to which the score applies are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Literal

import numpy as np

from argue_bench.stats.averages import Array, Average, Columns, take
from argue_bench.stats.clusters import Clusters, take_clusters, units_of, widened_level

Method = Literal["bca", "percentile"]
RESAMPLES = 10_000
SEED = 20_250_926
CHUNK = 1 << 22
"""Weights in memory at once (32 MB), one for each question of each row."""
_DRAWN = 1 << 18
"""Weights drawn at once, before each is packed in a byte."""
TOLERANCE = 1e-12
"""Values nearer than this are the same value, added up in another order."""


def intervals(
    averages: Mapping[str, Average],
    columns: Columns,
    *,
    clusters: Clusters | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = 0.95,
    method: Method = "bca",
) -> dict[str, tuple[float, float] | None]:
    """The interval of each average over columns of shape (n,); None where it has none."""
    found: dict[str, tuple[float, float] | None] = dict.fromkeys(averages)
    wanted = {
        name: average
        for name, average in averages.items()
        if average.resampled and int(applies_to(average, columns, clusters)) >= 2
    }
    drawn = replicates(wanted, columns, clusters=clusters, resamples=resamples, seed=seed)
    left = jackknife(wanted, columns, clusters) if method == "bca" else {}
    for name, average in wanted.items():
        value = estimate(average, columns)
        at = resampled_level(level, int(applies_to(average, columns, clusters)), clusters)
        low, high = bounds(drawn[name], value, left.get(name), level=at)
        if np.isfinite(low) and np.isfinite(high):
            found[name] = (float(low), float(high))
    return found


def resampled_level(level: float, units: int, clusters: Clusters | None) -> float:
    """The level of percentiles that gives an interval of ``level``: wider where clusters are drawn."""
    return level if clusters is None else widened_level(level, units)


def applies_to(average: Average, columns: Columns, clusters: Clusters | None = None) -> np.ndarray:
    """To how many questions the scarcest column of an average applies, for each system.

    With ``clusters``, to how many of these.
    """
    counts = [units_of(clusters, columns[name].denominator != 0) for name in average.columns_read]
    return np.asarray(np.min(np.stack(counts), axis=0))


def estimate(average: Average, columns: Columns) -> Array:
    """The average over the questions as they are: shape () or (systems,)."""
    n = len(columns[average.columns_read[0]].numerator)
    return np.asarray(average.values(columns, np.ones((1, n)))[0])


def weights(
    n: int, resamples: int = RESAMPLES, seed: int = SEED, clusters: Clusters | None = None
) -> Iterator[Array]:
    """The resamples, in chunks of rows: how often each of n questions was drawn.

    With ``clusters`` these are drawn, each with all of its questions. Each chunk is written over by the
    next.
    """
    if clusters is not None:
        yield from _spread_out(weights(int(clusters.max()) + 1, resamples, seed), clusters)
        return
    rows = min(max(1, CHUNK // max(n, 1)), resamples)
    unpacked = np.empty((rows, n))
    for index, start in enumerate(range(0, resamples, rows)):
        some = unpacked[: resamples - start]
        some[:] = _chunk(n, len(some), seed, index)
        yield some


def _spread_out(chunks: Iterable[Array], clusters: Clusters) -> Iterator[Array]:
    """Weights of clusters (rows, G) as those of their questions (rows, n), in chunks of bounded size."""
    step = max(1, CHUNK // max(len(clusters), 1))
    for rows in chunks:
        for start in range(0, len(rows), step):
            yield rows[start : start + step, clusters]


@lru_cache(maxsize=4)
def _chunk(n: int, rows: int, seed: int, index: int) -> np.ndarray:
    """One chunk, the same for every caller; cached, because every system uses it next."""
    rng = np.random.default_rng([seed, n, index])
    even = np.full(n, 1 / n)
    # A byte holds every count: the chance that one of n is drawn 256 times is below 1e-500.
    drawn = np.empty((rows, n), np.uint8)
    step = max(1, _DRAWN // max(n, 1))
    for start in range(0, rows, step):
        some = drawn[start : start + step]
        some[:] = rng.multinomial(n, even, size=len(some))
    drawn.setflags(write=False)
    return drawn


def replicates(
    averages: Mapping[str, Average],
    columns: Columns,
    *,
    clusters: Clusters | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Array]:
    """Each average on every resample: shape (resamples,), or (resamples, systems).

    Columns may hold one system, arrays (n,), or many, arrays (n, systems).
    """
    if not averages:
        return {}
    return _values(averages, columns, weights(_size(averages, columns), resamples, seed, clusters))


def jackknife(
    averages: Mapping[str, Average], columns: Columns, clusters: Clusters | None = None
) -> dict[str, Array]:
    """Each average with question, or cluster, i left out: shape (n,) or (n, systems)."""
    if not averages:
        return {}
    if clusters is not None:
        left_out = _spread_out(_all_but_one(int(clusters.max()) + 1), clusters)
        return _values(averages, columns, left_out)
    return _values(averages, columns, _all_but_one(_size(averages, columns)))


def _all_but_one(n: int) -> Iterator[Array]:
    """Weights that leave out each of n questions in turn; each chunk is written over by the next."""
    rows = min(max(1, CHUNK // n), n)
    chunk = np.empty((rows, n))
    for start in range(0, n, rows):
        some = chunk[: n - start]
        some[:] = 1.0
        np.fill_diagonal(some[:, start:], 0.0)
        yield some


def _values(
    averages: Mapping[str, Average], columns: Columns, chunks: Iterable[Array]
) -> dict[str, Array]:
    """Each average under all rows of weights, which come in chunks."""
    parts: dict[str, list[Array]] = {name: [] for name in averages}
    for rows in chunks:
        for name, average in averages.items():
            parts[name].append(average.values(columns, rows))
    return {name: np.concatenate(part) for name, part in parts.items()}


def standard_error(
    average: Average, columns: Columns, clusters: Clusters | None = None
) -> float | None:
    """The jackknife's standard error over the questions to which the score applies, columns (n,).

    Of a mean it is the sample standard deviation / sqrt(n). None for fewer than two such questions, or
    clusters.
    """
    applies = np.logical_or.reduce(
        [columns[name].denominator != 0 for name in average.columns_read]
    )
    n = int(units_of(clusters, applies))
    if n < 2 or not average.resampled:
        return None
    kept = take({name: columns[name] for name in average.columns_read}, applies)
    left_out = jackknife({"": average}, kept, take_clusters(clusters, applies))[""]
    error = math.sqrt((n - 1) / n * float(np.sum((left_out - left_out.mean()) ** 2)))
    return error if math.isfinite(error) else None


def spread(drawn: Array, n: int | np.ndarray) -> Array:
    """The standard error that resamples (resamples, ...) show of a score on n questions: (...).

    Their standard deviation, times sqrt(n / (n - 1)), by which drawing n of n questions makes it too
    small. NaN where fewer than two resamples have a value.
    """
    count = np.count_nonzero(~np.isnan(drawn), axis=0)
    mean = np.nansum(drawn, axis=0) / np.maximum(count, 1)
    squares = np.nansum((drawn - mean) ** 2, axis=0)
    deviation = np.sqrt(squares / np.maximum(count - 1, 1))
    correction = np.sqrt(n / np.maximum(np.asarray(n) - 1, 1))
    return np.asarray(np.where(count > 1, deviation * correction, np.nan))


def bounds(
    drawn: Array, value: Array, left_out: Array | None = None, *, level: float = 0.95
) -> tuple[Array, Array]:
    """The lower and upper bound of each system; BCa where jackknife values are given.

    ``drawn`` (resamples, ...), ``value`` (...), ``left_out`` (n, ...). NaN where nothing was drawn.
    """
    ordered = np.sort(np.moveaxis(drawn, 0, -1), axis=-1)  # NaN last
    finite = np.count_nonzero(~np.isnan(ordered), axis=-1)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    at = np.broadcast_to(tails, (*finite.shape, 2))
    if left_out is not None:
        # The levels of the BCa interval, (..., 2).
        # Not scipy.special's, whose import takes longer than the intervals of a report.
        from statistics import NormalDist

        normal = NormalDist()
        ndtr = np.vectorize(normal.cdf, otypes=[float])
        ndtri = np.vectorize(normal.inv_cdf, otypes=[float])
        score = np.asarray(value)[..., None]
        below = np.count_nonzero(ordered < score - TOLERANCE, axis=-1)
        same = np.count_nonzero(np.abs(ordered - score) <= TOLERANCE, axis=-1)
        count = np.maximum(finite, 1)
        # Half a resample at least on either side: a score at the rim has a bias, not an infinite one.
        share = np.clip((below + same / 2) / count, 0.5 / count, 1 - 0.5 / count)
        bias = ndtri(share)[..., None]
        finite_left_out = ~np.isnan(left_out)
        mean = np.nansum(left_out, axis=0) / np.maximum(finite_left_out.sum(axis=0), 1)
        influence = np.nan_to_num(mean - left_out)
        squares = (influence**2).sum(axis=0)
        acceleration = np.divide(
            (influence**3).sum(axis=0),
            6 * squares**1.5,
            out=np.zeros_like(squares),
            where=squares > 0,
        )[..., None]
        z = bias + ndtri(tails)
        at = np.asarray(ndtr(bias + z / (1 - acceleration * z)))
    low, high = (_quantile(ordered, finite, at[..., side]) for side in (0, 1))
    return low, high


def _quantile(ordered: Array, finite: np.ndarray, at: Array) -> Array:
    """Quantiles by linear interpolation among the finite values, which stand first."""
    place = at * np.maximum(finite - 1, 0)
    lower = np.floor(place).astype(np.int64)
    upper = np.minimum(lower + 1, np.maximum(finite - 1, 0))
    first = np.take_along_axis(ordered, lower[..., None], -1)[..., 0]
    second = np.take_along_axis(ordered, upper[..., None], -1)[..., 0]
    return np.asarray(first + (second - first) * (place - lower))


def _size(averages: Mapping[str, Average], columns: Columns) -> int:
    first = next(iter(averages.values()))
    return len(columns[first.columns_read[0]].numerator)
