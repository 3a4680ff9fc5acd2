"""How well verdicts of a few words agree with labels: accuracy, balanced accuracy, F1, with intervals.

Balanced accuracy is the mean over the labels' verdicts of the share that was recognised: a judge that
always says the same has 1 / their number, however often that is right. F1 (van Rijsbergen 1979) is that
of the first declared verdict where there are two, else the mean over the labels' verdicts. Intervals
resample labels (percentile bootstrap).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from argue_bench.stats.averages import Array
from argue_bench.stats.bootstrap import RESAMPLES, SEED
from argue_bench.stats.constant import widened_constant


@dataclass(frozen=True)
class Measured:
    """A value with its 95 % interval; the ends are None below two labels."""

    value: float
    low: float | None = None
    high: float | None = None


def measures_of(
    cells: Mapping[tuple[str, str], int],
    words: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Measured]:
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
    found = {name: float(value[0]) for name, value in _values(table[None]).items()}
    if n < 2:
        return {name: Measured(value) for name, value in found.items()}
    rng = np.random.default_rng([seed, n, 4])
    drawn = (
        rng.multinomial(n, table.ravel() / n, size=resamples)
        .reshape(-1, *table.shape)
        .astype(float)
    )
    labels = table.sum(axis=1)
    fewest = {
        "balanced_accuracy": int(labels[labels > 0].min()),
        "f1": int(labels[labels > 0].min()),
    }
    ends = {
        name: widened_constant(
            np.nanpercentile(values, 2.5),
            np.nanpercentile(values, 97.5),
            np.asarray(found[name]),
            fewest.get(name, n),
        )
        for name, values in _values(drawn).items()
    }
    return {
        name: Measured(value, float(ends[name][0]), float(ends[name][1]))
        for name, value in found.items()
    }


def _values(tables: Array) -> dict[str, Array]:
    """Each measure of each table of counts (tables, labels, verdicts)."""
    labels, verdicts = tables.sum(axis=2), tables.sum(axis=1)
    right = np.diagonal(tables, axis1=1, axis2=2)
    n = labels.sum(axis=1)
    recall = np.divide(right, labels, out=np.full(right.shape, np.nan), where=labels > 0)
    f1 = np.divide(2 * right, labels + verdicts, out=np.zeros(right.shape), where=labels > 0)
    present = labels > 0
    one_class = f1[:, 0] if tables.shape[1] == 2 else (f1 * present).sum(1) / present.sum(1)
    return {
        "balanced_accuracy": np.nanmean(recall, axis=1),
        "f1": one_class,
        "accuracy": right.sum(axis=1) / n,
        "share": verdicts[:, 0] / n,
    }
