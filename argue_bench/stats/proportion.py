"""Shares of which only k of n is known: Wilson's interval (Wilson 1927, "Probable inference, the law of
succession"), and tests between systems whose answers to single questions nobody published."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from argue_bench.stats.averages import Array

# Normal quantile of a two-sided 95 % interval.
Z = 1.959963984540054


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of ``n`` cases; no values from 0 to 1 with that mean vary more."""
    square = Z * Z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = Z * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def is_share(score: Mapping[str, Any], n: int) -> bool:
    """Whether a published score, which has no interval, is a whole number of ``n`` cases, as far as a double tells."""
    # The error of k / n and of its product with n is far below this, and a mean of graded values far above.
    value = score["value"]
    return score["low"] is None and (value is None or abs(value * n - round(value * n)) < 1e-6)


def difference_interval(
    first: tuple[float, float, float], second: tuple[float, float, float]
) -> tuple[float, float]:
    """Newcombe's interval (1998, method 10) of a difference of two shares, each given with its Wilson interval."""
    (a, low_a, high_a), (b, low_b, high_b) = first, second
    return a - b - math.hypot(a - low_a, high_b - b), a - b + math.hypot(high_a - a, b - low_b)


def share_tests(given: Sequence[float], cases: Sequence[int]) -> Array:
    """p of each pair of shares, of so many cases each, in the order of the pairs above the diagonal.

    The unpaired z test with the pooled share. Where both answered the same questions a paired test would find
    more, so a tie here may be none.
    """
    from scipy.stats import norm

    shares, n = np.asarray(given), np.asarray(cases)
    a, b = np.triu_indices(len(shares), 1)
    pooled = (shares[a] * n[a] + shares[b] * n[b]) / (n[a] + n[b])
    error = np.sqrt(pooled * (1 - pooled) * (1 / n[a] + 1 / n[b]))
    # Two shares that are both 0 or both 1 have no spread, and do not differ.
    z = np.divide(shares[a] - shares[b], error, np.zeros(len(error)), where=error > 0)
    return np.asarray(2 * norm.sf(np.abs(z)))
