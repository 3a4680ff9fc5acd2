"""Evaluates the reports of many runs, holding one report in memory at a time.

`check_reports` reads every report before anything is judged; `evaluate_reports` judges them and writes
a run file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.eval.cluster.running import run_cases
from argue_bench.eval.driver import Case, OnFailure, Progress
from argue_bench.eval.run import Entry, header_for
from argue_bench.judges import Judge
from argue_bench.judges.recorded import Recorded
from argue_bench.loaders.answers import as_answers, report_files
from argue_bench.loaders.auto_argue import read_judgments, recorded_verdicts
from argue_bench.loaders.collection import collection_paths
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric
from argue_bench.records import Answer, Document, Verdict
from argue_bench.records.untrusted import DEFAULT_LIMITS, read_lines

if TYPE_CHECKING:
    from argue_bench.eval.cluster.connecting import ClusterLike
    from argue_bench.eval.people.labelling import Labelling
    from argue_bench.judges.batches import Batching

MOST_LISTED = 100
"""Findings and failures that are listed; of more, only the number is given."""


@dataclass
class ReportsOverview:
    """The content of a file or folder of reports: topics answered by run, in the order of the
    files."""

    runs: dict[str, set[str]] = field(default_factory=dict)
    reports: int = 0
    cites: bool = False
    found: bool = False
    """Whether any report cites a document, and whether the collection has any that is cited."""
    foreign: set[str] = field(default_factory=set)
    """Messages on reports whose topics the nuggets do not have; these are left out."""


@dataclass
class ReportsResult:
    """How many reports were judged, and what was wrong with some."""

    reports: int = 0
    missing: int = 0
    failed: int = 0
    citations: int = 0
    unknown: int = 0
    """Citations of documents that are not in the collection."""
    failures: list[str] = field(default_factory=list)


def check_reports(path: Path, dataset: Dataset) -> ReportsOverview:
    """Reads every report once, holding one at a time. Raises DataError with all findings."""
    overview = ReportsOverview()
    wrong: list[Finding] = []
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
                    Finding(Code.DUPLICATE_TOPIC, why, str(file), number, hint="Keep one.")
                )
            topics.add(answer.id)
            overview.reports += 1
            cited = {id for sentence in answer.sentences for id in sentence.citations}
            overview.cites = overview.cites or bool(cited)
            # Looked up until one is found: a collection that has any is the right one.
            overview.found = overview.found or any(id in dataset.documents for id in cited)
    if len(wrong) > MOST_LISTED:
        further = f"{len(wrong) - MOST_LISTED:,} findings more are not listed"
        wrong[MOST_LISTED:] = [Finding(Code.MORE_FINDINGS, further, str(path))]
    if wrong:
        raise DataError(wrong)
    if not overview.reports:
        raise DataError.of(
            Code.NO_REPORTS,
            "there is no report on any topic of the nuggets",
            path,
            hint=f"The topics are: {', '.join(list(dataset.by_id)[:10])}.",
        )
    paths = collection_paths(dataset.documents)
    if paths and overview.cites and not overview.found:
        hint = "Name the collection that was cited (-C, and each of its parts with -c)."
        message = f"none of the documents that {path} cites is in the collection"
        raise DataError.of(Code.NO_CITED_DOCUMENT, message, paths[0], hint=hint)
    return overview


def report_cases(
    path: Path, dataset: Dataset, overview: ReportsOverview, missing: bool = True
) -> Iterator[Case]:
    """Every report as a case; then, with ``missing``, the topics that a run did not answer, empty."""
    for file in report_files(path):
        for _, answer, _ in _answers(file, dataset):
            if answer is not None:
                question = dataset.question(answer.id)
                yield Case(question, answer, dataset.citable(question))
    if missing:
        for run, topics in overview.runs.items():
            for question in dataset:
                if question.id not in topics:
                    empty = Answer(question.id, run=run)
                    yield Case(question, empty, dataset.citable(question))


def judge_from_judgments(path: Path, dataset: Dataset) -> tuple[Recorded, dict[str, Document], int]:
    """A judge that replays Auto-ARGUE's judgments, the documents that the file holds, and how many
    requests were judged both ways and are left unrecorded. For ``rules=auto-argue``."""
    verdicts: dict[str, Verdict] = {}
    documents: dict[str, Document] = {}
    twice: set[str] = set()
    for judged in read_judgments(path):
        question = dataset.by_id.get(judged.topic)
        if question is None or question.gold is None:
            continue
        found, both = recorded_verdicts(judged, question.gold.nuggets)
        twice.update(request.key for request in both)
        for request, verdict in found.items():
            if verdicts.setdefault(request.key, verdict).value != verdict.value:
                twice.add(request.key)
        documents |= judged.documents
    for key in twice:
        verdicts.pop(key, None)
    return Recorded(verdicts, f"recorded:{path.name}"), documents, len(twice)


async def evaluate_reports(
    reports: Path,
    dataset: Dataset,
    metrics: Sequence[Metric],
    judges: Mapping[str, Judge],
    out: Path,
    *,
    store: Path | None = None,
    on_failure: OnFailure = "refuse",
    missing: bool = True,
    rerun: bool = False,
    overview: ReportsOverview | None = None,
    batch: Batching | None = None,
    cluster: ClusterLike = None,
    progress: Progress | None = None,
    labelling: Labelling | None = None,
) -> ReportsResult:
    """Judges every report and writes a run file. With ``rerun`` the store of before is set aside
    (``STORE.before``) and everything is judged anew.

    ``labelling`` holds people's verdicts on requests of these reports, which the run file keeps beside the
    judge's. Raises UsageError where they are values of whole questions and there are several runs, DataError (reports, store, disk) and JudgeError; what was stored by then is kept.
    """
    overview = overview or check_reports(reports, dataset)
    if labelling is not None and labelling.labels.grades and len(overview.runs) > 1:
        raise UsageError(
            f"the labels give values to whole questions, and {len(overview.runs)} runs answer each: "
            "evaluate one run at a time, or label judge requests (view RUN --label --questions 20)"
        )
    kept = store or Path(f"{out}.verdicts")
    if rerun and kept.exists():
        os.replace(kept, kept.with_name(f"{kept.name}.before"))
    done = ReportsResult()
    digest = getattr(dataset.documents, "digest", "")
    await run_cases(
        report_cases(reports, dataset, overview, missing),
        dataset,
        metrics,
        judges,
        partial(
            header_for,
            dataset,
            metrics,
            n=len(dataset),
            labelling=labelling,
            answers="all" if missing else "answered",
            on_failure=on_failure,
            parts={"collection": digest.removeprefix("sha256:")[:8]} if digest else {},
        ),
        partial(_note, done),
        on_failure=on_failure,
        out=out,
        store=kept,
        batch=batch,
        cluster=cluster,
        progress=progress,
        labelling=labelling,
    )
    return done


def _note(done: ReportsResult, case: Case, entry: Entry) -> None:
    answer = case.answer
    if answer.empty and not answer.sentences:
        done.missing += 1
    else:
        done.reports += 1
    cited = [id for sentence in answer.sentences for id in sentence.citations]
    done.citations += len(cited)
    done.unknown += sum(id not in case.documents for id in cited)
    failures = [failure for failures in entry.failures.values() for failure in failures]
    done.failed += bool(failures)
    if failures and len(done.failures) < MOST_LISTED:
        done.failures += [f"{answer.run} {answer.id}: {failure}" for failure in failures[:3]]


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
            yield (
                line.number,
                None,
                [replace(one, level="warning") if one.code == unknown else one for one in found],
            )
        else:
            yield line.number, answer if answer.run else replace(answer, run=file.stem), []
