"""The phases of trec-auto-judge with our judges: nuggets, grades of documents, and a leaderboard of runs.

    pooled_nuggets   a draft for each topic, of the reports and of the documents that they cite
    grade_cited      a grade 0 to 3 (UMBRELA's) for each document that any report cites
    judge_runs       every headline score of each run on each topic

Phases and files: trec-auto-judge base d58f174. A score that does not apply to a report is no row, and a
failed verdict stops the phase: nothing is 0 that was not counted. ``argue-bench judge leaderboard`` goes
through them and leaves their files:

BASE.nuggets.jsonl, BASE.qrels.txt    nuggets and grades, drafted where they are asked for
BASE.eval.txt                         lines of run, topic, measure and value (ir_measures)
BASE.config.yml, BASE.responses.jsonl how it was made, and the reports with their scores
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

import click

from argue_bench.adapters.task import question_scores
from argue_bench.baselines.drafting import draft_nuggets, topics_of_reports
from argue_bench.cli.commands import command, option, options
from argue_bench.cli.options import PATH, DatasetOptions, budget_option, limit_spending
from argue_bench.cli.tables import show_table
from argue_bench.errors import Code, DataError, Finding, JudgeError
from argue_bench.eval import evaluate
from argue_bench.eval.driver import Asking, run_steps
from argue_bench.eval.run import run_name
from argue_bench.judges import Judge, JudgeFunction, as_judge
from argue_bench.loaders.answers import as_answers, report_files
from argue_bench.loaders.banks import write_banks, write_qrels
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.records import Answer, Gold, Question, RelevanceGrade, Source, Verdict
from argue_bench.records.atomic import atomic_write
from argue_bench.records.grouping import grouped
from argue_bench.records.table import Table, points
from argue_bench.satellites import TREC_GRADES, TREC_TOPICS, import_text

# What becomes of a topic that a run has no report on: an error, the value 0, or no row.
OnMissing = Literal["error", "zero", "leave"]
# Topic, document, grade from 0 to 3.
DocumentGrade = tuple[str, str, int]
# Run to its reports.
Runs = Mapping[str, Sequence[Answer]]


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
    values = grouped(((row.run, row.measure), row.value) for row in filled)
    return filled + [RunScore(run, "all", name, fmean(v)) for (run, name), v in values.items()]


@command()
@click.argument("runs", type=PATH)
@options("chosen", DatasetOptions, dataset={"default": "trec"})
@option("-m", "--metric", default="argue", group="Judge", help="The metric to judge by.")
@option(
    "--judge", "spec", default="lexical", metavar="SPEC", group="Judge", help="The judge to ask."
)
@option("--create-nuggets", is_flag=True, group="Judge", help="Let the judge draft nuggets first.")
@option(
    "--create-qrels", is_flag=True, group="Judge", help="Let the judge grade cited documents first."
)
@option(
    "--on-missing",
    type=click.Choice(["error", "zero", "leave"]),
    default="error",
    group="Judge",
    help="What becomes of a topic that a run has no report on.",
)
@budget_option
@option(
    "--out",
    type=PATH,
    required=True,
    metavar="BASE",
    group="Output",
    help="The beginning of the names of all files.",
)
def leaderboard(
    runs: Path,
    chosen: DatasetOptions,
    metric: str,
    spec: str,
    create_nuggets: bool,
    create_qrels: bool,
    on_missing: OnMissing,
    budget: float | None,
    out: Path,
) -> None:
    """Judge the RUNS of a track and write a leaderboard that `judge agreement` and auto-judge read.

    RUNS is a file of reports, or a folder with one file a run. Nuggets and grades that are there already
    are used again: remove their file to make them anew.

    Example: argue-bench judge leaderboard runs --data track --judge lexical --out mine
    """
    dataset = chosen.load()
    store = _file(out, "verdicts")
    read = read_runs(runs, dataset)
    judge = as_judge(spec)
    limit_spending(budget, [judge])
    if create_nuggets:
        file = _file(out, "nuggets.jsonl")
        if not _is_there(file, "nuggets"):
            drafted = pooled_nuggets(dataset, read, judge, store)
            write_banks(file, (one for one in drafted if one.gold is not None and one.gold.nuggets))
        banks, _ = import_text(TREC_TOPICS)(file)
        dataset = with_gold(dataset, {id: {"nuggets": one.nuggets} for id, one in banks.items()})
    if create_qrels:
        file = _file(out, "qrels.txt")
        if not _is_there(file, "grades"):
            write_qrels(file, grade_cited(dataset, read, judge, store))
        rows = import_text(TREC_GRADES)(file).items()
        grades = ((topic, *one) for topic, own in rows for one in own.items())
        dataset = with_grades(dataset, grades)
    judged = list(judge_runs(dataset, read, metric, judge, store))
    scores = with_missing(judged, read, [one.id for one in dataset], on_missing)
    place = _file(out, "eval.txt")
    with atomic_write(place) as lines:
        lines.writelines(
            f"{run}\t{topic}\t{name}\t{value!r}\n" for run, topic, name, value in scores
        )
    _show(scores, list(read))
    click.echo(f"{place}: {len(read)} runs, {len(dataset)} topics", err=True)


def _is_there(file: Path, what: str) -> bool:
    """Whether a file of an earlier phase is used again, which is said."""
    there = file.is_file()
    said = (
        "that were there; without the file they are made anew" if there else "are made by the judge"
    )
    click.echo(f"{file}: {what} {said}", err=True)
    return there


def _file(base: Path, ending: str) -> Path:
    return base.with_name(f"{base.name}.{ending}")


def _show(scores: Sequence[RunScore], runs: list[str]) -> None:
    """Prints the mean of each run, the best first."""
    means = {(one.run, one.measure): one.value for one in scores if one.topic == "all"}
    names = sorted({measure for _, measure in means})
    runs = sorted(runs, key=lambda run: -means.get((run, names[0]), -1.0)) if names else runs
    cells = [(run, *(points(means.get((run, name))) for name in names)) for run in runs]
    show_table(Table(("run", *names), cells, right=range(1, len(names) + 1)))
