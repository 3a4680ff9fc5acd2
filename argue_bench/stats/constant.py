"""Intervals of scores that are equal on every question: as wide as their number requires, not a point.

Resamples of one value have no spread, which does not prove that there is none. Where n questions gave one
value c, the share of all possible questions that give it is at least p = ((1 - level) / 2)^(1 / n)
(Clopper and Pearson 1934, at the rim), and the others may give anything from the lowest to the highest
value: a mean lies between p c + (1 - p) lowest and p c + (1 - p) highest. For 20 questions that are all
right that is 83.2 to 100 %.
"""

from __future__ import annotations

import numpy as np

from argue_bench.stats.averages import Array, Unit

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
