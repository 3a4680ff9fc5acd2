"""Several judges as one: the majority speaks, and the note says who agreed.

``panel:lexical+nli:MODEL+recorded:FILE``. A word or text wins with more than half of the members
that answered, of which there must be two at least; a number is their median. Without a majority the
ask fails. A member that fails on an ask, or altogether, leaves the others to decide.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import reduce
from statistics import median

from argue_bench.errors import JudgeError, UsageError
from argue_bench.judges import default_of
from argue_bench.judges.base import Counts, Judge, Reply, judge_in_batches
from argue_bench.records import Failed, JudgeRequest, Verdict

_QUORUM = 2
_End = tuple[int, Exception | None]


class Panel:
    """The majority of its members. It answers the kinds that all of them answer."""

    def __init__(self, members: Sequence[Judge]) -> None:
        if len(members) < _QUORUM:
            raise UsageError("a panel has two judges or more: panel:A+B+C")
        self.members = tuple(members)
        self.name = "panel:" + "+".join(member.name for member in members)
        self.kinds = reduce(frozenset.__and__, (member.kinds for member in members))
        self.batch = min(member.batch for member in members)
        self._own = Counts()

    @property
    def counts(self) -> Counts:
        """Asks put to the panel and its own failures; calls, tokens and price of all members."""
        for field in ("calls", "tokens_in", "tokens_out", "price", "cut"):
            total = sum(getattr(member.counts, field) for member in self.members)
            setattr(self._own, field, total)
        return self._own

    @property
    def defaults(self) -> Mapping[type[JudgeRequest], str]:
        """Default verdicts on which all members agree; on other kinds ARGUE's stand."""
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
        """Each ask as soon as every member has spoken. Raises JudgeError where none can."""
        inbox: asyncio.Queue[tuple[int, JudgeRequest, Verdict | Failed] | _End] = asyncio.Queue()
        votes: dict[JudgeRequest, dict[int, Verdict | Failed]] = {
            request: {} for request in requests
        }
        tasks = [
            asyncio.create_task(_listen(number, member, requests, inbox))
            for number, member in enumerate(self.members)
        ]
        lost: list[Exception] = []
        speaking = len(tasks)
        try:
            while speaking:
                message = await inbox.get()
                if len(message) == 3:
                    number, request, reply = message
                    open_asks = [request] if request in votes else []
                else:
                    number, error = message
                    speaking -= 1
                    if error is not None:
                        lost.append(error)
                    if len(lost) > len(self.members) - _QUORUM:
                        raise JudgeError(f"{self.name} has no quorum left: {lost[-1]}")
                    reply = Failed(str(error) if error else "gave no reply")
                    open_asks = [request for request, said in votes.items() if number not in said]
                for request in open_asks:
                    votes[request][number] = reply
                    if len(votes[request]) == len(self.members):
                        yield request, self._count(votes.pop(request))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _count(self, said: Mapping[int, Verdict | Failed]) -> Verdict | Failed:
        self._own.asked += 1
        result = majority([(self.members[n].name, said[n]) for n in sorted(said)])
        self._own.failed += isinstance(result, Failed)
        return result


async def _listen(
    number: int,
    member: Judge,
    requests: Sequence[JudgeRequest],
    inbox: asyncio.Queue[tuple[int, JudgeRequest, Verdict | Failed] | _End],
) -> None:
    """Puts a member's replies into the inbox, and at last how it ended."""
    try:
        async for request, reply in judge_in_batches(member, requests):
            inbox.put_nowait((number, request, reply))
    except Exception as error:
        inbox.put_nowait((number, error))
    else:
        inbox.put_nowait((number, None))


def majority(said: Sequence[tuple[str, Verdict | Failed]]) -> Verdict | Failed:
    """What most of those that answered say, with who said what in the note."""
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
