"""Systems compared by scores that people's labels correct.

Tests of the judge's verdicts would compare the judge's errors too. A difference is corrected by the bootstrap form of prediction-powered inference on the questions that were
labelled for both systems (`argue_bench.lab.corrected.prediction_powered`): one system's score minus the other's, by
people's verdicts where there are some, helped by the judge's on all questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from argue_bench.analysis.aligned import ComparedScore, align_reports
from argue_bench.cli.tables import interval, points
from argue_bench.eval.paired_rows import all_rows, ids_in
from argue_bench.eval.report import Report
from argue_bench.lab.corrected.corrections import (
    CorrectedScores,
    Correction,
    correct_score,
    people_of,
    undecided,
)
from argue_bench.records.table import Table
from argue_bench.stats.averages import Array, Average, Columns, columns_of, take
from argue_bench.stats.bootstrap import RESAMPLES, estimate


@dataclass(frozen=True)
class CorrectedDifference:
    """The first system's score minus the second's, corrected by people's labels."""

    score: str
    first: str
    second: str
    judged: float
    """The difference by the judge, on all questions."""
    correction: Correction


@dataclass(frozen=True)
class _Labelled:
    """A system of whose answers people labelled some."""

    system: str
    place: int
    """Its place in the columns of all systems."""
    people: Columns
    """(n,), empty where a question is not labelled."""
    labelled: np.ndarray


def corrected_differences(
    compared: Sequence[ComparedScore], reports: Mapping[str, Report], resamples: int = RESAMPLES
) -> Iterator[CorrectedDifference]:
    """Each score and pair of systems of which both have labels, compared on the questions labelled for both."""
    for one in compared:
        judged = estimate(one.average, one.columns)
        for first, second in combinations(_labelled(one, reports), 2):
            # A question labelled for one system alone would compare people with the judge.
            both = first.labelled & second.labelled
            sides = {"first": first, "second": second}
            people = _merged({name: take(side.people, both) for name, side in sides.items()})
            judge = _merged(
                {name: take(one.columns, np.s_[:, side.place]) for name, side in sides.items()}
            )
            score = partial(_difference, one.average)
            found = correct_score(score, people, judge, both, one.groups, resamples=resamples)
            yield CorrectedDifference(
                one.key,
                first.system,
                second.system,
                float(judged[first.place] - judged[second.place]),
                replace(found, unit=one.average.unit),
            )


def _merged(sides: Mapping[str, Columns]) -> Columns:
    """The columns of two systems under names of their own."""
    return {f"{side} {name}": part for side, own in sides.items() for name, part in own.items()}


def _difference(average: Average, columns: Columns, rows: Array) -> Array:
    first, second = (
        {name: columns[f"{side} {name}"] for name in average.columns_read}
        for side in ("first", "second")
    )
    return np.asarray(average.values(first, rows) - average.values(second, rows))


def _labelled(one: ComparedScore, reports: Mapping[str, Report]) -> Iterator[_Labelled]:
    """The systems whose score labels can correct."""
    text, read = one.key.rpartition(".")[0], one.average.columns_read
    for place, (name, report) in enumerate(reports.items()):
        rows = [people_of(report).get(question, {}).get(text) for question in one.questions]
        given = columns_of(rows)
        if any(column not in given for column in read) or undecided(rows, read):
            continue
        labelled = np.array([row is not None and all(c in row for c in read) for row in rows])
        yield _Labelled(name, place, {column: given[column] for column in read}, labelled)


def compare_labelled(
    reports: Mapping[str, Report], scores: Sequence[str], resamples: int = RESAMPLES
) -> list[CorrectedDifference]:
    """The corrected differences of systems by name, on scores by full key.

    ``reports`` are what `argue_bench.lab.correct` gave. Raises what `align_reports` raises.
    """
    aligned = align_reports(tuple(reports), tuple(reports.values()))
    renamed = dict(reports)
    if all_rows(list(reports.values())):
        # `align_reports` pairs rows by what they ask.
        # Own rows get the ids of the first report's, and so must what people said of them.
        first = next(iter(reports.values()))
        for name, report in reports.items():
            named = ids_in(first, report)
            people = {named[id]: row for id, row in people_of(report).items()}
            renamed[name] = replace(report, corrected=CorrectedScores({}, people))
    compared = [one for one in aligned.scores if one.key in scores]
    return list(corrected_differences(compared, renamed, resamples))


def difference_table(reports: Mapping[str, Report], scores: Sequence[str]) -> Table:
    """The corrected differences as `compare --labels` prints them."""
    rows = []
    for one in compare_labelled(reports, scores):
        found, scale = one.correction, 100 if one.correction.unit == "share" else 1
        shown = (points(value, scale, "+") for value in (one.judged, found.value))
        ends = interval(found.low, found.high, scale, "+")
        rows.append((one.score, f"{one.first} - {one.second}", *shown, ends, found.note))
    head = ("corrected by people", "systems", "judge", "value", "95 % interval", "")
    return Table(head, rows, right=(2, 3, 4))
