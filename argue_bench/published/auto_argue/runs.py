"""Reports of many runs, judged by nuggets one at a time, with every verdict stored.

`check_reports` reads every report before anything is judged; `evaluate_reports` judges them and writes
a run file; `judge_reports` is what the command does around it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.errors import Code, DataError, Finding
from argue_bench.eval.driver import Case, OnFailure, Progress, estimate_requests
from argue_bench.eval.run import Entry, header_for, run_cases
from argue_bench.judges import Judge
from argue_bench.loaders.answers import as_answers, report_files
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric
from argue_bench.published.trec.collection import collection_paths
from argue_bench.records import Answer
from argue_bench.records.untrusted import DEFAULT_LIMITS, read_lines

if TYPE_CHECKING:
    from argue_bench.cli.judging import JudgingOptions

# Failures that are shown; each is one line on the screen.
MOST_SHOWN = 5


@dataclass
class ReportsOverview:
    """The content of a file or folder of reports: topics answered by run, in the order of the
    files."""

    runs: dict[str, set[str]] = field(default_factory=dict)
    reports: int = 0
    foreign: set[str] = field(default_factory=set)
    """Messages on reports whose topics the nuggets do not have; these are left out."""


@dataclass
class ReportsResult:
    """What was wrong with reports that were judged."""

    citations: int = 0
    unknown: int = 0
    """Citations of documents that are not in the collection."""
    failures: list[str] = field(default_factory=list)
    """The first failure of each report that has one, in words."""


def check_reports(path: Path, dataset: Dataset) -> ReportsOverview:
    """Reads every report once, holding one at a time. Raises DataError with all findings."""
    overview = ReportsOverview()
    wrong: list[Finding] = []
    cites = known = False
    for file in report_files(path):
        for number, answer, found in _answers(file, dataset):
            wrong.extend(finding for finding in found if finding.level == "error")
            if answer is None:
                overview.foreign |= {one.message for one in found if one.code == Code.UNKNOWN_ID}
                continue
            topics = overview.runs.setdefault(answer.run, set())
            if answer.id in topics:
                why = f"a second report of the run {answer.run!r} on {answer.id!r}"
                wrong.append(
                    Finding(Code.DUPLICATE_TOPICS, why, str(file), number, hint="Keep one.")
                )
            topics.add(answer.id)
            overview.reports += 1
            cited = {id for sentence in answer.sentences for id in sentence.citations}
            cites = cites or bool(cited)
            # Looked up until one is found: a collection that has any is the right one.
            known = known or any(id in dataset.documents for id in cited)
    if wrong:
        raise DataError(wrong)
    if not overview.reports:
        raise DataError.of(
            Code.EMPTY,
            "there is no report on any topic of the nuggets",
            path,
            hint=f"The topics are: {', '.join(list(dataset.by_id)[:10])}.",
        )
    paths = collection_paths(dataset.documents)
    if paths and cites and not known:
        hint = "Name the collection that was cited (-C, and each of its parts with -c)."
        message = f"none of the documents that {path} cites is in the collection"
        raise DataError.of(Code.EMPTY, message, paths[0], hint=hint)
    return overview


def report_cases(path: Path, dataset: Dataset) -> Iterator[Case]:
    """Every report as a case, in the order of the files."""
    # The files are read again, since a run may be larger than memory.
    for file in report_files(path):
        for _, answer, _ in _answers(file, dataset):
            if answer is not None:
                question = dataset.question(answer.id)
                yield Case(question, answer, dataset.citable(question))


async def evaluate_reports(
    reports: Path,
    dataset: Dataset,
    metric: Metric,
    judges: Mapping[str, Judge],
    out: Path,
    *,
    on_failure: OnFailure = "refuse",
    most_left_out: float = 0.0,
    progress: Progress | None = None,
) -> ReportsResult:
    """Judges every report and writes a run file, with the verdicts in OUT.verdicts.

    Raises DataError (reports, store, disk) and JudgeError; what was stored by then is kept.
    """
    done = ReportsResult()
    digest = getattr(dataset.documents, "digest", "")
    header = partial(
        header_for,
        dataset,
        [metric],
        n=len(dataset),
        answers="answered",
        on_failure=on_failure,
        most_left_out=most_left_out,
        parts={"collection": digest.removeprefix("sha256:")[:8]} if digest else {},
    )
    await run_cases(
        report_cases(reports, dataset),
        [metric],
        judges,
        header,
        partial(_note, done),
        on_failure=on_failure,
        out=out,
        store=verdicts_of(out),
        progress=progress,
    )
    return done


def verdicts_of(out: Path) -> Path:
    """The store beside a run file."""
    return Path(f"{out}.verdicts")


def _note(done: ReportsResult, case: Case, entry: Entry) -> None:
    answer = case.answer
    cited = [id for sentence in answer.sentences for id in sentence.citations]
    done.citations += len(cited)
    done.unknown += sum(id not in case.documents for id in cited)
    failures = [failure for failures in entry.failures.values() for failure in failures]
    if failures:
        done.failures.append(f"{answer.run} {answer.id}: {failures[0]}")


def _answers(file: Path, dataset: Dataset) -> Iterator[tuple[int, Answer | None, list[Finding]]]:
    """Each line as an answer, or None with its findings; an unknown topic is a warning."""
    for line in read_lines(file, DEFAULT_LIMITS):
        if not line.read:
            if line.findings:
                yield line.number, None, list(line.findings)
            continue
        try:
            (answer,) = as_answers([line.value], dataset).values()
        except DataError as error:
            found = [replace(one, file=str(file), line=line.number) for one in error.findings]
            # Files may hold runs on more topics than the nuggets have: those are left out.
            unknown = Code.UNKNOWN_ID
            mild = [replace(one, level="warning") if one.code == unknown else one for one in found]
            yield line.number, None, mild
        else:
            yield line.number, answer if answer.run else replace(answer, run=file.stem), []


def judge_reports(
    reports: Path, dataset: Dataset, metric: Metric, judging: JudgingOptions, out: Path, rerun: bool
) -> bool:
    """Judges a file or folder of reports and writes a run file; whether a verdict failed.

    A dry run prints what would be asked.

    With ``rerun`` the store of before is set aside (``STORE.before``) and everything is judged anew.
    """
    from argue_bench.cli.judging import show_costs, show_spent
    from argue_bench.cli.progress import JudgingMeter, progress
    from argue_bench.eval.judging import read_on_failure
    from argue_bench.judges import as_judge

    overview = check_reports(reports, dataset)
    for reason in sorted(overview.foreign):
        click.echo(f"left out: {reason}", err=True)
    spec, store = judging.judges[""], verdicts_of(out)
    if judging.dry_run:
        bounds = estimate_requests(report_cases(reports, dataset), [metric])
        fewest, most = sum(one.fewest for one in bounds), sum(one.most for one in bounds)
        asked = f"{overview.reports:,} reports of {len(overview.runs)} runs"
        click.echo(f"{asked}: {fewest:,} to {most:,} requests; nothing was asked.")
        show_costs(report_cases(reports, dataset), [metric], {"": spec}, budget=judging.budget)
        return False
    judge = as_judge(spec)
    # Set aside and not deleted: somebody may have paid for it.
    if rerun and store.exists():
        os.replace(store, store.with_name(f"{store.name}.before"))
    meter = JudgingMeter([judge])
    word, limit = read_on_failure(judging.on_failure)
    with (
        judging.at_work({"": judge}, store) as working,
        progress("judging", overview.reports, meter) as step,
    ):
        done = asyncio.run(
            evaluate_reports(
                reports,
                dataset,
                metric,
                working,
                out,
                on_failure=word,
                most_left_out=limit,
                progress=step,
            )
        )
    show_spent({judge.name: vars(judge.counts)})
    click.echo(f"{overview.reports:,} reports judged: {out}", err=True)
    if done.unknown:
        click.echo(
            f"citations of documents that are not in the collection: {done.unknown:,} of "
            f"{done.citations:,}; their sentences count as unsupported",
            err=True,
        )
    if done.failures:
        shown = "\n  ".join(done.failures[:MOST_SHOWN])
        click.echo(
            f"reports with failed verdicts: {len(done.failures):,}; the first:\n  {shown}", err=True
        )
    return bool(done.failures)
