"""Paired differences of systems on one score: values, intervals, tests.

`argue_bench.analysis.compare` states the methods and their sources, and corrects the p values over
the whole table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from argue_bench.analysis.aligned import ComparedScore
from argue_bench.stats.averages import Array, Average, Better, Columns, Unit, take
from argue_bench.stats.bootstrap import (
    CHUNK,
    TOLERANCE,
    applies_to,
    bounds,
    estimate,
    jackknife,
    replicates,
    resampled_level,
    spread,
)
from argue_bench.stats.constant import widened_constant
from argue_bench.stats.groups import Groups
from argue_bench.stats.permutation import permutation_test
from argue_bench.stats.significance import ALPHA, per_question, resolvable


@dataclass(frozen=True)
class Difference:
    """One score of two systems.

    ``value`` is the first system's score minus the second's, over the questions that both have;
    ``scores`` are each system's own; ``n`` counts the questions that the scarcer one applies to.
    """

    score: str
    first: str
    second: str
    scores: tuple[float, float]
    value: float
    low: float | None
    high: float | None
    p: float
    p_holm: float
    resolvable: float | None
    won: int
    """Questions on which the first scores higher."""
    tied: int
    lost: int
    n: int
    unit: Unit
    better: Better
    groups: int = 0
    """How many groups the ``n`` questions form; 0 where each stands alone."""

    @property
    def winner(self) -> str | None:
        """The better system where the corrected test says so."""
        if not self.better or not self.p_holm < ALPHA or not self.value:
            return None
        return self.first if (self.value > 0) == (self.better == "higher") else self.second


@dataclass(frozen=True)
class Resampling:
    """How the intervals and tests of one comparison are drawn."""

    resamples: int
    permutations: int
    seed: int


def pair_differences(
    one: ComparedScore, systems: Sequence[str], sampling: Resampling
) -> Iterator[Difference]:
    """All pairs on one score; `compare` fills in Holm's p when the table is complete."""
    average, columns = one.average, one.columns
    first, second = np.triu_indices(len(systems), 1)
    values, lows, highs, errors, units = _gaps(
        average, columns, one.groups, sampling, first, second
    )
    # One call for all pairs, which share the random swaps.
    applies = applies_to(average, columns)
    p_values = permutation_test(
        average,
        take(columns, np.s_[:, first]),
        take(columns, np.s_[:, second]),
        groups=one.groups,
        permutations=sampling.permutations,
        seed=sampling.seed,
    )
    alone = per_question(average, columns)
    for at, (a, b) in enumerate(combinations(range(len(systems)), 2)):
        gaps = alone[:, a] - alone[:, b]
        scored = gaps[~np.isnan(gaps)]
        n, apart = int(min(applies[a], applies[b])), int(units[at])
        yield Difference(
            one.key,
            systems[a],
            systems[b],
            (one.values[a], one.values[b]),
            float(values[at]),
            _bound(lows[at], apart),
            _bound(highs[at], apart),
            float(p_values[at]),
            float("nan"),  # Holm's p, known once the table is complete
            resolvable(float(errors[at]), apart),
            int(np.count_nonzero(scored > TOLERANCE)),
            int(np.count_nonzero(np.abs(scored) <= TOLERANCE)),
            int(np.count_nonzero(scored < -TOLERANCE)),
            n,
            average.unit,
            average.better,
            apart if one.groups is not None else 0,
        )


def _gaps(
    average: Average,
    columns: Columns,
    groups: Groups | None,
    sampling: Resampling,
    first: np.ndarray,
    second: np.ndarray,
) -> tuple[Array, Array, Array, Array, np.ndarray]:
    """Value, bounds, standard error and number of questions, or groups, of each pair's difference."""
    resamples = sampling.resamples
    # All systems on the same resamples: what makes a question hard for all of them cancels out.
    drawn = replicates(
        {"": average}, columns, groups=groups, resamples=resamples, seed=sampling.seed
    )[""]
    left = jackknife({"": average}, columns, groups)[""]
    whole, applies = estimate(average, columns), applies_to(average, columns, groups)
    level = resampled_level(1 - ALPHA, int(applies.min()), groups)
    values, counts = whole[first] - whole[second], np.minimum(applies[first], applies[second])
    low, high, error = np.empty((3, len(first)))
    # Pairs grow with the square of the systems: in chunks, or their resamples fill the memory.
    width = max(1, CHUNK // max(resamples, len(left)))
    for start in range(0, len(first), width):
        part = slice(start, start + width)
        a, b = first[part], second[part]
        gap = drawn[:, a] - drawn[:, b]
        low[part], high[part] = widened_constant(
            *bounds(gap, values[part], left[:, a] - left[:, b], level=level),
            values[part],
            counts[part],
            average.unit,
            lowest=-1.0,
        )
        error[part] = spread(gap, counts[part])
    return values, low, high, error, counts


def _bound(end: float, units: int) -> float | None:
    """An end of an interval; None for fewer than two questions, or counts without any spread."""
    return float(end) if units >= 2 and np.isfinite(end) else None


def scores_by_question(one: ComparedScore) -> dict[str, tuple[float | None, ...]]:
    alone = per_question(one.average, one.columns)
    return {
        question: tuple(None if np.isnan(value) else float(value) for value in row)
        for question, row in zip(one.questions, alone, strict=True)
    }
