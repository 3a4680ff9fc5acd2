"""Shares of which only k of n is known: Wilson's interval (Wilson 1927, "Probable inference, the law of
succession"), and tests between systems whose answers to single questions nobody published."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from argue_bench.stats.averages import Array
from argue_bench.stats.permutation import holm

# Normal quantile of a two-sided 95 % interval.
Z = 1.959963984540054


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of ``n`` cases; no values from 0 to 1 with that mean vary more."""
    square = Z * Z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = Z * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def is_count(share: float | None, n: int) -> bool:
    """Whether the share, where there is one, is a whole number of ``n`` cases, as far as a double tells."""
    # The error of k / n and of its product with n is far below this, and a mean of graded values far above.
    return share is None or abs(share * n - round(share * n)) < 1e-6


def share_tests(given: Sequence[float], n: int) -> Array:
    """p of each pair of shares (s,) of ``n`` cases each, (s, s), Holm-corrected over all pairs.

    The unpaired z test with the pooled share. Where both answered the same questions a paired test would find
    more, so a tie here may be none.
    """
    from scipy.stats import norm

    shares = np.asarray(given)
    first, second = np.triu_indices(len(shares), 1)
    pooled = (shares[first] + shares[second]) / 2
    error = np.sqrt(2 * pooled * (1 - pooled) / n)
    # Two shares that are both 0 or both 1 have no spread, and do not differ.
    z = np.divide(shares[first] - shares[second], error, np.zeros(len(error)), where=error > 0)
    p = np.ones((len(shares), len(shares)))
    p[first, second] = p[second, first] = holm(2 * norm.sf(np.abs(z)))
    return p
