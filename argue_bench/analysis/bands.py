"""Rank bands of a board: which systems the questions tell apart, and which ranks are noise.

The best system leads the first band; every system that is not significantly below it, by the paired
permutation test at alpha, shares the band. The best of the rest leads the next band, and so on. A band
says one thing of each member: these questions do not tell it from the leader. The tests against
one leader are corrected for their number (Holm): a band warns against reading too much into ranks, so it should
rather join than split.

Ranks have bootstrap intervals: every resample of the questions ranks all systems anew (Goldstein and
Spiegelhalter 1996).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from argue_bench.analysis.aligned import Resampling, end_of
from argue_bench.errors import UsageError
from argue_bench.stats.averages import Array, Average, Columns, stack, take
from argue_bench.stats.bootstrap import (
    RESAMPLES,
    SEED,
    Groups,
    applies_to,
    bounds,
    count_units,
    estimate,
    jackknife,
    replicates,
    resampled_level,
    spread,
    widened_constant,
)
from argue_bench.stats.permutation import ALPHA, holm, permutation_test, resolvable, smallest_p

# The version of bands.json, which a site checks.
SCHEMA = 1
# The p values that are told apart in public: the field's usual ones.
THRESHOLDS = (0.001, 0.01, 0.05)


def rank_bands(
    score: str,
    average: Average,
    systems: Mapping[str, Columns],
    *,
    groups: Groups | None = None,
    resamples: int = RESAMPLES,
    permutations: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Any]:
    """The data of bands.json for one score: every system with value, interval, rank and band.

    ``systems`` maps names to columns (n,) of the same questions, whose ``groups`` are resampled where
    they form some. p is given as a threshold, for splits whose exact values are hidden. A system to which
    the score does not apply comes last, without rank or band. Raises UsageError where the score has no better end
    or is an order statistic, and for unlike numbers of questions.
    """
    if not average.better or not average.resampled:
        raise UsageError(f"{score} has no better end, or is an order statistic: it gives no ranks")
    names = [
        name
        for name, columns in systems.items()
        if all(column in columns for column in average.columns_read)
        and applies_to(average, columns)
    ]
    rows: list[dict[str, Any]] = []
    n, gap = 0, None
    if names:
        read = average.columns_read
        sizes = {len(systems[name][column].numerator) for name in names for column in read}
        if len(sizes) > 1:
            raise UsageError(f"the systems have unlike numbers of questions: {sorted(sizes)}")
        [n] = sizes
        columns = stack([systems[name] for name in names], read)
        found, gap = _ranked(average, columns, groups, Resampling(resamples, permutations, seed))
        rows = [{"system": names[i], **row} for i, row in found]
    lacking = ("value", "low", "high", "rank", "rank_low", "rank_high", "band", "p_below_leader")
    unranked = [name for name in systems if name not in set(names)]
    rows += [{"system": name, **dict.fromkeys(lacking)} for name in unranked]
    return {
        "schema": SCHEMA,
        "score": score,
        "better": average.better,
        "unit": average.unit,
        "n": n,
        **({"clusters": count_units(n, groups)} if groups is not None else {}),
        "resolvable": gap,
        "alpha": ALPHA,
        "test": "paired permutation",
        "correction": "holm",
        "permutations": permutations,
        "smallest_p": smallest_p(count_units(n, groups), permutations),
        "resamples": resamples,
        "seed": seed,
        "systems": rows,
    }


def interval_ranks(rows: Sequence[Mapping[str, Any]], better: str) -> list[dict[str, int]]:
    """``rank_low``, ``rank_high`` and ``band`` of systems of which only value, low and high are told, best first.

    Two values differ where the interval of their difference leaves out 0 (Newcombe 1998, method 10):

        difference > sqrt((better - its low)^2 + (high of the other - the other)^2)

    The best leads the first band; every system that its interval does not tell from the leader shares the band,
    and so on down. A rank runs from one more than the systems that are told to be better to all but those told to
    be worse.
    """
    sign, near, far = (-1, "high", "low") if better == "lower" else (1, "low", "high")
    value, ours, theirs = (np.array([row[key] for row in rows]) for key in ("value", near, far))
    gap = sign * (value[:, None] - value)
    beats = gap > np.hypot((value - ours)[:, None], theirs - value)
    bands = np.zeros(len(rows), int)
    while (rest := bands == 0).any():
        bands[rest & ~beats[rest.argmax()]] = bands.max() + 1
    lows, highs = 1 + beats.sum(axis=0), len(rows) - beats.sum(axis=1)
    each = zip(lows, highs, bands, strict=True)
    return [{"rank_low": int(a), "rank_high": int(b), "band": int(c)} for a, b, c in each]


def _ranked(
    average: Average, columns: Columns, groups: Groups | None, sampling: Resampling
) -> tuple[list[tuple[int, dict[str, Any]]], float | None]:
    """Each system's place in the columns (n, systems) and its row, best first; the resolvable difference."""
    values = estimate(average, columns)
    counts = applies_to(average, columns, groups)
    n = int(counts.min())
    drawn = replicates(
        {"": average}, columns, groups=groups, resamples=sampling.resamples, seed=sampling.seed
    )[""]
    left = jackknife({"": average}, columns, groups)[""]
    ends = bounds(drawn, values, left, level=resampled_level(0.95, n, groups))
    low, high = widened_constant(*ends, values, n, average.unit)
    # Turned so that more is better, also where the score counts faults.
    sign = 1.0 if average.better == "higher" else -1.0
    merit = sign * values
    order = np.argsort(-merit, kind="stable")
    band, p = _bands(average, columns, groups, sampling, merit, order)
    rank_low, rank_high = rank_bounds(sign * drawn, 1 - ALPHA)
    rows = [
        {
            "value": float(values[i]),
            "low": end_of(low[i], counts[i]),
            "high": end_of(high[i], counts[i]),
            "rank": 1 + int(np.count_nonzero(merit > merit[i])),
            "rank_low": int(rank_low[i]),
            "rank_high": int(rank_high[i]),
            "band": int(band[i]),
            "p_below_leader": p_threshold(p[i]),
        }
        for i in order
    ]
    # Neighbours on the board are the pairs that readers want to tell apart.
    near = np.argsort(values, kind="stable")
    gaps = drawn[:, near[1:]] - drawn[:, near[:-1]]
    error = float(np.nanmedian(spread(gaps, n))) if len(values) > 1 else float("nan")
    return list(zip(map(int, order), rows, strict=True)), resolvable(error, n)


def _bands(
    average: Average,
    columns: Columns,
    groups: Groups | None,
    sampling: Resampling,
    merit: Array,
    order: np.ndarray,
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
        p = holm(
            permutation_test(
                average,
                take(columns, np.s_[:, np.full(len(others), leader)]),
                take(columns, np.s_[:, others]),
                groups=groups,
                permutations=sampling.permutations,
                seed=sampling.seed,
            )
        )
        # The test is two-sided: a system significantly different but not worse stays in the band.
        below = (p < ALPHA) & (merit[others] < merit[leader])
        band[others[~below]] = number
        p_leader[others[~below]] = p[~below]
        rest = others[below]
    return band, p_leader


def rank_bounds(merit: Array, level: float) -> tuple[np.ndarray, np.ndarray]:
    """The percentile interval of each system's rank; ties take the better rank."""
    from scipy.stats import rankdata

    # A resample can miss every question that a system was scored on; it gives no ranks.
    complete = merit[~np.isnan(merit).any(axis=1)]
    if not len(complete):
        size = merit.shape[1]
        return np.ones(size, dtype=np.int64), np.full(size, size)
    # A thousand resamples at a time, since ranking makes several copies.
    ranks = np.empty(complete.shape, dtype=np.int32)
    for start in range(0, len(complete), 1000):
        some = complete[start : start + 1000]
        ranks[start : start + 1000] = rankdata(-some, method="min", axis=1)
    # The percentiles are ranks that occurred, so no average of two is printed.
    ranks.sort(axis=0)
    tail, last = (1 - level) / 2, len(ranks) - 1
    return ranks[int(np.floor(tail * last))], ranks[int(np.ceil((1 - tail) * last))]


def p_threshold(p: float) -> str | None:
    """The p value as it is published for a hidden split; None for the leader of a band.

    Exact p values of many submissions would reveal the hidden answers bit by bit.
    """
    if np.isnan(p):
        return None
    return next((f"<{limit:g}" for limit in THRESHOLDS if p < limit), f">={THRESHOLDS[-1]:g}")
