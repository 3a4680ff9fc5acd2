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
        agreed = {kind: {one.default_of(kind) for one in members} for kind in self.kinds}
        # Default verdicts on which all members agree, where they differ from ARGUE's.
        self.defaults = {
            kind: word
            for kind, words in agreed.items()
            if len(words) == 1 and (word := next(iter(words))) not in (None, kind.default)
        }

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
        """Each request as soon as every member has replied. Raises JudgeError without a quorum."""
        votes: dict[JudgeRequest, dict[int, Said]] = {request: {} for request in requests}
        inbox: asyncio.Queue[JudgeRequest | Exception | None] = asyncio.Queue()

        def vote(number: int, request: JudgeRequest, reply: Said) -> None:
            given = votes.get(request, {number: reply})
            if number not in given:
                given[number] = reply
                if len(given) == len(self.members):
                    inbox.put_nowait(request)

        async def listen(number: int, member: Judge) -> None:
            missing = Failed("gave no reply")
            try:
                async for request, reply in judge_in_batches(member, requests):
                    vote(number, request, reply)
            except Exception as error:
                inbox.put_nowait(error)
                missing = Failed(str(error))
            for request in requests:  # what this member left open is for the others to decide
                vote(number, request, missing)
            inbox.put_nowait(None)

        tasks = [asyncio.create_task(listen(*one)) for one in enumerate(self.members)]
        speaking, lost = len(tasks), 0
        try:
            while speaking:
                item = await inbox.get()
                if item is None:
                    speaking -= 1
                elif isinstance(item, Exception):
                    lost += 1
                    if lost > len(self.members) - _QUORUM:
                        raise JudgeError(f"{self.name} has no quorum left: {item}")
                else:
                    said = sorted(votes[item].items())
                    reply = majority([(self.members[n].name, one) for n, one in said])
                    self._own.requests += 1
                    self._own.failed += isinstance(reply, Failed)
                    yield item, reply
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


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
