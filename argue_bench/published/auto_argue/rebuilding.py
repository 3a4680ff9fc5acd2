"""Judgments that were made before: Auto-ARGUE's file counted, a run file written as one, and back.

No judge is called. A judgment that is missing is an error, never a guess. One report is in memory at
a time; of each run only numbers are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from argue_bench.errors import Code, DataError, Finding
from argue_bench.eval.report import score_all
from argue_bench.eval.run import (
    Entry,
    Header,
    entry_line,
    read_entries,
    read_header,
    write_run,
)
from argue_bench.eval.signature import MOST_LEFT_OUT, judge_text, without_observed
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics.argue.argue import Argue, count_report
from argue_bench.metrics.argue.judging import JudgedReport, Preset, judge_report
from argue_bench.metrics.base import Tallies
from argue_bench.published.auto_argue.files import Judgments, check_judgments, read_judgments
from argue_bench.published.auto_argue.judgments import as_judgments, report_from_judgments
from argue_bench.published.auto_argue.score_rows import (
    ALL,
    ALL_ROWS,
    MISSING_CITATION,
    SHARES,
    TOPIC_ROWS,
    ScoreRow,
)
from argue_bench.records import Document, JudgeRequest, Verdict
from argue_bench.store import Store

_TITLED = re.compile(r"Title:[ ]*(?P<title>[^\n]*)\n+Content:\s*(?P<text>.*)", re.DOTALL)

ReportTallies = tuple[str, str, Tallies | None]
"""Run, topic, and tallies; None where a verdict failed."""


def score_rows(
    counted: Iterable[ReportTallies],
    rules: Preset,
    on_failure: str = "refuse",
    most_left_out: float = MOST_LEFT_OUT,
) -> Iterator[ScoreRow]:
    """The 20 rows of every report as it comes, then the 28 of every run's topic ``all``.

    A row that does not apply is left out, and so are the ``all`` rows of a run with failed reports,
    unless ``on_failure`` tolerates them.
    """
    runs: dict[str, list[Tallies | None]] = {}
    for run, topic, tallies in counted:
        runs.setdefault(run, []).append(tallies)
        for name in (*TOPIC_ROWS, *MISSING_CITATION):
            if tallies is not None and (value := tallies[name].value) is not None:
                yield ScoreRow(run, topic, name, value)
    metric = Argue(rules=rules)
    for run, rows in runs.items():
        scores = score_all(metric, rows, on_failure, most_left_out)
        for name in (*ALL_ROWS, *MISSING_CITATION):
            # Our plain name of a share is the mean over topics, which Auto-ARGUE calls macro.
            plain = name.removesuffix("_macro")
            value = scores[f"{metric}.{plain if plain in SHARES else name}"].value
            if value is not None:
                yield ScoreRow(run, ALL, name, value)


def judged_reports(
    path: Path, dataset: Dataset, rules: Preset, validate: bool = False
) -> Iterator[tuple[Judgments, JudgedReport]]:
    """Auto-ARGUE's judgments, read under these rules; ``validate`` refuses them with any warning.

    Raises DataError when the file is through, with the findings of every report that was refused.
    """
    findings: list[Finding] = []
    seen: set[tuple[str, str]] = set()
    for judged in read_judgments(path):
        run, topic = judged.run, judged.topic
        question = dataset.by_id.get(topic)
        if question is None or question.gold is None:
            why, hint = f"there are no nuggets for topic {topic!r}", "Name them with --nuggets."
            findings.append(Finding(Code.UNKNOWN_ID, why, str(path), hint=hint))
            continue
        # Which of two is meant cannot be known.
        if (run, topic) in seen:
            why = f"run {run!r}, topic {topic!r} twice"
            findings.append(Finding(Code.DUPLICATE_TOPICS, why, str(path)))
            continue
        seen.add((run, topic))
        nuggets = question.gold.nuggets
        try:
            if validate and (doubts := check_judgments(judged, nuggets)):
                raise DataError(doubts)
            yield judged, report_from_judgments(judged, nuggets, rules)
        except DataError as error:
            findings.extend(error.findings)
    if findings:
        raise DataError(findings)
    if not seen:
        raise DataError.of(
            Code.EMPTY,
            "the file holds no judged report",
            path,
            hint="Have reports judged with: argue-bench auto-argue REPORTS NUGGETS PREFIX",
        )


def stored_judgments(path: Path, dataset: Dataset, metric: Argue) -> Iterator[Judgments]:
    """The reports of a run file as Auto-ARGUE's judgments, from the store beside it; failed ones are
    left out. ``dataset`` is the one that the reports were judged on, with its documents."""
    header, text = read_header(path), str(metric)
    evaluator = header.signature[text]["judge"]
    # The parts as the user named them, else the collection's own name.
    places = header.source.get("collection", ())
    names = header.source.get("subset") or [Path(place).name.partition(".")[0] for place in places]
    with Store(path.parent / header.store, write=False) as store:
        # One store may hold verdicts of several judges; the signature names this run's.
        (judge,) = (
            row
            for row in store.judges()
            if judge_text(row.name, row.identity) == without_observed(evaluator)
        )
        for entry in read_entries(path):
            answer = entry.answer
            if entry.tallies[text] is None or not answer.sentences:
                continue
            requests: dict[str, JudgeRequest] = {
                key: request
                for key in entry.requests[text]
                if (request := store.request(key)) is not None
            }
            words = entry.defaults.get(text, {})
            # What failed and was filled by a default is in the run file, not in the store.
            found = store.find(judge, list(requests.values())) | {
                key: Verdict(word, note="default") for key, word in words.items()
            }
            verdicts = {requests[key]: verdict for key, verdict in found.items() if key in requests}
            question = dataset.question(answer.id)
            documents = dataset.citable(question)
            report = judge_report(question, answer, documents, verdicts, metric.decided)
            yield as_judgments(report, answer, documents, evaluator, names)


def write_judged_run(
    path: Path, dataset: Dataset, rules: Preset, out: Path
) -> dict[tuple[str, str], JudgedReport]:
    """Writes Auto-ARGUE's judgments as a run file, without requests; the judged reports by run and topic.

    Raises what `judged_reports` raises.
    """
    metric = Argue(rules=rules)
    text = str(metric)
    signature = {"metric": text, "data": dataset.title, "judge": path.name}
    header = Header(dataset.title, dataset.digest, (text,), {text: signature})
    kept: dict[tuple[str, str], JudgedReport] = {}
    with write_run(out, header) as write:
        for judged, report in judged_reports(path, dataset, rules):
            kept[judged.run, judged.topic] = report
            tallies = count_report(report, metric.decided)
            write(entry_line(Entry(judged.answer, {text: tallies}, {text: ()})))
    return kept


def judged_documents(path: Path) -> dict[str, Document]:
    """The documents that a judgments file holds; ``Title: ...`` before the text becomes the title."""
    found: dict[str, Document] = {}
    for judged in read_judgments(path):
        for id, document in judged.documents.items():
            # As ARGUE-viz reads the texts of the file.
            match = _TITLED.match(document.text)
            title, text = (match["title"], match["text"]) if match else ("", document.text)
            found[id] = Document(id, text, title)
    return found
