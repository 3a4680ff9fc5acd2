"""``board import --rubrics``: the scores of TREC 2025's DRAGUN track from labels, as the track's program gives them.

Its tables, and run files of them.

Source: https://github.com/trec-dragun/resources 4b60fb6, ``utils/score.py``; the testbed's program
(143f4f5) counts alike. A question's labels share its weight; what is supported and what is contradicted
are two scores, over the weights of all questions of the topic's rubric.

The program divides by the labels that a question *has*, so that an answer left unjudged raises the score;
merges questions whose ids end in one number; counts a row twice where it is there twice; and averages a run
over the topics that it has rows for. Its files:

    rubrics        {"topic_id", "rubrics": [{"question_id": "...-N", "question_text", "importance",
                   "short_answers": [{"answer_id", "answer_text"}]}]}, a file a topic, or several in one
    reports        CSV: topic_id, run_tag, answer_id, annotation (or auto_assessment)

The rank of a question is the number at the end of its id. As in the track's program an empty cell is refused in whatever column it is.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import click

from argue_bench.cli.tables import show_table
from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.findings import Findings
from argue_bench.records import Criterion
from argue_bench.records.atomic import atomic_write
from argue_bench.records.table import Table, points
from argue_bench.records.untrusted import GOLD_LIMITS, open_bounded, read_json

# Scores by topic and run.
Reports = dict[tuple[str, str], "ReportScore"]
# A row of a table, by column.
Row = dict[str, Any]

_VALUES = {"supports": 1.0, "partial": 0.5, "contradicts": -1.0, "none": 0.0}
# The weight of a question by its importance.
IMPORTANCE = {"A: Have to Know": 4.0, "B: Good to Know": 2.0, "C: Nice to Know": 1.0}
# Cells that the track's program, through pandas, reads as no value; "none" in small letters is a label.
_NO_VALUE = frozenset(
    (
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    )
)


@dataclass(frozen=True)
class ReportScore:
    """The score of a report's labels: two sums of weights, out of ``most``."""

    supportive: float
    contradictory: float
    most: float


def score_reports(rubrics: Rubrics, labels: Sequence[ReportLabel]) -> Reports:
    """The scores of every report that has labels, in the order of topics and runs.

    Raises DataError with every label of an answer or topic that the rubrics do not have, or that is of a
    question of unknown importance.
    """
    questions = {topic: _merged(some) for topic, some in rubrics.items()}
    weights = {
        (topic, id): one.weight
        for topic, some in questions.items()
        for one in some
        for id, _ in one.answers
    }
    findings = []
    rows: dict[tuple[str, str], list[ReportLabel]] = {}
    for label in labels:
        rows.setdefault((label.topic, label.run), []).append(label)
        if weights.get((label.topic, label.answer)) is None:
            message = f"the rubric of {label.topic!r:.60} has no answer {label.answer!r:.60}"
            if (label.topic, label.answer) in weights:
                message += " of a question whose importance is one of the three"
            findings.append(Finding(Code.WRONG_VALUE, message, line=label.line))
    if findings:
        raise DataError(findings)
    return {key: _score(questions[key[0]], some) for key, some in sorted(rows.items())}


def _merged(some: Sequence[RubricQuestion]) -> list[RubricQuestion]:
    """The questions with answers; those of one rank are one."""
    merged: dict[int, RubricQuestion] = {}
    for one in some:
        first = merged.get(one.rank)
        if first is not None:
            merged[one.rank] = replace(first, answers=first.answers + one.answers)
        elif one.answers:
            merged[one.rank] = one
    return list(merged.values())


def _score(questions: Sequence[RubricQuestion], rows: Sequence[ReportLabel]) -> ReportScore:
    supportive = contradictory = 0.0
    for question in questions:
        values = [
            _VALUES[row.label] for row in rows for id, _ in question.answers if id == row.answer
        ]
        if values:
            # The divisor is the labels that there are, so that a missing one raises the score.
            # The order of these steps is the program's, so that its cells come out to the last digit.
            weight = question.weight or 0.0
            supportive += weight * (sum(value for value in values if value > 0) / len(values))
            contradictory += weight * (sum(value < 0 for value in values) / len(values))
    return ReportScore(supportive, contradictory, sum(one.weight or 0.0 for one in questions))


def report_tables(scores: Reports) -> tuple[list[Row], list[Row]]:
    """The rows of the per-topic and of the per-run table, best run first."""
    topics: list[Row] = [
        {"run_tag": run, "topic_id": topic, **_shares(score)}
        for (topic, run), score in scores.items()
    ]
    runs: list[Row] = []
    for run in dict.fromkeys(run for _, run in scores):
        own = [_shares(score) for (_, name), score in scores.items() if name == run]
        runs.append({"run_tag": run, **{name: fmean(row[name] for row in own) for name in own[0]}})
    # The track ranks by what is supported, and breaks ties by what is contradicted.
    runs.sort(key=lambda row: (-row["supportive_score"], row["contradictory_score"]))
    return topics, runs


def _shares(score: ReportScore) -> dict[str, float]:
    return {
        "supportive_score": score.supportive / score.most if score.most else 0.0,
        "contradictory_score": score.contradictory / score.most if score.most else 0.0,
    }


@dataclass(frozen=True)
class RubricQuestion:
    """A question of a rubric. ``weight`` is None where its importance is none of the three."""

    id: str
    rank: int
    text: str
    weight: float | None
    answers: tuple[tuple[str, str], ...]
    """Id and text of each short answer."""


# The questions of each topic.
Rubrics = Mapping[str, Sequence[RubricQuestion]]


class ReportLabel(NamedTuple):
    """The label of one short answer in a report."""

    topic: str
    run: str
    answer: str
    label: str
    line: int


def read_rubrics(path: Path) -> dict[str, list[RubricQuestion]]:
    """The rubrics of a file, or of every ``*.json`` of a folder. Raises DataError with all findings."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    rubrics: dict[str, list[RubricQuestion]] = {}
    found = Findings(path)
    for file in files:
        found.file = str(file)
        value: Any = read_json(file, GOLD_LIMITS)
        several = value.get("rubrics") if isinstance(value, dict) else value
        topics: Any = [value] if isinstance(value, dict) and "topic_id" in value else several
        try:
            for topic in topics if isinstance(topics, list) else [topics]:
                rubrics[topic["topic_id"]] = [_question(one) for one in topic["rubrics"]]
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            found.add(Code.WRONG_SHAPE, f"this is not a DRAGUN rubric: {error}")
    if not rubrics and not found.errors:
        found.add(Code.WRONG_SHAPE, "there is no rubric here")
    found.raise_errors()
    return rubrics


def _question(row: Any) -> RubricQuestion:
    id = str(row["question_id"])
    rank = re.search(r"(\d+)\Z", id)
    if rank is None:
        raise ValueError(f"the question id {id!r} does not end in a number")
    answers = tuple(
        (str(a["answer_id"]), str(a.get("answer_text", ""))) for a in row["short_answers"]
    )
    text, weight = str(row.get("question_text", "")), IMPORTANCE.get(row.get("importance"))
    return RubricQuestion(id, int(rank[1]), text, weight, answers)


def read_report_labels(path: Path) -> list[ReportLabel]:
    """The labels of reports. Raises DataError with every finding: empty cells, unknown labels, no row."""
    found = Findings(path)
    rows = [
        ReportLabel(row["topic_id"], row["run_tag"], row["answer_id"], label_of(row), line)
        for line, row in label_rows(path, found, ("topic_id", "run_tag", "answer_id"))
    ]
    check_labels([(row.label, row.line) for row in rows], tuple(_VALUES), found)
    return rows


def label_of(row: Mapping[str, str]) -> str:
    return row.get("annotation", row.get("auto_assessment", ""))


def label_rows(
    path: Path, found: Findings, needed: Collection[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a CSV file with their lines; empty cells become findings."""
    with open_bounded(path, GOLD_LIMITS, str(path)) as file:
        text = file.read().decode("utf-8-sig", "replace")
    reader = csv.DictReader(io.StringIO(text))
    if lacking := [name for name in needed if name not in (reader.fieldnames or ())]:
        found.add(Code.WRONG_VALUE, f"the columns {', '.join(lacking)} are missing", 1)
        found.raise_errors()
    try:
        for row in reader:
            if empty := [
                str(name) for name, cell in row.items() if cell is None or cell in _NO_VALUE
            ]:
                hint = "Give each row a value in every column, or leave the column out."
                found.add(
                    Code.WRONG_VALUE, f"no value: {', '.join(empty)}", reader.line_num, hint=hint
                )
                continue
            yield reader.line_num, row
    except csv.Error as error:
        found.add(Code.WRONG_VALUE, f"this is not CSV: {error}", reader.line_num)


def check_labels(labels: Sequence[tuple[str, int]], known: Sequence[str], found: Findings) -> None:
    """Raises DataError with all findings: a label, each with its line, that is not known, or none at all."""
    for label, line in labels:
        if label not in known:
            hint = f"Labels: {', '.join(known)}."
            found.add(Code.WRONG_VALUE, f"the label is {label!r:.40}", line, hint=hint)
    if not labels and not found.errors:
        found.add(Code.WRONG_VALUE, "there is no row")
    found.raise_errors()


def gold_rubrics(path: Path) -> dict[str, tuple[Criterion, ...]]:
    """Each topic's rubric as gold for the metric `rubric`: the short answers of a question are one group.

    Raises DataError with all findings, a question of unknown importance among them.
    """
    rubrics, found = read_rubrics(path), Findings(path)
    gold: dict[str, tuple[Criterion, ...]] = {}
    for topic, questions in rubrics.items():
        if odd := [one.id for one in questions if one.weight is None]:
            why = f"topic {topic}: the importance of {odd[0]} is none of: {', '.join(IMPORTANCE)}"
            found.add(Code.WRONG_VALUE, why)
        gold[topic] = tuple(
            Criterion(
                f"{question.id}:{id}",
                f"Says in answer to the question {question.text!r}: {text}",
                question.weight or 0.0,
                group=question.id,
            )
            for question in questions
            for id, text in question.answers
        )
    found.raise_errors()
    return gold


def dragun(labels: Path, rubrics: Path, out: Path) -> None:
    """Makes TREC DRAGUN's tables of its ``labels`` and rubrics, and run files for `compare`.

    ``labels`` is a CSV file of the assessors or of the track's judge. ``out`` gets per_topic_results.csv,
    per_run_results.csv and runs/RUN.jsonl.
    """
    scores = score_reports(read_rubrics(rubrics), read_report_labels(labels))
    topics, runs = report_tables(scores)
    _write_runs(out / "runs", scores, labels)
    _write(out / "per_topic_results.csv", topics)
    _write(out / "per_run_results.csv", runs)
    cells = [(run, *map(points, shares)) for run, *shares in (row.values() for row in runs)]
    head = tuple(name.replace("_", " ") for name in runs[0])
    table = Table(("run", *head[1:]), cells, right=(1, 2))
    show_table(table)
    click.echo(f"{out}: {len(runs)} runs, {len(topics):,} rows by topic", err=True)


def _write(path: Path, rows: Sequence[Row]) -> None:
    with atomic_write(path) as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_runs(folder: Path, scores: Reports, labels: Path) -> None:
    """Writes RUN.jsonl for each run, with its supportive and contradictory scores on each topic.

    A run file holds tallies, whoever judged; so `compare`, bands and power read these like any other. The
    signature names the labels' file with the first digits of its SHA-256.
    """
    from argue_bench.eval.run import Entry, Header, entry_line, write_run
    from argue_bench.published.rubrics.rubric import Dragun
    from argue_bench.records import Answer, Tally
    from argue_bench.records.display import escape

    digest, text = hashlib.sha256(labels.read_bytes()).hexdigest(), str(Dragun())
    data = f"dragun@{digest[:8]}"
    signature = {
        "metric": text,
        "data": data,
        "judge": f"labels:{labels.name}",
        "counted": "dragun",
    }
    header = Header(data, f"sha256:{digest}", (text,), {text: signature})
    for run in dict.fromkeys(run for _, run in scores):
        with write_run(folder / f"{escape(run).replace('/', '_')}.jsonl", header) as write:
            for (topic, name), score in scores.items():
                if name == run:
                    tallies = {
                        "supportive": Tally(score.supportive, score.most),
                        "contradictory": Tally(score.contradictory, score.most),
                    }
                    write(entry_line(Entry(Answer(topic, run=run), {text: tallies}, {text: ()})))
