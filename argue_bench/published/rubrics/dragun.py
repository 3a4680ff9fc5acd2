"""The scores of TREC 2025's DRAGUN track from labels, as the track's program gives them.

Source: https://github.com/trec-dragun/resources 4b60fb6, ``utils/score.py``; the testbed's program
(143f4f5) counts alike. A question's labels share its weight; what is supported and what is contradicted
are two scores, over the weights of all questions of the topic's rubric.

The program divides by the labels that a question *has*, so that an answer left unjudged raises the score;
merges questions whose ids end in one number; counts a row twice where it is there twice; and averages a run
over the topics that it has rows for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from argue_bench.errors import Code, DataError, Finding
from argue_bench.published.rubrics.dragun_files import (
    QuestionLabel,
    ReportLabel,
    RubricQuestion,
    Rubrics,
)

Reports = dict[tuple[str, str], "ReportScore"]
"""Scores by topic and run."""

_VALUES = {"supports": 1.0, "partial": 0.5, "contradicts": -1.0, "none": 0.0}
_ALIKE = {"very-similar": 1.0, "similar": 0.5, "different": 0.0, "very-different": 0.0}


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
            share = (question.weight or 0.0) / len(values)
            supportive += share * sum(value for value in values if value > 0)
            contradictory += share * sum(value < 0 for value in values)
    return ReportScore(supportive, contradictory, sum(one.weight or 0.0 for one in questions))


def report_tables(
    scores: Reports, words: Mapping[tuple[str, str], int] | None = None, testbed: bool = False
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """The rows of the per-topic and of the per-run table, best run first.

    ``words`` (by run and topic) add the testbed's columns; ``testbed`` adds them without, empty.
    Raises DataError for a scored report without words.
    """
    if words is not None:
        lacking = sorted(f"{run} on {topic}" for topic, run in scores if (run, topic) not in words)
        if lacking:
            why = f"no report of {lacking[0]}, which has labels ({len(lacking)} such)"
            raise DataError.of(Code.WRONG_VALUE, why, "")
    topics: list[dict[str, object]] = []
    for (topic, run), score in scores.items():
        row: dict[str, object] = {"run_tag": run, "topic_id": topic, **_shares(score)}
        if words is not None or testbed:
            count = (words or {}).get((run, topic))
            row |= {"report_word_count": None if count is None else float(count)}
            row |= {
                f"normalized_{name}": share / count if count else None
                for name, share in _shares(score).items()
            }
        topics.append(row)
    runs = []
    for run in dict.fromkeys(str(row["run_tag"]) for row in topics):
        own = [row for row in topics if row["run_tag"] == run]
        names = [name for name in own[0] if name.endswith("_score")]
        totals: dict[str, object] = {"run_tag": run}
        totals |= {name: _mean([row[name] for row in own]) for name in names}
        if words is not None or testbed:
            counts = [row["report_word_count"] for row in own]
            known = [float(str(count)) for count in counts if count is not None]
            totals["total_report_word_count"] = sum(known, 0.0)
            totals["mean_report_word_count"] = fmean(known) if known else None
        runs.append(totals)
    # The track ranks by what is supported, and breaks ties by what is contradicted.
    runs.sort(
        key=lambda row: (-_number(row["supportive_score"]), _number(row["contradictory_score"]))
    )
    return topics, runs


def _shares(score: ReportScore) -> dict[str, float]:
    return {
        "supportive_score": score.supportive / score.most if score.most else 0.0,
        "contradictory_score": score.contradictory / score.most if score.most else 0.0,
    }


def score_questions(
    rubrics: Rubrics,
    labels: Sequence[QuestionLabel],
    compound: Mapping[tuple[str, str, int], bool],
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
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
    topics: list[dict[str, object]] = []
    for (topic, run), own in sorted(best.items()):
        most = sum(weights[topic][rank] for rank in named[topic])
        earned = sum(weights[topic][rank] * value for rank, value in own.items())
        topics.append({"run_tag": run, "topic_id": topic, "score": earned / most if most else 0.0})
    runs: list[dict[str, object]] = [
        {"run_tag": run, "score": _mean([row["score"] for row in topics if row["run_tag"] == run])}
        for run in dict.fromkeys(str(row["run_tag"]) for row in topics)
    ]
    runs.sort(key=lambda row: -_number(row["score"]))
    return topics, runs


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _mean(values: Collection[object]) -> float | None:
    known = [float(value) for value in values if isinstance(value, (int, float))]
    return fmean(known) if known else None
