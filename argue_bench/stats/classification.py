"""How well verdicts of a few words agree with labels: accuracy, balanced accuracy, F1, with intervals.

Balanced accuracy is the mean over the labels' verdicts of the share that was recognised: a judge that
always says the same has 1 / their number, however often that is right. F1 (van Rijsbergen 1979) is that
of the first declared verdict where there are two, else the mean over the labels' verdicts. Neither is
known where the labels have one verdict alone. Intervals resample labels (percentile bootstrap).
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
    """A value with its 95 % interval; the ends are None below two labels, all of it where labels cannot tell."""

    value: float | None
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
    found = {
        name: None if np.isnan(value[0]) else float(value[0])
        for name, value in _values(table[None]).items()
    }
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
