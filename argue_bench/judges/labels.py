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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.judges.stored import open_store
from argue_bench.records import KINDS, JudgeRequest, Verdict, request_from_json
from argue_bench.records.untrusted import GOLD_LIMITS, open_bounded, read_lines
from argue_bench.stats.reliability import krippendorff_alpha

_GRADE = 'Write {"question": ..., "score": ..., "value": ...} for a whole answer.'
_SHAPE = 'Write {"ask": {"kind": ..., its fields}, "verdict": ...} on each line.'


@dataclass(frozen=True)
class Label:
    """A judge request with its verdict, the number of its line, and whose and of which question it is."""

    request: JudgeRequest
    verdict: Verdict
    line: int
    by: str = ""
    question: str = ""

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


@dataclass(frozen=True)
class Grade:
    """A value that a person gave a whole answer: the value of a score on one question."""

    question: str
    score: str
    value: float
    line: int
    by: str = ""


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
        found = {}
        for key, labels in self.by_request.items():
            [(word, votes), *_] = Counter(one.verdict.value for one in labels.values()).most_common(
                1
            )
            if 2 * votes > len(labels):
                found[key] = next(one for one in labels.values() if one.verdict.value == word)
        return found

    @property
    def tied(self) -> int:
        """Requests on which no majority agrees."""
        return len(self.by_request) - len(self.decided)

    @cached_property
    def people(self) -> tuple[str, ...]:
        """The people who labelled."""
        given = [one.by for one in self.given] + [grade.by for grade in self.grades]
        return tuple(dict.fromkeys(given))

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
        text = "\n".join(sorted(lines)).encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).hexdigest()[:8]


LabelsLike = str | Path | Sequence[str | Path] | Labels


def read_labels(path: Path) -> list[Label]:
    """The labels of a file, each request once; or of a verdict store (``STORE#JUDGE`` says whose).

    Of several people's labels the verdict of most. Raises DataError with every finding.
    """
    file, _, judge = str(path).partition("#") if not path.exists() else (str(path), "", "")
    if is_store(Path(file)):
        return read_store(Path(file), judge)
    decided = list(read_all_labels([path]).decided.values())
    if not decided:
        message = "the file holds values of whole answers and no label of a request"
        raise DataError.of(Code.NO_LABELS, message, path, hint=_SHAPE)
    return decided


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
        for line in read_lines(path, GOLD_LIMITS):
            findings += [found for found in line.findings if found.level == "error"]
            if not line.read:
                continue
            problems = _grade_problems if _is_grade(line.value) else _problems
            wrong = [replace(one, file=str(path), line=line.number) for one in problems(line.value)]
            findings += wrong
            if wrong:
                continue
            if _is_grade(line.value):
                other = _add_grade(grades, line.value, line.number, person)
            else:
                other = _add_label(labels, line.value, line.number, person)
            if other:
                hint = 'Keep one, or say with "by" who gave which.'
                findings.append(
                    Finding(Code.LABELS_DISAGREE, other, str(path), line.number, hint=hint)
                )
    if not labels and not grades and not findings:
        place = str(paths[0]) if paths else ""
        findings.append(Finding(Code.NO_LABELS, "the file holds no label", place, hint=_SHAPE))
    if findings:
        raise DataError(findings)
    names = tuple(path.name for path in paths)
    return Labels(tuple(labels.values()), tuple(grades.values()), names)


def as_labels(given: LabelsLike) -> Labels:
    """The labels of one file or public set, or of several, or as they are.

    Raises DataError with every finding, UnknownName for a name that is neither of a set nor a path.
    """
    from argue_bench.judges.label_sets import find_labels

    if isinstance(given, Labels):
        return given
    paths = [given] if isinstance(given, str | Path) else given
    return read_all_labels([find_labels(Path(path)) for path in paths])


def _add_label(
    labels: dict[tuple[str, str], Label], value: Mapping[str, Any], line: int, person: str
) -> str:
    """Adds a label; returns how it contradicts an earlier one, in words, or an empty text."""
    verdict, note = value["verdict"], value.get("note", "")
    if isinstance(verdict, int):
        verdict = float(verdict)
    label = Label(
        request_from_json(value["ask"]),
        Verdict(verdict, note if isinstance(note, str) else ""),
        line,
        value.get("by") or person,
        value.get("question", ""),
    )
    first = labels.setdefault((label.request.key, label.by), label)
    if first.verdict.value == verdict:
        return ""
    return (
        f"the verdict is {value['verdict']!r} here and {first.verdict.value!r} on line {first.line}"
    )


def _add_grade(
    grades: dict[tuple[str, str, str], Grade], value: Mapping[str, Any], line: int, person: str
) -> str:
    """Adds a grade; returns how it contradicts an earlier one, in words, or an empty text."""
    by = value.get("by") or person
    grade = Grade(value["question"], value["score"], float(value["value"]), line, by)
    first = grades.setdefault((grade.question, grade.score, by), grade)
    if first.value == grade.value:
        return ""
    return f"the value is {grade.value:g} here and {first.value:g} on line {first.line}"


def _is_grade(value: Any) -> bool:
    return isinstance(value, dict) and "ask" not in value and "score" in value


def _grade_problems(value: dict[str, Any]) -> Iterator[Finding]:
    """All problems of a line that grades a whole answer."""
    number = value.get("value")
    for name in ("question", "score"):
        if not isinstance(value.get(name), str) or not value[name]:
            yield Finding(Code.NOT_A_LABEL, "the field is not a text", path=name, hint=_GRADE)
    if isinstance(number, bool) or not isinstance(number, int | float):
        yield Finding(Code.NOT_A_LABEL, "the field is not a number", path="value", hint=_GRADE)
    if not isinstance(value.get("by", ""), str):
        yield Finding(Code.NOT_A_LABEL, "the field is not a text", path="by", hint=_GRADE)


def _problems(value: Any) -> Iterator[Finding]:
    """All problems of one line."""
    if not isinstance(value, dict) or not isinstance(request := value.get("ask"), dict):
        yield Finding(Code.NOT_A_LABEL, "this is not a label", hint=_SHAPE)
        return
    name = request.get("kind")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        about, hint = f"no judge request is of the kind {name!r:.80}", f"Known: {', '.join(KINDS)}."
        yield Finding(Code.UNKNOWN_KIND, about, path="ask.kind", hint=hint)
        return
    types = {field.name: str(field.type) for field in fields(kind)}
    optional = {field.name for field in fields(kind) if field.default is not MISSING}
    hint = f"A request of the kind {name} has: {', '.join(types)}."
    for key in dict.fromkeys([*types, *request]):
        if key == "kind":
            continue
        if key not in types:
            yield Finding(Code.BAD_ASK, "this field is not known", path=f"ask.{key}", hint=hint)
        elif key not in request and key in optional:
            continue
        elif key not in request:
            yield Finding(Code.BAD_ASK, "the field is missing", path=f"ask.{key}", hint=hint)
        elif not _FIELDS[types[key]][0](request[key]):
            about = f"the field is not {_FIELDS[types[key]][1]}"
            yield Finding(Code.BAD_ASK, about, path=f"ask.{key}", hint=hint)
    for key in ("by", "question"):
        if not isinstance(value.get(key, ""), str):
            yield Finding(Code.NOT_A_LABEL, "the field is not a text", path=key, hint=_SHAPE)
    if "verdict" not in value:
        yield Finding(Code.NO_VERDICT, "the label has no verdict", hint=_SHAPE)
    elif not kind.declares(value["verdict"]):
        about = f"{value['verdict']!r:.80} is not a verdict of {name}"
        hint = f"Write {kind.declared_verdicts()}."
        yield Finding(Code.UNDECLARED_VERDICT, about, path="verdict", hint=hint)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_source(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"id", "text"}
        and all(map(_is_text, value.values()))
    )


def _is_list_of(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(check, value))


# By the declared type of a request's field: the check of a JSON value, and the words for it.
_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "str": (_is_text, "a text"),
    "Source": (_is_source, 'an object {"id", "text"}'),
    "tuple[str, ...]": (_is_list_of(_is_text), "a list of texts"),
    "tuple[Source, ...]": (_is_list_of(_is_source), 'a list of objects {"id", "text"}'),
}
