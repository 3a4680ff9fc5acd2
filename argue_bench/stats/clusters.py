"""Questions that belong together: of one conversation, document or author.

Answers within a cluster go right or wrong together, so n questions in G clusters tell less than n
questions apart. Resamples then draw G of G clusters, each with all of its questions (Cameron, Gelbach
and Miller 2008, section 2), the jackknife leaves out a cluster at a time, and a test swaps whole
clusters. With few clusters percentiles lie too near: their levels are widened to those of Student's t
(Hesterberg 2015, section 5.3.2).

Everything takes ``clusters``: an array (n,) of the cluster's number of each question, from 0, or None
where every question stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from argue_bench.stats.averages import Array, Weights

Clusters = npt.NDArray[np.intp]


def number_clusters(names: Iterable[str]) -> Clusters | None:
    """The cluster of each question by its name; a question without a name stands alone.

    None where no two questions share a cluster.
    """
    numbers: dict[object, int] = {}
    found = np.array(
        [numbers.setdefault(name or at, len(numbers)) for at, name in enumerate(names)],
        dtype=np.intp,
    )
    return found if len(numbers) < len(found) else None


def take_clusters(clusters: Clusters | None, at: npt.NDArray[np.bool_]) -> Clusters | None:
    """The clusters of some questions, numbered anew; None where no two of them share one."""
    if clusters is None:
        return None
    found, numbers = np.unique(clusters[at], return_inverse=True)
    return numbers.astype(np.intp) if len(found) < len(numbers) else None


def units_of(clusters: Clusters | None, at: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """How many clusters, or questions that stand alone, are true in ``at``: (n, ...) gives (...)."""
    if clusters is None:
        return np.asarray(np.count_nonzero(at, axis=0))
    flat = at.reshape(len(at), -1)
    counts = [len(np.unique(clusters[column])) for column in flat.T]
    return np.array(counts, dtype=np.intp).reshape(at.shape[1:])


def sums_by_cluster(values: Array, clusters: Clusters | None) -> Array:
    """The sum over the questions of each cluster: (n, ...) gives (G, ...)."""
    if clusters is None:
        return values
    sums = np.zeros((int(clusters.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, clusters, values)
    return sums


@dataclass(frozen=True)
class OfClusters:
    """Weights of clusters, (B, G), as those of their questions, (B, n), of which only products are made."""

    weights: Weights
    clusters: Clusters

    def __matmul__(self, values: Array, /) -> Array:
        return self.weights @ sums_by_cluster(values, self.clusters)


def means_by_cluster(values: Array, clusters: Clusters | None) -> Array:
    """The mean over the questions of each cluster that are not NaN: (n,) gives (G,)."""
    if clusters is None:
        return values
    known = ~np.isnan(values)
    sums = sums_by_cluster(np.where(known, values, 0.0), clusters)
    counts = sums_by_cluster(known.astype(np.float64), clusters)
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def widened_level(level: float, units: int) -> float:
    """The level at which percentiles of so many resampled units have the width of Student's t."""
    # Not scipy.stats, whose import takes longer than the intervals of a report.
    from scipy.special import ndtr, stdtrit

    if units < 2:
        return level
    reach = stdtrit(units - 1, (1 + level) / 2) * np.sqrt(units / (units - 1))
    return float(2 * ndtr(reach) - 1)
