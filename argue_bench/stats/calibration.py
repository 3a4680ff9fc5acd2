"""A judge's share of one verdict, corrected by its sensitivity and specificity on labels of another set.

Where people labelled other texts than those that are scored, their verdicts cannot stand for these.
What can be carried over is how often the judge is right: with p the share to which it gives the verdict,
q1 its sensitivity and q0 its specificity, the true share is

    (p + q0 - 1) / (q0 + q1 - 1)

(Rogan and Gladen 1978). The interval allows for the chance in all three (Lee et al. 2025, arXiv
2511.21140, section 4): each gets pseudo-counts, and the middle moves by the curvature of the quotient.
It rests on the judge erring on these texts as often as on those.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from argue_bench.stats.constant import widened_constant


@dataclass(frozen=True)
class ErrorRates:
    """How often a judge is right: ``sensitivity`` on ``positives`` labels that have the verdict,
    ``specificity`` on ``negatives`` labels that have another."""

    sensitivity: float
    positives: int
    specificity: float
    negatives: int

    @property
    def gain(self) -> float:
        """Sensitivity + specificity - 1: 0 for a judge that says the same whatever the text."""
        return self.sensitivity + self.specificity - 1


def corrected_share(
    share: float, n: float, rates: ErrorRates, level: float = 0.95
) -> tuple[float, float, float]:
    """The corrected share and its interval, clipped to 0 and 1, from a share of n verdicts.

    Where a share is beyond what these error rates allow, the whole interval would be clipped to a point: it
    is then as wide as n verdicts that are all alike allow (`argue_bench.stats.constant`).

    ``n`` is a number of independent verdicts; of verdicts that go together by question it is the number
    that would give the same standard error. Raises ValueError for a judge that does not tell apart.
    """
    if rates.gain <= 0:
        raise ValueError("the judge is no better than chance")
    value = (share + rates.specificity - 1) / rates.gain
    z = NormalDist().inv_cdf((1 + level) / 2)
    # Lee et al. 2025, section 4: the share as if z²/2 more verdicts were on either side (Agresti and Coull).
    p, size = (n * share + z**2 / 2) / (n + z**2), n + z**2
    q0 = (rates.negatives * rates.specificity + 1) / (rates.negatives + 2)
    q1 = (rates.positives * rates.sensitivity + 1) / (rates.positives + 2)
    noise0 = q0 * (1 - q0) / (rates.negatives + 2)
    noise1 = q1 * (1 - q1) / (rates.positives + 2)
    # The published formula, with one pseudo-count on either side of each rate.
    gain = q0 + q1 - 1
    if gain <= 0:
        return _clipped(value), 0.0, 1.0
    # The curvature of the quotient moves its middle (`moved`).
    middle = (p + q0 - 1) / gain
    moved = middle + 2 * z**2 * (middle * noise1 - (1 - middle) * noise0)
    variance = p * (1 - p) / size + (1 - middle) ** 2 * noise0 + middle**2 * noise1
    reach = z * variance**0.5 / gain
    low, high = (np.float64(_clipped(end)) for end in (moved - reach, moved + reach))
    least, most = widened_constant(low, high, np.asarray(_clipped(value)), max(int(n), 1))
    return _clipped(value), float(least), float(most)


def _clipped(value: float) -> float:
    return min(max(value, 0.0), 1.0)
