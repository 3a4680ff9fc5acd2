"""Files of trec-auto-judge's annotation tool: grades of nuggets, and the banks that it exports.

    {"run_id", "query_id", "nugget_id", "question", "grade": 0 to 5, "reasoning", "confidence",
     "addressed_quote"}                                                one grade a line

Source: auto-judge-annotate f5eedbf. A line with ``doc_id`` grades a document's paragraph; the highest of
a document's paragraphs is its grade, and such lines are no grades of a report.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.errors import Code
from argue_bench.loaders.findings import Findings
from argue_bench.records.atomic import atomic_write
from argue_bench.records.display import describe
from argue_bench.records.untrusted import GOLD_LIMITS, read_json, read_lines

MOST = 5
_NAMES = ("run_id", "query_id", "nugget_id")
_HINT = "Write {run_id, query_id, nugget_id, grade} with a grade from 0 to 5."


@dataclass(frozen=True)
class NuggetGrade:
    """How well a report answers one nugget, from 0 to 5."""

    run: str
    topic: str
    nugget: str
    grade: float
    question: str = ""
    reasoning: str = ""
    quote: str = ""
    """The words of the report that answer it."""


def read_grades(path: Path) -> list[NuggetGrade]:
    """The grades of reports in a file. Raises DataError with every finding: shapes, grades, doubles."""
    found = Findings(path)
    grades: dict[tuple[str, str, str], NuggetGrade] = {}
    for line in read_lines(path, GOLD_LIMITS):
        found.extend(line.findings)
        if not line.read:
            continue
        row = line.value if isinstance(line.value, dict) else {}
        if "doc_id" in row and "run_id" not in row:
            continue
        if bad := [key for key in _NAMES if type(row.get(key)) not in (str, int)]:
            found.add(Code.NOT_A_LABEL, f"{bad[0]} is missing", line.number, hint=_HINT)
            continue
        grade = row.get("grade")
        number = isinstance(grade, int | float) and not isinstance(grade, bool)
        if not number or not 0 <= (grade or 0) <= MOST:
            why = f"the grade is {describe(grade)}"
            found.add(Code.NOT_A_LABEL, why, line.number, "$.grade", _HINT)
            continue
        run, topic, nugget = (str(row[key]) for key in _NAMES)
        one = NuggetGrade(
            *(run, topic, nugget, float(grade or 0)),
            *(str(row.get(key) or "") for key in ("question", "reasoning", "addressed_quote")),
        )
        if (run, topic, nugget) in grades:
            why = f"a second grade of the nugget {nugget} for {run} on {topic}"
            found.add(Code.TWO_LABELS, why, line.number, hint="Keep one of them.")
        grades[run, topic, nugget] = one
    if not grades and not found.errors:
        found.add(Code.NO_LABELS, "the file holds no grade")
    found.raise_errors()
    return list(grades.values())


def write_grades(path: Path, grades: Iterable[NuggetGrade]) -> None:
    """Writes the grades as the tool loads them."""
    with atomic_write(path) as file:
        for one in grades:
            row = {
                "run_id": one.run,
                "query_id": one.topic,
                "nugget_id": one.nugget,
                "question": one.question,
                "grade": one.grade,
                "reasoning": one.reasoning,
                "addressed_quote": one.quote,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def read_importance(path: Path) -> dict[str, dict[str, str]]:
    """Topic to nugget to importance (must_have, should_have, avoid) of a file of banks, one a line, or one
    bank; an empty text where none is given. Raises DataError with every finding.
    """
    found = Findings(path)
    topics: dict[str, dict[str, str]] = {}
    lines = read_lines(path, GOLD_LIMITS) if path.suffix == ".jsonl" else ()
    rows = [(line.number, line.value) for line in lines if line.read] or [(1, read_json(path))]
    for number, row in rows:
        bank = row.get("nugget_bank") if isinstance(row, dict) else None
        if not isinstance(bank, dict) or not isinstance(row.get("query_id"), str):
            hint = "A line has query_id and nugget_bank."
            found.add(Code.NUGGET_FILE, "this is not a bank of version 3", number, hint=hint)
            continue
        own = topics.setdefault(row["query_id"], {})
        for question, one in bank.items():
            one = one if isinstance(one, dict) else {}
            id = one.get("question_id") or hashlib.md5(question.encode()).hexdigest()
            own[str(id)] = str(one.get("importance") or "")
    found.raise_errors()
    return topics


def exported_bank(
    topic: str, nuggets: Iterable[Mapping[str, Any]], collection: str | None = None, title: str = ""
) -> dict[str, Any] | None:
    """The line that the tool exports for a topic; None where it has no nugget.

    A nugget has ``nugget_id``, ``text``, ``importance``; one that a person made has ``is_human``. As in
    the tool's file there is neither grade nor weight.
    """
    bank: dict[str, Any] = {}
    for human in (False, True):
        for one in nuggets:
            text = one.get("text") or one.get("question") or ""
            if text and (one.get("is_human") is True) is human:
                bank[text] = {
                    "question": text,
                    "question_id": one.get("nugget_id") or hashlib.md5(text.encode()).hexdigest(),
                    "query_id": topic,
                    "importance": one.get("importance") or "should_have",
                    **(_by_person(one) if human else {"creator": _by_machine(one)}),
                }
    if not bank:
        return None
    return {
        "query_id": topic,
        "title_query": title or topic,
        "format_version": "v3",
        "test_collection": collection or None,
        "nugget_bank": bank,
    }


def _by_machine(nugget: Mapping[str, Any]) -> Any:
    references = nugget.get("references") or None
    unknown = {"is_human": False, "llm_model": "preloaded", "source_data": references}
    return nugget.get("creator") or [unknown]


def _by_person(nugget: Mapping[str, Any]) -> dict[str, Any]:
    creator = {"is_human": True, "assessor_id": nugget.get("created_by") or "annotator"}
    if model := nugget.get("llm_model"):
        creator |= {"llm_model": model, "llm_prompt_strategy": "canonicalized_from_spans"}
    creator |= {key: nugget[key] for key in ("source_data", "created_at") if nugget.get(key)}
    return {
        "creator": [creator],
        "metadata": {
            "source_spans": nugget.get("source_spans") or None,
            "freetext_notes": nugget.get("source_freetext") or None,
        },
    }
