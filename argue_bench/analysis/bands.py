"""Which systems stand apart on a board, and which ranks are noise?

The best system leads the first band; every system that is not significantly below it, by the paired
permutation test at alpha, shares the band. The best of the rest leads the next band, and so on. A
band says of each member one thing: this set does not tell it from the leader. Tests are one system
against its leader and are not corrected unless ``correction="holm"`` (over all systems below the
leader): a band is a warning against reading too much into ranks, so it errs towards joining.

Ranks have bootstrap intervals: every resample of the questions ranks all systems anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from argue_bench.errors import UsageError
from argue_bench.stats.averages import Array, Average, Column, Columns, stack, take
from argue_bench.stats.bootstrap import (
    RESAMPLES,
    SEED,
    applies_to,
    bounds,
    estimate,
    jackknife,
    replicates,
    spread,
)
from argue_bench.stats.permutation import permutation_test, smallest_p
from argue_bench.stats.significance import ALPHA, holm, resolvable

SCHEMA = 1
THRESHOLDS = (0.001, 0.01, 0.05)
BLOCK = 128
"""Systems whose resamples are in memory at once, before they become ranks."""
Correction = Literal["none", "holm"]


def rank_bands(
    score: str,
    average: Average,
    systems: Mapping[str, Columns],
    *,
    alpha: float = ALPHA,
    correction: Correction = "none",
    resamples: int = RESAMPLES,
    permutations: int = RESAMPLES,
    seed: int = SEED,
    digits: int | None = None,
) -> dict[str, Any]:
    """The data of bands.json for one score: every system with value, interval, rank and band.

    ``systems`` maps names to columns (n,) of the same questions. ``digits`` rounds values and
    bounds, for splits whose values must not be told exactly; p is told as a threshold in any case. A
    system to which the score does not apply stands at the end without rank or band. Raises
    UsageError where the score has no better end or is an order statistic.
    """
    if not average.better or not average.resampled:
        raise UsageError(f"{score} has no better end, or is an order statistic: it gives no ranks")
    names = [name for name, columns in systems.items() if _counted(average, columns)]
    rows: list[dict[str, Any]] = []
    facts: dict[str, Any] = {"n": 0, "resolvable": None}
    if names:
        columns = _stack(average, [systems[name] for name in names])
        facts["n"] = len(columns[average.columns_read[0]].numerator)
        rows, facts["resolvable"] = _ranked(
            average, columns, names, alpha, correction, resamples, permutations, seed, digits
        )
    rows += [_unranked(name) for name in systems if name not in set(names)]
    return {
        "schema": SCHEMA,
        "score": score,
        "better": average.better,
        "unit": average.unit,
        **facts,
        "alpha": alpha,
        "test": "paired permutation",
        "correction": correction,
        "permutations": permutations,
        "smallest_p": smallest_p(facts["n"], permutations),
        "resamples": resamples,
        "seed": seed,
        "systems": rows,
    }


def _stack(average: Average, systems: Sequence[Columns]) -> dict[str, Column]:
    """Many systems' columns (n,) as columns (n, systems). Raises UsageError for unlike n."""
    sizes = {len(columns[name].numerator) for columns in systems for name in average.columns_read}
    if len(sizes) > 1:
        raise UsageError(f"the systems have unlike numbers of questions: {sorted(sizes)}")
    return stack(systems, average.columns_read)


def _counted(average: Average, columns: Columns) -> bool:
    known = all(name in columns for name in average.columns_read)
    return known and bool(applies_to(average, columns))


def _ranked(
    average: Average,
    columns: Columns,
    names: Sequence[str],
    alpha: float,
    correction: Correction,
    resamples: int,
    permutations: int,
    seed: int,
    digits: int | None,
) -> tuple[list[dict[str, Any]], float | None]:
    values = estimate(average, columns)
    sign = 1.0 if average.better == "higher" else -1.0
    order = np.argsort(-sign * values, kind="stable")
    band, p = _banded(average, columns, sign * values, order, alpha, correction, permutations, seed)
    drawn, low, high, error = _resampled(average, columns, values, resamples, seed)
    rank_low, rank_high = _rank_bounds(sign * drawn, 1 - alpha)
    counts = applies_to(average, columns)
    rank = np.array([1 + np.count_nonzero(sign * values > sign * value) for value in values])
    rows = [
        {
            "system": names[i],
            "value": _rounded(values[i], digits),
            "low": _rounded(low[i], digits) if counts[i] >= 2 else None,
            "high": _rounded(high[i], digits) if counts[i] >= 2 else None,
            "rank": int(rank[i]),
            "rank_low": int(rank_low[i]),
            "rank_high": int(rank_high[i]),
            "band": int(band[i]),
            "p_below_leader": p_threshold(p[i]),
        }
        for i in order
    ]
    return rows, _rounded(resolvable(error, int(counts.min())), digits)


def _banded(
    average: Average,
    columns: Columns,
    merit: Array,
    order: np.ndarray,
    alpha: float,
    correction: Correction,
    permutations: int,
    seed: int,
) -> tuple[np.ndarray, Array]:
    """The band of each system, and its p against the leader of its band (NaN for a leader)."""
    band = np.zeros(len(order), dtype=np.int64)
    p_leader = np.full(len(order), np.nan)
    rest, number = order, 0
    while len(rest):
        number += 1
        leader, others = rest[0], rest[1:]
        band[leader] = number
        if not len(others):
            break
        p = permutation_test(
            average,
            take(columns, np.s_[:, np.full(len(others), leader)]),
            take(columns, np.s_[:, others]),
            permutations=permutations,
            seed=seed,
        )
        decisive = holm(p) if correction == "holm" else p
        below = (decisive < alpha) & (merit[others] < merit[leader])
        band[others[~below]] = number
        p_leader[others[~below]] = p[~below]
        rest = others[below]
    return band, p_leader


def _resampled(
    average: Average, columns: Columns, values: Array, resamples: int, seed: int
) -> tuple[Array, Array, Array, float]:
    """Resampled values (resamples, systems), both bounds, and the median standard error of the
    difference between neighbours on the board."""
    size = len(values)
    drawn = np.empty((resamples, size))
    low, high = np.empty(size), np.empty(size)
    for start in range(0, size, BLOCK):
        part = slice(start, start + BLOCK)
        some = take(columns, np.s_[:, part])
        drawn[:, part] = replicates({"": average}, some, resamples=resamples, seed=seed)[""]
        left = jackknife({"": average}, some)[""]
        low[part], high[part] = bounds(drawn[:, part], values[part], left)
    order = np.argsort(values, kind="stable")
    gaps = drawn[:, order[1:]] - drawn[:, order[:-1]]
    n = int(applies_to(average, columns).min())
    error = float(np.nanmedian(spread(gaps, n))) if size > 1 else float("nan")
    return drawn, low, high, error


def _rank_bounds(merit: Array, level: float) -> tuple[np.ndarray, np.ndarray]:
    """The percentile interval of each system's rank; ties take the better rank."""
    from scipy.stats import rankdata

    told = merit[~np.isnan(merit).any(axis=1)]
    ranks = np.empty(told.shape, dtype=np.int32)
    for start in range(0, len(told), 1000):
        ranks[start : start + 1000] = rankdata(-told[start : start + 1000], method="min", axis=1)
    if not len(ranks):
        size = merit.shape[1]
        return np.ones(size, dtype=np.int64), np.full(size, size)
    ranks.sort(axis=0)
    tail = (1 - level) / 2
    last = len(ranks) - 1
    return ranks[int(np.floor(tail * last))], ranks[int(np.ceil((1 - tail) * last))]


def p_threshold(p: float) -> str | None:
    """p as the public sees it on a hidden split; None for the leader of a band."""
    if np.isnan(p):
        return None
    return next((f"<{limit:g}" for limit in THRESHOLDS if p < limit), f">={THRESHOLDS[-1]:g}")


def _unranked(name: str) -> dict[str, Any]:
    lacking = ("value", "low", "high", "rank", "rank_low", "rank_high", "band", "p_below_leader")
    return {"system": name, **dict.fromkeys(lacking)}


def _rounded(value: float | None, digits: int | None) -> float | None:
    if value is None or np.isnan(value):
        return None
    return float(value) if digits is None else round(float(value), digits)
