"""Batch APIs of OpenAI and Azure, and Anthropic's Message Batches: a file of requests is uploaded, a batch begun on it, its state asked for until it has
ended, and the files of its replies and errors are read.

The store has a batch before the provider does, under a name of our own that the provider is told too. So a
process that goes on after a kill, or after a reply that was lost on the way, finds the batch again, and
nothing is asked twice. (https://platform.openai.com/docs/guides/batch, read 2026-11-22.)
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from argue_bench.errors import ArgueBenchError, JudgeError, UsageError
from argue_bench.judges import Judge, JudgeFunction, as_judge
from argue_bench.models.chat import Chat
from argue_bench.models.faults import Fault, status_fault
from argue_bench.models.transport import ChatRequest, Completion
from argue_bench.records import Failed
from argue_bench.scale.batch_calls import MOST_FILE_BYTES, BatchApi, BatchState, LineReply, key_of
from argue_bench.scale.batch_store import Batches, SentBatch
from argue_bench.scale.message_batches import MessageBatches

_MOST_BYTES = 90_000_000
"""Of a file of requests; OpenAI takes 200 MB."""
_FRAME_TOKENS = 64
"""Tokens that a server may add around the messages, as `argue_bench.models.chat` takes it."""
_LIMITS = ("max_tokens", "max_completion_tokens")
_UNLIMITED = 8192
"""Tokens that a model may write where the request sets no limit."""
_SECONDS_A_CALL = 900.0
"""A file of requests or replies has up to 200 MB."""
_FIRST_WAIT, _RETRIES = 0.5, 7
"""Seconds before the second try, which double each time: about a minute in all."""
POLL_SECONDS = 30.0
"""How often a provider is asked for a batch: batches take minutes to a day."""
BATCH = 20_000
"""Requests in one batch, at most; OpenAI allows 50,000, but their replies are in memory at once."""
TRIES = 3
"""Batches in which a request may come to nothing before it has failed."""
Say = Callable[[str], None]
_LOG = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True)
class Answered:
    """The replies of a batch by key, and the US dollars that were reserved for it."""

    replies: Sequence[tuple[bytes, LineReply]]
    reserved: float


def batched(
    judge: str | Judge | JudgeFunction,
    batches: Batches,
    say: Say = _LOG.info,
    seconds: float = POLL_SECONDS,
) -> Judge:
    """The judge, with its prompts sent through its provider's batch interface, at half the price.

    ``judge``: what `as_judge` takes; members of a panel that are no provider's models are asked as before.
    ``batches`` keeps what was sent in mind. ``say`` is told what becomes of each batch; the provider is
    asked every so many ``seconds``. Raises UsageError where no model can be asked so.
    """
    made = as_judge(judge)
    sending: dict[int, BatchedChat] = {}
    for model in made.language_models():  # judges of one model in several orders share its chat
        if isinstance(chat := model.transport, Chat):
            if id(chat) not in sending:
                sending[id(chat)] = BatchedChat(chat, batches, say, seconds)
            model.send_through(sending[id(chat)])
    if not sending:
        raise UsageError(f"{made.name} is no provider's model, so there is nothing to batch")
    return made


class BatchedChat:
    """A chat model asked through its provider's batch interface, as a `Transport`.

    A batch takes minutes to a day, so as many requests as there are go into each: the driver asks a patient
    judge only once nothing else can go on. Name and identity are the chat's own, since a batch changes no
    verdict; its price becomes that of a batch.
    """

    patient = True
    batch = BATCH

    def __init__(self, chat: Chat, batches: Batches, say: Say, seconds: float) -> None:
        self.chat, self._batches, self._say, self._seconds = chat, batches, say, seconds
        chat.price = chat.price and chat.price.in_batches()
        self._server = chat.bases[0]
        self._most_lines = BATCH
        self._tries: dict[bytes, int] = {}
        self._came: set[bytes] = set()
        """Keys of requests that a batch has brought back: what comes again of them goes into a new one."""
        self._halted = asyncio.Event()
        self._stopped: ArgueBenchError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.chat, name)

    def stop(self, error: ArgueBenchError) -> None:
        """Stops waiting for batches; those that were begun continue at the provider."""
        self._stopped = error
        self._halted.set()

    async def complete(
        self, requests: Sequence[ChatRequest]
    ) -> AsyncIterator[tuple[ChatRequest, Completion | Failed]]:
        """Replies as batches come back. Raises JudgeError once nothing more can be asked."""
        open_requests = list(dict.fromkeys(requests))
        while open_requests:
            bodies = {self._body(request): request for request in open_requests}
            by_key = {key_of(body): body for body in bodies}
            open_requests = []
            # What came to nothing in these batches goes into the next ones, at most `TRIES` times.
            async with aclosing(self._answered(by_key)) as batches:
                async for batch in batches:
                    done = {key: self._outcome(key, by_key[key], one) for key, one in batch.replies}
                    if self.chat.budget is not None:
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

    async def _answered(self, bodies: Mapping[bytes, str]) -> AsyncGenerator[Answered]:
        connection = self.chat.connect(_SECONDS_A_CALL, MOST_FILE_BYTES, batches=True)
        api: BatchApi | MessageBatches
        if self.chat.provider.dialect == "anthropic":
            api = MessageBatches(self.chat, connection, partial(self._pause, self._seconds))
        else:
            api = BatchApi(self.chat, connection)
        work = _Work(api, dict(bodies))
        try:
            self._take_up(work)
            while work.new or work.running:
                await self._begin_new(work)
                if not work.running:
                    break
                done, _ = await asyncio.wait(work.running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    work.running.discard(task)
                    if (answered := self._ended(work, task)) is not None:
                        yield answered
            if work.error is not None:
                raise work.error
        finally:
            for task in work.running:
                task.cancel()
            await asyncio.gather(*work.running, return_exceptions=True)
            await connection.close()

    def _take_up(self, work: _Work) -> None:
        """Continues batches that an earlier run began; requests in none of them are new."""
        earlier: dict[SentBatch, list[bytes]] = {}
        for key, batch in self._batches.of(work.bodies.keys() - self._came).items():
            earlier.setdefault(batch, []).append(key)
        for batch, keys in earlier.items():
            if not batch.file:  # its file was not uploaded, so it cannot have been begun
                self._batches.drop(batch)
                continue
            if self.chat.budget is not None:
                self.chat.budget.hold(batch.reserved)  # it is paid for, whatever the limit is now
            work.run(self._run(work, batch, keys, resumed=True))
        taken = {key for batch, keys in earlier.items() if batch.file for key in keys}
        work.new = [key for key in work.bodies if key not in taken]

    async def _begin_new(self, work: _Work) -> None:
        """Begins batches until all requests are in one, or the budget or a limit is reached."""
        while work.new and work.error is None:
            try:
                keys, reserved = await self._next_keys(work)
            except ArgueBenchError as error:
                work.error = error
                return
            if not keys:
                return  # once a batch has ended, there may be room for it
            del work.new[: len(keys)]
            batch = self._batches.begin(self._server, keys, reserved)
            work.run(self._run(work, batch, keys))

    async def _next_keys(self, work: _Work) -> tuple[list[bytes], float]:
        """The requests of the next batch, and what it may cost, which is reserved; none where not one fits
        into the budget for now. Raises BudgetSpent where nothing is under way."""
        # A batch is cut where the budget ends, so that what still fits is sent.
        budget, price = self.chat.budget, self.chat.price
        keys: list[bytes] = []
        size, most = 0, 0.0
        if budget is not None:
            first = self._most(work.bodies[work.new[0]])
            if first > budget.left and work.running:
                return [], 0.0
            await budget.reserve(first)  # waits for another judge's, or raises
            budget.settle(first, 0.0)
        for key in work.new[: self._most_lines]:
            body = work.bodies[key]
            size += len(body.encode()) + 200
            cost = self._most(body) if price else 0.0
            if keys and (size > _MOST_BYTES or (budget is not None and most + cost > budget.left)):
                break
            keys.append(key)
            most += cost
        if budget is not None:
            await budget.reserve(most)
        return keys, most

    def _most(self, body: str) -> float:
        """The most US dollars that a request may cost: a token has at least one byte."""
        if self.chat.price is None:
            return 0.0
        wanted = json.loads(body)
        written = next((wanted[name] for name in _LIMITS if name in wanted), _UNLIMITED)
        return self.chat.price.of(len(body.encode()) + _FRAME_TOKENS, written)

    async def _run(
        self, work: _Work, batch: SentBatch, keys: list[bytes], resumed: bool = False
    ) -> _Ended:
        """Runs one batch from its present state to its end."""
        # Each step is noted before the next begins; a process that goes on after a kill starts where it stands.
        bodies = [work.bodies[key] for key in keys]
        if not batch.file:
            file = await self._retried(partial(work.api.upload, batch.nonce, bodies))
            batch = self._batches.note(replace(batch, file=file))
        if not batch.id:
            while not await self._retried(partial(work.api.ready, batch.file)):
                await self._pause(self._seconds)
            batch = await self._begun(work.api, batch, bodies, resumed)
            self._say(f"{self.name}: batch {batch.id} of {len(keys):,} requests is begun")
        state = await self._wait(work.api, batch)
        if state.too_many_tokens:
            await self._pause(self._seconds)
        found: dict[bytes, LineReply] = {}
        # Errors lie in a file of their own; where a request is in both, that of the errors comes last.
        for name in (state.output_file, state.error_file):
            if name:
                least = state.completed if name == state.output_file else 0
                found |= await self._retried(partial(_read, work.api, name, least))
        return _Ended(batch, keys, state, found)

    async def _begun(
        self,
        api: BatchApi | MessageBatches,
        batch: SentBatch,
        bodies: Sequence[str],
        maybe_begun: bool,
    ) -> SentBatch:
        """The batch with the provider's id. Begun once, even where the reply to that was lost."""

        async def begin() -> str:
            nonlocal maybe_begun
            known = ""
            if maybe_begun:
                known = await api.find(batch.file, batch.nonce, len(bodies))
            maybe_begun = True
            return known or await api.begin(batch.file, batch.nonce, bodies)

        return self._batches.note(replace(batch, id=await self._retried(begin)))

    async def _wait(self, api: BatchApi | MessageBatches, batch: SentBatch) -> BatchState:
        said = ""
        while True:
            state = await self._retried(partial(api.state, batch.id))
            if state.ended:
                return state
            if (
                now := f"{state.status}, {state.completed + state.failed:,} of {state.total:,} done"
            ) != said:
                said = now
                self._say(f"{self.name}: batch {batch.id}: {now}")
            await self._pause(self._seconds)

    def _ended(self, work: _Work, task: asyncio.Task[_Ended]) -> Answered | None:
        """The result of a batch; None where its requests go into others."""
        try:
            ended = task.result()
        except ArgueBenchError as error:
            work.error = work.error or error
            return None
        batch, state = ended.batch, ended.state
        if state.status == "failed":
            self._batches.drop(batch)
            if self.chat.budget is not None:
                self.chat.budget.settle(batch.reserved, 0.0)
            if state.too_many_tokens:
                if not work.running:  # it is not other batches of ours that are too many
                    self._most_lines = max(1, len(ended.keys) // 2)
                self._say(f"{self.name}: {state.reason}; {len(ended.keys):,} requests go again")
                work.new[:0] = ended.keys
                return None
            work.error = work.error or JudgeError(f"{self.name}: batch {batch.id}: {state.reason}")
            return None
        # Somebody cancelled it on the provider's page: not to be begun again behind his back.
        if state.status == "cancelled":
            answered = [key for key in ended.keys if key in ended.found and ended.found[key].status]
            self._batches.forget(set(ended.keys).difference(answered))
            work.error = work.error or JudgeError(
                f"{self.name}: batch {batch.id} was cancelled at the provider; what it had answered is "
                "stored, and the same command asks for the rest"
            )
            ended.keys[:] = answered
        self._came.update(ended.keys)
        absent = LineReply(0, "", f"batch {batch.id} is {state.status}, without a reply")
        replies = [(key, ended.found.get(key, absent)) for key in ended.keys]
        return Answered(replies, batch.reserved)

    async def _retried(self, call: Callable[[], Awaitable[T]]) -> T:
        """Calls the provider, and tries again where that may help. Raises JudgeError."""
        for tries in range(_RETRIES + 1):
            try:
                return await call()
            except Fault as fault:
                reason = self.chat.without_key(fault.reason)
                if fault.kind != "retry" or tries == _RETRIES:
                    raise JudgeError(
                        f"{self.name}: {reason}. Batches that were begun go on at the provider; the "
                        "same command finds them again"
                    ) from None
                await self._pause(max(_FIRST_WAIT * 2**tries, fault.wait or 0.0))
        raise AssertionError

    async def _pause(self, seconds: float) -> None:
        """Waits; raises the error with which the run was stopped meanwhile."""
        try:
            await asyncio.wait_for(self._halted.wait(), seconds)
        except TimeoutError:  # the usual end: nobody stopped the run
            return
        raise self._stopped or JudgeError(f"{self.name}: stopped")


async def _read(api: BatchApi | MessageBatches, name: str, least: int) -> dict[bytes, LineReply]:
    """The replies in a file, ``least`` of them at least. Raises Fault where it is not whole: what seems to
    lack a reply would be asked, and paid for, once more."""
    lines = [line for line in (await api.content(name)).splitlines() if line.strip()]
    found = dict(filter(None, map(api.reply_in, lines)))
    if len(found) < max(least, len(lines)):
        why = (
            f"the file {name} has {len(found):,} replies where {max(least, len(lines)):,} should be"
        )
        raise Fault("retry", why)
    return found


@dataclass
class _Ended:
    """A batch that has come to its end; ``found`` are its replies by key."""

    batch: SentBatch
    keys: list[bytes]
    state: BatchState
    found: Mapping[bytes, LineReply]


@dataclass
class _Work:
    """The work in progress of one call of `ApiChat.complete`."""

    api: BatchApi | MessageBatches
    bodies: dict[bytes, str]
    new: list[bytes] = field(default_factory=list)
    running: set[asyncio.Task[_Ended]] = field(default_factory=set)
    error: ArgueBenchError | None = None

    def run(self, work: Any) -> None:
        self.running.add(asyncio.create_task(work))
