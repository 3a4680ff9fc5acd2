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

The rank of a question is the number after the last hyphen of its id. As in the track's program an empty cell is refused in whatever column it is.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import click

from argue_bench.cli.tables import show_table
from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.findings import Findings
from argue_bench.records import Answer, Criterion, Tally
from argue_bench.records.atomic import atomic_write
from argue_bench.records.grouping import grouped
from argue_bench.records.table import Table, points
from argue_bench.records.untrusted import GOLD_LIMITS, open_bounded, read_json

# Scores by topic and run.
Reports = dict[tuple[str, str], "ReportScore"]
# A row of a table, by column.
Row = dict[str, Any]

_VALUES = {"supports": 1.0, "partial": 0.5, "contradicts": -1.0, "none": 0.0}
# The weight of a question by its importance.
IMPORTANCE = {"A: Have to Know": 4.0, "B: Good to Know": 2.0, "C: Nice to Know": 1.0}
LABEL = "annotation"
_ROW_HINT = "Give each row a value in every column, or leave the column out."
# Cells that the track's program, through pandas, reads as no value; "none" in small letters is a label.
_NO_VALUE = frozenset(
    (
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    )
)


_SHAPE = (
    'A rubric is {"topic_id", "rubrics": [{"question_id": "...-N", "importance", '
    '"short_answers": [{"answer_id"}]}]}.'
)


@dataclass(frozen=True)
class ReportScore:
    """The score of a report's labels: two sums of weights, out of ``most``."""

    supportive: float
    contradictory: float
    most: float


def score_reports(rubrics: Rubrics, labels: Sequence[ReportLabel], file: str = "") -> Reports:
    """The scores of every report that has labels, in the order of topics and runs.

    ``file`` is where the labels are from. Raises DataError with every label of an answer or topic that the
    rubrics do not have, or that is of a question of unknown importance.
    """
    asked = grouped(
        ((topic, id), question)
        for topic, some in rubrics.items()
        for question in some
        for id, _ in question.answers
    )
    # Of questions of one rank the first weighs in the divisor; one without answers is not there.
    weights = {
        topic: {one.rank: one.weight or 0.0 for one in reversed(some) if one.answers}
        for topic, some in rubrics.items()
    }
    findings = []
    for label in labels:
        of = [one.weight for one in asked.get((label.topic, label.answer), ())]
        if not of or None in of:
            which = " of a question whose importance is one of the three" if of else ""
            why = f"the rubric of {label.topic!r:.60} has no answer {label.answer!r:.60}{which}"
            findings.append(Finding(Code.WRONG_VALUE, why, file, label.line))
    if findings:
        raise DataError(findings)
    rows = grouped(((label.topic, label.run), label) for label in labels)
    return {
        key: ReportScore(*_earned(some, asked), sum(weights[key[0]].values()))
        for key, some in sorted(rows.items())
    }


def _earned(
    rows: Sequence[ReportLabel], asked: Mapping[tuple[str, str], Sequence[RubricQuestion]]
) -> tuple[float, float]:
    """What is supported and what is contradicted, weighed."""
    by_rank = grouped(
        (one.rank, (one.weight or 0.0, _VALUES[row.label]))
        for row in rows
        for one in asked[row.topic, row.answer]
    )
    supportive = contradictory = 0.0
    for _, judged in sorted(by_rank.items()):
        # The first label has the weight of all. The divisor is the labels that there are, so that a missing
        # one raises the score. The order of these steps is the program's, to the last digit.
        weight = judged[0][0]
        supportive += weight * (sum(value for _, value in judged if value > 0) / len(judged))
        contradictory += weight * (sum(value < 0 for _, value in judged) / len(judged))
    return supportive, contradictory


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
                # Two rubrics on a topic are one, as in the program.
                rubrics.setdefault(_id(topic["topic_id"]), []).extend(_questions(topic["rubrics"]))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            why = f"a key is missing: {error}" if isinstance(error, KeyError) else error
            found.add(Code.WRONG_SHAPE, f"this is not a DRAGUN rubric: {why}", hint=_SHAPE)
    if not rubrics and not found.errors:
        found.add(Code.WRONG_SHAPE, "there is no rubric here")
    found.raise_errors()
    return rubrics


def _questions(rows: Iterable[Any]) -> Iterator[RubricQuestion]:
    """The questions that have answers: the track's program does not look at others."""
    for row in rows:
        if answers := [
            (_id(a["answer_id"]), str(a.get("answer_text") or "")) for a in row["short_answers"]
        ]:
            id, weight = row["question_id"], IMPORTANCE.get(row["importance"])
            try:
                rank = int(id.rpartition("-")[2])
            except (AttributeError, ValueError):
                raise ValueError(
                    f"the question id {id!r:.60} does not end in a hyphen and a number"
                ) from None
            yield RubricQuestion(
                id, rank, str(row.get("question_text") or ""), weight, tuple(answers)
            )


def _id(value: Any) -> str:
    if type(value) not in (str, int):
        raise ValueError(f"an id is {value!r:.60}, expected a text")
    return str(value)


def read_report_labels(path: Path) -> list[ReportLabel]:
    """The labels of reports. Raises DataError with every finding: empty cells, unknown labels, no row."""
    found = Findings(path)
    rows = [
        ReportLabel(row["topic_id"], row["run_tag"], row["answer_id"], row[LABEL], line)
        for line, row in label_rows(path, found, ("topic_id", "run_tag", "answer_id"))
    ]
    check_labels([(row.label, row.line) for row in rows], tuple(_VALUES), found)
    return rows


def label_rows(
    path: Path, found: Findings, needed: Collection[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a CSV file with their lines; empty cells become findings."""
    with open_bounded(path, GOLD_LIMITS, str(path)) as file:
        try:
            text = file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise DataError.of(
                Code.NOT_UTF_8, f"byte {error.start} is not UTF-8", path, hint="Save it as UTF-8."
            ) from None
    reader = csv.DictReader(io.StringIO(text))
    try:
        names = list(reader.fieldnames or ())
        for name in (one for one in needed if names.count(one) != 1):
            times = names.count(name)
            found.add(Code.WRONG_VALUE, f"the column {name} is there {times} times, not once", 1)
        found.raise_errors()
        for row in reader:
            # A short row lacks cells; what a long one has more is a list under no name.
            if empty := [
                str(name)
                for name, cell in row.items()
                if not isinstance(cell, str) or cell in _NO_VALUE
            ]:
                more = "the row has more cells than the head"
                why = more if None in row else f"no value: {', '.join(empty)}"
                found.add(Code.WRONG_VALUE, why, reader.line_num, hint=_ROW_HINT)
            else:
                yield reader.line_num, {LABEL: row.get("auto_assessment", ""), **row}
    except csv.Error as error:
        found.add(Code.WRONG_VALUE, f"this is not CSV: {error}", reader.line_num)


def check_labels(labels: Sequence[tuple[str, int]], known: Sequence[str], found: Findings) -> None:
    """Raises DataError with all findings: a label, each with its line, that is not known, or none at all."""
    for label, line in labels:
        if label not in known:
            found.add(
                Code.WRONG_VALUE, f"the label is {label!r:.40}, none of: {', '.join(known)}", line
            )
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
            found.add(
                Code.WRONG_VALUE,
                f"topic {topic}: the importance of {odd[0]} is none of: {', '.join(IMPORTANCE)}",
            )
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
        if twice := [id for id, n in Counter(one.id for one in gold[topic]).items() if n > 1]:
            found.add(Code.DUPLICATE_ID, f"topic {topic}: the answer {twice[0]} is there twice")
    found.raise_errors()
    return gold


def dragun(labels: Path, rubrics: Path, out: Path) -> None:
    """Makes TREC DRAGUN's tables of its ``labels`` and rubrics, and run files for `compare`.

    ``labels`` is a CSV file of the assessors or of the track's judge. ``out`` gets per_topic_results.csv,
    per_run_results.csv and runs/RUN.jsonl.
    """
    scores = score_reports(read_rubrics(rubrics), read_report_labels(labels), str(labels))
    topics, runs = report_tables(scores)
    _write_runs(out / "runs", scores, labels)
    _write(out / "per_topic_results.csv", topics)
    _write(out / "per_run_results.csv", runs)
    cells = [(run, *map(points, shares)) for run, *shares in (row.values() for row in runs)]
    names = (name.replace("_", " ") for name in [*runs[0]][1:])
    show_table(Table(("run", *names), cells, right=(1, 2)))
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
    from argue_bench.records.display import escape

    digest, text = hashlib.sha256(labels.read_bytes()).hexdigest(), str(Dragun())
    data = f"dragun@{digest[:8]}"
    signature = {
        "metric": text,
        "data": data,
        "judge": f"labels:{labels.name}",
        "counted": "dragun",
    }
    header, files = Header(data, f"sha256:{digest}", (text,), {text: signature}), dict[str, str]()
    for run in dict.fromkeys(run for _, run in scores):
        file = f"{escape(run).replace('/', '_')}.jsonl"
        if (other := files.setdefault(file, run)) != run:
            why = f"the runs {other!r:.60} and {run!r:.60} would both be {file}"
            raise DataError.of(Code.BAD_NAME, why, labels, hint="Rename one of them.")
        with write_run(folder / file, header) as write:
            for (topic, name), score in scores.items():
                if name == run:
                    both = {"supportive": score.supportive, "contradictory": score.contradictory}
                    tallies = {key: Tally(earned, score.most) for key, earned in both.items()}
                    write(entry_line(Entry(Answer(topic, run=run), {text: tallies}, {text: ()})))
