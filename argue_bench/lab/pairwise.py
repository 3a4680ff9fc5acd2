"""Pairwise tests: the differences between systems that a judge finds, compared with the differences that people find.

The second question of the Auto-ARGUE paper (Walden et al. 2025): for every pair of runs Wilcoxon's test
over topics, once on the truth's scores and once on the judge's. Each test has three verdicts: the first
run is better, the second is better, no difference at alpha.

    agree         the verdicts are the same
    missed        the truth has a difference and the judge does not (low power)
    false alarm   the judge has a difference and the truth does not
    opposite      both have a difference, in opposite directions: the only error that misleads
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from argue_bench.lab.rankings import AgreementStudy, Pair
from argue_bench.lab.score_table import ScoreTable
from argue_bench.stats.averages import Array
from argue_bench.stats.significance import ALPHA, wilcoxon_p

Outcome = Literal["agree", "missed", "false alarm", "opposite"]
OUTCOMES: tuple[Outcome, ...] = ("agree", "missed", "false alarm", "opposite")


@dataclass(frozen=True)
class PairVerdict:
    """The verdicts of both sides on one pair of runs: 1 first better, -1 second better, 0 neither."""

    first: str
    second: str
    truth: int
    truth_p: float
    judge: int
    judge_p: float

    @property
    def outcome(self) -> Outcome:
        if self.truth == self.judge:
            return "agree"
        if not self.judge:
            return "missed"
        return "opposite" if self.truth else "false alarm"


def pair_verdicts(study: AgreementStudy, alpha: float = ALPHA) -> dict[Pair, list[PairVerdict]]:
    """Every pair of runs that both sides have, by pair of measures; a difference has p below alpha.

    Raises DataError.
    """
    study.check()
    topics = study.shared_topics()
    found = {}
    for pair in study.measure_pairs():
        runs = study.align(pair).runs
        truth = _tests(score_matrix(study.truth, pair[0], runs, topics), alpha)
        judge = _tests(score_matrix(study.judge, pair[1], runs, topics), alpha)
        found[pair] = [
            PairVerdict(first, second, *x, *y)
            for (first, second), x, y in zip(combinations(runs, 2), truth, judge, strict=True)
        ]
    return found


def score_matrix(
    table: ScoreTable,
    measure: str,
    runs: Sequence[str],
    topics: Sequence[str],
    missing: float = np.nan,
) -> Array:
    """Scores as (topics, runs); NaN where a run lacks a topic, ``missing`` where it lacks all."""
    by_run = table.values.get(measure, {})
    rows = [
        [by_run[run].get(topic, np.nan) if run in by_run else missing for run in runs]
        for topic in topics
    ]
    return np.array(rows, dtype=np.float64).reshape(len(topics), len(runs))


def _tests(scores: Array, alpha: float) -> list[tuple[int, float]]:
    """Verdict and p of every pair of columns, over the topics that both have."""
    first, second = np.triu_indices(scores.shape[1], 1)
    gaps = scores[:, first] - scores[:, second]
    # The sign of the summed gap says who is better, Wilcoxon's p whether that is shown.
    tested = ((np.sign(np.nansum(gap)), wilcoxon_p(gap)) for gap in gaps.T)
    return [(int(sign) if p < alpha else 0, float(p)) for sign, p in tested]
