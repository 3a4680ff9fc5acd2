"""DRAGUN's task 1, the questions of a run, and the columns of words that the track's testbed adds to task 2."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.findings import Findings
from argue_bench.published.rubrics.dragun import (
    Reports,
    Row,
    Rubrics,
    check_labels,
    label_of,
    label_rows,
    report_tables,
)
from argue_bench.records.untrusted import GOLD_LIMITS, read_lines

_ALIKE = {"very-similar": 1.0, "similar": 0.5, "different": 0.0, "very-different": 0.0}


QUESTION_LABELS = ("very-similar", "similar", "different", "very-different")


_WORD = re.compile(r"\b[\w'-]+\b")


def score_questions(
    rubrics: Rubrics,
    labels: Sequence[QuestionLabel],
    compound: Mapping[tuple[str, str, int], bool],
) -> tuple[list[Row], list[Row]]:
    """Task 1: the rows of the per-topic and the per-run table of runs that ask questions.

    The best question of a run for each question of the rubric counts, a compound one nothing. The
    divisor is the weight of the rubric's questions that *any* run's rows name on the topic. Raises
    DataError for a rank that the rubric lacks and a question without a compound label.
    """
    weights = {
        topic: {one.rank: one.weight or 0.0 for one in reversed(some)}
        for topic, some in rubrics.items()
    }
    findings = []
    best: dict[tuple[str, str], dict[int, float]] = {}
    named: dict[str, set[int]] = {}
    for row in labels:
        if row.rank not in weights.get(row.topic, ()):
            why = f"the rubric of {row.topic!r:.60} has no question {row.rank}"
            findings.append(Finding(Code.WRONG_VALUE, why, line=row.line))
            continue
        if (twofold := compound.get((row.topic, row.run, row.run_rank))) is None:
            why = f"question {row.run_rank} of {row.run!r:.60} has no compound label"
            findings.append(Finding(Code.WRONG_VALUE, why, line=row.line))
            continue
        named.setdefault(row.topic, set()).add(row.rank)
        own = best.setdefault((row.topic, row.run), {})
        # A compound question earns nothing, and does not take away what another one earned.
        own[row.rank] = max(own.get(row.rank, 0.0), 0.0 if twofold else _ALIKE[row.label])
    if findings:
        raise DataError(findings)
    topics: list[Row] = []
    for (topic, run), own in sorted(best.items()):
        most = sum(weights[topic][rank] for rank in named[topic])
        earned = sum(weights[topic][rank] * value for rank, value in own.items())
        topics.append({"run_tag": run, "topic_id": topic, "score": earned / most if most else 0.0})
    runs: list[Row] = [
        {"run_tag": run, "score": fmean(row["score"] for row in topics if row["run_tag"] == run)}
        for run in dict.fromkeys(str(row["run_tag"]) for row in topics)
    ]
    runs.sort(key=lambda row: -row["score"])
    return topics, runs


class QuestionLabel(NamedTuple):
    """The similarity of a question of the rubric and one of a run."""

    topic: str
    run: str
    rank: int
    run_rank: int
    label: str
    line: int


def read_question_labels(path: Path) -> list[QuestionLabel]:
    """The labels of questions. Raises DataError as `read_report_labels` does."""
    found = Findings(path)
    needed = ("topic_id", "run_tag", "rubric_question_rank", "run_question_rank")
    rows = []
    for line, row in label_rows(path, found, needed):
        ranks = [row["rubric_question_rank"], row["run_question_rank"]]
        if all(text.isascii() and text.isdigit() for text in ranks):
            first, second = map(int, ranks)
            label = label_of(row)
            rows.append(QuestionLabel(row["topic_id"], row["run_tag"], first, second, label, line))
        else:
            found.add(Code.WRONG_VALUE, "a rank is not a number", line)
    check_labels([(row.label, row.line) for row in rows], QUESTION_LABELS, found)
    return rows


def read_compound(path: Path) -> dict[tuple[str, str, int], bool]:
    """Whether a run's question is compound, by topic, run and rank. Raises DataError."""
    found = Findings(path)
    column = "auto_compound_question_assessment"
    compound = {}
    for line, row in label_rows(path, found, ("topic_id", "run_tag", "run_question_rank", column)):
        if not row["run_question_rank"].isdigit() or row[column] not in (
            "compound",
            "not-compound",
        ):
            found.add(Code.WRONG_VALUE, f"{column} is {row[column]!r:.40}", line)
            continue
        key = (row["topic_id"], row["run_tag"], int(row["run_question_rank"]))
        compound[key] = row[column] == "compound"
    found.raise_errors()
    return compound


def report_words(path: Path) -> dict[tuple[str, str], int]:
    """Words of each report in a file of TREC reports (or a folder of such), by run and topic.

    The run is the file's name; of two reports on a topic the last counts, as in the track's testbed.
    """
    files = [one for one in sorted(path.iterdir()) if one.is_file()] if path.is_dir() else [path]
    words: dict[tuple[str, str], int] = {}
    for file in files:
        for line in read_lines(file, GOLD_LIMITS):
            if line.findings:
                raise DataError(line.findings)
            if not line.read:
                continue
            try:
                topic = str(line.value["metadata"]["topic_id"])
                texts = [row["text"] for row in line.value["responses"] if "text" in row]
                words[file.name, topic] = len(_WORD.findall(" ".join(texts)))
            except (KeyError, TypeError):
                message = "this is not a report with a topic_id and responses"
                raise DataError.of(Code.WRONG_VALUE, message, file, line.number) from None
    return words


def testbed_tables(
    scores: Reports, words: Mapping[tuple[str, str], int] | None
) -> tuple[list[Row], list[Row]]:
    """The tables with the testbed's columns; they are empty where no words (by run and topic) are given.

    Raises DataError for a scored report without words.
    """
    topics, runs = report_tables(scores)
    counts = words or {}
    if words is not None and any((run, topic) not in counts for topic, run in scores):
        raise DataError.of(Code.WRONG_VALUE, "a report that has labels is not there", "")
    for row in topics:
        count = counts.get((row["run_tag"], row["topic_id"]))
        shares = {name: value for name, value in row.items() if name.endswith("_score")}
        row["report_word_count"] = None if count is None else float(count)
        for name, share in shares.items():
            row[f"normalized_{name}"] = share / count if count else None
    for total in runs:
        own = [row for row in topics if row["run_tag"] == total["run_tag"]]
        for name in [name for name in own[0] if name.startswith("normalized_")]:
            known = [row[name] for row in own if row[name] is not None]
            total[name] = fmean(known) if known else None
        known = [row["report_word_count"] for row in own if row["report_word_count"] is not None]
        total["total_report_word_count"] = sum(known, 0.0)
        total["mean_report_word_count"] = fmean(known) if known else None
    return topics, runs
