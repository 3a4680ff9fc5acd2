"""Scores of nuggets that people graded 0 to 5, as trec-auto-judge's annotation tool ranks runs by them.

Source: auto-judge-annotate f5eedbf. Nuggets are must_have, should_have (so are those without a word) or
avoid; another word weighs 1. 4 and 5 earn all, 1 to 3 half, and of what is to be avoided 0 earns all
and 1 or 2 half. A nugget without a grade has the grade 0, so that an ungraded one to be avoided earns
all; a run's mean is over the topics that it has a report for. The export lacks grades and weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from statistics import fmean
from typing import Any

WEIGHTS: Mapping[str, float] = {"must": 1.0, "should": 1.0, "avoid": -1.0}


@dataclass(frozen=True)
class GradedReport:
    """The scores of one report: ``score`` weighs all nuggets, the others count those to be had."""

    score: float
    satisfied: int
    partial: int
    total: int
    average: float
    best: float
    percent: float
    """The share, in percent, of the nuggets to be had that earn all."""


def score_grades(
    importance: Sequence[tuple[str, Any]],
    grades: Mapping[str, float],
    weights: Mapping[str, float] = WEIGHTS,
) -> GradedReport:
    """The scores of a report whose nuggets have these grades; ``importance`` names all that count, each as
    often as the bank has it."""
    earned = most = 0.0
    satisfied = partial = 0
    good = []
    named = {"must_have": weights["must"], "should_have": weights["should"]}
    for id, kind in importance:
        grade = grades.get(id, 0)
        avoid = kind == "avoid"
        weight = abs(weights["avoid"]) if avoid else named.get(str(kind or "should_have"), 1.0)
        # Of what is to be avoided the lowest grade earns all.
        full = grade == 0 if avoid else grade >= 4
        half = not full and (grade <= 2 if avoid else grade >= 1)
        credit = 1.0 if full else 0.5 if half else 0.0
        earned, most = earned + weight * credit, most + abs(weight)
        satisfied, partial = satisfied + full, partial + half
        if not avoid:
            good.append(grade >= 4)
    # No grade is the grade 0, so what is to be avoided and was not looked for earns all.
    known = [grades.get(id, 0) for id, _ in importance]
    return GradedReport(
        earned / most if most else 0.0,
        satisfied,
        partial,
        len(importance),
        fmean(known) if known else 0.0,
        max(known, default=0.0),
        sum(good) / len(good) * 100 if good else 0.0,
    )


@dataclass(frozen=True)
class GradedRun:
    """The means of a run's reports, and what the tool shows beside them."""

    run: str
    score: float
    average: float
    best: float
    percent: float
    topics: int
    total: int
    """Nuggets, over all topics."""

    @property
    def satisfied(self) -> int:
        """ "Satisfied" as the tool defines it: the percentage of all nuggets, halves rounded up."""
        return math.floor(self.percent / 100 * self.total + 0.5)


def _mean(values: Iterable[float]) -> float:
    """As the tool adds, one after the other: what it rounds afterwards may lie on an edge."""
    known = list(values)
    return reduce(add, known, 0.0) / len(known)


def rank_runs(reports: Mapping[str, Mapping[str, GradedReport]]) -> list[GradedRun]:
    """The runs by falling score, of topic to run to report; equal ones stay in the order of the reports."""
    by_run: dict[str, list[GradedReport]] = {}
    for runs in reports.values():
        for run, report in runs.items():
            by_run.setdefault(run, []).append(report)
    ranked = [
        GradedRun(
            run,
            _mean(one.score for one in own),
            _mean(one.average for one in own),
            _mean(one.best for one in own),
            _mean(one.percent for one in own),
            len(own),
            sum(one.total for one in own),
        )
        for run, own in by_run.items()
    ]
    return sorted(ranked, key=lambda one: -one.score)
