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
from argue_bench.judges import as_judge, default_of
from argue_bench.judges.base import (
    Counts,
    Judge,
    Reply,
    is_patient,
    judge_in_batches,
    reads_context,
)
from argue_bench.records import Failed, JudgeRequest, Verdict

_QUORUM = 2


class Panel:
    """The majority of its members. It answers the kinds that all of them answer."""

    def __init__(self, members: Sequence[Judge]) -> None:
        if len(members) < _QUORUM:
            raise UsageError("a panel has two judges or more: panel:A+B+C")
        self.members = tuple(members)
        self.name = "panel:" + "+".join(member.name for member in members)
        self.kinds = reduce(frozenset.__and__, (member.kinds for member in members))
        self._own = Counts()

    @classmethod
    def from_spec(cls, rest: str) -> Panel:
        """The panel of ``A+B+C``. Raises what `as_judge` raises for a member."""
        return cls([as_judge(spec) for spec in rest.split("+")])

    @property
    def patient(self) -> bool:
        """Whether a member is patient (`is_patient`)."""
        return any(map(is_patient, self.members))

    @property
    def reads_context(self) -> bool:
        """Whether a member reads the context of a sentence."""
        return any(map(reads_context, self.members))

    @property
    def batch(self) -> int:
        """The batch size that suits all members; a patient member takes any number."""
        patient = [member.batch for member in self.members if is_patient(member)]
        return max(patient) if patient else min(member.batch for member in self.members)

    @property
    def counts(self) -> Counts:
        """The panel's own requests and failures; calls, tokens and price of all members."""
        for field in ("calls", "tokens_in", "tokens_out", "price", "unpriced", "cut"):
            total = sum(getattr(member.counts, field) for member in self.members)
            setattr(self._own, field, total)
        return self._own

    @property
    def defaults(self) -> Mapping[type[JudgeRequest], str]:
        """Default verdicts on which all members agree, where they differ from ARGUE's."""
        agreed = {kind: {default_of(one, kind) for one in self.members} for kind in self.kinds}
        return {
            kind: word
            for kind, words in agreed.items()
            if len(words) == 1 and (word := next(iter(words))) not in (None, kind.default)
        }

    def identity(self) -> Mapping[str, str]:
        return {
            f"{number}.{key}": value
            for number, member in enumerate(self.members, start=1)
            for key, value in member.identity().items()
        }

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """Each request as soon as every member has replied. Raises JudgeError without a quorum."""
        votes: dict[JudgeRequest, dict[int, Verdict | Failed]] = {
            request: {} for request in requests
        }
        inbox: asyncio.Queue[JudgeRequest | Exception | None] = asyncio.Queue()

        def vote(number: int, request: JudgeRequest, reply: Verdict | Failed) -> None:
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


def majority(said: Sequence[tuple[str, Verdict | Failed]]) -> Verdict | Failed:
    """The majority verdict of the members that gave one; the note holds the verdict of each."""
    note = ", ".join(
        f"{name}: {reply.value if isinstance(reply, Verdict) else f'failed ({reply.reason})'}"
        for name, reply in said
    )
    values = [reply.value for _, reply in said if isinstance(reply, Verdict)]
    if len(values) < _QUORUM:
        return Failed(f"no majority: {len(values)} of {len(said)} judges answered ({note})")
    numbers = [value for value in values if isinstance(value, (int, float))]
    if len(numbers) == len(values):
        return Verdict(float(median(numbers)), note=f"median ({note})")
    value, votes = Counter(values).most_common(1)[0]
    if 2 * votes <= len(values):
        return Failed(f"no majority ({note})")
    return Verdict(value, note=f"{votes} of {len(values)} ({note})")
