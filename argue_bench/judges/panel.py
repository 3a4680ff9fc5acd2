"""Several judges as one: the verdict of the majority, with each member's verdict in the note.

``panel:lexical+nli:MODEL+recorded:FILE``. A word or text wins with more than half of the members
that answered, at least two; a number is their median. Without a majority the request fails. A member
that fails, on one request or altogether, leaves the decision to the others.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
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
from argue_bench.records import Failed, JudgeRequest, NotJudged, Verdict

# One judge alone is no panel: its verdict would pass for a majority.
_QUORUM = 2


class Panel(Judge):
    """The majority of its members. It answers the kinds that all of them answer."""

    def __init__(self, members: Sequence[Judge]) -> None:
        if len(members) < _QUORUM:
            raise UsageError("a panel has two judges or more: panel:A+B+C")
        self.members = tuple(members)
        self._own = Counts()
        self.name = "panel:" + "+".join(member.name for member in members)
        self.kinds = reduce(frozenset.__and__, (member.kinds for member in members))
        self.reads_context = any(member.reads_context for member in members)

    @classmethod
    def from_spec(cls, rest: str) -> Panel:
        """The panel of ``A+B+C``. Raises what `as_judge` raises for a member."""
        return cls([as_judge(spec) for spec in rest.split("+")])

    @property
    def wraps(self) -> tuple[Judge, ...]:
        return self.members

    @property
    def patient(self) -> bool:
        return any(member.patient for member in self.members)

    @property
    def batch(self) -> int:
        """The batch size that suits all members; a patient member takes any number."""
        patient = [member.batch for member in self.members if member.patient]
        return max(patient) if patient else min(member.batch for member in self.members)

    @property
    def counts(self) -> Counts:
        """The panel's own requests and failures; calls, tokens and price of all members."""
        return add_counts(self._own, self.members)

    def identity(self) -> Mapping[str, str]:
        return {
            f"{number}.{key}": value
            for number, member in enumerate(self.members, start=1)
            for key, value in member.identity().items()
        }

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
