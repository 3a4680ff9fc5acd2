"""Agreement of a judge with labels, and with itself, by kind of judge request.

Confusion, accuracy, Cohen's kappa (1960) with its 95 % interval, and how often
the verdicts of repeated requests differ. A request that failed is listed; it is neither right nor
wrong.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from argue_bench.judges.base import Judge, Said, judge_in_batches
from argue_bench.judges.recorded import Label, count_votes
from argue_bench.lab.floors import floors
from argue_bench.lab.reliability import (
    cohen_kappa,
    flip_rate,
    kappa_interval,
)
from argue_bench.records import KINDS, Failed, Verdict
from argue_bench.stats.classification import Measured, measures_of

# Of 60 labels, half of them yes, a judge that is right on .8 has an interval that is 0.2 wide.
FEW = 60
"""Labels below which intervals are too wide to choose a judge by."""
Interval = tuple[float, float]
# A judge's replies by the key of the request.
Replies = dict[str, Said]


@dataclass(frozen=True)
class KindAgreement:
    """Agreement on one kind of request. ``confusion`` holds (label, verdict, how often).

    Where labels know the first and the last of several levels alone ("full" and "no"), a verdict between them
    is read as the last one in everything but ``confusion``.

    ``accuracy`` is the share of the ``n`` verdicts that equal the label; in texts blanks and case
    are ignored.
    """

    n: int
    failed: int
    accuracy: float | None = None
    kappa: float | None = None
    confusion: tuple[tuple[str, str, int], ...] = ()
    kappa_interval: Interval | None = None
    flips: float | None = None
    """The chance that two rounds differ; None where each request was sent once."""
    measures: Mapping[str, Measured] = field(default_factory=dict)
    """Balanced accuracy, F1, accuracy and the share of the first verdict; of words only."""
    floors: Mapping[str, Mapping[str, Measured]] = field(default_factory=dict)
    """The same of what needs no judge (`argue_bench.lab.floors`), on the same labels."""

    @property
    def remark(self) -> str:
        """What the labels are too few, or too much alike, to tell; empty where they do."""
        given = {label for label, _, _ in self.confusion}
        if len(given) == 1 and self.n > 1:
            return (
                f"all {self.n:,} labels are {given.pop()!r}, so accuracy is all that they can tell: add labels "
                "with another verdict"
            )
        if 0 < self.n < FEW:
            return f"{self.n} labels tell little: read the intervals, and label {FEW} or more"
        return ""


@dataclass(frozen=True)
class JudgeCheck:
    """What `check_judge` found. ``labels`` is their number; ``failures`` are (line, reason)."""

    judge: str
    labels: int
    kinds: dict[str, KindAgreement]
    failures: tuple[tuple[int, str], ...] = ()
    wrong: tuple[tuple[int, str, str, str], ...] = ()
    """(line, kind, label, verdict) where the verdict differs from the label."""
    each: Mapping[str, float | None] = field(default_factory=dict)
    """``seconds`` and US ``dollars`` a verdict of this run: none for verdicts that a store gave, nor
    dollars where a price is not known."""

    votes: str = ""
    """What was done where people contradict each other; empty where none do."""

    @property
    def remarks(self) -> dict[str, str]:
        """By kind, what its labels cannot tell."""
        return {kind: one.remark for kind, one in self.kinds.items() if one.remark}

    @property
    def answered(self) -> int:
        """Labels for which the judge gave a verdict."""
        return self.labels - len(self.failures)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**asdict(self), "remarks": self.remarks}


def check_judge(judge: Judge, labels: Path | Sequence[Label], repeats: int = 1) -> JudgeCheck:
    """Sends the judge the request of every label, ``repeats`` times.

    The verdicts of the first round are compared with the labels, the others with the first. Raises
    DataError for a bad label file.
    """
    known, votes = count_votes(labels) if isinstance(labels, Path) else (list(labels), "")

    async def rounds() -> list[Replies]:
        return [await judge_labels(judge, known) for _ in range(max(1, repeats))]

    began, before = time.perf_counter(), _spent(judge)
    replies = asyncio.run(rounds())
    seconds, after = time.perf_counter() - began, _spent(judge)
    sent = sum(type(label.request) in judge.kinds for label in known) * max(1, repeats)
    # A verdict from a store took neither time nor money.
    asked = sent - int(after["stored"] - before["stored"])
    priced = asked and after["unpriced"] == before["unpriced"]
    each = {
        "seconds": round(seconds / asked, 6) if asked else None,
        "dollars": round((after["price"] - before["price"]) / asked, 8) if priced else None,
    }
    return replace(compare_with_labels(judge.name, known, replies), each=each, votes=votes)


def _spent(judge: Judge) -> dict[str, float]:
    counts = judge.counts
    return {"price": counts.price, "unpriced": counts.unpriced, "stored": counts.stored}


async def judge_labels(judge: Judge, labels: Sequence[Label]) -> Replies:
    """The judge's replies to those labelled requests that it can answer."""
    requests = [label.request for label in labels if type(label.request) in judge.kinds]
    return {request.key: reply async for request, reply in judge_in_batches(judge, requests)}


def compare_with_labels(
    name: str, labels: Sequence[Label], rounds: Sequence[Replies]
) -> JudgeCheck:
    """Compares a judge's replies with the labels; the replies of the first round count."""
    rows: dict[str, list[tuple[Label, Verdict]]] = {}
    failures: dict[str, list[tuple[int, str]]] = {}
    for label in labels:
        kind = label.kind
        reply = rounds[0].get(label.request.key, Failed(f"{name} can't answer {kind}"))
        if not isinstance(reply, Verdict):
            failures.setdefault(kind, []).append((label.line, f"{kind}: {reply.reason}"))
        else:
            rows.setdefault(kind, []).append((label, reply))
    kinds = {
        kind: _agreement(rows.get(kind, []), len(failures.get(kind, [])), rounds)
        for kind in KINDS
        if kind in rows or kind in failures
    }
    wrong = tuple(
        (label.line, kind, str(label.verdict.value), str(reply.value))
        for kind in kinds
        for label, reply in rows.get(kind, [])
        if comparable(label.verdict.value) != comparable(reply.value)
    )
    listed = tuple(sorted(failure for found in failures.values() for failure in found))
    return JudgeCheck(name, len(labels), kinds, listed, wrong)


def _agreement(
    rows: Sequence[tuple[Label, Verdict]], failed: int, rounds: Sequence[Replies]
) -> KindAgreement:
    found = KindAgreement(len(rows), failed)
    if len(rounds) > 1:
        keys = [label.request.key for label, _ in rows]
        replies = [[round.get(key) for round in rounds] for key in keys]
        repeats = [
            [comparable(one.value) if isinstance(one, Verdict) else None for one in row]
            for row in replies
        ]
        found = replace(found, flips=flip_rate(repeats))
    if not rows:
        return found
    declared = rows[0][0].request.verdicts
    given = [(comparable(label.verdict.value), comparable(reply.value)) for label, reply in rows]
    words = [str(comparable(word)) for word in declared] if isinstance(declared, tuple) else []
    # Labels of two levels and a judge of three: the confusion shows what it said, all else reads it as labelled.
    levels = _read_levels(words, {str(right) for right, _ in given})
    pairs = [(right, levels.get(word, word)) for right, word in given]
    found = replace(found, accuracy=sum(one == other for one, other in pairs) / len(pairs))
    if not isinstance(declared, tuple):
        return found  # texts and numbers have no confusion
    cells = Counter(pairs)
    said: dict[str, list[tuple[str, str]]] = {}
    for label, _ in rows:
        right = str(comparable(label.verdict.value))
        for name, word in floors(label.request).items():
            read = levels.get(comparable(word), comparable(word))
            said.setdefault(name, []).append((right, str(read)))
    by_word = {(str(one), str(other)): n for (one, other), n in cells.items()}
    return replace(
        found,
        measures=measures_of(by_word, words),
        floors={name: measures_of(Counter(told), words) for name, told in said.items()},
        kappa=cohen_kappa(cells),
        confusion=tuple(
            sorted((str(one), str(other), n) for (one, other), n in Counter(given).items())
        ),
        kappa_interval=kappa_interval(cells),
    )


def _read_levels(words: Sequence[str], labels: set[str]) -> dict[str | float, str | float]:
    """Maps verdicts to the labels, where these have only the first and the last of several levels.

    People who say whether a text holds a fact call one that it holds in part absent: "partial" is read as "no".
    """
    if len(words) < 3 or labels != {words[0], words[-1]}:
        return {}
    return dict.fromkeys(words[1:-1], words[-1])


def comparable(value: str | float) -> str | float:
    """The value without differences that do not count: white space and case."""
    return " ".join(value.casefold().split()) if isinstance(value, str) else value
