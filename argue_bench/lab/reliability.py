"""Reliability of judgements: Cohen's kappa with its interval, and Krippendorff's alpha.

Kappa (Cohen 1960) = (observed agreement - expected agreement) / (1 - expected agreement), where the
expected agreement is how often two independent judges would agree who give each verdict as often as
these two do.

Alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"): within each
unit every pair of values counts 1 / (judgements of the unit - 1); then

    alpha = 1 - observed disagreement / disagreement expected from all values taken together

with the squared distance of two values as disagreement: 1 where they differ (nominal), or their
difference (interval). Units with one judgement say
nothing. 1 is full agreement, 0 chance; None where only one value occurs at all.

Kappa's interval resamples units (percentile bootstrap).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal, TypeVar

import numpy as np

from argue_bench.stats.bootstrap import RESAMPLES, SEED, bounds
from argue_bench.stats.constant import widened_constant

Scale = Literal["nominal", "interval"]
V = TypeVar("V", bound=Hashable)
Units = Sequence[Sequence[Hashable | None]]
"""One row a unit: what each judge said of it, None where nothing."""


def cohen_kappa(cells: Mapping[tuple[V, V], int]) -> float | None:
    """Kappa from counts of (one's verdict, the other's verdict).

    1 is full agreement, 0 as much as by chance, below 0 less. None where it is not defined: no
    pair, or both judges give one and the same verdict throughout.
    """
    n = sum(cells.values())
    if not n:
        return None
    ones: Counter[V] = Counter()
    others: Counter[V] = Counter()
    for (one, other), count in cells.items():
        ones[one] += count
        others[other] += count
    # In whole numbers, so that perfect chance agreement is exactly that.
    agreed = sum(count for (one, other), count in cells.items() if one == other)
    expected = sum(ones[verdict] * others[verdict] for verdict in ones)
    return None if expected == n * n else (n * agreed - expected) / (n * n - expected)


def krippendorff_alpha(units: Units, scale: Scale = "nominal") -> float | None:
    """Alpha of a table of judgements; of an interval scale they are numbers."""
    told = [[value for value in unit if value is not None] for unit in units]
    told = [unit for unit in told if len(unit) > 1]
    values = list(dict.fromkeys(value for unit in told for value in unit))
    at = {value: i for i, value in enumerate(values)}
    pairs = np.zeros((len(values), len(values)))
    for unit in told:
        # Krippendorff's coincidences: every ordered pair of two judgements of a unit, its weight shared by the unit.
        counts = np.bincount([at[value] for value in unit], minlength=len(values)).astype(float)
        pairs += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    distance = 1 - np.eye(len(values))
    if scale == "interval":
        points = np.array(values, dtype=np.float64)
        distance = (points[:, None] - points) ** 2
    totals = pairs.sum(axis=1)
    expected = (np.outer(totals, totals) * distance).sum()
    if not expected:
        return None
    return float(1 - (totals.sum() - 1) * (pairs * distance).sum() / expected)


def kappa_interval(cells: Mapping[tuple[V, V], int]) -> tuple[float, float] | None:
    """The 95 % percentile interval of Cohen's kappa from counts of (one's verdict, the other's)."""
    n = sum(cells.values())
    if n < 2:
        return None
    values = list(dict.fromkeys(value for pair in cells for value in pair))
    table = np.zeros((len(values), len(values)))
    for (one, other), count in cells.items():
        table[values.index(one), values.index(other)] += count
    # A table of counts is drawn anew as a whole, which is the same as drawing pairs, and quicker.
    rng = np.random.default_rng([SEED, n, 2])
    drawn = rng.multinomial(n, table.ravel() / n, size=RESAMPLES).reshape(-1, *table.shape)
    agreed = np.trace(drawn, axis1=1, axis2=2) / n
    expected = (drawn.sum(axis=1) * drawn.sum(axis=2)).sum(axis=1) / n**2
    resampled = np.divide(
        agreed - expected, 1 - expected, out=np.full(len(drawn), np.nan), where=expected < 1
    )
    ends = bounds(resampled, np.asarray(0.0))
    if (kappa := cohen_kappa(cells)) is not None:
        # Units that agree throughout allow what so many of them do, not a point.
        ends = widened_constant(*ends, np.asarray(kappa), n, lowest=-1.0)
    low, high = map(float, ends)
    return None if np.isnan(low) or np.isnan(high) else (low, high)


def flip_rate(repeats: Units) -> float | None:
    """The chance that two verdicts of one judge on the same request differ: the mean over units of the share of pairs of
    repeats that differ. None where no unit was judged twice."""
    shares = []
    for unit in repeats:
        told = [value for value in unit if value is not None]
        if len(told) > 1:
            same = sum(told.count(value) - 1 for value in told)
            shares.append(1 - same / (len(told) * (len(told) - 1)))
    return sum(shares) / len(shares) if shares else None
