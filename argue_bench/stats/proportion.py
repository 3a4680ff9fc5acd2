"""Wilson's interval of a share (Wilson 1927, "Probable inference, the law of succession")."""

from __future__ import annotations

import math

# Normal quantile of a two-sided 95 % interval.
Z = 1.959963984540054


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of ``n`` cases; no values from 0 to 1 with that mean vary more."""
    square = Z * Z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = Z * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, middle - half), min(1.0, middle + half)
