"""Reads verdicts out of files: label files line by line, verdict stores by judge."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

from argue_bench.errors import Code, DataError, Finding
from argue_bench.judges.stored import open_store
from argue_bench.records import KINDS, JudgeRequest, Source, Verdict, request_from_json
from argue_bench.records.untrusted import GOLD_LIMITS, Line, open_bounded, read_lines

_SHAPE = 'Write {"ask": {"kind": ..., its fields}, "verdict": ...} on each line.'


@dataclass(frozen=True)
class Label:
    """One ask with the verdict that somebody gave, and the line on which it stands."""

    request: JudgeRequest
    verdict: Verdict
    line: int

    @property
    def kind(self) -> str:
        """The name of the request's kind."""
        return type(self.request).__name__


def is_store(path: Path) -> bool:
    """Whether the file begins as an SQLite file does. Raises DataError where there is none."""
    with open_bounded(path, GOLD_LIMITS, str(path)) as file:
        return file.read(16) == b"SQLite format 3\0"


def read_store(path: Path, judge: str = "") -> list[Label]:
    """The verdicts of one judge of a store; of the only one where ``judge`` is empty.

    Their lines are their order. Raises DataError where it is not clear which judge is meant.
    """
    with open_store(path, write=False) as store:
        names = [row.name for row in store.judges()]
        chosen = [name for name in names if not judge or name == judge]
        if len(chosen) != 1:
            raise DataError.of(
                Code.WHICH_JUDGE,
                f"the store holds verdicts of {len(names)} judges"
                + (f", {len(chosen)} of them called {judge!r}" if judge else ""),
                path,
                hint=f"Name one: {' or '.join(f'{path}#{name}' for name in names)}."
                if names
                else "Fill it first: evaluate with --store.",
            )
        return [
            Label(request_from_json(dict(entry.request)), entry.verdict, number)
            for number, entry in enumerate(store, start=1)
            if entry.judge.name == chosen[0]
        ]


def read_labels(path: Path) -> list[Label]:
    """The labels of a file, each ask once; or of a verdict store (``STORE#JUDGE`` names whose).

    Raises DataError with all that is wrong with it.
    """
    file, _, judge = str(path).partition("#") if not path.exists() else (str(path), "", "")
    if is_store(Path(file)):
        return read_store(Path(file), judge)
    findings: list[Finding] = []
    labels: dict[str, Label] = {}
    for line in read_lines(path, GOLD_LIMITS):
        if not line.ok:
            findings.extend(found for found in line.findings if found.level == "error")
        if not line.read:
            continue
        label = _label(line, str(path), findings)
        if label is None:
            continue
        first = labels.setdefault(label.request.key, label)
        if first.verdict.value != label.verdict.value:
            findings.append(
                Finding(
                    Code.LABELS_DISAGREE,
                    f"the same ask has the verdict {first.verdict.value!r} on line {first.line} "
                    f"and {label.verdict.value!r} here",
                    str(path),
                    line.number,
                    hint="Keep one of them.",
                )
            )
    if not labels and not findings:
        findings.append(Finding(Code.NO_LABELS, "the file holds no label", str(path), hint=_SHAPE))
    if findings:
        raise DataError(findings)
    return list(labels.values())


def _label(line: Line, file: str, findings: list[Finding]) -> Label | None:
    def wrong(code: Code, message: str, where: str = "", hint: str = _SHAPE) -> None:
        findings.append(Finding(code, message, file, line.number, where, hint))

    value = line.value
    if not isinstance(value, dict) or not isinstance(value.get("ask"), dict):
        wrong(Code.NOT_A_LABEL, "this is not a label")
        return None
    kind = value["ask"].get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        known = f"Known: {', '.join(KINDS)}."
        wrong(Code.UNKNOWN_KIND, f"no ask is of the kind {kind!r:.80}", "ask.kind", known)
        return None
    problems = list(_field_problems(KINDS[kind], value["ask"]))
    for name, message in problems:
        wrong(Code.BAD_ASK, message, f"ask.{name}", f"A {kind} ask has: {_needs(KINDS[kind])}.")
    if "verdict" not in value:
        wrong(Code.NO_VERDICT, "the label has no verdict")
        return None
    verdict = _verdict(KINDS[kind], value["verdict"])
    if verdict is None:
        allowed = KINDS[kind].verdicts
        expected = (
            " or ".join(allowed)
            if isinstance(allowed, tuple)
            else ("a number" if allowed is float else "a text")
        )
        wrong(
            Code.UNDECLARED_VERDICT,
            f"{value['verdict']!r:.80} is no verdict of {kind}",
            "verdict",
            f"Write {expected}.",
        )
    if problems or verdict is None:
        return None
    note = value.get("note", "")
    return Label(
        request_from_json(value["ask"]),
        Verdict(verdict, note if isinstance(note, str) else ""),
        line.number,
    )


def _verdict(kind: type[JudgeRequest], value: Any) -> str | float | None:
    allowed = kind.verdicts
    if isinstance(allowed, tuple):
        return value if isinstance(value, str) and value in allowed else None
    if allowed is str:
        return value if isinstance(value, str) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def _needs(kind: type[JudgeRequest]) -> str:
    return ", ".join(field.name for field in fields(kind))


def _field_problems(kind: type[JudgeRequest], data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Fields that are missing, unknown or of another type, each with what is wrong."""
    hints = get_type_hints(kind)
    known = [field.name for field in fields(kind)]
    for name in known:
        if name not in data:
            yield name, "the field is missing"
        elif not _fits(data[name], hints[name]):
            yield name, f"the field is not {_in_words(hints[name])}"
    for name in data:
        if name != "kind" and name not in known:
            yield name, "there is no such field"


def _fits(value: Any, hint: Any) -> bool:
    if hint is str:
        return isinstance(value, str)
    if hint is Source:
        return (
            isinstance(value, dict)
            and set(value) == {"id", "text"}
            and all(isinstance(inner, str) for inner in value.values())
        )
    inner = str if hint == tuple[str, ...] else Source
    return isinstance(value, list) and all(_fits(each, inner) for each in value)


def _in_words(hint: Any) -> str:
    source = 'an object {"id", "text"}'
    if hint is str:
        return "a text"
    if hint is Source:
        return source
    return "a list of texts" if hint == tuple[str, ...] else f"a list, each {source}"
