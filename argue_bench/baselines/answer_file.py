"""The files of a model's run: the answers, line by line, and OUT.about.json, which says how they were made.

Each line is added by one write, and half a line, left by a full disk or a power cut, is dropped when the
file is opened again: its reply is in the store. A run that would add answers of another model, prompt, data set or setting is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, NonNegativeFloat, NonNegativeInt

from argue_bench.baselines.forms import Gives
from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.loaders.answer_parser import AnswerParser
from argue_bench.loaders.answers import answer_reader
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.records import Question
from argue_bench.records.atomic import atomic_write
from argue_bench.records.untrusted import GOLD_LIMITS, parse_json, read_bounded, read_json
from argue_bench.records.validation import Record, validate
from argue_bench.version import __version__

# What TREC calls the author of a run.
_TEAM = "argue-bench"


class AnswerRows:
    """Makes the rows of one file: lines of a submission, or TREC report objects of the run ``run``."""

    def __init__(self, dataset: Dataset, gives: Gives, run: str) -> None:
        self._gives: Gives = gives
        self._run = run
        self._read = answer_reader(dataset)

    @property
    def header(self) -> dict[str, str]:
        """The values that all rows share."""
        if self._gives == "answer":
            return {"gives": "answer"}
        return {"gives": "report", "run_id": self._run, "team_id": _TEAM}

    def row(self, question: Question, text: str) -> dict[str, object]:
        """The row of a question; an empty text means no answer."""
        if self._gives == "answer":
            return {"id": question.id, "answer": text}
        # A report is cut into the sentences and citations that an evaluation of its text would
        # read, so that both forms of an answer score alike.
        sentences = self._read(question, text).sentences
        return {
            "metadata": {"team_id": _TEAM, "run_id": self._run, "topic_id": question.id},
            "responses": [
                {"text": one.plain, "citations": list(dict.fromkeys(one.citations))}
                for one in sentences
            ],
            "references": list(dict.fromkeys(id for one in sentences for id in one.citations)),
        }


class AnswerFile:
    """The rows of a file by question id.

    Raises DataError: a line without a question's id, a question twice, a disk that refuses.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: dict[str, bytes] = {}
        name = str(path)
        there = read_bounded(path, GOLD_LIMITS) if path.exists() else b""
        for number, raw in enumerate(there.splitlines(keepends=True), 1):
            if not raw.endswith(b"\n"):
                break  # half a line: its reply is in the store
            row, found = parse_json(raw, name, number, GOLD_LIMITS), Findings(name)
            id = AnswerParser(found, number).id(row) if isinstance(row, dict) else None
            if id is None or id in self._lines:
                message = "this line answers no question, or one that was answered before"
                hint = "Name another --out."
                wrong = Finding(Code.WRONG_SHAPE, message, name, number, hint=hint)
                raise DataError([*found.all(), wrong])
            self._lines[id] = raw
        self._write()

    def __contains__(self, id: str) -> bool:
        return id in self._lines

    def put(self, id: str, row: Mapping[str, Any]) -> None:
        """Adds the row of a question, or replaces it; it is in the file when this returns."""
        # "replace": half a surrogate pair, which a model may write, has no place in UTF-8.
        line = json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        if id in self._lines:
            if self._lines[id] != line:
                self._lines[id] = line
                self._write()
            return
        self._lines[id] = line
        try:
            with self.path.open("ab", buffering=0) as file:
                file.write(line)
        except OSError as error:
            message = f"could not be written: {error.strerror or error}"
            hint = "All replies are in the store: free some space, and run the command again."
            raise DataError.of(Code.NOT_WRITTEN, message, self.path, hint=hint) from None

    def sort(self, ids: Iterable[str]) -> None:
        """Puts the lines into this order and drops lines of other questions."""
        self._lines = {id: self._lines[id] for id in ids if id in self._lines}
        self._write()

    def _write(self) -> None:
        with atomic_write(self.path) as file:
            file.writelines(line.decode() for line in self._lines.values())


@dataclass(frozen=True)
class RunFiles:
    """The paths of a run: answers, OUT.about.json, and the store, which several runs may share."""

    out: Path
    named_store: Path | None = None

    @property
    def store(self) -> Path:
        return self.named_store or self.out.with_name(f"{self.out.stem}.replies")

    @property
    def about(self) -> Path:
        return self.out.with_name(f"{self.out.stem}.about.json")

    def seconds_before(self, header: Mapping[str, str]) -> float:
        """The seconds that earlier runs into OUT took.

        Raises UsageError where OUT has answers without an about file or lies among submissions, and
        DataError where its answers were made otherwise than ``header`` says.
        """
        if self.out.parent.name.endswith("-generations"):
            raise UsageError(
                f"{self.out.parent} may hold nothing but submissions, and a model's run writes more "
                "files beside its answers: write them elsewhere, then copy the finished file"
            )
        if not self.out.exists() or not self.out.stat().st_size:
            return 0.0
        if not self.about.exists():
            raise UsageError(
                f"{self.out} exists, but no {self.about.name} says how it was made: name another --out"
            )
        known = read_about(self.about)
        if differences := "; ".join(
            f"{name}: {known.get(name, 'none')!s:.80}, now {value:.80}"
            for name, value in header.items()
            if known.get(name) != value
        ):
            message = f"these answers were begun otherwise ({differences})"
            hint = "Name another --out, or remove this file."
            raise DataError.of(Code.OTHER_DATA, message, self.out, hint=hint)
        return float(known["seconds"])

    def write_about(
        self, header: Mapping[str, str], seconds: float, counts: Mapping[str, Any]
    ) -> None:
        """Writes OUT.about.json. Raises DataError."""
        about = {
            "schema": 1,
            "argue_bench": __version__,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            **header,
            "seconds": round(seconds, 1),
            **counts,
        }
        with atomic_write(self.about) as file:
            file.write(json.dumps(about, ensure_ascii=False, indent=2) + "\n")


class _About(Record):
    """The keys of an OUT.about.json that readers rely on; it has more."""

    model_config = ConfigDict(extra="ignore")
    model: str
    setting: str
    prompt: str
    seconds: NonNegativeFloat
    questions: NonNegativeInt
    answered: NonNegativeInt
    tokens_in: NonNegativeInt
    tokens_out: NonNegativeInt
    cost: NonNegativeFloat | None
    empty: tuple[str, ...]


def read_about(path: Path) -> Mapping[str, Any]:
    """An OUT.about.json, with the keys of `_About` at least. Raises DataError."""
    about: Mapping[str, Any] = read_json(path)
    hint = "Name the file that generate wrote beside its answers."
    validate(_About, about, Code.WRONG_SHAPE, path, hint=hint)
    return about
