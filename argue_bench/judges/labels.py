"""Labels: judge requests with the right verdict, from a label file or a verdict store.

A line of a label file is ``{"ask": {"kind": "Entails", ...}, "verdict": "yes", "note": ""}``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.judges.stored import open_store
from argue_bench.records import KINDS, JudgeRequest, Verdict, request_from_json
from argue_bench.records.untrusted import GOLD_LIMITS, open_bounded, read_lines

_SHAPE = 'Write {"ask": {"kind": ..., its fields}, "verdict": ...} on each line.'


@dataclass(frozen=True)
class Label:
    """A judge request with its verdict, and the number of its line."""

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
    """The labels of a file, each request once; or of a verdict store (``STORE#JUDGE`` says whose).

    Raises DataError with every finding.
    """
    file, _, judge = str(path).partition("#") if not path.exists() else (str(path), "", "")
    if is_store(Path(file)):
        return read_store(Path(file), judge)
    findings: list[Finding] = []
    labels: dict[str, Label] = {}
    for line in read_lines(path, GOLD_LIMITS):
        findings += [found for found in line.findings if found.level == "error"]
        if not line.read:
            continue
        wrong = [replace(one, file=str(path), line=line.number) for one in _problems(line.value)]
        findings += wrong
        if wrong:
            continue
        verdict, note = line.value["verdict"], line.value.get("note", "")
        if isinstance(verdict, int):
            verdict = float(verdict)
        given = Verdict(verdict, note if isinstance(note, str) else "")
        label = Label(request_from_json(line.value["ask"]), given, line.number)
        first = labels.setdefault(label.request.key, label)
        if first.verdict.value != verdict:
            about = (
                f"the verdict is {verdict!r} here and {first.verdict.value!r} on line {first.line}"
            )
            hint = "Keep one of the two labels of this request."
            findings.append(Finding(Code.LABELS_DISAGREE, about, str(path), line.number, hint=hint))
    if not labels and not findings:
        findings.append(Finding(Code.NO_LABELS, "the file holds no label", str(path), hint=_SHAPE))
    if findings:
        raise DataError(findings)
    return list(labels.values())


def _problems(value: Any) -> Iterator[Finding]:
    """Everything that is wrong with one line."""
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
