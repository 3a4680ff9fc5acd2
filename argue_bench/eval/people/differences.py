"""Differences between systems, corrected by people's labels of some answers of both.

The bootstrap form of prediction-powered inference on the questions that were labelled for both
(`argue_bench.stats.prediction_powered`): one system's score minus the other's, by people's verdicts where
there are some, helped by the judge's on all questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Protocol

import numpy as np

from argue_bench.eval.people.corrections import Correction, correct, correct_score, undecided
from argue_bench.eval.report import Report
from argue_bench.stats.averages import Array, Average, Column, Columns, Weights, columns_of, take
from argue_bench.stats.bootstrap import RESAMPLES
from argue_bench.stats.clusters import Clusters


@dataclass(frozen=True)
class CorrectedDifference:
    """The first system's score minus the second's, corrected by people's labels."""

    score: str
    first: str
    second: str
    judged: float
    """The difference by the judge, on all questions."""
    correction: Correction


class Compared(Protocol):
    """One score of all systems: columns (questions, systems)."""

    @property
    def key(self) -> str: ...
    @property
    def average(self) -> Average: ...
    @property
    def columns(self) -> Columns: ...
    @property
    def questions(self) -> tuple[str, ...]: ...
    @property
    def clusters(self) -> Clusters | None: ...


def corrected_differences(
    compared: Sequence[Compared], reports: Mapping[str, Report], resamples: int = RESAMPLES
) -> Iterator[CorrectedDifference]:
    """Each score and pair of systems of which both have labels."""
    for one in compared:
        text = one.key.rpartition(".")[0]
        for (a, first), (b, second) in combinations(enumerate(reports), 2):
            pair = (reports[first], reports[second])
            if any("labels" not in report.signature[text] for report in pair):
                continue
            gap = _Gap(one.average)
            people = [
                columns_of(r.people.get(q, {}).get(text) for q in one.questions) for r in pair
            ]
            said = [r.people.get(q, {}).get(text) for r in pair for q in one.questions]
            if undecided(said, one.average.columns_read):
                continue
            if any(column not in given for given in people for column in one.average.columns_read):
                continue
            given, judged = (
                gap.columns(*people),
                gap.columns(take(one.columns, np.s_[:, a]), take(one.columns, np.s_[:, b])),
            )
            labelled = np.array(
                [
                    all(
                        column in (report.people.get(q, {}).get(text) or {})
                        for report in pair
                        for column in one.average.columns_read
                    )
                    for q in one.questions
                ]
            )
            found = correct_score(
                gap.values,
                take(given, labelled),
                judged,
                labelled,
                one.clusters,
                resamples=resamples,
            )
            difference = gap.values(judged, np.ones((1, len(labelled))))[0]
            yield CorrectedDifference(
                one.key, first, second, float(difference), replace(found, unit=one.average.unit)
            )


def corrected_scores(
    one: Compared, reports: Mapping[str, Report], resamples: int = RESAMPLES
) -> dict[str, Correction]:
    """System to its score as people's labels correct it, of the systems that have some."""
    text, read = one.key.rpartition(".")[0], one.average.columns_read
    found: dict[str, Correction] = {}
    for at, (name, report) in enumerate(reports.items()):
        rows = [report.people.get(q, {}).get(text) for q in one.questions]
        given = columns_of(rows)
        lacking = any(column not in given for column in read)
        if "labels" not in report.signature[text] or lacking or undecided(rows, read):
            continue
        labelled = np.array([row is not None and all(c in row for c in read) for row in rows])
        judged = take(one.columns, np.s_[:, at])
        people = {column: given[column] for column in read}
        own = correct(one.average, people, judged, labelled, one.clusters, resamples)
        found[name] = replace(own, unit=one.average.unit)
    return found


@dataclass(frozen=True)
class _Gap:
    """The difference of one average between two systems, whose columns stand side by side."""

    average: Average

    def columns(self, first: Columns, second: Columns) -> dict[str, Column]:
        sides = {"first": first, "second": second}
        return {
            f"{side}.{name}": columns[name]
            for side, columns in sides.items()
            for name in self.average.columns_read
        }

    def values(self, columns: Columns, weights: Weights) -> Array:
        first, second = (
            {name: columns[f"{side}.{name}"] for name in self.average.columns_read}
            for side in ("first", "second")
        )
        return self.average.values(first, weights) - self.average.values(second, weights)
