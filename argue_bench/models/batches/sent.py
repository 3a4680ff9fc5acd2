"""The base of all ways to send the prompts of a chat model in batches.

A batch takes minutes to a day, so as many requests as there are go into each: the driver asks a patient
judge only once nothing else can go on.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from argue_bench.errors import ArgueBenchError, JudgeError, UsageError
from argue_bench.models.batches.lines import LineReply, key_of
from argue_bench.models.budget import Budget, Price
from argue_bench.models.chat import Chat
from argue_bench.models.faults import Fault, status_fault
from argue_bench.models.transport import ChatRequest, Completion
from argue_bench.records import Failed

BATCH = 20_000
"""Requests in one batch, at most; OpenAI allows 50,000, but their replies are in memory at once."""
TRIES = 3
"""Batches in which a request may come to nothing before it has failed."""
Say = Callable[[str], None]


@dataclass(frozen=True)
class Answered:
    """The replies of a batch by key, and the US dollars that were reserved for it."""

    replies: Sequence[tuple[bytes, LineReply]]
    reserved: float | None = None


class SentChat:
    """A chat model that is asked in batches, as a `Transport`.

    Its price is that of its provider's Batch API. Raises UsageError for a model whose requests cannot be
    sent in this way.
    """

    dialects: Collection[str] = ("openai",)
    """The words in which a model may be asked."""

    patient = True
    """Whether the driver gathers as many requests as it can before it asks."""

    def __init__(self, chat: Chat, say: Say) -> None:
        if chat.provider.dialect not in self.dialects:
            raise UsageError(
                f"{chat.name} does not speak OpenAI's dialect, so its requests can't be written into files"
            )
        self.chat, self._say = chat, say
        chat.price = chat.price and chat.price.in_batches()
        self._tries: dict[bytes, int] = {}

    @property
    def name(self) -> str:
        """The model's own name: a batch changes no verdict."""
        return self.chat.name

    @property
    def batch(self) -> int:
        """The number of requests that fit into one batch."""
        return BATCH

    @property
    def price(self) -> Price | None:
        """The price in a batch."""
        return self.chat.price

    @property
    def dropped(self) -> Mapping[str, None]:
        """Parameters that the server refused."""
        return self.chat.dropped

    def identity(self) -> Mapping[str, str]:
        """The model's own."""
        return self.chat.identity()

    def set_budget(self, budget: Budget) -> None:
        """Pays from this budget. Raises JudgeError where the model's price is not known."""
        self.chat.set_budget(budget)

    def stop(self, error: ArgueBenchError) -> None:
        """Sends nothing more."""
        self.chat.stop(error)

    async def complete(
        self, requests: Sequence[ChatRequest]
    ) -> AsyncIterator[tuple[ChatRequest, Completion | Failed]]:
        """Replies as batches come back. Raises JudgeError once nothing more can be asked."""
        open_requests = list(dict.fromkeys(requests))
        while open_requests:
            bodies = {self._body(request): request for request in open_requests}
            by_key = {key_of(body): body for body in bodies}
            open_requests = []
            async with aclosing(self._answered(by_key)) as batches:  # type: ignore[type-var]
                async for batch in batches:
                    done = {key: self._outcome(key, by_key[key], one) for key, one in batch.replies}
                    if self.chat.budget is not None and batch.reserved is not None:
                        paid = (
                            one.price or 0.0 for one in done.values() if isinstance(one, Completion)
                        )
                        self.chat.budget.settle(batch.reserved, sum(paid))
                    for key, one in done.items():
                        request = bodies[by_key[key]]
                        if one is None:
                            open_requests.append(request)
                        else:
                            yield request, one

    def _answered(self, bodies: Mapping[bytes, str]) -> AsyncIterator[Answered]:
        """Batches as they come back, with a reply to each body in all."""
        raise NotImplementedError

    def _body(self, request: ChatRequest) -> str:
        return json.dumps(self.chat.wording(request), ensure_ascii=False)

    def _outcome(self, key: bytes, body: str, reply: LineReply) -> Completion | Failed | None:
        """The reply to a request or its failure; None where it must be sent again. Raises
        JudgeError."""
        try:
            if reply.status == 200:
                return self.chat.read(reply.body, body, self.chat.hosts[0])
            if reply.status == 0:
                raise Fault("retry", reply.error)
            raise status_fault(reply.status, reply.body, {}, json.loads(body))
        except Fault as fault:
            if self.chat.drop(fault.parameter, json.loads(body)):
                return None
            reason = self.chat.without_key(fault.reason)
            if fault.kind == "stop":
                raise JudgeError(f"{self.name}: {reason}") from None
            if fault.kind == "retry":
                self._tries[key] = self._tries.get(key, 0) + 1
                if self._tries[key] < TRIES:
                    return None
                reason += f" ({TRIES} batches)"
            return Failed(reason, prompt=body, reply=fault.raw)
