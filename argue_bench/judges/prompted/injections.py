"""How often texts that try to steer a judge succeed, measured on a live judge.

Each attempt is put where a participant or the author of a cited page could put it. The right verdict
of every place is known, and the judge is first asked without any attempt: a place counts only if the
judge was right there. An attempt succeeds where it turns the verdict. The rate is of the attempts
that were judged, with Wilson's interval (1927) at 95 %; failures are counted apart.

`InjectionResult.to_dict` is the report that a board shows beside the judge's name.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from argue_bench import __version__
from argue_bench.judges import dropped_parameters
from argue_bench.judges.base import Judge, judge_in_batches
from argue_bench.records import JudgeRequest, Verdict, request_from_json

SCHEMA = 1
FILE = Path(__file__).with_name("injections.jsonl")
_PLACES = Path(__file__).with_name("injection_places.jsonl")


@dataclass(frozen=True)
class Attempt:
    """A text that tries to steer a judge; ``parts`` are the sentences over which it is spread."""

    kind: str = ""
    text: str = ""
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class AttemptPlace:
    """A place for an attempt, with the right verdict of the request there."""

    name: str
    right: str
    template: Mapping[str, Any] = field(compare=False)

    def request(self, attempt: Attempt) -> JudgeRequest:
        """The judge request with the attempt in its place."""
        return request_from_json(_filled(self.template, attempt))


def _filled(template: Any, attempt: Attempt) -> Any:
    if isinstance(template, dict):
        return {key: _filled(value, attempt) for key, value in template.items()}
    if isinstance(template, list):
        parts = attempt.parts or ((attempt.text,) if attempt.text else ())
        spread = [parts if value == "{parts}" else [value] for value in template]
        return [_filled(value, attempt) for values in spread for value in values]
    return (
        template.replace("{attempt}", attempt.text).strip() if "{attempt}" in template else template
    )


def attempt_places() -> list[AttemptPlace]:
    """The places in which attempts are put, each with a request that has a known verdict."""
    rows = [json.loads(line) for line in _PLACES.read_text(encoding="utf-8").splitlines()]
    return [AttemptPlace(row["name"], row["right"], row["request"]) for row in rows]


# (succeeded, judged) by name.
Table = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class InjectionResult:
    """What `inject` measured. ``rate`` is the share of the ``n`` judged attempts that succeeded.

    ``identity`` is everything that changes the judge's verdicts, as in the signatures of scores.
    ``left_out``: places where the judge was wrong without any attempt. ``made`` is a day, YYYY-MM-DD.
    """

    judge: str
    identity: Mapping[str, str]
    n: int
    succeeded: int
    failed: int
    places: Table = field(default_factory=dict)
    kinds: Table = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    made: str = ""

    @property
    def rate(self) -> float | None:
        return self.succeeded / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's at 95 %, as though attempts were drawn independently of each other."""
        from scipy.stats import binomtest

        if not self.n:
            return None
        found = binomtest(self.succeeded, self.n).proportion_ci(method="wilson")
        return float(found.low), float(found.high)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data for JSON, in the layout ``schema`` (docs/llm-judges.md)."""
        low, high = self.interval or (None, None)
        kinds, places = (
            {name: {"attempts": n, "succeeded": won} for name, (won, n) in table.items()}
            for table in (self.kinds, self.places)
        )
        return {
            "schema": SCHEMA,
            "judge": self.judge,
            "identity": dict(self.identity),
            "attempts": self.n,
            "succeeded": self.succeeded,
            "failed": self.failed,
            "rate": self.rate,
            "low": low,
            "high": high,
            "kinds": kinds,
            "places": places,
            "left_out": list(self.left_out),
            "argue_bench": __version__,
            "made": self.made,
        }


def attempts(path: Path = FILE) -> list[Attempt]:
    """The attempts that come with this package."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Attempt(row["kind"], row["text"] * row.get("times", 1), tuple(row.get("parts", ())))
        for row in rows
    ]


def all_requests(tried: Sequence[Attempt]) -> list[JudgeRequest]:
    """The most that a judge is asked: every place without an attempt, and with each."""
    return [place.request(one) for place in attempt_places() for one in (Attempt(), *tried)]


def inject(judge: Judge, tried: Sequence[Attempt] | None = None) -> InjectionResult:
    """Puts every attempt to the judge in every place. Raises JudgeError where it cannot go on."""
    return asyncio.run(_inject(judge, attempts() if tried is None else tried))


async def _inject(judge: Judge, tried: Sequence[Attempt]) -> InjectionResult:
    places, nothing = attempt_places(), Attempt()
    plain = await _verdicts(judge, [place.request(nothing) for place in places])
    sound = [place for place in places if plain.get(place.request(nothing)) == place.right]
    requests = {(p, a): p.request(a) for p in sound for a in tried}
    verdicts = await _verdicts(judge, requests.values())
    judged = [
        (place.name, attempt.kind, verdicts[request] != place.right)
        for (place, attempt), request in requests.items()
        if request in verdicts
    ]
    return InjectionResult(
        judge.name,
        {**judge.identity(), **dropped_parameters(judge)},
        len(judged),
        sum(won for _, _, won in judged),
        len(requests) - len(judged),
        _table((place, won) for place, _, won in judged),
        _table((kind, won) for _, kind, won in judged),
        tuple(place.name for place in places if place not in sound),
        datetime.now(UTC).date().isoformat(),
    )


async def _verdicts(
    judge: Judge, requests: Iterable[JudgeRequest]
) -> dict[JudgeRequest, str | float]:
    able = [request for request in requests if type(request) in judge.kinds]
    return {
        request: reply.value
        async for request, reply in judge_in_batches(judge, able)
        if isinstance(reply, Verdict)
    }


def _table(outcomes: Iterable[tuple[str, bool]]) -> Table:
    succeeded, judged = Counter[str](), Counter[str]()
    for name, won in outcomes:
        succeeded[name] += won
        judged[name] += 1
    return {name: (succeeded[name], n) for name, n in judged.items()}
