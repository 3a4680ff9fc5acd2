"""Confidence intervals of scores, by the bootstrap over questions.

Bootstrap over questions (Efron and Tibshirani 1993, chapters 13 and 14). A resample draws n of n
questions with replacement; a row of weights says how often each was drawn, so that every average,
ratios and harmonic means too, is recomputed on each resample by matrix work on its tallies.

    percentile   the quantiles of the resampled values at (1 - level) / 2 and at its mirror
    bca          the same at levels shifted by the bias z0 (how many resampled values lie below the
                 score) and by the acceleration a (its skewness, each question left out in turn)

Where questions form clusters (`argue_bench.stats.clusters`) these are drawn in their place.

The weights depend on (n, resamples, seed) alone: all scores and systems meet the same resamples,
so their differences are paired. Weights are made in blocks that fit the processor's cache, each used for
all scores before the next, and they are counts of drawn places: for many questions that is ten times
faster than drawing a multinomial.

A score that applies to fewer than two questions has no interval (None). Where all resamples
give one value, the interval is what the number of questions allows (`argue_bench.stats.constant`).
Resamples that hold no question to which the score applies are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from argue_bench.stats.averages import AllButOne, Array, Average, Block, Columns, Weights, take
from argue_bench.stats.clusters import Clusters, OfClusters, take_clusters, units_of, widened_level
from argue_bench.stats.constant import widened_constant

Method = Literal["bca", "percentile"]
RESAMPLES = 10_000
SEED = 20_250_926
CHUNK = 1 << 22
"""Numbers in memory at once (32 MB), where work is done in parts."""
_BLOCK = 1 << 16
"""Weights made at once: as numbers and as counts they fit into a cache of 1 MB."""
_KEPT = 1 << 26
"""Bytes of the resamples that are kept for the next score or system of the same size."""
ENOUGH_QUESTIONS = 20
"""Questions below which an interval is too narrow (docs/statistics.md)."""
TOLERANCE = 1e-12
"""Values nearer than this are the same value, added up in another order."""


Intervals = dict[str, tuple[float, float] | None]


def intervals(
    averages: Mapping[str, Average],
    columns: Columns,
    *,
    clusters: Clusters | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = 0.95,
    method: Method = "bca",
) -> Intervals:
    """The interval of each average over columns of shape (n,); None where it has none."""
    return intervals_together(
        [(averages, columns)],
        clusters=clusters,
        resamples=resamples,
        seed=seed,
        level=level,
        method=method,
    )[0]


def intervals_together(
    groups: Sequence[tuple[Mapping[str, Average], Columns]],
    *,
    clusters: Clusters | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = 0.95,
    method: Method = "bca",
) -> list[Intervals]:
    """The intervals of several groups of averages, each over columns of its own, from one draw.

    All columns have the same shape (n,), and ``clusters`` are of their questions.
    """
    found: list[Intervals] = [dict.fromkeys(averages) for averages, _ in groups]
    wanted = [
        (
            {
                name: average
                for name, average in averages.items()
                if average.resampled and int(applies_to(average, columns, clusters)) >= 2
            },
            columns,
        )
        for averages, columns in groups
    ]
    sizes = {_size(averages, columns) for averages, columns in wanted if averages}
    for n in sizes:
        units = n if clusters is None else int(clusters.max()) + 1
        drawn = _values(wanted, _of_clusters(weights(units, resamples, seed), clusters))
        for (averages, columns), values, into in zip(wanted, drawn, found, strict=True):
            left = jackknife(averages, columns, clusters) if method == "bca" else {}
            for name, average in averages.items():
                value = estimate(average, columns)
                apart = int(applies_to(average, columns, clusters))
                at = resampled_level(level, apart, clusters)
                low, high = widened_constant(
                    *bounds(values[name], value, left.get(name), level=at),
                    value,
                    apart,
                    average.unit,
                    level=level,
                )
                if np.isfinite(low) and np.isfinite(high):
                    into[name] = (float(low), float(high))
    return found


def few_questions(n: int) -> str:
    """What a reader of intervals from so few questions must know; empty where they are enough."""
    few = 0 < n < ENOUGH_QUESTIONS
    return (
        f"Few questions ({n}): below {ENOUGH_QUESTIONS} an interval is too narrow." if few else ""
    )


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


def weights(n: int, resamples: int = RESAMPLES, seed: int = SEED) -> Iterator[Array]:
    """The resamples, in blocks of rows: how often each of n questions was drawn.

    Each block is written over by the next.
    """
    blocks = _kept if n * resamples <= _KEPT else _blocks
    unpacked: Array | None = None
    for block in blocks(n, resamples, seed):
        if unpacked is None:
            unpacked = np.empty(block.shape)
        some = unpacked[: len(block)]
        some[:] = block
        yield some


def _blocks(n: int, resamples: int, seed: int) -> Iterator[np.ndarray]:
    """How often each question was drawn, as bytes."""
    rows = min(max(1, _BLOCK // max(n, 1)), resamples)
    for index, start in enumerate(range(0, resamples, rows)):
        count = min(rows, resamples - start)
        places = np.random.default_rng([seed, n, index]).integers(0, n, size=(count, n))
        places += n * np.arange(count)[:, None]
        # A byte holds every count: the chance that one of n is drawn 256 times is below 1e-500.
        drawn = np.bincount(places.ravel(), minlength=count * n).astype(np.uint8)
        yield drawn.reshape(count, n)


@lru_cache(maxsize=1)
def _kept(n: int, resamples: int, seed: int) -> tuple[np.ndarray, ...]:
    """The same, kept for the next caller: all systems of a data set have one n."""
    return tuple(_blocks(n, resamples, seed))


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
    n = _size(averages, columns) if clusters is None else int(clusters.max()) + 1
    drawn = _of_clusters(weights(n, resamples, seed), clusters)
    return _values([(averages, columns)], drawn)[0]


def jackknife(
    averages: Mapping[str, Average], columns: Columns, clusters: Clusters | None = None
) -> dict[str, Array]:
    """Each average with question, or cluster, i left out: shape (n,) or (n, systems)."""
    return _values([(averages, columns)], _of_clusters([AllButOne()], clusters))[0]


def _of_clusters(blocks: Iterable[Weights], clusters: Clusters | None) -> Iterator[Weights]:
    """The weights of clusters as those of their questions."""
    return (block if clusters is None else OfClusters(block, clusters) for block in blocks)


def _values(
    groups: Sequence[tuple[Mapping[str, Average], Columns]], blocks: Iterable[Weights]
) -> list[dict[str, Array]]:
    """Each average of each group under all rows of weights, which come in blocks."""
    parts: list[dict[str, list[Array]]] = [
        {name: [] for name in averages} for averages, _ in groups
    ]
    for rows in blocks:
        block = Block(rows) if isinstance(rows, np.ndarray) else rows
        for (averages, columns), into in zip(groups, parts, strict=True):
            for name, average in averages.items():
                into[name].append(average.values(columns, block if average.resampled else rows))
    return [{name: np.concatenate(part) for name, part in some.items()} for some in parts]


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
    values = np.ascontiguousarray(np.moveaxis(drawn, 0, -1))
    finite = np.count_nonzero(~np.isnan(values), axis=-1)
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
        below = np.count_nonzero(values < score - TOLERANCE, axis=-1)
        same = np.count_nonzero(values <= score + TOLERANCE, axis=-1) - below
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
    low, high = _quantiles(values, finite, at)
    return low, high


def _quantiles(values: Array, finite: np.ndarray, at: Array) -> tuple[Array, Array]:
    """Two quantiles of each system by linear interpolation among the finite values, (..., resamples)."""
    last = np.maximum(finite - 1, 0)[..., None]
    place = at * last
    lower = np.floor(place).astype(np.int64)
    upper = np.minimum(lower + 1, last)
    found = np.empty(at.shape)
    for system in np.ndindex(finite.shape):
        wanted = np.concatenate([lower[system], upper[system]])
        # Faster than sorting all of them. NaN stands last.
        picked = np.partition(values[system], wanted)[wanted].reshape(2, 2)
        found[system] = picked[0] + (picked[1] - picked[0]) * (place[system] - lower[system])
    return found[..., 0], found[..., 1]


def _size(averages: Mapping[str, Average], columns: Columns) -> int:
    first = next(iter(averages.values()))
    return len(columns[first.columns_read[0]].numerator)
