"""Rank bands computed from published scores and their intervals alone.

The best told score leads the first band; every system that its interval does not tell from the leader
shares the band, and so on down. Two told scores differ where the interval of their difference leaves out 0
(Newcombe 1998, method 10, from the two intervals of `formats.bound`):

    difference > sqrt((better - its low)^2 + (high of the other - the other)^2)

A rank runs from one more than the systems that are told to be better to all but those told to be worse.
The layout is that of `argue_bench.analysis.bands.rank_bands`, which needs tallies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from argue_bench.leaderboard.formats.bound import told_interval, told_value
from argue_bench.leaderboard.scoring.disclosure import RankedScore
from argue_bench.stats.averages import Columns
from argue_bench.stats.bootstrap import estimate

TEST = "intervals of told scores (Newcombe 1998)"
# As the intervals of told scores hold 95 %.
ALPHA = 0.05


@dataclass(frozen=True)
class _Told:
    system: str
    value: float
    low: float
    high: float
    """All three so that more is better."""


def told_bands(
    ranked: RankedScore, systems: Mapping[str, Columns], n: int, step: float, units: int = 0
) -> dict[str, Any]:
    """The bands of one setting; the columns are read for nothing but the scores that were told.

    ``units``: the groups that the ``n`` questions form; 0 where each stands alone.
    """
    sign = ranked.sign
    rows = []
    for system, columns in systems.items():
        told = told_value(float(estimate(ranked.average, columns)), step)
        low, high = sorted(sign * one for one in told_interval(told, units or n, step))
        rows.append(_Told(system, sign * told, low, high))
    # By name where scores are equal, so that the same rows always make the same bytes.
    rows.sort(key=lambda row: (-row.value, row.system))
    bands: dict[str, int] = {}
    rest, number = rows, 0
    while rest:
        number += 1
        alike = [row for row in rest if not _beats(rest[0], row)]
        bands |= {row.system: number for row in alike}
        rest = [row for row in rest if row.system not in bands]
    # What a pair of middling systems could tell apart, as one figure for the page.
    middle = rows[len(rows) // 2]
    gap = math.hypot(middle.value - middle.low, middle.high - middle.value)
    return {
        "schema": 1,
        "score": ranked.key,
        "better": ranked.average.better,
        "unit": ranked.average.unit,
        "n": n,
        **({"clusters": units} if 0 < units < n else {}),
        "resolvable": round(gap, 4) if len(rows) > 1 else None,
        "alpha": ALPHA,
        "test": TEST,
        "step": step,
        "systems": [
            {
                "system": row.system,
                "value": sign * row.value,
                "low": min(sign * row.low, sign * row.high),
                "high": max(sign * row.low, sign * row.high),
                "rank": 1 + sum(one.value > row.value for one in rows),
                "rank_low": 1 + sum(_beats(one, row) for one in rows),
                "rank_high": len(rows) - sum(_beats(row, one) for one in rows),
                "band": bands[row.system],
                "p_below_leader": None,
            }
            for row in rows
        ],
    }


def _beats(one: _Told, other: _Told) -> bool:
    gap = one.value - other.value
    return gap > math.hypot(one.value - one.low, other.high - other.value)
