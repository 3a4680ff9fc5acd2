"""Labels: judge requests with the right verdict, read from a label file or a verdict store.

A line of a label file is ``{"ask": {"kind": "Entails", ...}, "verdict": "yes"}``, with a ``note``, who
gave it (``by``), and the ``question`` of the run that the request belongs to, where these are known. A
line may also hold what somebody gave a whole answer, ``{"question": "q1", "score":
"faithfulness.supported", "value": 0.75}``.

Where several people labelled one request, the verdict of most of them counts; a request without a
majority is left out and counted as tied.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from argue_bench.errors import Code, DataError, Finding
from argue_bench.judges.recorded import LABEL_SHAPE, Label, add_labels, decided_labels
from argue_bench.lab.label_agreement import krippendorff_alpha
from argue_bench.records.untrusted import Line
from argue_bench.records.validation import strict, validate

Name = Annotated[str, Field(min_length=1)]


@strict
@dataclass(frozen=True)
class Grade:
    """A value that a person gave a whole answer: the value of a score on one question."""

    question: Name
    score: Name
    value: float
    by: str = ""
    note: str = ""
    line: int = 0


@dataclass(frozen=True)
class Labels:
    """All labels of several files, by one person or more."""

    given: tuple[Label, ...]
    grades: tuple[Grade, ...] = ()
    names: tuple[str, ...] = ()
    """The files, without their folders."""

    @cached_property
    def by_request(self) -> Mapping[str, Mapping[str, Label]]:
        """The labels of each request by its key, each by its person."""
        found: dict[str, dict[str, Label]] = {}
        for one in self.given:
            found.setdefault(one.request.key, {})[one.by] = one
        return found

    @cached_property
    def decided(self) -> Mapping[str, Label]:
        """The label of each request by its key, where most people agree on it."""
        return decided_labels(self.given)

    @property
    def tied(self) -> int:
        """Requests on which no majority agrees."""
        return len(self.by_request) - len(self.decided)

    @cached_property
    def people(self) -> tuple[str, ...]:
        """The people who labelled."""
        return tuple(
            dict.fromkeys([one.by for one in self.given] + [grade.by for grade in self.grades])
        )

    def alpha(self) -> dict[str, float | None]:
        """Krippendorff's alpha of several people's labels, by kind of request or by score."""
        units: dict[str, list[list[Any]]] = {}
        for labels in self.by_request.values():
            words = [one.verdict.value for one in labels.values()]
            if len(words) > 1:
                units.setdefault(next(iter(labels.values())).kind, []).append(words)
        found = {kind: krippendorff_alpha(rows) for kind, rows in units.items()}
        graded: dict[str, dict[str, list[Any]]] = {}
        for grade in self.grades:
            graded.setdefault(grade.score, {}).setdefault(grade.question, []).append(grade.value)
        for score, questions in graded.items():
            if rows := [values for values in questions.values() if len(values) > 1]:
                found[score] = krippendorff_alpha(rows, "interval")
        return found

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits over every label: the same labels in other files have the same."""
        lines = {f"{one.request.key} {one.verdict.value!r} {one.by}" for one in self.given}
        lines |= {f"{one.question} {one.score} {one.value!r} {one.by}" for one in self.grades}
        return hashlib.sha256(
            "\n".join(sorted(lines)).encode("utf-8", "surrogatepass")
        ).hexdigest()[:8]


LabelsLike = str | Path | Sequence[str | Path] | Labels


def read_all_labels(paths: Sequence[Path]) -> Labels:
    """All labels of several files, by anyone.

    A line without ``by`` is of the person after whom its file is named. Raises DataError with every
    finding: bad lines, two verdicts of one person on one request, no label at all.
    """
    findings: list[Finding] = []
    labels: dict[tuple[str, str], Label] = {}
    grades: dict[tuple[str, str, str], Grade] = {}
    stems = Counter(path.stem for path in paths)
    for path in paths:
        person = path.stem if stems[path.stem] == 1 else str(path)
        for line in add_labels(labels, findings, path, person):
            try:
                _add_grade(grades, line, path, person)
            except DataError as error:
                findings += error.findings
    if not labels and not grades and not findings:
        place = str(paths[0]) if paths else ""
        findings.append(Finding(Code.EMPTY, "the file holds no label", place, hint=LABEL_SHAPE))
    if findings:
        raise DataError(findings)
    return Labels(
        tuple(labels.values()), tuple(grades.values()), tuple(path.name for path in paths)
    )


def as_labels(given: LabelsLike) -> Labels:
    """The labels of one file or of several, or as they are. Raises DataError with every finding."""
    return (
        given
        if isinstance(given, Labels)
        else read_all_labels(list(map(Path, ([given] if isinstance(given, str | Path) else given))))
    )


def _add_grade(
    grades: dict[tuple[str, str, str], Grade], line: Line, file: Path, person: str
) -> None:
    """Adds a grade. Raises DataError where it is none, or contradicts an earlier one of the same person."""
    hint = 'Write {"question": ..., "score": ..., "value": ...} for a whole answer.'
    read = validate(Grade, line.value, Code.WRONG_SHAPE, file, line.number, hint=hint)
    grade = replace(read, line=line.number, by=read.by or person)
    first = grades.setdefault((grade.question, grade.score, grade.by), grade)
    if first.value != grade.value:
        about = f"the value is {grade.value:g} here and {first.value:g} on line {first.line}"
        hint = 'Keep one, or say with "by" who gave which.'
        raise DataError.of(Code.DUPLICATE_ID, about, file, line.number, hint=hint)
