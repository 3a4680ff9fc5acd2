"""People's labels applied to a run that was judged before: the door `argue_bench.lab.correct`.

A run file holds each answer with the keys of the requests that metrics made of it. So each metric can be
counted again with people's verdicts in place of the judge's (`argue_bench.lab.corrected.labelling`), without asking
any judge. How a corrected score is computed from both counts stands in `argue_bench.lab.corrected.corrections`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from argue_bench.errors import UsageError
from argue_bench.eval.driver import Case
from argue_bench.eval.report import Report
from argue_bench.eval.run import Entry, read_entries, read_header, read_reports
from argue_bench.lab.corrected.corrections import CorrectedScores, Correction, People, corrections
from argue_bench.lab.corrected.labelling import Labelling, with_free_questions
from argue_bench.lab.labels import LabelsLike, as_labels
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.source import load_source, load_titled
from argue_bench.metrics import Metric, find_metric
from argue_bench.stats.bootstrap import RESAMPLES
from argue_bench.stats.groups import number_groups


def correct_runs(
    run: str | Path,
    labels: LabelsLike,
    dataset: Dataset | None = None,
    *,
    metrics: Sequence[Metric] = (),
    resamples: int = RESAMPLES,
) -> dict[str, Report]:
    """A report of each system of a run file, with `CorrectedScores` in ``corrected``.

    ``dataset`` is the set that was scored, by default the one that the run file names. ``metrics`` are
    those of the run that are not in the catalogue. Raises DataError for a broken file, UnknownName and UsageError for values of whole
    answers that cannot correct a score.
    """
    path = Path(run)
    header, entries = read_header(path), list(read_entries(path))
    if dataset is None:
        answers = [entry.answer for entry in entries]
        dataset = (
            load_source(header.source, path, answers)
            if header.source
            else load_titled(header.dataset)
        )
    found = [find_metric(text, metrics, path) for text in header.metrics]
    labelling = Labelling(as_labels(labels), found)
    systems: dict[str, list[Entry]] = {}
    for entry in entries:
        systems.setdefault(entry.answer.run, []).append(entry)
    if labelling.labels.grades and len(systems) > 1:
        raise UsageError(
            f"the labels give values to whole questions, and {len(systems)} runs answer each: "
            "correct one run at a time"
        )
    people: dict[str, People] = {}
    for name, own in systems.items():
        rows = {one.answer.id: labelling.people(_case(dataset, one), one.requests) for one in own}
        people[name] = with_free_questions({id: row for id, row in rows.items() if row}, own, found)
    reports = {name: one.resampled(resamples) for name, one in read_reports(path, metrics).items()}
    each = {name: _corrected(one, people[name], resamples) for name, one in reports.items()}
    remarks = list(labelling.remarks())
    if not any(one.value is not None for own in each.values() for one in own.values()):
        remarks.append("no score is corrected by these labels")
    return {
        name: replace(one, corrected=CorrectedScores(each[name], people[name], tuple(remarks)))
        for name, one in reports.items()
    }


def _case(dataset: Dataset, entry: Entry) -> Case:
    question = dataset.by_id[entry.answer.id]
    return Case(question, entry.answer, dataset.citable(question))


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
