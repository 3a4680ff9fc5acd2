"""The phases of trec-auto-judge with our judges: nuggets, grades of documents, and a leaderboard of runs.

    pooled_nuggets   a draft for each topic, of the reports and of the documents that they cite
    grade_cited      a grade 0 to 3 (UMBRELA's) for each document that any report cites
    judge_runs       every headline score of each run on each topic

Phases and files: trec-auto-judge base d58f174. A score that does not apply to a report is no row, and a
failed verdict stops the phase: nothing is 0 that was not counted.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, NamedTuple

from argue_bench.adapters.task import question_scores
from argue_bench.baselines.drafting import draft_nuggets, topics_of_reports
from argue_bench.errors import Code, DataError, Finding, JudgeError
from argue_bench.eval import evaluate
from argue_bench.eval.driver import Asking, run_steps
from argue_bench.eval.run import run_name
from argue_bench.judges import Judge, JudgeFunction, as_judge
from argue_bench.loaders.answers import as_answers, report_files
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.records import Answer, Gold, Question, RelevanceGrade, Source, Verdict

OnMissing = Literal["error", "zero", "leave"]
"""What becomes of a topic that a run has no report on: an error, the value 0, or no row."""
DocumentGrade = tuple[str, str, int]
"""Topic, document, grade from 0 to 3."""
Runs = Mapping[str, Sequence[Answer]]
"""Run to its reports."""


class RunScore(NamedTuple):
    """The value of one measure for one run on one topic, or over all of them."""

    run: str
    topic: str
    measure: str
    value: float


def read_runs(path: Path, dataset: Dataset) -> dict[str, list[Answer]]:
    """The reports of a file, or of every file of a folder, by run; a run is named after its file where its
    lines name none. Raises DataError with the findings of all files.
    """
    runs: dict[str, list[Answer]] = {}
    findings: list[Finding] = []
    for file in report_files(path):
        try:
            reports = as_answers(file, dataset)
        except DataError as error:
            findings += error.findings
            continue
        for report in reports.values():
            runs.setdefault(report.run or run_name(file), []).append(report)
    if findings:
        raise DataError(findings)
    return runs


def pooled_nuggets(
    dataset: Dataset,
    runs: Runs,
    judge: str | Judge | JudgeFunction = "lexical",
    store: Path | None = None,
) -> Dataset:
    """The topics with nuggets drafted from the reports. Raises JudgeError where a draft failed."""
    reports = [report for own in runs.values() for report in own]
    topics = topics_of_reports(dataset, reports, dataset.documents or None)
    drafts = {one.topic: one for one in draft_nuggets(topics, judge, store=store)}
    if failures := [why for one in drafts.values() for why in one.failures]:
        raise JudgeError(f"{len(failures)} steps of drafting failed, the first: {failures[0]}")
    return with_gold(dataset, {id: {"nuggets": one.gold} for id, one in drafts.items()})


def with_gold(dataset: Dataset, found: Mapping[str, Mapping[str, Any]]) -> Dataset:
    """The topics with these parts of their gold in place of their own, by topic id."""
    questions = (
        replace(one, gold=replace(one.gold or Gold(), **found[one.id])) if one.id in found else one
        for one in dataset
    )
    return replace(dataset, questions=tuple(questions), declared_digest="")


def grade_cited(
    dataset: Dataset,
    runs: Runs,
    judge: str | Judge | JudgeFunction = "lexical",
    store: Path | None = None,
) -> list[DocumentGrade]:
    """Grades of all documents that the runs cite and the set holds. Raises JudgeError for failed ones."""
    cited: dict[str, dict[str, None]] = {}
    for reports in runs.values():
        for report in reports:
            ids = (id for sentence in report.sentences for id in sentence.citations)
            cited.setdefault(report.id, {}).update(dict.fromkeys(ids))
    made = as_judge(judge)
    with ExitStack() as stack:
        if store is not None:
            from argue_bench.judges.stored import stored

            made = stack.enter_context(stored(made, store))
        steps = (_grade(question, cited.get(question.id, ()), dataset) for question in dataset)
        graded = asyncio.run(run_steps(steps, made))
    if failures := [why for _, failed in graded for why in failed]:
        raise JudgeError(f"{len(failures)} documents could not be graded: {failures[0]}")
    return [grade for grades, _ in graded for grade in grades]


def _grade(
    question: Question, ids: Iterable[str], dataset: Dataset
) -> Asking[tuple[list[DocumentGrade], list[str]]]:
    """The grades of one topic, and what failed."""
    documents = dataset.documents
    requests = {
        id: RelevanceGrade(Source.of(documents[id]), question.text) for id in ids if id in documents
    }
    found = (yield list(dict.fromkeys(requests.values()))) if requests else {}
    grades, failures = [], []
    for id, request in requests.items():
        verdict = found[request]
        if isinstance(verdict, Verdict):
            grades.append((question.id, id, int(str(verdict.value))))
        else:
            failures.append(f"{id} on {question.id}: {verdict.reason}")
    return grades, failures


def with_grades(dataset: Dataset, grades: Iterable[DocumentGrade]) -> Dataset:
    """The topics with these grades of documents in their gold."""
    by_topic: dict[str, dict[str, int]] = {}
    for topic, document, grade in grades:
        by_topic.setdefault(topic, {})[document] = grade
    return with_gold(dataset, {one.id: {"relevance": by_topic.get(one.id, {})} for one in dataset})


def judge_runs(
    dataset: Dataset,
    runs: Runs,
    metric: str,
    judge: str | Judge | JudgeFunction = "lexical",
    store: Path | None = None,
) -> Iterator[RunScore]:
    """The headline scores of each run on each topic that it has a report on, under their full keys.

    Raises JudgeError where a verdict failed, and what `evaluate` raises.
    """
    chosen = parse(metric)
    for run, reports in runs.items():
        report = evaluate(dataset, reports, [chosen], judge=judge, store=store, only_answered=True)
        for topic, found in question_scores(report, chosen).items():
            for name, value in found.items():
                if not math.isnan(value):  # the score applies to this report
                    yield RunScore(run, topic, f"{chosen}.{name}", value)


def with_missing(
    scores: Sequence[RunScore], runs: Runs, topics: Sequence[str], on_missing: OnMissing = "error"
) -> list[RunScore]:
    """The scores with what is missing, and for each run and measure the mean over its topics ("all").

    A topic is missing where the run has no report on it; one that a score does not apply to is not.
    Raises DataError with every missing topic where that is an error.
    """
    answered = {run: {report.id for report in reports} for run, reports in runs.items()}
    missing = [(run, topic) for run in runs for topic in topics if topic not in answered[run]]
    if missing and on_missing == "error":
        hint = "Ask for the report, or say what a missing one counts: --on-missing zero."
        raise DataError(
            Finding(Code.MISSING_TOPICS, f"{run} has no report on the topic {topic}", hint=hint)
            for run, topic in missing
        )
    filled = list(scores)
    if on_missing == "zero":
        names = dict.fromkeys(row.measure for row in scores)
        filled += [RunScore(run, topic, name, 0.0) for name in names for run, topic in missing]
    # The row "all" that trec-auto-judge reads is the mean over the topics of a run.
    values: dict[tuple[str, str], list[float]] = {}
    for row in filled:
        values.setdefault((row.run, row.measure), []).append(row.value)
    return filled + [RunScore(run, "all", name, fmean(v)) for (run, name), v in values.items()]
