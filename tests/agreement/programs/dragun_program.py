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
    LABEL,
    Reports,
    Row,
    Rubrics,
    check_labels,
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
    # A rank has the weights of all its questions; the program repeats the row for each of them.
    weights: dict[str, dict[int, list[float | None]]] = {}
    for topic, question in ((topic, one) for topic, some in rubrics.items() for one in some):
        weights.setdefault(topic, {}).setdefault(question.rank, []).append(question.weight)
    findings = []
    best: dict[tuple[str, str], dict[int, float]] = {}
    named: dict[str, set[int]] = {}
    for row in labels:
        own_weights = weights.get(row.topic, {}).get(row.rank)
        twofold = compound.get((row.topic, row.run, row.run_rank))
        if own_weights is None:
            why = f"the rubric of {row.topic!r:.60} has no question {row.rank}"
        elif None in own_weights:
            why = f"the importance of the question {row.rank} of {row.topic!r:.60} is not known"
        elif twofold is None:
            why = f"question {row.run_rank} of {row.run!r:.60} has no compound label"
        else:
            named.setdefault(row.topic, set()).add(row.rank)
            own = best.setdefault((row.topic, row.run), {})
            # A compound question earns nothing, and does not take away what another one earned.
            worth = 0.0 if twofold else _ALIKE[row.label] * max(one or 0.0 for one in own_weights)
            own[row.rank] = max(own.get(row.rank, 0.0), worth)
            continue
        findings.append(Finding(Code.WRONG_VALUE, why, line=row.line))
    if findings:
        raise DataError(findings)
    topics: list[Row] = []
    for (topic, run), own in sorted(best.items()):
        most = sum(weights[topic][rank][0] or 0.0 for rank in named[topic])
        topics.append({"run_tag": run, "topic_id": topic, "score": sum(own.values()) / most})
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
        first, second = rank_of(row["rubric_question_rank"]), rank_of(row["run_question_rank"])
        if first is not None and second is not None:
            label = row[LABEL]
            rows.append(QuestionLabel(row["topic_id"], row["run_tag"], first, second, label, line))
        else:
            found.add(Code.WRONG_VALUE, "a rank is not a number", line)
    check_labels([(row.label, row.line) for row in rows], QUESTION_LABELS, found)
    return rows


def rank_of(text: str) -> int | None:
    """A rank; pandas reads "2.0" as 2."""
    try:
        number = float(text)
        return int(number) if number == int(number) else None
    except (OverflowError, ValueError):
        return None


def read_compound(path: Path) -> dict[tuple[str, str, int], bool]:
    """Whether a run's question is compound, by topic, run and rank. Raises DataError."""
    found = Findings(path)
    column = "auto_compound_question_assessment"
    compound: dict[tuple[str, str, int], bool] = {}
    for line, row in label_rows(path, found, ("topic_id", "run_tag", "run_question_rank", column)):
        rank = rank_of(row["run_question_rank"])
        if rank is None or row[column] not in ("compound", "not-compound"):
            found.add(Code.WRONG_VALUE, f"{column} is {row[column]!r:.40}", line)
            continue
        key = (row["topic_id"], row["run_tag"], rank)
        # Of two labels of one question the program takes the better.
        compound[key] = row[column] == "compound" and compound.get(key, True)
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
                texts = [str(row.get("text", "")) for row in line.value.get("responses", [])]
                words[file.name, topic] = len(_WORD.findall(" ".join(texts)))
            except (AttributeError, KeyError, TypeError):
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
