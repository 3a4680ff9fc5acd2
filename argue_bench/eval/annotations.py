"""The report as annotations of the answers: one line for each, for the pipeline that made them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from argue_bench.eval.report import FailedSentence, Report
from argue_bench.records import Answer, Question
from argue_bench.stats.averages import columns_of, value_of


def annotated_answers(
    report: Report, questions: Iterable[Question], answers: Mapping[str, Answer]
) -> Iterator[dict[str, Any]]:
    """The scores, failed sentences and missed nuggets of each answer, as plain data.

    ``id`` is the row's own, or its trace's; ``scores`` hold what applies to it; ``sentences`` are all
    of the answer's, each with what it cites and, where it failed, by which metric and why; ``missed``
    are nuggets.
    """
    failed: dict[str, dict[int, list[FailedSentence]]] = {}
    for one in report.failed_sentences():
        failed.setdefault(one.question, {}).setdefault(one.number, []).append(one)
    missed: dict[str, list[dict[str, str]]] = {}
    for nugget in report.missed_nuggets():
        row = nugget._asdict()
        missed.setdefault(row.pop("question"), []).append(row)
    for question in questions:
        if question.id not in report.per_question:
            continue
        answer = answers.get(question.id) or Answer(question.id)
        yield {
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
                    "failed": [
                        {
                            "metric": f.metric,
                            "lack": f.lack,
                            "source": f.source,
                            "reason": f.reason,
                            "flag": f.flag,
                            "probability": f.probability,
                        }
                        for f in failed.get(question.id, {}).get(number, ())
                    ],
                }
                for number, sentence in enumerate(answer.sentences, 1)
            ],
            "missed": missed.get(question.id, []),
        }


def _scores_of(report: Report, question: str) -> dict[str, float]:
    """The scores that apply to one question alone, by full key."""
    found: dict[str, float] = {}
    for text, tallies in report.per_question[question].items():
        columns = columns_of([tallies])
        for name, average in report.averages(text).items():
            if any(column not in columns for column in average.columns_read):
                continue
            if not any(np.any(columns[c].denominator != 0) for c in average.columns_read):
                continue
            value = value_of(average, columns)
            if value is not None:
                found[f"{text}.{name}"] = value
    return found


def write_annotations(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """A JSON object a line. Raises DataError where the disk refuses."""
    from argue_bench.records.atomic import atomic_write

    with atomic_write(path) as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
