"""FanOutQA: questions that fan out over many Wikipedia pages (Zhu, Hwang, Dugan, Callison-Burch 2024).

Two JSON files, each a list. dev: id, question, decomposition (a tree of steps with their answers,
evidence and what they depend on), answer (a plain value, list or mapping), categories. test: id,
question, necessary_evidence, categories, and no answers; a file with answers gives gold also there,
which is how an organiser scores it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.core_rows import frozen
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Evidence, Gold, Question, SubQuestion
from argue_bench.records.untrusted import read_json

METRICS = ("accuracy(rules=fanoutqa)", "rouge")
VERSION = "989f4c4"
"""The commit of zhudotexe/fanoutqa that is fetched where no path is given (release 1.3.0)."""
_PLACE = f"https://raw.githubusercontent.com/zhudotexe/fanoutqa/{VERSION}/fanoutqa/data"
_SHA256 = {
    "dev": "b62a9797732c716e6b17ba4086f277d154d747ce2fa01614cb76a3372e7fb88c",
    "test": "e823838ab00d4fe875e0f9921ce07a7abe8806e8b380ffee17438d4bf76a68c5",
}
_UNFILLED = "###TBD###"
"""What the publisher wrote for the ids of pages that were added by hand."""


def load_fanoutqa(split: str, path: Path | None = None) -> Dataset:
    """The dev or test split, from a file, from a folder that holds it, or from its published place.

    Raises DataError with every finding at once, each with its JSON path.
    """
    file = _published(split) if path is None else _local(split, path)
    rows = read_json(file)
    reader = _Reader(str(file))
    questions = reader.questions(rows)
    if reader.findings:
        raise DataError(reader.findings)
    return Dataset(
        "fanoutqa",
        split,
        questions,
        metrics=METRICS,
        version=VERSION if path is None else "",
        licence="CC BY-SA 4.0",
    )


def _published(split: str) -> Path:
    from argue_bench.fetch import fetch_file

    name = f"fanout-final-{split}.json"
    return fetch_file(f"{_PLACE}/{name}", _SHA256[split], f"fanoutqa/{VERSION}/{name}")


def _local(split: str, path: Path) -> Path:
    if not path.is_dir():
        return path
    names = (f"{split}.json", f"fanout-final-{split}.json")
    for name in names:
        if (path / name).is_file():
            return path / name
    raise DataError.of(
        Code.NO_SUCH_FILE,
        f"the folder holds neither {names[0]} nor {names[1]}",
        path,
        hint="Name the file itself, or leave the path out to fetch it.",
    )


class _Reader:
    """Turns rows into questions; what has the wrong shape becomes a finding."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.findings: list[Finding] = []

    def questions(self, rows: Any) -> tuple[Question, ...]:
        if not isinstance(rows, list):
            self._wrong("$", "a list of questions", rows)
            return ()
        read = [self._question(row, f"$[{at}]") for at, row in enumerate(rows)]
        seen: set[str] = set()
        for at, question in enumerate(read):
            if question.id in seen:
                self._find(Code.DUPLICATE_ID, f"$[{at}].id", f"the id {question.id!r} stands twice")
            seen.add(question.id)
        if not rows:
            self._find(Code.EMPTY, "$", "the file holds no question")
        return tuple(read)

    def _question(self, row: Any, at: str) -> Question:
        if not isinstance(row, dict):
            self._wrong(at, "an object", row)
            return Question("", "")
        steps = tuple(
            self._step(step, f"{at}.decomposition[{n}]")
            for n, step in enumerate(self._list(row, "decomposition", at))
        )
        if "necessary_evidence" in row:
            named = (
                self._evidence(evidence, f"{at}.necessary_evidence[{n}]")
                for n, evidence in enumerate(self._list(row, "necessary_evidence", at))
            )
            evidence = tuple(one for one in named if one is not None)
        else:
            evidence = tuple(dict.fromkeys(_evidence_in(steps)))
        return Question(
            self._text(row, "id", at),
            self._text(row, "question", at),
            categories=tuple(self._texts(row, "categories", at)),
            evidence=evidence,
            gold=Gold(answer=frozen(row["answer"]), decomposition=steps)
            if "answer" in row
            else None,
        )

    def _step(self, row: Any, at: str) -> SubQuestion:
        if not isinstance(row, dict):
            self._wrong(at, "an object", row)
            return SubQuestion("", "")
        evidence = row.get("evidence")
        return SubQuestion(
            self._text(row, "id", at),
            self._text(row, "question", at),
            frozen(row.get("answer")),
            tuple(self._texts(row, "depends_on", at)),
            None if evidence is None else self._evidence(evidence, f"{at}.evidence"),
            tuple(
                self._step(step, f"{at}.decomposition[{n}]")
                for n, step in enumerate(self._list(row, "decomposition", at))
            ),
        )

    def _evidence(self, row: Any, at: str) -> Evidence | None:
        if not isinstance(row, dict):
            self._wrong(at, "an object", row)
            return None
        return Evidence(
            self._number(row, "pageid", at),
            self._number(row, "revid", at),
            self._text(row, "title", at),
            self._text(row, "url", at),
        )

    def _text(self, row: Mapping[str, Any], key: str, at: str) -> str:
        value = row.get(key)
        if not isinstance(value, str) or not value:
            self._wrong(f"{at}.{key}", "a text", value)
            return ""
        return value

    def _number(self, row: Mapping[str, Any], key: str, at: str) -> int | None:
        value = row.get(key)
        if value is None or value == _UNFILLED:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            self._wrong(f"{at}.{key}", "a whole number", value)
            return None
        return value

    def _list(self, row: Mapping[str, Any], key: str, at: str) -> list[Any]:
        value = row.get(key, [])
        if not isinstance(value, list):
            self._wrong(f"{at}.{key}", "a list", value)
            return []
        return value

    def _texts(self, row: Mapping[str, Any], key: str, at: str) -> list[str]:
        values = self._list(row, key, at)
        for n, value in enumerate(values):
            if not isinstance(value, str):
                self._wrong(f"{at}.{key}[{n}]", "a text", value)
        return [value for value in values if isinstance(value, str)]

    def _wrong(self, at: str, expected: str, value: Any) -> None:
        found = "nothing" if value is None else f"{type(value).__name__} {str(value)[:40]!r}"
        self._find(Code.WRONG_SHAPE, at, f"expected {expected}, found {found}")

    def _find(self, code: Code, at: str, message: str) -> None:
        self.findings.append(
            Finding(code, message, self.file, path=at, hint="Get the file from its publisher.")
        )


def _evidence_in(steps: tuple[SubQuestion, ...]) -> list[Evidence]:
    """Every evidence of the tree, a step's own before that of its steps."""
    found: list[Evidence] = []
    for step in steps:
        if step.evidence is not None:
            found.append(step.evidence)
        found += _evidence_in(step.decomposition)
    return found
