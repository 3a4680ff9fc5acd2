"""How far does a judge agree with people's labels, and with itself? By kind of ask: confusion,
accuracy, Cohen's kappa and Krippendorff's alpha with 95 % intervals, and how often verdicts flip.

A verdict that failed is listed and counted apart; it is neither right nor wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from argue_bench.judges.base import Judge
from argue_bench.judges.labels import Label, read_labels
from argue_bench.records import KINDS, Failed, Verdict
from argue_bench.stats.kappa import cohen_kappa, confusion

Interval = tuple[float, float]
Replies = dict[str, Verdict | Failed]
"""What a judge replied, by the key of the ask."""


@dataclass(frozen=True)
class Kind:
    """Agreement on one kind of ask. ``confusion`` holds (label, verdict, how often).

    ``accuracy`` is the share of the ``n`` verdicts that equal the label; for texts blanks and case
    don't count. For numbers there is no accuracy but ``error``, the mean absolute difference.
    """

    n: int
    failed: int
    accuracy: float | None = None
    kappa: float | None = None
    error: float | None = None
    confusion: tuple[tuple[str, str, int], ...] = ()
    kappa_interval: Interval | None = None
    alpha: float | None = None
    """Krippendorff's, nominal; of numbers by their squared difference."""
    alpha_interval: Interval | None = None
    flips: float | None = None
    """The chance that two askings differ; None where each ask was put once."""


@dataclass(frozen=True)
class Checked:
    """What `check` found. ``wrong``: lines of the label file on which the verdict differs."""

    judge: str
    labels: int
    kinds: dict[str, Kind]
    failures: tuple[tuple[int, str], ...] = ()
    wrong: tuple[tuple[int, str, str, str], ...] = field(default=())
    """(line, kind, label, verdict)"""

    @property
    def answered(self) -> int:
        """Labels for which the judge gave a verdict."""
        return self.labels - len(self.failures)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)


def check(judge: Judge, labels: Path | Sequence[Label], repeats: int = 1) -> Checked:
    """Asks the judge every label's ask, ``repeats`` times; the first verdict counts, the others say
    how often verdicts flip. Raises DataError for a bad label file."""
    known = read_labels(labels) if isinstance(labels, Path) else list(labels)
    return asyncio.run(acheck(judge, known, repeats))


async def acheck(judge: Judge, labels: Sequence[Label], repeats: int = 1) -> Checked:
    """The same inside a running loop."""
    rounds = [await asked(judge, labels) for _ in range(max(1, repeats))]
    return compared(judge.name, labels, rounds)


async def asked(judge: Judge, labels: Sequence[Label]) -> Replies:
    """What the judge replies to each ask that it can answer."""
    replies: Replies = {}
    requests = [label.request for label in labels if type(label.request) in judge.kinds]
    for start in range(0, len(requests), judge.batch):
        async for request, reply in judge.judge(requests[start : start + judge.batch]):
            replies[request.key] = reply
    return replies


def compared(name: str, labels: Sequence[Label], rounds: Sequence[Replies]) -> Checked:
    """The replies of a judge beside the labels; those of the first round count."""
    replies = rounds[0]
    pairs: dict[str, list[tuple[Label, Verdict]]] = {}
    failures: list[tuple[int, str]] = []
    failed: dict[str, int] = {}
    for label in labels:
        kind = type(label.request).__name__
        pairs.setdefault(kind, [])
        reply = replies.get(label.request.key, Failed(f"{name} can't answer {kind}"))
        if isinstance(reply, Failed):
            failures.append((label.line, f"{kind}: {reply.reason}"))
            failed[kind] = failed.get(kind, 0) + 1
        else:
            pairs[kind].append((label, reply))
    kinds = {
        kind: replace(
            _agreement(pairs[kind], failed.get(kind, 0)),
            flips=_flips([label for label, _ in pairs[kind]], rounds),
        )
        for kind in KINDS
        if kind in pairs
    }
    wrong = tuple(
        (label.line, kind, str(label.verdict.value), str(reply.value))
        for kind in kinds
        for label, reply in pairs[kind]
        if same(label.verdict.value) != same(reply.value)
    )
    return Checked(name, len(labels), kinds, tuple(failures), wrong)


def _flips(labels: Sequence[Label], rounds: Sequence[Replies]) -> float | None:
    from argue_bench.stats.reliability import flip_rate

    if len(rounds) < 2:
        return None
    replies = ([said.get(label.request.key) for said in rounds] for label in labels)
    return flip_rate(
        [[same(r.value) if isinstance(r, Verdict) else None for r in unit] for unit in replies]
    )


def _agreement(pairs: Sequence[tuple[Label, Verdict]], failed: int) -> Kind:
    from argue_bench.stats.reliability import alpha_interval, kappa_interval, krippendorff_alpha

    if not pairs:
        return Kind(0, failed)
    n = len(pairs)
    allowed = pairs[0][0].request.verdicts
    if allowed is float:
        scored = [(float(label.verdict.value), float(reply.value)) for label, reply in pairs]
        error = sum(abs(one - other) for one, other in scored) / n
        return Kind(
            n,
            failed,
            error=error,
            alpha=krippendorff_alpha(scored, "interval"),
            alpha_interval=alpha_interval(scored, "interval"),
        )
    said = [(same(label.verdict.value), same(reply.value)) for label, reply in pairs]
    accuracy = sum(one == other for one, other in said) / n
    if allowed is str:
        return Kind(n, failed, accuracy)
    cells = confusion(said)
    table = tuple(sorted((str(one), str(other), count) for (one, other), count in cells.items()))
    return Kind(
        n,
        failed,
        accuracy,
        cohen_kappa(cells),
        confusion=table,
        kappa_interval=kappa_interval(cells),
        alpha=krippendorff_alpha(said),
        alpha_interval=alpha_interval(said),
    )


def same(value: str | float) -> str | float:
    """The value without what does not make texts differ: blanks and case."""
    return " ".join(value.casefold().split()) if isinstance(value, str) else value
