"""How well verdicts of a few words agree with labels: accuracy, balanced accuracy, F1, with intervals.

Balanced accuracy is the mean over the labels' verdicts of the share that was recognised: a judge that
always says the same has 1 / their number, however often that is right. F1 (van Rijsbergen 1979) is that
of the first declared verdict where there are two, else the mean over the labels' verdicts. Neither is
known where the labels have one verdict alone. Intervals resample labels (percentile bootstrap).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from argue_bench.stats.averages import Array
from argue_bench.stats.bootstrap import RESAMPLES, SEED, widened_constant

# A judge's share of one verdict, corrected by its sensitivity and specificity on labels of another set.
#
# Where people labelled other texts than those that are scored, their verdicts cannot stand for these.
# What can be carried over is how often the judge is right: with p the share to which it gives the verdict,
# q1 its sensitivity and q0 its specificity, the true share is
#
#     (p + q0 - 1) / (q0 + q1 - 1)
#
# (Rogan and Gladen 1978). The interval allows for the chance in all three (Lee et al. 2025, arXiv
# 2511.21140, section 4): each gets pseudo-counts, and the middle moves by the curvature of the quotient.
# It rests on the judge erring on these texts as often as on those.


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
    is then as wide as n verdicts that are all alike allow (`argue_bench.stats.bootstrap`).

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


@dataclass(frozen=True)
class Measured:
    """A value with its 95 % interval; the ends are None below two labels, all of it where labels cannot tell."""

    value: float | None
    low: float | None = None
    high: float | None = None


def measures_of(cells: Mapping[tuple[str, str], int], words: Sequence[str]) -> dict[str, Measured]:
    """``balanced_accuracy``, ``f1``, ``accuracy`` and ``share`` (of the first word in the verdicts).

    ``cells``: counts of (label, verdict); ``words``: the declared verdicts. Empty where nothing was
    counted.
    """
    n = sum(cells.values())
    if not n:
        return {}
    table = np.zeros((len(words), len(words)))
    for (label, verdict), count in cells.items():
        table[words.index(label), words.index(verdict)] += count
    found = {
        name: None if np.isnan(value[0]) else float(value[0])
        for name, value in _values(table[None]).items()
    }
    if n < 2:
        return {name: Measured(value) for name, value in found.items()}
    rng = np.random.default_rng([SEED, n, 4])
    drawn = (
        rng.multinomial(n, table.ravel() / n, size=RESAMPLES)
        .reshape(-1, *table.shape)
        .astype(float)
    )
    labels = table.sum(axis=1)
    fewest = {
        "balanced_accuracy": int(labels[labels > 0].min()),
        "f1": int(labels[labels > 0].min()),
    }
    again = _values(drawn)
    measured = {}
    for name, value in found.items():
        if value is None:
            measured[name] = Measured(None)
            continue
        low, high = widened_constant(
            np.nanpercentile(again[name], 2.5),
            np.nanpercentile(again[name], 97.5),
            np.asarray(value),
            fewest.get(name, n),
        )
        measured[name] = Measured(value, float(low), float(high))
    return measured


def _values(tables: Array) -> dict[str, Array]:
    """Each measure of each table of counts (tables, labels, verdicts); NaN where its labels cannot tell."""
    labels, verdicts = tables.sum(axis=2), tables.sum(axis=1)
    right = np.diagonal(tables, axis1=1, axis2=2)
    n = labels.sum(axis=1)
    recall = np.divide(right, labels, out=np.full(right.shape, np.nan), where=labels > 0)
    f1 = np.divide(2 * right, labels + verdicts, out=np.zeros(right.shape), where=labels > 0)
    present = labels > 0
    one_class = f1[:, 0] if tables.shape[1] == 2 else (f1 * present).sum(1) / present.sum(1)
    told = present.sum(axis=1) > 1
    return {
        "balanced_accuracy": np.where(told, np.nanmean(recall, axis=1), np.nan),
        "f1": np.where(told, one_class, np.nan),
        "accuracy": right.sum(axis=1) / n,
        "share": verdicts[:, 0] / n,
    }
