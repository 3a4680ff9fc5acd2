"""Agreement of a judge with labels, and with itself, by kind of judge request.

Confusion, accuracy, Cohen's kappa (1960) with its 95 % interval, and how often
the verdicts of repeated requests differ. A request that failed is listed; it is neither right nor
wrong.

Beside a judge stand two floors: always the same verdict, and word overlap. A judge is worth its cost only as far as it is better than these. Token recall is the share of the
distinct words of what should be supported (sentence, answer or nugget) that stand in the text that should
support it; the threshold is one for all, set on WiCE's dev split and Factcheck-GPT. Three levels have a
second one at half of it.

Kappa (Cohen 1960) = (observed agreement - expected agreement) / (1 - expected agreement), where the
expected agreement is how often two independent judges would agree who give each verdict as often as
these two do.

Alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"): within each
unit every pair of values counts 1 / (judgements of the unit - 1); then

    alpha = 1 - observed disagreement / disagreement expected from all values taken together

with the squared distance of two values as disagreement: 1 where they differ (nominal), or their
difference (interval). Units with one judgement say
nothing. 1 is full agreement, 0 chance; None where only one value occurs at all.

Kappa's interval resamples units (percentile bootstrap).
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from argue_bench import records
from argue_bench.judges.base import Judge, Said, judge_in_batches
from argue_bench.judges.recorded import Label, count_votes
from argue_bench.records import KINDS, Failed, JudgeRequest, Verdict
from argue_bench.stats.bootstrap import RESAMPLES, SEED, bounds, widened_constant
from argue_bench.stats.classification import Measured, measures_of

# The best one on WiCE's dev split and Factcheck-GPT.
THRESHOLD = 0.65
_WORD = re.compile(r"\w+")
# The text that should support, and what should be supported, by kind.
_PAIRS: Mapping[type[JudgeRequest], Callable[[Any], tuple[str, str]]] = {
    records.Entails: lambda a: (a.premise_text, a.hypothesis),
    records.SupportLevel: lambda a: (a.premise_text, a.sentence),
    records.Answers: lambda a: (a.sentence, a.answer),
    records.Supports: lambda a: (a.passage, a.nugget),
    records.Relevant: lambda a: (a.document.text, a.answer),
}


def floors(request: JudgeRequest) -> dict[str, str]:
    """The verdict of each baseline by name; empty for kinds whose verdicts are not words."""
    words = request.verdicts
    if not isinstance(words, tuple):
        return {}
    found = {f"always {words[0]}": words[0]}
    if pair := _PAIRS.get(type(request)):
        share = token_recall(*pair(request))
        # With words yes and no the threshold is THRESHOLD; with full, partial and no these are it and half of it.
        levels = [
            THRESHOLD * (len(words) - 1 - n) / (len(words) - 1) for n in range(len(words) - 1)
        ]
        reached = (word for word, least in zip(words, levels, strict=False) if share >= least)
        found["token recall"] = next(reached, words[-1])
    return found


def token_recall(text: str, wanted: str) -> float:
    """The share of the distinct words of ``wanted`` that ``text`` has; 0 where it has none.

    >>> token_recall("The ferry sank in 1912.", "The ferry burned.")
    0.6666666666666666
    """
    words = set(_WORD.findall(wanted.casefold()))
    return len(words & set(_WORD.findall(text.casefold()))) / len(words) if words else 0.0


Scale = Literal["nominal", "interval"]
V = TypeVar("V", bound=Hashable)
# One row a unit: what each judge said of it, None where nothing.
Units = Sequence[Sequence[Hashable | None]]


def cohen_kappa(cells: Mapping[tuple[V, V], int]) -> float | None:
    """Kappa from counts of (one's verdict, the other's verdict).

    1 is full agreement, 0 as much as by chance, below 0 less. None where it is not defined: no
    pair, or both judges give one and the same verdict throughout.
    """
    n = sum(cells.values())
    if not n:
        return None
    ones: Counter[V] = Counter()
    others: Counter[V] = Counter()
    for (one, other), count in cells.items():
        ones[one] += count
        others[other] += count
    # In whole numbers, so that perfect chance agreement is exactly that.
    agreed = sum(count for (one, other), count in cells.items() if one == other)
    expected = sum(ones[verdict] * others[verdict] for verdict in ones)
    return None if expected == n * n else (n * agreed - expected) / (n * n - expected)


def krippendorff_alpha(units: Units, scale: Scale = "nominal") -> float | None:
    """Alpha of a table of judgements; of an interval scale they are numbers."""
    told = [[value for value in unit if value is not None] for unit in units]
    told = [unit for unit in told if len(unit) > 1]
    values = list(dict.fromkeys(value for unit in told for value in unit))
    at = {value: i for i, value in enumerate(values)}
    pairs = np.zeros((len(values), len(values)))
    for unit in told:
        # Krippendorff's coincidences: every ordered pair of two judgements of a unit, its weight shared by the unit.
        counts = np.bincount([at[value] for value in unit], minlength=len(values)).astype(float)
        pairs += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    distance = 1 - np.eye(len(values))
    if scale == "interval":
        points = np.array(values, dtype=np.float64)
        distance = (points[:, None] - points) ** 2
    totals = pairs.sum(axis=1)
    expected = (np.outer(totals, totals) * distance).sum()
    if not expected:
        return None
    return float(1 - (totals.sum() - 1) * (pairs * distance).sum() / expected)


def kappa_interval(cells: Mapping[tuple[V, V], int]) -> tuple[float, float] | None:
    """The 95 % percentile interval of Cohen's kappa from counts of (one's verdict, the other's)."""
    n = sum(cells.values())
    if n < 2:
        return None
    values = list(dict.fromkeys(value for pair in cells for value in pair))
    table = np.zeros((len(values), len(values)))
    for (one, other), count in cells.items():
        table[values.index(one), values.index(other)] += count
    # A table of counts is drawn anew as a whole, which is the same as drawing pairs, and quicker.
    rng = np.random.default_rng([SEED, n, 2])
    drawn = rng.multinomial(n, table.ravel() / n, size=RESAMPLES).reshape(-1, *table.shape)
    agreed = np.trace(drawn, axis1=1, axis2=2) / n
    expected = (drawn.sum(axis=1) * drawn.sum(axis=2)).sum(axis=1) / n**2
    resampled = np.divide(
        agreed - expected, 1 - expected, out=np.full(len(drawn), np.nan), where=expected < 1
    )
    ends = bounds(resampled, np.asarray(0.0))
    if (kappa := cohen_kappa(cells)) is not None:
        # Units that agree throughout allow what so many of them do, not a point.
        ends = widened_constant(*ends, np.asarray(kappa), n, lowest=-1.0)
    low, high = map(float, ends)
    return None if np.isnan(low) or np.isnan(high) else (low, high)


def flip_rate(repeats: Units) -> float | None:
    """The chance that two verdicts of one judge on the same request differ: the mean over units of the share of pairs of
    repeats that differ. None where no unit was judged twice."""
    shares = []
    for unit in repeats:
        told = [value for value in unit if value is not None]
        if len(told) > 1:
            same = sum(told.count(value) - 1 for value in told)
            shares.append(1 - same / (len(told) * (len(told) - 1)))
    return sum(shares) / len(shares) if shares else None


# Of 60 labels, half of them yes, a judge that is right on .8 has an interval that is 0.2 wide.
# Labels below which intervals are too wide to choose a judge by.
FEW = 60
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
    # The chance that two rounds differ; None where each request was sent once.
    flips: float | None = None
    # Balanced accuracy, F1, accuracy and the share of the first verdict; of words only.
    measures: Mapping[str, Measured] = field(default_factory=dict)
    # The same of what needs no judge (`argue_bench.lab.label_agreement`), on the same labels.
    floors: Mapping[str, Mapping[str, Measured]] = field(default_factory=dict)

    @property
    def remark(self) -> str:
        """What the labels are too few, or too much alike, to tell; empty where they do."""
        given = {label for label, _, _ in self.confusion}
        if len(given) == 1 and self.n > 1:
            return (
                f"all {self.n:,} labels are {given.pop()!r}, so accuracy is all that they can tell: add labels "
                "with another verdict"
            )
        return (
            f"{self.n} labels tell little: read the intervals, and label {FEW} or more"
            if 0 < self.n < FEW
            else ""
        )


@dataclass(frozen=True)
class JudgeCheck:
    """What `check_judge` found. ``labels`` is their number; ``failures`` are (line, reason)."""

    judge: str
    labels: int
    kinds: dict[str, KindAgreement]
    failures: tuple[tuple[int, str], ...] = ()
    # (line, kind, label, verdict) where the verdict differs from the label.
    wrong: tuple[tuple[int, str, str, str], ...] = ()
    # ``seconds`` and US ``dollars`` a verdict of this run: none for verdicts that a store gave, nor
    # dollars where a price is not known.
    each: Mapping[str, float | None] = field(default_factory=dict)

    # What was done where people contradict each other; empty where none do.
    votes: str = ""

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
    return JudgeCheck(
        name,
        len(labels),
        kinds,
        tuple(sorted(failure for found in failures.values() for failure in found)),
        wrong,
    )


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
    return (
        {}
        if len(words) < 3 or labels != {words[0], words[-1]}
        else dict.fromkeys(words[1:-1], words[-1])
    )


def comparable(value: str | float) -> str | float:
    """The value without differences that do not count: white space and case."""
    return " ".join(value.casefold().split()) if isinstance(value, str) else value
