"""Several judges as one, with each judge's verdict in the note.

``panel:lexical+nli:MODEL+recorded:FILE``: the verdict of the majority. A word or text wins with more than half of
the members that answered, at least two; a number is their median. Without a majority the request fails. A member
that fails, on one request or altogether, leaves the decision to the others.

``cascade:lexical>PROVIDER/MODEL``: a cheap judge, and a dear one that is asked only where the first one may be wrong.
The first judge's doubt of a request is the probability that people would find something wrong with it
(`Judge.doubt`). Below the lower bound its verdict stands, and above the upper one; between them, and where it
gives no probability or no verdict, the second judge decides.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from statistics import median

from argue_bench.errors import JudgeError, UsageError
from argue_bench.judges import as_judge
from argue_bench.judges.base import (
    Counts,
    Judge,
    Reply,
    Said,
    add_counts,
    judge_in_batches,
)
from argue_bench.judges.lexical.support import doubt as lexical_doubt
from argue_bench.records import Entails, Failed, JudgeRequest, NotJudged, SupportLevel, Verdict

# One judge alone is no panel: its verdict would pass for a majority.
_QUORUM = 2


class _Combined(Judge):
    """What judges that ask several others share."""

    def __init__(self, *members: Judge) -> None:
        self.members = members
        self._own = Counts()
        self.reads_context = any(member.reads_context for member in members)

    @property
    def wraps(self) -> tuple[Judge, ...]:
        return self.members

    @property
    def counts(self) -> Counts:
        """Its own requests, failures and what was saved; calls, tokens and price of all members."""
        return add_counts(self._own, self.members)

    def identity(self) -> Mapping[str, str]:
        return {
            f"{number}.{key}": value
            for number, member in enumerate(self.members, start=1)
            for key, value in member.identity().items()
        }


class Panel(_Combined):
    """The majority of its members. It answers the kinds that all of them answer."""

    def __init__(self, members: Sequence[Judge]) -> None:
        if len(members) < _QUORUM:
            raise UsageError("a panel has two judges or more: panel:A+B+C")
        super().__init__(*members)
        self.name = "panel:" + "+".join(member.name for member in members)
        self.kinds = reduce(frozenset.__and__, (member.kinds for member in members))

    @classmethod
    def from_spec(cls, rest: str) -> Panel:
        """The panel of ``A+B+C``. Raises what `as_judge` raises for a member."""
        return cls([as_judge(spec) for spec in rest.split("+")])

    @property
    def patient(self) -> bool:
        return any(member.patient for member in self.members)

    @property
    def batch(self) -> int:
        """The batch size that suits all members; a patient member takes any number."""
        patient = [member.batch for member in self.members if member.patient]
        return max(patient) if patient else min(member.batch for member in self.members)

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """Each request once every member has replied to all. Raises JudgeError without a quorum."""
        self._own.requests += len(requests)
        lost: list[Exception] = []

        async def ask(member: Judge) -> dict[JudgeRequest, Said]:
            missing: Said = Failed("gave no reply")
            given: dict[JudgeRequest, Said] = {}
            try:
                async for request, reply in judge_in_batches(member, requests):
                    given.setdefault(request, reply)
            except Exception as error:
                # What this member left open is for the others to decide.
                lost.append(error)
                missing = Failed(str(error))
            return {request: given.get(request, missing) for request in requests}

        said = await asyncio.gather(*map(ask, self.members))
        names = [member.name for member in self.members]
        for request in requests:
            reply = majority(list(zip(names, (one[request] for one in said), strict=True)))
            if isinstance(reply, Failed) and len(lost) > len(said) - _QUORUM:
                raise JudgeError(f"{self.name} has no quorum left: {lost[-1]}")
            self._own.failed += isinstance(reply, Failed)
            yield request, reply


def majority(said: Sequence[tuple[str, Said]]) -> Said:
    """The majority verdict of the members that gave one; the note holds the verdict of each."""
    note = ", ".join(
        f"{name}: {reply.value}"
        if isinstance(reply, Verdict)
        else f"{name}: {'failed' if isinstance(reply, Failed) else 'not judged'} ({reply.reason})"
        for name, reply in said
    )
    values = [reply.value for _, reply in said if isinstance(reply, Verdict)]
    if len(values) < _QUORUM and not any(isinstance(reply, Failed) for _, reply in said):
        return NotJudged(f"no majority of the judges can read it ({note})")
    if len(values) < _QUORUM:
        return Failed(f"no majority: {len(values)} of {len(said)} judges answered ({note})")
    numbers = [value for value in values if isinstance(value, (int, float))]
    if len(numbers) == len(values):
        return Verdict(float(median(numbers)), note=f"median ({note})")
    value, votes = Counter(values).most_common(1)[0]
    if 2 * votes <= len(values):
        return Failed(f"no majority ({note})")
    return Verdict(value, note=f"{votes} of {len(values)} ({note})")


# Between these the second judge is asked: on people's labels of answers to questions that finds 87 % of the bad
# sentences with 44 % of the requests. A bound that one half of the documents chose finds 81 and 94 % on the other, with
# 42 and 52 % (`python -m benchmarks.cascade`).
LOW, HIGH = 0.4, 1.0
_OPTION = re.compile(r",between=(0?\.\d+|[01]|0\.0|1\.0)-(0?\.\d+|[01]|0\.0|1\.0)\Z")


def split_spec(rest: str) -> tuple[str, str, tuple[float, float]]:
    """The specs of both judges of ``A>B,between=LOW-HIGH``, and the bounds. Raises UsageError."""
    found = _OPTION.search(rest)
    bounds = (float(found[1]), float(found[2])) if found else (LOW, HIGH)
    first, arrow, second = _OPTION.sub("", rest).partition(">")
    if not arrow or not first or not second or bounds[0] > bounds[1]:
        raise UsageError(
            f"cascade:{rest:.80}: write cascade:FIRST>SECOND, with ,between=0.3-0.9 behind it for other bounds, "
            "in quotes for the shell"
        )
    return first, second, bounds


class Cascade(_Combined):
    """Asks the second judge where the first one's doubt lies between the bounds. It answers the second's kinds."""

    def __init__(
        self, first: Judge, second: Judge, bounds: tuple[float, float] = (LOW, HIGH)
    ) -> None:
        super().__init__(first, second)
        self.first, self.second, self.bounds = first, second, bounds
        self._between = f"{bounds[0]:g}-{bounds[1]:g}"
        option = "" if bounds == (LOW, HIGH) else f",between={self._between}"
        self.name = f"cascade:{first.name}>{second.name}{option}"
        self.kinds, self.defaults = second.kinds, second.defaults

    @classmethod
    def from_spec(cls, rest: str) -> Cascade:
        """The cascade of ``A>B``. Raises what `as_judge` raises for either."""
        first, second, bounds = split_spec(rest)
        return cls(as_judge(first), as_judge(second), bounds)

    @property
    def patient(self) -> bool:
        return self.second.patient

    @property
    def batch(self) -> int:
        """The second's; more, since not all of the requests reach it."""
        return 2 * self.second.batch

    def identity(self) -> Mapping[str, str]:
        """The bounds, and both identities."""
        return {"between": self._between, **super().identity()}

    def stands(self, request: JudgeRequest, said: Said | None) -> bool:
        """Whether the first judge's verdict on a request is sure enough."""
        if not isinstance(said, Verdict):
            return False
        doubt = (
            lexical_doubt(request)
            if self.first.name == "lexical" and isinstance(request, Entails | SupportLevel)
            else self.first.doubt(request, said)
        )
        return doubt is not None and not self.bounds[0] <= doubt <= self.bounds[1]

    def asked(self, requests: Sequence[JudgeRequest]) -> list[JudgeRequest]:
        """The requests that would reach the second judge; the first one is asked now."""
        came = asyncio.run(self._first(requests))
        return [one for one in requests if not self.stands(one, came.get(one))]

    async def _first(self, requests: Sequence[JudgeRequest]) -> dict[JudgeRequest, Said]:
        """The first judge's replies, to requests that it can answer."""
        known = [one for one in requests if type(one) in self.first.kinds]
        return {request: said async for request, said in judge_in_batches(self.first, known)}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """The verdicts of the first judge that stand, then the second's. Raises what either raises."""
        self._own.requests += len(requests)
        came, rest = await self._first(requests), []
        for request in requests:
            said = came.get(request)
            if isinstance(said, Verdict) and self.stands(request, said):
                self._own.saved += 1
                note = f"{self.first.name} alone" + (f": {said.note}" if said.note else "")
                yield request, replace(said, note=note)
            else:
                rest.append(request)
        async for request, reply in judge_in_batches(self.second, rest):
            first = came.get(request)
            if isinstance(reply, Verdict) and isinstance(first, Verdict):
                parts = [f"{self.first.name}: {first.value}, {self.second.name}: {reply.value}"]
                parts += [reply.note] if reply.note else []
                reply = replace(reply, note="; ".join(parts))
            self._own.failed += not isinstance(reply, Verdict)
            yield request, reply
