"""Disclosure: what a board publishes of a scoring while its gold is hidden.

told        The ranked score of each setting, rounded to the season's step, and nothing else that depends on
            the gold: the interval is made from the told score and the season's number of questions (or groups), the bands
            (`told_bands`) from told scores and intervals. Other scores are not published
gate        A setting is told once it is a step above every score that the ledger says its author was told
            in the season. Otherwise the author hears "no step up", and the board keeps its row

What an author can learn is bounded by this gate (`formats.season.bits`). A season that declares that everything is
told (a rehearsal with public gold) has neither step nor gate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from argue_bench.analysis.bands import interval_ranks
from argue_bench.errors import UsageError
from argue_bench.eval.report import Report, short_key
from argue_bench.leaderboard.formats.outcome import Disclosed
from argue_bench.leaderboard.formats.results import CLUSTERS, Setting
from argue_bench.leaderboard.formats.season import told_interval, told_value
from argue_bench.leaderboard.scoring.results_branch import RankedColumns
from argue_bench.leaderboard.scoring.scored_settings import setting_of
from argue_bench.stats.averages import Average, Columns, columns_of
from argue_bench.stats.bootstrap import count_units, estimate, number_groups

# A pair's p near 0.05 is then right to 0.014 (two standard errors).
# For bands, resamples and permutations alike: their work grows with the board, at every scoring.
BAND_RESAMPLES = 1_000


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
    columns = columns_of(metrics.get(ranked.metric) for metrics in report.per_question.values())
    wanted = {name: columns[name] for name in ranked.average.columns_read if name in columns}
    return RankedColumns(dict(report.signature[ranked.metric]), wanted)


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
    groups = number_groups(report.groups.get(one, "") for one in report.per_question)
    # Questions of a group go right or wrong together at the worst, so a group counts as one question.
    units = count_units(report.n, groups)
    low, high = told_interval(told, units, step)
    clusters = {CLUSTERS: units} if units < report.n else {}
    shown = {"value": told, "low": low, "high": high, "n": report.n, "failed": 0, **clusters}
    return Setting({ranked.metric: dict(report.signature[ranked.metric])}, {ranked.key: shown})


def climbs(told: float, before: Sequence[float], ranked: RankedScore, step: float) -> bool:
    """Whether a score is a step better than all scores published to its author before."""
    # 1e-9, for 0.56 - 0.53 is less than 0.03 as floats.
    return all(ranked.sign * (told - one) > step / 100 - 1e-9 for one in before)


def disclose(setting: Setting, ranked: RankedScore, report: Report | None = None) -> Disclosed:
    """The entry of an outcome for a setting that is published; with all shares of a ``report``, if given."""
    score, shares = setting.scores[ranked.key], {}
    if report is not None:
        for key, one in report.scores.items():
            text, _, name = key.rpartition(".")
            if one.value is not None and report.averages(text)[name].unit == "share":
                shares[short_key(key)] = one.value
    return Disclosed(True, score["value"], score["low"], score["high"], shares)


TEST = "intervals of told scores (Newcombe 1998)"
# As the intervals of told scores hold 95 %.
ALPHA = 0.05


def told_bands(
    ranked: RankedScore, systems: Mapping[str, Columns], n: int, step: float, units: int = 0
) -> dict[str, Any]:
    """The bands of one setting; the columns are read for nothing but the scores that were told.

    Ranks and bands are those of `interval_ranks` over the intervals of `told_interval`.
    The layout is that of `argue_bench.analysis.bands.rank_bands`, which needs tallies.

    ``units``: the groups that the ``n`` questions form; 0 where each stands alone.
    """
    rows: list[dict[str, Any]] = []
    for system, columns in systems.items():
        told = told_value(float(estimate(ranked.average, columns)), step)
        low, high = told_interval(told, units or n, step)
        rows.append({"system": system, "value": told, "low": low, "high": high})
    # By name where scores are equal, so that the same rows always make the same bytes.
    rows.sort(key=lambda row: (-ranked.sign * row["value"], row["system"]))
    values = [row["value"] for row in rows]
    # What a pair of middling systems could tell apart, as one figure for the page.
    middle = rows[len(rows) // 2]
    gap = math.hypot(middle["value"] - middle["low"], middle["high"] - middle["value"])
    return {
        "schema": 1,
        "score": ranked.key,
        "better": ranked.average.better,
        "unit": ranked.average.unit,
        "n": n,
        **({"clusters": units} if 0 < units < n else {}),
        "resolvable": round(gap, 4) if len(rows) > 1 else None,
        "alpha": ALPHA,
        "test": TEST,
        "step": step,
        "systems": [
            {**row, **ranks, "rank": 1 + values.index(row["value"]), "p_below_leader": None}
            for row, ranks in zip(rows, interval_ranks(rows, ranked.average.better), strict=True)
        ],
    }
