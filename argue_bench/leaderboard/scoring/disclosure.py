"""Disclosure: what a board publishes of a scoring while its gold is hidden.

told        The ranked score of each setting, rounded to the season's step, and nothing else that depends on
            the gold: the interval is made from the told score and the season's number of questions (or clusters), the bands
            (`standings`) from told scores and intervals. Other scores are not published
floor       A score is told if 20 questions at least have a denominator other than 0, in each part of which
            it is composed
ladder      A setting is told only if it beats the best of its author's season twice over:
            by a step, against every score that the ledger says the author was told; and significantly,
            against the best tallies of the author (Blum and Hardt 2015, without a parameter),
                s_new - s_best > sd over resamples of (s_new - s_best)
            and still when any one question, or cluster, is left out: a single changed answer makes a
            difference equal to its standard error. Otherwise nothing is told, and the board keeps its row

What an author can learn is bounded by the first half of the ladder alone (`formats.bound`). A season that
declares that everything is told (a rehearsal with public gold) has neither step nor ladder.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from argue_bench.errors import UsageError
from argue_bench.eval.report import Report
from argue_bench.leaderboard.formats.bound import FEWEST_TOLD, told_interval, told_value
from argue_bench.leaderboard.formats.outcome import Disclosed
from argue_bench.leaderboard.formats.results import CLUSTERS, Setting
from argue_bench.leaderboard.scoring.local_scoring import setting_of
from argue_bench.leaderboard.scoring.results_branch import RankedColumns
from argue_bench.stats.averages import Average, Column, Columns, Harmonic, Mean, Ratio, columns_of
from argue_bench.stats.bootstrap import TOLERANCE, applies_to, estimate, jackknife, replicates
from argue_bench.stats.clusters import Clusters, number_clusters

RESAMPLES = 2_000
"""For the ladder's standard error."""
BAND_RESAMPLES = 1_000
"""For bands, resamples and permutations alike: their work grows with the board, at every scoring."""


@dataclass(frozen=True)
class RankedScore:
    """The score that ranks: its full key, its metric's text and the average that makes it."""

    key: str
    metric: str
    average: Average

    @property
    def sign(self) -> float:
        """1 where more is better, -1 where less is."""
        return -1.0 if self.average.better == "lower" else 1.0


def find_ranked(report: Report, declared: str) -> RankedScore:
    """Raises UnknownName where the season's ranked score is none of the report's."""
    key = report.scores.full(declared)
    text, _, score = key.rpartition(".")
    return RankedScore(key, text, report.averages(text)[score])


def ranked_columns(report: Report, ranked: RankedScore) -> RankedColumns:
    """The columns of the ranked score alone: more is not kept of hidden gold."""
    rows = (metrics.get(ranked.metric) for metrics in report.per_question.values())
    columns = columns_of(rows)
    wanted = {name: columns[name] for name in ranked.average.columns_read if name in columns}
    return RankedColumns(dict(report.signature[ranked.metric].comparable), wanted)


def tell(report: Report, ranked: RankedScore, step: float | None) -> Setting:
    """The scores of a setting as they are published: all of them where ``step`` is None.

    Raises UsageError where the ranked score is not a share, which no step rounds.
    """
    if step is None:
        return setting_of(report)
    score = report.scores[ranked.key]
    if ranked.average.unit != "share":
        raise UsageError(f"{ranked.key} is not a share, so it can't be told in steps")
    assert score.value is not None  # noqa: S101
    told = told_value(score.value, step)
    units = units_told(report.n, clusters_of(report))
    low, high = told_interval(told, units, step)
    shown = {"value": told, "low": low, "high": high, "n": report.n, "failed": 0}
    if units < report.n:
        shown[CLUSTERS] = units
    return Setting({ranked.metric: dict(report.signature[ranked.metric])}, {ranked.key: shown})


def clusters_of(report: Report) -> Clusters | None:
    """The clusters that the questions of a report form; None where each stands alone."""
    return number_clusters(report.clusters.get(one, "") for one in report.per_question)


def units_told(n: int, clusters: Clusters | None) -> int:
    """The number behind the interval of a published score: questions, or their clusters.

    Questions of a cluster go right or wrong together at the worst, so a cluster counts as one question.
    """
    return n if clusters is None else int(clusters.max()) + 1


def counts_enough(columns: RankedColumns, ranked: RankedScore) -> bool:
    """Whether the score applies to so many questions that it may be told."""
    there = all(name in columns.columns for name in ranked.average.columns_read)
    return there and counted(ranked.average, columns.columns) >= FEWEST_TOLD


def counted(average: Average, columns: Columns) -> int:
    """How many questions have a denominator other than 0; of a composite, those of its scarcer part."""
    if isinstance(average, Harmonic | Mean):
        return min(counted(average.first, columns), counted(average.second, columns))
    if isinstance(average, Ratio) and average.below:
        return int(np.count_nonzero(columns[average.below].numerator))
    return int(applies_to(average, columns))


def climbs(told: float, before: Sequence[float], ranked: RankedScore, step: float) -> bool:
    """Whether a score is a step better than all scores published to its author before."""
    return all(ranked.sign * (told - one) > step / 100 - 1e-9 for one in before)


def improves(
    new: RankedColumns,
    ranked: RankedScore,
    others: Iterable[RankedColumns],
    clusters: Clusters | None = None,
) -> bool:
    """Whether a setting is significantly better than the best of what its author has."""
    rivals = list(others)
    if not rivals:
        return True
    sign = ranked.sign
    merit = [sign * float(estimate(ranked.average, one.columns)) for one in rivals]
    best = rivals[int(np.argmax(merit))]
    gap = sign * float(estimate(ranked.average, new.columns)) - max(merit)
    if not gap > paired_error(ranked.average, new.columns, best.columns, clusters):
        return False
    both = _both(ranked.average, new.columns, best.columns)
    left_out = jackknife({"": ranked.average}, both, clusters)[""]
    return bool(np.all(sign * (left_out[:, 0] - left_out[:, 1]) > TOLERANCE))


def stands_above(
    told: float, others: Iterable[float], ranked: RankedScore, n: int, step: float
) -> bool:
    """Whether a score is better by more than chance than published scores of which no tallies
    are kept.

    By the intervals that stand beside told scores (Newcombe 1998, method 10), as bands are made.
    """
    side = 0 if ranked.sign > 0 else 1
    reach = told_interval(told, n, step)[side]
    return all(
        ranked.sign * (told - one)
        > math.hypot(told - reach, told_interval(one, n, step)[1 - side] - one)
        for one in others
    )


def paired_error(
    average: Average, one: Columns, other: Columns, clusters: Clusters | None = None
) -> float:
    """The bootstrap standard error of the difference of two systems on the same questions."""
    both = _both(average, one, other)
    drawn = replicates({"": average}, both, clusters=clusters, resamples=RESAMPLES)[""]
    return float(np.nanstd(drawn[:, 0] - drawn[:, 1]))


def _both(average: Average, one: Columns, other: Columns) -> dict[str, Column]:
    """The columns of two systems that the average reads, stacked: arrays (n, 2)."""
    return {
        name: Column(
            np.stack([one[name].numerator, other[name].numerator], axis=1),
            np.stack([one[name].denominator, other[name].denominator], axis=1),
        )
        for name in average.columns_read
    }


def disclose(setting: Setting, ranked: RankedScore) -> Disclosed:
    """The entry of an outcome for a setting that is published."""
    score = setting.scores[ranked.key]
    return Disclosed(True, score["value"], score["low"], score["high"])
