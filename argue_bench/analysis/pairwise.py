"""Would the judge find the same differences between systems as people do?

The Auto-ARGUE paper's second question: for every pair of runs a paired test over topics on the
truth's scores and on the judge's. A verdict has three values: first better, second better, no
difference at alpha.

    agree         the verdicts are the same
    missed        the truth sees a difference and the judge does not (low power)
    false alarm   the judge sees one and the truth does not
    opposite      both see one, the other way round: the only real harm
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from argue_bench.analysis.rankings import (
    AgreementOptions,
    Pair,
    align_systems,
    check_sides,
    measure_pairs,
    shared_topics,
)
from argue_bench.analysis.score_table import ScoreTable
from argue_bench.stats.averages import Array, Column, macro
from argue_bench.stats.permutation import permutation_test
from argue_bench.stats.significance import ALPHA, holm, wilcoxon_p

Test = Literal["wilcoxon", "permutation"]
Correction = Literal["none", "holm"]
Outcome = Literal["agree", "missed", "false alarm", "opposite"]
OUTCOMES: tuple[Outcome, ...] = ("agree", "missed", "false alarm", "opposite")


@dataclass(frozen=True)
class PairVerdict:
    """What both sides find of one pair of runs: 1 first better, -1 second better, 0 neither."""

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

    @property
    def agree(self) -> bool:
        return self.outcome == "agree"


def pair_verdicts(
    truth: ScoreTable,
    judge: ScoreTable,
    options: AgreementOptions = AgreementOptions(),  # noqa: B008
    *,
    alpha: float = ALPHA,
    test: Test = "wilcoxon",
    correction: Correction = "none",
) -> dict[Pair, list[PairVerdict]]:
    """Every pair of runs that both sides have, by pair of measures. Raises DataError."""
    check_sides(truth, judge, options)
    topics = shared_topics(truth, judge, options)
    found = {}
    for pair in measure_pairs(truth, judge, options):
        runs = align_systems(truth, judge, pair, options).runs
        of_truth = _tested(score_matrix(truth, pair[0], runs, topics), alpha, test, correction)
        of_judge = _tested(score_matrix(judge, pair[1], runs, topics), alpha, test, correction)
        found[pair] = [
            PairVerdict(first, second, *x, *y)
            for (first, second), x, y in zip(combinations(runs, 2), of_truth, of_judge, strict=True)
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
    return np.array(
        [
            [by_run[run].get(topic, np.nan) if run in by_run else missing for run in runs]
            for topic in topics
        ],
        dtype=np.float64,
    ).reshape(len(topics), len(runs))


def _tested(
    scores: Array, alpha: float, test: Test, correction: Correction
) -> list[tuple[int, float]]:
    """Verdict and p of every pair of columns, over the topics that both have."""
    first, second = np.triu_indices(scores.shape[1], 1)
    gaps = scores[:, first] - scores[:, second]
    if test == "wilcoxon":
        p = np.array([wilcoxon_p(gap) for gap in gaps.T])
    else:
        told = (~np.isnan(gaps)).astype(np.float64)
        gap = np.nan_to_num(gaps)
        p = permutation_test(
            macro("gap"), {"gap": Column(gap / 2, told)}, {"gap": Column(-gap / 2, told)}
        )
    decisive = holm(p) if correction == "holm" else p
    signs = np.sign(np.nansum(gaps, axis=0))
    return [
        (int(sign) if adjusted < alpha else 0, float(raw))
        for sign, adjusted, raw in zip(signs, decisive, p, strict=True)
    ]
