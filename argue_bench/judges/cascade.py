"""A cheap judge, and a dear one that is asked only where the first one may be wrong: ``cascade:lexical>PROVIDER/MODEL``.

The first judge's doubt of a request is the probability that people would find something wrong with it
(`Judge.doubt`). Below the lower bound its verdict stands, and above the upper one; between them, and where it
gives no probability or no verdict, the second judge decides. The note of a verdict has both.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

from argue_bench.errors import UsageError
from argue_bench.judges import as_judge
from argue_bench.judges.base import Counts, Judge, Reply, Said, add_counts, judge_in_batches
from argue_bench.judges.lexical.support import doubt as lexical_doubt
from argue_bench.records import Entails, JudgeRequest, SupportLevel, Verdict

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


class Cascade(Judge):
    """Asks the second judge where the first one's doubt lies between the bounds. It answers the second's kinds."""

    def __init__(
        self, first: Judge, second: Judge, bounds: tuple[float, float] = (LOW, HIGH)
    ) -> None:
        self.first, self.second, self.bounds = first, second, bounds
        self._own = Counts()
        self._between = f"{bounds[0]:g}-{bounds[1]:g}"
        usual = bounds == (LOW, HIGH)
        option = "" if usual else f",between={self._between}"
        self.name = f"cascade:{first.name}>{second.name}{option}"
        self.kinds, self.defaults = second.kinds, second.defaults
        self.reads_context = first.reads_context or second.reads_context

    @classmethod
    def from_spec(cls, rest: str) -> Cascade:
        """The cascade of ``A>B``. Raises what `as_judge` raises for either."""
        first, second, bounds = split_spec(rest)
        return cls(as_judge(first), as_judge(second), bounds)

    @property
    def wraps(self) -> tuple[Judge, ...]:
        return (self.first, self.second)

    @property
    def patient(self) -> bool:
        return self.second.patient

    @property
    def batch(self) -> int:
        """The second's; more, since not all of the requests reach it."""
        return 2 * self.second.batch

    @property
    def counts(self) -> Counts:
        """Its own requests, failures and what was saved; calls, tokens and price of both."""
        return add_counts(self._own, self.wraps)

    def identity(self) -> Mapping[str, str]:
        """The bounds, and both identities."""
        both = {
            f"{number}.{key}": value
            for number, one in enumerate(self.wraps, start=1)
            for key, value in one.identity().items()
        }
        return {"between": self._between, **both}

    def stands(self, request: JudgeRequest, said: Said | None) -> bool:
        """Whether the first judge's verdict on a request is sure enough."""
        if not isinstance(said, Verdict):
            return False
        if self.first.name == "lexical" and isinstance(request, Entails | SupportLevel):
            doubt = lexical_doubt(request)
        else:
            doubt = self.first.doubt(request, said)
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
