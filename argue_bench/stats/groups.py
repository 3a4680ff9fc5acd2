"""Questions that belong together: of one conversation, document or author.

Answers within a group go right or wrong together, so n questions in G groups tell less than n
questions apart. Resamples then draw G of G groups, each with all of its questions (Cameron, Gelbach
and Miller 2008, section 2), the jackknife leaves out a group at a time, and a test swaps whole
groups. With few groups percentiles lie too near: their levels are widened to those of Student's t
(Hesterberg 2015, section 5.3.2).

Everything takes ``groups``: an array (n,) of the group's number of each question, from 0, or None
where every question stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from argue_bench.stats.averages import Array

Groups = npt.NDArray[np.intp]


def number_groups(names: Iterable[str]) -> Groups | None:
    """The group of each question by its name; a question without a name stands alone.

    None where no two questions share a group.
    """
    numbers: dict[object, int] = {}
    found = np.array(
        [numbers.setdefault(name or at, len(numbers)) for at, name in enumerate(names)],
        dtype=np.intp,
    )
    return found if len(numbers) < len(found) else None


def take_groups(groups: Groups | None, at: npt.NDArray[np.bool_]) -> Groups | None:
    """The groups of some questions, numbered anew; None where no two of them share one."""
    if groups is None:
        return None
    found, numbers = np.unique(groups[at], return_inverse=True)
    return numbers.astype(np.intp) if len(found) < len(numbers) else None


def units_of(groups: Groups | None, at: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """How many groups, or questions that stand alone, are true in ``at``: (n, ...) gives (...)."""
    if groups is None:
        return np.asarray(np.count_nonzero(at, axis=0))
    flat = at.reshape(len(at), -1)
    counts = [len(np.unique(groups[column])) for column in flat.T]
    return np.array(counts, dtype=np.intp).reshape(at.shape[1:])


def sums_by_group(values: Array, groups: Groups | None) -> Array:
    """The sum over the questions of each group: (n, ...) gives (G, ...)."""
    if groups is None:
        return values
    sums = np.zeros((int(groups.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, groups, values)
    return sums


def widened_level(level: float, units: int) -> float:
    """The level at which percentiles of so many resampled units have the width of Student's t."""
    # Not scipy.stats, whose import takes longer than the intervals of a report.
    from scipy.special import ndtr, stdtrit

    if units < 2:
        return level
    reach = stdtrit(units - 1, (1 + level) / 2) * np.sqrt(units / (units - 1))
    return float(2 * ndtr(reach) - 1)
