"""Nuggets written as banks of version 3, which Auto-ARGUE, trec-auto-judge and `--nuggets` read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.records import Nugget, Question, Request
from argue_bench.records.atomic import write_lines, write_text

SUFFIX = ".v3.json"


def write_topics(folder: Path, questions: Iterable[Question]) -> list[Path]:
    """Writes the nuggets of each question as a file that `read_topics` and Auto-ARGUE read.

    Wrong answers are under ``wrong``, which Auto-ARGUE does not know. Raises DataError where the disk
    refuses, and where an id can't be a file's name.
    """
    written = []
    for question in questions:
        # The topic is read back as the part of the name after the last "_".
        if not question.id or set(question.id) & set("/_\\\0"):
            raise DataError.of(Code.WRONG_SHAPE, f"{question.id!r} can't be part of a file's name")
        path = folder / f"nuggets_{question.id}{SUFFIX}"
        write_text(path, json.dumps(bank_of(question), ensure_ascii=False, indent=1))
        written.append(path)
    return written


def write_banks(path: Path, questions: Iterable[Question]) -> None:
    """Writes the nuggets of each question as one line, which trec-auto-judge and `read_topics` read."""
    write_lines(path, map(bank_of, questions))


def write_qrels(path: Path, grades: Iterable[tuple[str, str, int]]) -> None:
    """Writes grades of (topic, document), sorted by both as texts.

    Raises DataError for ids with blanks, whose lines no program could read again.
    """
    rows = sorted(grades)
    if wrong := {name for row in rows for name in row[:2] if name.split() != [name]}:
        raise DataError(
            Finding(
                Code.BAD_NAME,
                f"{name!r} has blanks or is empty, so it does not fit into a column",
                str(path),
                hint="Rename it.",
            )
            for name in sorted(wrong)
        )
    write_text(path, *(f"{topic} 0 {document} {grade}\n" for topic, document, grade in rows))


def bank_of(question: Question) -> dict[str, Any]:
    """The nuggets of a question as a bank of version 3.

    A bank has one place for each question: nuggets that ask the same are claims in it. Raises DataError
    for one of those that has not exactly one answer.
    """
    request = question.request or Request(problem_statement=question.text)
    nuggets = question.gold.nuggets if question.gold is not None else ()
    asked = Counter(nugget.question for nugget in nuggets)
    claims = [nugget for nugget in nuggets if asked[nugget.question] > 1]
    if odd := [nugget.id for nugget in claims if len(nugget.answers) != 1]:
        message = f"the nugget {odd[0]} asks what another asks, and has not exactly one answer"
        raise DataError.of(Code.WRONG_SHAPE, message, hint="Ask another question.")
    claimed = {
        nugget.answers[0].text: {
            "claim": nugget.answers[0].text,
            "claim_id": nugget.id,
            "question": nugget.question,
            "references": [{"doc_id": id} for id in nugget.answers[0].references],
            **_common(nugget, question.id),
        }
        for nugget in claims
    }
    return {
        "query_id": question.id,
        "title_query": request.title,
        "full_query": request.problem_statement,
        "full_background": request.background,
        "format_version": "v3",
        "nugget_bank": {
            nugget.question: {
                "question": nugget.question,
                "question_id": nugget.id,
                "aggregator_type": "AND" if nugget.combine == "all" else "OR",
                **_common(nugget, question.id),
                "answers": {
                    answer.text: {
                        "answer": answer.text,
                        "references": [{"doc_id": id} for id in answer.references],
                    }
                    for answer in nugget.answers
                },
                **({"wrong": list(nugget.wrong)} if nugget.wrong else {}),
            }
            for nugget in nuggets
            if asked[nugget.question] == 1
        },
        **({"claim_bank": claimed} if claimed else {}),
    }


def _common(nugget: Nugget, topic: str) -> dict[str, Any]:
    return {"query_id": topic} | ({} if nugget.weight is None else {"importance": nugget.weight})
