"""Order effects: how much a judge's verdicts depend on the order of the texts that it reads.

Every label is judged in several orders: the sources or documents of a request are permuted, and, where a
language model reads many requests in a call, the requests (nuggets, answers, sources) too. Reported are
the chance that two orders differ in their verdict, accuracy by order, and agreement with the labels by
the place of a request in its call. Order 0 is the one in which the judge is used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from argue_bench.judges import language_models
from argue_bench.judges.base import Judge
from argue_bench.judges.checks.agreement import Replies, comparable, judge_labels
from argue_bench.judges.labels import Label, read_labels
from argue_bench.judges.prompted import Prompted
from argue_bench.judges.prompted.calls import calls_of, permuted
from argue_bench.records import KINDS, JudgeRequest, Source, Verdict
from argue_bench.stats.reliability import flip_rate

PLACES = ("first third", "middle", "last third")
_FEWEST = 3
"""Requests of a call from which on it has thirds."""


@dataclass(frozen=True)
class PlaceAgreement:
    """Verdicts on requests in one third of their calls, and the share that equals the label."""

    n: int
    accuracy: float


@dataclass(frozen=True)
class KindOrders:
    """Order effects on one kind of request. ``n``: labels with at least two verdicts whose
    requests can be reordered.

    ``flips`` is the chance that two orders differ on one of them; ``accuracy`` is by order, of all
    labels with a verdict.
    """

    n: int
    flips: float | None
    accuracy: tuple[float | None, ...]
    places: Mapping[str, PlaceAgreement]


@dataclass(frozen=True)
class OrderCheck:
    """What `check_orders` found. ``answered``: labels with a verdict in every order."""

    judge: str
    orders: int
    labels: int
    answered: int
    kinds: Mapping[str, KindOrders]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)


def in_orders(judge: Judge, orders: int) -> dict[str, Judge]:
    """The judge in each order; order 0 is its own."""
    if not isinstance(judge, Prompted):
        return dict.fromkeys(map(str, range(orders)), judge)
    start = judge.asking.order
    return {
        str(order): judge.with_order(start + order) if order else judge for order in range(orders)
    }


def reordered(request: JudgeRequest, order: int) -> JudgeRequest:
    """The request with its sources or documents in the order of a seed; 0 leaves them as they are."""
    lists = {
        field.name: value
        for field in fields(request)
        if isinstance(value := getattr(request, field.name), tuple) and len(value) > 1
        if all(isinstance(one, Source) for one in value)
    }
    if not order or not lists:
        return request
    shuffled = {
        name: tuple(sorted(value, key=lambda one: permuted(f"{one.id}\0{one.text}", order)))
        for name, value in lists.items()
    }
    return replace(request, **shuffled)  # type: ignore[arg-type]


def check_orders(judges: Mapping[str, Judge], labels: Path) -> OrderCheck:
    """Judges all labels in each order (`in_orders`).

    Raises DataError for a bad label file, and JudgeError where a judge cannot go on.
    """
    known = read_labels(labels)
    rounds: list[list[Label]] = [
        [replace(label, request=reordered(label.request, order)) for label in known]
        for order in range(len(judges))
    ]

    async def ask() -> list[Replies]:
        return [
            await judge_labels(judge, given)
            for judge, given in zip(judges.values(), rounds, strict=True)
        ]

    replies = asyncio.run(ask())
    places = [_places(judge, given) for judge, given in zip(judges.values(), rounds, strict=True)]
    kinds = {
        kind: _kind(
            [n for n, label in enumerate(known) if label.kind == kind], rounds, replies, places
        )
        for kind in KINDS
        if any(label.kind == kind for label in known)
    }
    whole = sum(
        all(_verdict(one, n, got) is not None for one, got in zip(rounds, replies, strict=True))
        for n in range(len(known))
    )
    first, *_ = judges.values()
    return OrderCheck(first.name, len(judges), len(known), whole, kinds)


def _places(judge: Judge, labels: Sequence[Label]) -> dict[str, tuple[int, int]]:
    """Where each request stands in its call, from 0, and how many share it, by the request's key."""
    model = next(language_models(judge), None)
    if model is None:
        return {}
    requests = dict.fromkeys(one.request for one in labels if type(one.request) in judge.kinds)
    distinct = list(requests)
    return {
        request.key: (place, len(call.requests))
        for start in range(0, len(distinct), judge.batch)
        for call in calls_of(distinct[start : start + judge.batch], model.asking)
        for place, request in enumerate(call.requests)
    }


def _kind(
    numbers: Sequence[int],
    rounds: Sequence[Sequence[Label]],
    replies: Sequence[Replies],
    places: Sequence[Mapping[str, tuple[int, int]]],
) -> KindOrders:
    units: list[list[str | float | None]] = []
    right: list[list[bool]] = [[] for _ in rounds]
    thirds: dict[str, list[bool]] = {}
    for number in numbers:
        told: list[str | float | None] = []
        seen: set[tuple[str, int, int]] = set()
        for order, (labels, got) in enumerate(zip(rounds, replies, strict=True)):
            key = labels[number].request.key
            place, count = places[order].get(key, (0, 1))
            seen.add((key, place, count))
            verdict = _verdict(labels, number, got)
            told.append(verdict)
            if verdict is None:
                continue
            right[order].append(verdict == comparable(labels[number].verdict.value))
            if count >= _FEWEST:
                thirds.setdefault(PLACES[3 * place // count], []).append(right[order][-1])
        if len(seen) > 1:
            units.append(told)
    return KindOrders(
        sum(sum(value is not None for value in unit) > 1 for unit in units),
        flip_rate(units),
        tuple(sum(one) / len(one) if one else None for one in right),
        {
            name: PlaceAgreement(len(thirds[name]), sum(thirds[name]) / len(thirds[name]))
            for name in PLACES
            if name in thirds
        },
    )


def _verdict(labels: Sequence[Label], number: int, replies: Replies) -> str | float | None:
    reply = replies.get(labels[number].request.key)
    return comparable(reply.value) if isinstance(reply, Verdict) else None
