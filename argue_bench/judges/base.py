"""What a judge is: asks in, verdicts out, and the set of kinds it can answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from argue_bench.records import Failed, JudgeRequest, Verdict

Reply = tuple[JudgeRequest, Verdict | Failed]

WITHOUT = "sent without "
"""Begins the note of a verdict whose request lacked parameters that the server refused; names follow."""


@dataclass
class Counts:
    """What a judge has done so far. ``price`` in US dollars, where the judge knows one."""

    asked: int = 0
    stored: int = 0
    failed: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    price: float = 0.0
    cut: int = 0
    """Asks of which a model read less than all, for want of room; the notes of verdicts say which."""


def checked_reply(judge: str, request: JudgeRequest, reply: Verdict | Failed) -> Verdict | Failed:
    """The reply, or `Failed` where its verdict is none that the request declares.

    A verdict that was never declared is a failure to judge, not an answer.
    """
    kind = type(request)
    if isinstance(reply, Failed) or kind.declares(reply.value):
        return reply
    return Failed(
        f"{judge} returned {reply.value!r:.80} for {kind.__name__}, not {kind.declared_verdicts()}"
    )


async def judge_in_batches(judge: Judge, requests: Iterable[JudgeRequest]) -> AsyncIterator[Reply]:
    """A judge's replies to requests, sent in batches of the size that it wants, each request once."""
    distinct = list(dict.fromkeys(requests))
    for start in range(0, len(distinct), judge.batch):
        async for reply in judge.judge(distinct[start : start + judge.batch]):
            yield reply


class Judge(Protocol):
    """Whoever gives verdicts. A judge by shape need not import this."""

    @property
    def name(self) -> str:
        """The spec that makes it (``lexical``, ``nli:MODEL``); stands in column heads."""
        ...

    @property
    def kinds(self) -> frozenset[type[JudgeRequest]]:
        """The kinds of ask that it can answer."""
        ...

    @property
    def batch(self) -> int:
        """How many asks it wants at once."""
        ...

    @property
    def counts(self) -> Counts: ...

    # A judge may also have ``defaults``, a mapping from kinds to the verdicts that --on-failure default
    # fills in where they are not ARGUE's; see `judges.default_of`.

    def identity(self) -> Mapping[str, str]:
        """All that moves its verdicts: model, prompt digest, decoding. Goes into the signature."""
        ...

    def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """A reply for each ask, in any order, as they come. Asks are distinct.

        A reply that cannot be had is `Failed`, never an exception; an exception means that no
        further ask can be answered (JudgeError: wrong key, disk full, budget spent).
        """
        ...
