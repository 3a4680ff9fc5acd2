"""Paired differences of systems on one score: values, intervals, tests.

`argue_bench.analysis.compare` states the methods and their sources, and corrects the p values over
the whole table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from argue_bench.analysis.aligned import ComparedScore
from argue_bench.stats.averages import Better, Unit, take
from argue_bench.stats.bootstrap import (
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
    average, columns, groups = one.average, one.columns, one.groups
    first, second = np.triu_indices(len(systems), 1)
    # One call for all pairs, which share the random swaps.
    p_values = permutation_test(
        average,
        take(columns, np.s_[:, first]),
        take(columns, np.s_[:, second]),
        groups=groups,
        permutations=sampling.permutations,
        seed=sampling.seed,
    )
    # All systems on the same resamples: what makes a question hard for all of them cancels out.
    drawn = replicates(
        {"": average}, columns, groups=groups, resamples=sampling.resamples, seed=sampling.seed
    )[""]
    left = jackknife({"": average}, columns, groups)[""]
    whole, applies = estimate(average, columns), applies_to(average, columns)
    units = applies_to(average, columns, groups)
    level = resampled_level(1 - ALPHA, int(units.min()), groups)
    alone = per_question(average, columns)
    for a, b, p in zip(first.tolist(), second.tolist(), p_values.tolist(), strict=True):
        gaps = alone[:, a] - alone[:, b]
        scored = gaps[~np.isnan(gaps)]
        apart, value = int(min(units[a], units[b])), whole[a] - whole[b]
        resampled = drawn[:, a] - drawn[:, b]
        ends = bounds(resampled, value, left[:, a] - left[:, b], level=level)
        low, high = widened_constant(*ends, value, apart, average.unit, lowest=-1.0)
        yield Difference(
            one.key,
            systems[a],
            systems[b],
            (one.values[a], one.values[b]),
            float(value),
            _bound(float(low), apart),
            _bound(float(high), apart),
            p,
            float("nan"),  # Holm's p, known once the table is complete
            resolvable(float(spread(resampled, apart)), apart),
            int(np.count_nonzero(scored > TOLERANCE)),
            int(np.count_nonzero(np.abs(scored) <= TOLERANCE)),
            int(np.count_nonzero(scored < -TOLERANCE)),
            int(min(applies[a], applies[b])),
            average.unit,
            average.better,
            apart if groups is not None else 0,
        )


def _bound(end: float, units: int) -> float | None:
    """An end of an interval; None for fewer than two questions, or counts without any spread."""
    return float(end) if units >= 2 and np.isfinite(end) else None


def scores_by_question(one: ComparedScore) -> dict[str, tuple[float | None, ...]]:
    alone = per_question(one.average, one.columns)
    return {
        question: tuple(None if np.isnan(value) else float(value) for value in row)
        for question, row in zip(one.questions, alone, strict=True)
    }
