"""Disclosure: the part of a scoring that a board announces while its gold is hidden.

rounding    A share and its bounds are rounded to the season's decimals. Any other score (a total of
            nuggets, a length) is rounded to one significant digit fewer: an exact total would give
            the gold away bit by bit, to an author who cites once in the first answer and 2^k times
            in the k-th. A score that applies to fewer than 20 questions is withheld. The number of
            questions is announced only where the score applies to all: any other number is itself
            an exact sum over answers and gold
ladder      (Blum and Hardt 2015, without a parameter) a setting moves only if its ranked score beats
            the author's best of the season by the standard error of the paired difference:
                s_new - s_best > sd over resamples of (s_new - s_best)
            and still beats it when any one question is left out: a single changed answer makes a
            difference equal to its standard error, and an author who learns its sign knows
            that answer's gold. Otherwise the new score stays secret, and the board keeps the row that it shows

Together with full coverage and a quota of runs this bounds how much of the gold a board gives away.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from argue_bench.eval.report import Report
from argue_bench.leaderboard.formats.outcome import Disclosed
from argue_bench.leaderboard.formats.results import Setting
from argue_bench.leaderboard.scoring.results_branch import RankedColumns
from argue_bench.metrics import parse
from argue_bench.stats.averages import Average, Column, Columns, columns_of
from argue_bench.stats.bootstrap import TOLERANCE, estimate, jackknife, replicates

FEWEST = 20
"""Questions below which a score of hidden gold is withheld."""
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
    return RankedColumns(dict(report.signature[ranked.metric]), wanted)


def round_scores(setting: Setting, digits: int | None) -> Setting:
    """The scores of a setting as they may be shown; all of them where ``digits`` is None."""
    if digits is None:
        return setting
    scores = {}
    for key, score in setting.scores.items():
        text, _, name = key.rpartition(".")
        share = parse(text).scores[name].unit == "share"
        n = score["n"] or 0
        kept = {
            part: None if n < FEWEST else _coarse(score[part], digits, share)
            for part in ("value", "low", "high")
        }
        everywhere = f"{n}" == setting.signature[text].get("n")
        scores[key] = {**score, **kept, "n": n if everywhere else None}
    return Setting(setting.signature, scores)


def _coarse(value: float | None, digits: int, share: bool) -> float | None:
    """A share to so many decimals; anything else to one significant digit fewer, at least one."""
    if value is None or share or not value:
        return None if value is None else round(float(value), digits)
    most = max(1, digits - 1)
    return round(float(value), most - 1 - math.floor(math.log10(abs(value))))


def improves(new: RankedColumns, ranked: RankedScore, others: Iterable[RankedColumns]) -> bool:
    """Whether the ladder lets this setting move, past the best of what its author has."""
    rivals = [one for one in others if one.signature == new.signature and same_size(one, new)]
    if not rivals:
        return True
    sign = -1.0 if ranked.average.better == "lower" else 1.0
    merit = [sign * float(estimate(ranked.average, one.columns)) for one in rivals]
    best = rivals[int(np.argmax(merit))]
    gap = sign * float(estimate(ranked.average, new.columns)) - max(merit)
    if not gap > paired_error(ranked.average, new.columns, best.columns):
        return False
    left_out = jackknife({"": ranked.average}, _both(ranked.average, new.columns, best.columns))[""]
    return bool(np.all(sign * (left_out[:, 0] - left_out[:, 1]) > TOLERANCE))


def paired_error(average: Average, one: Columns, other: Columns) -> float:
    """The bootstrap standard error of the difference of two systems on the same questions."""
    drawn = replicates({"": average}, _both(average, one, other), resamples=RESAMPLES)[""]
    return float(np.nanstd(drawn[:, 0] - drawn[:, 1]))


def _both(average: Average, one: Columns, other: Columns) -> dict[str, Column]:
    """What the average reads of two systems, side by side: arrays (n, 2)."""
    return {
        name: Column(
            np.stack([one[name].numerator, other[name].numerator], axis=1),
            np.stack([one[name].denominator, other[name].denominator], axis=1),
        )
        for name in average.columns_read
    }


def same_size(one: RankedColumns, other: RankedColumns) -> bool:
    return {name: len(c.numerator) for name, c in one.columns.items()} == {
        name: len(c.numerator) for name, c in other.columns.items()
    }


def disclose(setting: Setting, ranked: RankedScore, moved: bool) -> Disclosed:
    """What an outcome says of one setting: nothing of a score that did not move."""
    score: Mapping[str, float | int | None] = setting.scores.get(ranked.key, {}) if moved else {}
    return Disclosed(moved, score.get("value"), score.get("low"), score.get("high"))
