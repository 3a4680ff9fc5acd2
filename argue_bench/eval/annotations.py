"""The report as annotations of the answers: one line for each, for the pipeline that made them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from argue_bench.eval.report import Report
from argue_bench.records import Answer, Question
from argue_bench.records.atomic import atomic_write
from argue_bench.stats.averages import columns_of, value_of

_TOLD = ("metric", "lack", "source", "reason", "flag", "probability")


def write_annotations(
    path: Path, report: Report, questions: Iterable[Question], answers: Mapping[str, Answer]
) -> None:
    """A JSON object a line: the scores, failed sentences and missed nuggets of each answer.

    ``id`` is the row's own, or its trace's; ``scores`` hold what applies to it; ``sentences`` are all
    of the answer's, each with what it cites and, where it failed, by which metric and why; ``missed``
    are nuggets. Raises DataError where the disk refuses.
    """
    failed: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for one in report.failed_sentences():
        told = {name: getattr(one, name) for name in _TOLD}
        failed.setdefault((one.question, one.number), []).append(told)
    missed: dict[str, list[dict[str, str]]] = {}
    for nugget in report.missed_nuggets():
        row = nugget._asdict()
        missed.setdefault(row.pop("question"), []).append(row)
    with atomic_write(path) as file:
        for question in questions:
            if question.id not in report.per_question:
                continue
            answer = answers.get(question.id) or Answer(question.id)
            line = {
                "id": question.id,
                "question": question.text,
                "answer": answer.text,
                "scores": _scores_of(report, question.id),
                "sentences": [
                    {
                        "number": number,
                        "start": sentence.start,
                        "end": sentence.end,
                        "text": sentence.text,
                        "citations": list(sentence.citations),
                        "failed": failed.get((question.id, number), []),
                    }
                    for number, sentence in enumerate(answer.sentences, 1)
                ],
                "missed": missed.get(question.id, []),
            }
            file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def _scores_of(report: Report, question: str) -> dict[str, float]:
    """The scores that apply to one question alone, by full key."""
    found: dict[str, float] = {}
    for text, tallies in report.per_question[question].items():
        columns = columns_of([tallies])
        for name, average in report.averages(text).items():
            read = [columns[column] for column in average.columns_read if column in columns]
            # A sum of nothing is 0, which would be told as a score.
            if len(read) == len(average.columns_read) and any(
                one.denominator.any() for one in read
            ):
                value = value_of(average, columns)
                if value is not None:
                    found[f"{text}.{name}"] = value
    return found
