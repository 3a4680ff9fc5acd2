"""Scores by a judge, corrected by the labels that people gave for some of the questions of a run.

A run file holds each answer with the keys of the requests that metrics made of it. So each metric can be
counted again with people's verdicts in place of the judge's (`argue_bench.lab.corrected.labelling`), without asking
any judge, and both counts give the corrected score. Every correction says by which method: for a mean over questions prediction-powered inference with power
tuning, for other scores and where questions form groups its bootstrap form
(`argue_bench.lab.corrected.prediction_powered`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from argue_bench.errors import UsageError
from argue_bench.eval.driver import Case
from argue_bench.eval.report import Report
from argue_bench.eval.run import Entry, read_entries, read_header, read_reports
from argue_bench.lab.corrected.labelling import UNDECIDED, Labelling, with_free_questions
from argue_bench.lab.corrected.prediction_powered import (
    FEWEST,
    FEWEST_RARE,
    Corrected,
    corrected_mean,
    corrected_score,
    is_mean,
    rarer,
    units_drawn,
)
from argue_bench.lab.labels import LabelsLike, as_labels
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.source import load_source, load_titled
from argue_bench.metrics import Metric, find_metric
from argue_bench.metrics.base import Tallies
from argue_bench.stats.averages import (
    Array,
    Average,
    Columns,
    Unit,
    columns_of,
    scored_alone,
    take,
)
from argue_bench.stats.bootstrap import RESAMPLES, Groups, number_groups, take_groups

Method = Literal["mean", "bootstrap"]
# Question id to metric text to the tallies under people's verdicts.
People = Mapping[str, Mapping[str, Tallies]]
# Both by judgment: a mean of fewer values says less than the judge does, and resamples of fewer groups repeat
# themselves.
# Labelled questions below which nothing is corrected.
FEWEST_FOR_A_VALUE = 5
# Groups with labelled questions below which no interval is given.
FEWEST_GROUPS = 10


@dataclass(frozen=True)
class Correction:
    """A corrected score with its 95 % interval; ``reason`` says why there is no value or interval.

    ``n`` counts the questions that the score applies to, ``labelled`` those among them that people
    labelled.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    bias: float | None = None
    """The judge's score minus people's, on the labelled questions."""
    bias_low: float | None = None
    bias_high: float | None = None
    labelled: int = 0
    n: int = 0
    groups: int = 0
    method: Method = "mean"
    unit: Unit = "share"
    reason: str = ""

    @property
    def note(self) -> str:
        """How it was corrected, or why there is no value or interval, for the tables of a report."""
        parts = [f"{self.labelled} of {self.n} questions labelled"]
        if self.groups:
            parts = [f"{parts[0]}, in {self.groups} groups"]
        if self.bias is not None:
            ends = (self.bias_low, self.bias_high)
            within = "" if None in ends else f" ({' to '.join(map(self._signed, ends))})"
            parts.append(f"judge bias {self._signed(self.bias)}{within}")
        return self.reason or ", ".join(parts)

    def _signed(self, value: float | None) -> str:
        return f"{(value or 0.0) * (100 if self.unit == 'share' else 1):+.1f}"


class CorrectedScores(dict[str, Correction]):
    """Corrections by full key, with what they were computed from.

    ``people``: question id to metric text to the tallies under people's verdicts, of labelled questions.
    ``remarks``: sentences on the labels, which are of no use and what they lack.
    """

    def __init__(
        self,
        found: Mapping[str, Correction],
        people: People | None = None,
        remarks: tuple[str, ...] = (),
    ) -> None:
        super().__init__(found)
        self.people: People = people or {}
        self.remarks = remarks


def corrected_report(
    run: str | Path,
    labels: LabelsLike,
    dataset: Dataset | None = None,
    *,
    metrics: Sequence[Metric] = (),
    resamples: int = RESAMPLES,
) -> Report:
    """The report of a run file of one system, with `CorrectedScores` in ``corrected``.

    ``dataset`` is the set that was scored, by default the one that the run file names. ``metrics`` are
    those of the run that are not in the catalogue. Raises DataError for a broken file, UnknownName and
    UsageError for values of whole answers that cannot correct a score, and for a file of several systems.
    """
    read = read_judged(run, dataset, metrics)
    people, labelling = labelled(read, labels)
    report = read.report.resampled(resamples)
    each = _corrected(report, people, resamples)
    remarks = list(labelling.remarks())
    if not any(one.value is not None for one in each.values()):
        remarks.append("no score is corrected by these labels")
    return replace(report, corrected=CorrectedScores(each, people, tuple(remarks)))


class JudgedRun(NamedTuple):
    """A run file of one system, with what its answers are counted by."""

    path: Path
    report: Report
    cases: Sequence[tuple[Case, Entry]]
    metrics: Sequence[Metric]


def read_judged(
    run: str | Path, dataset: Dataset | None = None, metrics: Sequence[Metric] = ()
) -> JudgedRun:
    """What a run file of one system holds; raises as `corrected_report`."""
    path = Path(run)
    header, entries = read_header(path), list(read_entries(path))
    reports = read_reports(path, metrics)
    if len(reports) != 1:
        raise UsageError(f"{run} holds {len(reports)} systems: correct one run at a time")
    if dataset is None:
        answers = [entry.answer for entry in entries]
        dataset = (
            load_source(header.source, path, answers)
            if header.source
            else load_titled(header.dataset)
        )
    asked = [dataset.by_id[entry.answer.id] for entry in entries]
    return JudgedRun(
        path,
        next(iter(reports.values())),
        [
            (Case(q, one.answer, dataset.citable(q)), one)
            for q, one in zip(asked, entries, strict=True)
        ],
        [find_metric(text, metrics, path) for text in header.metrics],
    )


def labelled(read: JudgedRun, labels: LabelsLike) -> tuple[People, Labelling]:
    """The tallies under the labels, and the account of these; raises as `corrected_report`."""
    labelling = Labelling(as_labels(labels), read.metrics)
    rows = {one.answer.id: labelling.people(case, one.requests) for case, one in read.cases}
    kept = {id: row for id, row in rows.items() if row}
    return with_free_questions(kept, [one for _, one in read.cases], read.metrics), labelling


def _corrected(report: Report, people: People, resamples: int) -> dict[str, Correction]:
    """The corrections by full key, of metrics of which people labelled some requests."""
    found: dict[str, Correction] = {}
    groups = number_groups(report.groups.get(id, "") for id in report.per_question)
    for text in dict.fromkeys(text for row in people.values() for text in row):
        judged = [rows.get(text) for rows in report.per_question.values()]
        given = [people.get(id, {}).get(text) for id in report.per_question]
        each = corrections(report.averages(text), judged, given, groups, resamples)
        found |= {f"{text}.{name}": one for name, one in each}
    return found


def corrections(
    averages: Mapping[str, Average],
    judged: Sequence[Tallies | None],
    people: Sequence[Tallies | None],
    groups: Groups | None = None,
    resamples: int = RESAMPLES,
) -> Iterator[tuple[str, Correction]]:
    """The correction of each score of a metric, by name, from tallies of all questions.

    ``people`` has None where a question is not labelled. Scores that no label is about have none.
    """
    if any(row is None for row in judged):
        return
    by_judge, by_people = columns_of(judged), columns_of(people)
    for name, average in averages.items():
        read = average.columns_read
        # A score that a metric does not count from tallies alone has no resamples; one of whose tallies people decided
        # none is not corrected.
        if not average.resampled or any(
            one not in by_people or one not in by_judge for one in read
        ):
            continue
        # People's tallies hang on requests that nobody labelled, in one of the columns read.
        if any(row[one].note == UNDECIDED for row in people if row for one in read if one in row):
            yield name, Correction(reason=UNDECIDED, unit=average.unit)
            continue
        labelled = np.array([row is not None and all(one in row for one in read) for row in people])
        mine = {one: by_people[one] for one in read}
        its = {one: by_judge[one] for one in read}
        yield name, _corrected_average(average, mine, its, labelled, groups, resamples)


def _corrected_average(
    average: Average,
    people: Columns,
    judge: Columns,
    labelled: np.ndarray,
    groups: Groups | None = None,
    resamples: int = RESAMPLES,
) -> Correction:
    """The correction of one score; columns of all questions (n,), people's empty where not labelled."""
    mean = is_mean(average, take(people, labelled), judge, labelled)
    if mean:
        # Questions to which the score does not apply are no part of a mean.
        applies = judge[average.columns_read[0]].denominator != 0
        judge, people, labelled = take(judge, applies), take(people, applies), labelled[applies]
        groups = take_groups(groups, applies)
    people = take(people, labelled)
    alone, judged = (scored_alone(average.values, part) for part in (people, judge))
    told, scored = (int(np.count_nonzero(~np.isnan(one))) for one in (alone, judged))
    # Questions of one group go together, so a mean over groups is drawn group by group.
    mean = mean and groups is None
    about = Correction(
        labelled=told,
        n=max(scored, told),
        groups=0 if groups is None else units_drawn(labelled, groups),
        method="mean" if mean else "bootstrap",
        unit=average.unit,
    )
    if told < FEWEST_FOR_A_VALUE:
        return replace(about, reason=f"{told} labelled questions say too little: label {FEWEST}")
    if mean:
        found = corrected_mean(alone, judged[labelled], judged[~labelled])
    else:
        resamples = resamples or RESAMPLES
        found = corrected_score(
            average.values, people, judge, labelled, groups=groups, resamples=resamples
        )
    return _shown(about, found, int(rarer(alone)))


def _shown(about: Correction, found: Corrected, rare: int) -> Correction:
    """The correction with its interval, or with the reason why there is none."""
    about = replace(about, value=float(found.value), bias=_known(found.bias))
    if about.labelled < FEWEST:
        why = f"{about.labelled} labelled questions give no interval: label {FEWEST}"
    elif not rare:
        why = "people gave all labelled questions one value, so there is no interval: label more"
    elif rare < FEWEST_RARE:
        why = (
            f"only {rare} labelled questions differ from the commonest value, so there is no "
            f"interval: label until {FEWEST_RARE} do"
        )
    elif about.groups and about.groups < FEWEST_GROUPS:
        why = f"{about.groups} groups of questions with labels give no interval: label {FEWEST_GROUPS}"
    else:
        return replace(
            about,
            low=float(found.low),
            high=float(found.high),
            bias_low=_known(found.bias_low),
            bias_high=_known(found.bias_high),
        )
    return replace(about, reason=why)


def _known(value: Array) -> float | None:
    """None for NaN: the judge's score applies to no labelled question."""
    return None if np.isnan(value) else float(value)
