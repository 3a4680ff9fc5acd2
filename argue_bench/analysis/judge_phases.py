"""The phases of trec-auto-judge with our judges: nuggets, relevance labels, and a leaderboard of runs.

    pooled_nuggets   a draft for each topic, of the reports and of the documents that they cite
    grade_cited      a grade 0 to 3 (UMBRELA's) for each document that any report cites
    judge_runs       every headline score of each run on each topic

Phases and files: trec-auto-judge base d58f174. A score that does not apply to a report is no row, and a
failed verdict stops the phase: nothing is 0 that was not counted. A topic without a report is
(`complete_scores`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Literal

from argue_bench.analysis.score_table import ScoreTable, TopicScore, run_name, table_of
from argue_bench.drafting import draft_nuggets, topics_of_reports
from argue_bench.errors import Code, DataError, Finding, JudgeError
from argue_bench.eval.driver import Asking, run_steps
from argue_bench.judges import Judge, JudgeFunction, as_judge
from argue_bench.loaders.answers import as_answers, report_files
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.trec.autojudge import RelevanceLabel
from argue_bench.metrics import Metric
from argue_bench.records import Answer, Gold, Question, RelevanceGrade, Source, Verdict

OnMissing = Literal["error", "zero", "leave"]
"""What becomes of a topic that a run has no report on: an error, the value 0, or no row."""
Runs = Mapping[str, Sequence[Answer]]
"""Run to its reports."""
_MOST_SHOWN = 5


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
    questions = (
        replace(question, gold=Gold(nuggets=drafts[question.id].gold))
        if question.id in drafts
        else question
        for question in dataset
    )
    return replace(dataset, questions=tuple(questions), declared_digest="")


def grade_cited(
    dataset: Dataset,
    runs: Runs,
    judge: str | Judge | JudgeFunction = "lexical",
    store: Path | None = None,
) -> list[RelevanceLabel]:
    """Grades of all documents that the runs cite and the set holds. Raises JudgeError for failed ones."""
    cited: dict[str, dict[str, None]] = {}
    for reports in runs.values():
        for report in reports:
            ids = (id for sentence in report.sentences for id in sentence.citations)
            cited.setdefault(report.id, {}).update(dict.fromkeys(ids))
    made = as_judge(judge)
    with ExitStack() as stack:
        if store is not None:
            from argue_bench.judges.stored import Stored, open_store

            made = Stored(made, stack.enter_context(open_store(store)))
        steps = (_grade(question, cited.get(question.id, ()), dataset) for question in dataset)
        graded = asyncio.run(run_steps(steps, made))
    if failures := [why for _, failed in graded for why in failed]:
        shown = "; ".join(failures[:_MOST_SHOWN])
        raise JudgeError(f"{len(failures)} documents could not be graded: {shown}")
    return [label for labels, _ in graded for label in labels]


def _grade(
    question: Question, ids: Iterable[str], dataset: Dataset
) -> Asking[tuple[list[RelevanceLabel], list[str]]]:
    """The labels of one topic, and what failed."""
    documents = dataset.documents
    requests = {
        id: RelevanceGrade(Source.of(documents[id]), question.text) for id in ids if id in documents
    }
    found = (yield list(dict.fromkeys(requests.values()))) if requests else {}
    labels, failures = [], []
    for id, request in requests.items():
        verdict = found[request]
        if isinstance(verdict, Verdict):
            labels.append(RelevanceLabel(question.id, id, int(str(verdict.value))))
        else:
            failures.append(f"{id} on {question.id}: {verdict.reason}")
    return labels, failures


def with_labels(dataset: Dataset, labels: Iterable[RelevanceLabel]) -> Dataset:
    """The topics with these relevance labels in their gold."""
    by_topic: dict[str, dict[str, int]] = {}
    for topic, document, grade in labels:
        by_topic.setdefault(topic, {})[document] = grade
    questions = (
        replace(
            question, gold=replace(question.gold or Gold(), relevance=by_topic.get(question.id, {}))
        )
        for question in dataset
    )
    return replace(dataset, questions=tuple(questions), declared_digest="")


def judge_runs(
    dataset: Dataset,
    runs: Runs,
    metric: Metric | str,
    judge: str | Judge | JudgeFunction = "lexical",
    store: Path | None = None,
) -> ScoreTable:
    """The headline scores of each run on each topic that it has a report on.

    Raises JudgeError where a verdict failed, and what `evaluate` raises.
    """
    from argue_bench.analysis.aligned import score_columns
    from argue_bench.eval import evaluate
    from argue_bench.metrics import parse
    from argue_bench.stats.significance import per_question

    chosen = parse(metric) if isinstance(metric, str) else metric
    rows = []
    for run, reports in runs.items():
        report = evaluate(
            dataset, reports, [chosen], judge=judge, store=store, only_answered=True, resamples=0
        )
        if report.failures:
            raise JudgeError(f"{run}: {report.failures[0]}")
        for key, average, columns in score_columns(report):
            if chosen.headline and key.rpartition(".")[2] not in chosen.headline:
                continue
            values = per_question(average, columns)
            rows += [
                TopicScore(run, question, key, float(value))
                for question, value in zip(report.per_question, values, strict=True)
                if value == value
            ]
    return table_of(rows)


def complete_scores(
    scores: ScoreTable, runs: Runs, topics: Sequence[str], on_missing: OnMissing = "error"
) -> ScoreTable:
    """The scores with what is missing, and for each run and measure the mean over its topics.

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
    rows = list(scores.rows(aggregates=False))
    if on_missing == "zero":
        rows += [
            TopicScore(run, topic, name, 0.0) for name in scores.measures for run, topic in missing
        ]
    filled = table_of(rows, scores.source)
    means = {
        name: {run: fmean(values.values()) for run, values in by_run.items()}
        for name, by_run in filled.values.items()
    }
    return replace(filled, given=means)
