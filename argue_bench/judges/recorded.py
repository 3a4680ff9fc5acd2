"""Recorded verdicts as a judge: from people's labels, a verdict store, or judgments of other programs.

A request that was not recorded fails; nothing is guessed. A line of a label file is
``{"ask": {"kind": "Entails", ...}, "verdict": "yes"}``, with a ``note``, who gave it (``by``), and the
``question`` of the run that the request belongs to, where these are known. Of several people's labels of
one request the verdict of most counts; a request without a majority is left out.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from pydantic import BaseModel, create_model

from argue_bench.errors import Code, DataError, Finding
from argue_bench.judges.base import Judge, Reply
from argue_bench.records import KINDS, Failed, JudgeRequest, Verdict, request_from_json
from argue_bench.records.grouping import grouped
from argue_bench.records.untrusted import GOLD_LIMITS, Line, open_bounded, read_lines
from argue_bench.records.validation import Expect, Record, validate
from argue_bench.store import Store

NOT_RECORDED = Failed("not recorded")
LABEL_SHAPE = 'Write {"ask": {"kind": ..., its fields}, "verdict": ...} on each line.'


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


class Recorded(Judge):
    """Gives recorded verdicts, found by the key of the request.

    A verdict on a sentence that was recorded without its neighbours holds whatever stands next to it.
    """

    batch = 4096
    reads_context = True

    def __init__(
        self, verdicts: Mapping[str, Verdict], name: str = "recorded", digest: str = ""
    ) -> None:
        self.name = name
        self._verdicts = verdicts
        self._digest = digest or _digest(verdicts)

    @classmethod
    def from_file(cls, path: str | Path) -> Recorded:
        """The verdicts of a label file or a verdict store; ``FILE#JUDGE`` names one of its judges.

        Raises DataError with every finding of a bad file.
        """
        verdicts = {label.request.key: label.verdict for label in read_labels(Path(path))}
        # The name without its folder: signatures hold no paths of the machine.
        file, sharp, judge = str(path).partition("#")
        return cls(verdicts, f"recorded:{Path(file).name}{sharp}{judge}")

    def identity(self) -> Mapping[str, str]:
        """A digest of all verdicts: the same verdicts in another file are the same judge."""
        return {"digest": self._digest}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        for request in requests:
            self.counts.requests += 1
            key = request.key
            if key not in self._verdicts:
                key = request.without_context().key
            reply: Verdict | Failed = self._verdicts.get(key, NOT_RECORDED)
            self.counts.failed += isinstance(reply, Failed)
            yield request, reply


def _digest(verdicts: Mapping[str, Verdict]) -> str:
    sha = hashlib.sha256()
    for key in sorted(verdicts):
        sha.update(f"{key} {verdicts[key].value!r}\n".encode("utf-8", "surrogatepass"))
    return sha.hexdigest()[:16]


def read_labels(path: Path) -> list[Label]:
    """The labels of a file, each request once; or of a verdict store (``STORE#JUDGE`` says whose).

    Of several labels of one request the verdict of most: lines that do not say who gave them are a vote each.
    Raises DataError with every finding.
    """
    return count_votes(path)[0]


def count_votes(path: Path) -> tuple[list[Label], str]:
    """What `read_labels` gives, and what was done where people contradict each other; empty where none do."""
    file, _, judge = str(path).partition("#") if not path.exists() else (str(path), "", "")
    if is_store(Path(file)):
        return read_store(Path(file), judge), ""
    labels: dict[tuple[str, str], Label] = {}
    findings: list[Finding] = []
    for _ in add_labels(labels, findings, path, path.stem, votes=True):
        pass  # values of whole answers are no verdicts
    if not labels and not findings:
        findings.append(
            Finding(Code.EMPTY, "the file holds no label of a request", str(path), hint=LABEL_SHAPE)
        )
    if findings:
        raise DataError(findings)
    decided = decided_labels(labels.values())
    words = grouped((key, label.verdict.value) for (key, _), label in labels.items())
    contested = {key for key, said in words.items() if len(set(said)) > 1}
    tied = len(contested - decided.keys())
    told = (
        f"people contradict each other on {len(contested):,} of {len(words):,} requests: on "
        f"{len(contested) - tied:,} the verdict of most counts, {tied:,} without a majority are left out"
    )
    return list(decided.values()), told if contested else ""


def add_labels(
    labels: dict[tuple[str, str], Label],
    findings: list[Finding],
    path: Path,
    person: str,
    votes: bool = False,
) -> Iterator[Line]:
    """Adds the labels of a file, by request key and person, and what is wrong with them.

    ``person`` gave those without ``by``; with ``votes`` each of them is a vote of its own. Yields the lines that hold a person's value of a whole answer.
    """
    for line in read_lines(path, GOLD_LIMITS):
        findings += [found for found in line.findings if found.level == "error"]
        if not line.read:
            continue
        if isinstance(line.value, dict) and "ask" not in line.value and "score" in line.value:
            yield line
            continue
        try:
            _check_label(line, path)
            _add_label(labels, line, path, person, votes)
        except DataError as error:
            findings += error.findings


def _add_label(
    labels: dict[tuple[str, str], Label], line: Line, file: Path, person: str, votes: bool
) -> None:
    """Adds a label. Raises DataError where it contradicts an earlier one of the same person."""
    value = line.value
    verdict, note = value["verdict"], value.get("note", "")
    label = Label(
        request_from_json(value["ask"]),
        Verdict(
            float(verdict) if isinstance(verdict, int) else verdict,
            note if isinstance(note, str) else "",
        ),
        line.number,
        value.get("by") or (f"{person}, line {line.number}" if votes else person),
        value.get("question", ""),
    )
    first = labels.setdefault((label.request.key, label.by), label)
    if first.verdict.value != label.verdict.value:
        about = f"the verdict is {verdict!r} here and {first.verdict.value!r} on line {first.line}"
        hint = 'Keep one, or say with "by" who gave which.'
        raise DataError.of(Code.DUPLICATE_ID, about, file, line.number, hint=hint)


def decided_labels(labels: Iterable[Label]) -> dict[str, Label]:
    """The label of each request by its key, where most people agree on it."""
    found = {}
    for key, some in grouped((one.request.key, one) for one in labels).items():
        [(word, votes)] = Counter(one.verdict.value for one in some).most_common(1)
        if 2 * votes > len(some):
            found[key] = next(one for one in some if one.verdict.value == word)
    return found


def is_store(path: Path) -> bool:
    """Whether the file begins as an SQLite file does. Raises DataError where there is none."""
    with open_bounded(path, GOLD_LIMITS, str(path)) as file:
        return file.read(16) == b"SQLite format 3\0"


def read_store(path: Path, judge: str = "") -> list[Label]:
    """The verdicts of one judge of a store; of the only one where ``judge`` is empty.

    Their lines are their order. Raises DataError where it is not clear which judge is meant.
    """
    with Store(path, write=False) as store:
        names = [row.name for row in store.judges()]
        chosen = [name for name in names if not judge or name == judge]
        if len(chosen) != 1:
            raise DataError.of(
                Code.NOT_JUDGED,
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


def _check_label(line: Line, file: Path) -> None:
    """Raises DataError with all that is wrong with one line."""
    value = line.value
    request = value.get("ask") if isinstance(value, dict) else None
    if not isinstance(request, dict):
        raise DataError.of(
            Code.WRONG_SHAPE, "this is not a label", file, line.number, hint=LABEL_SHAPE
        )
    name = str(request.get("kind"))
    if name not in KINDS:
        about, hint = f"no judge request is of the kind {name!r:.80}", f"Known: {', '.join(KINDS)}."
        raise DataError.of(Code.WRONG_VALUE, about, file, line.number, path="ask.kind", hint=hint)
    validate(_line_of(name), value, Code.WRONG_VALUE, file, line.number)


@cache
def _line_of(name: str) -> type[BaseModel]:
    """The model of a line that holds a label of the kind of this name."""
    kind = KINDS[name]
    types = get_type_hints(kind)
    asked: dict[str, Any] = {
        one.name: (types[one.name], ... if one.default is MISSING else one.default)
        for one in fields(kind)
    }
    verdict = Annotated[Any, Expect(kind.declared_verdicts(), kind.declares)]
    return create_model(
        "LabelLine",
        ask=(create_model(kind.__name__, __base__=Record, kind=(str, ...), **asked), ...),
        verdict=(verdict, ...),
        by=(str, ""),
        question=(str, ""),
    )
