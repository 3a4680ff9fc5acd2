"""Batch APIs of OpenAI and Azure, and Anthropic's Message Batches: a file of requests is uploaded, a batch begun on it, its state asked for until it has
ended, and the files of its replies and errors are read.

The store has a batch before the provider does, under a name of our own that the provider is told too. So a
process that goes on after a kill, or after a reply that was lost on the way, finds the batch again, and
nothing is asked twice. (https://platform.openai.com/docs/guides/batch, read 2026-11-22.)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from argue_bench.errors import ArgueBenchError, JudgeError
from argue_bench.models.batches.calls import MOST_FILE_BYTES, BatchApi, BatchState
from argue_bench.models.batches.lines import LineReply
from argue_bench.models.batches.messages import MessageBatches
from argue_bench.models.batches.sent import BATCH, Answered, Say, SentChat
from argue_bench.models.chat import Chat
from argue_bench.models.faults import Fault
from argue_bench.store.batches import Batches, SentBatch

_MOST_BYTES = 90_000_000
"""Of a file of requests; OpenAI takes 200 MB."""
_FRAME_TOKENS = 64
_LIMITS = ("max_tokens", "max_completion_tokens")
_UNLIMITED = 8192
_SECONDS_A_CALL = 900.0
_FIRST_WAIT, _RETRIES = 0.5, 7
POLL_SECONDS = 30.0

T = TypeVar("T")


class ApiChat(SentChat):
    """A chat model asked through its provider's Batch API. ``seconds``: how often batches are asked for."""

    dialects = ("openai", "azure", "anthropic")

    def __init__(
        self, chat: Chat, batches: Batches, say: Say, seconds: float = POLL_SECONDS
    ) -> None:
        super().__init__(chat, say)
        self._batches, self._seconds = batches, seconds
        self._server = chat.bases[0]
        self._most_lines = BATCH
        self._came: set[bytes] = set()
        """Keys of requests that a batch has brought back: what comes again of them goes into a new one."""
        self._halted = asyncio.Event()
        self._stopped: ArgueBenchError | None = None

    def stop(self, error: ArgueBenchError) -> None:
        """Stops waiting for batches; those that were begun continue at the provider."""
        self._stopped = error
        self._halted.set()

    async def _answered(self, bodies: Mapping[bytes, str]) -> AsyncIterator[Answered]:
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
        except TimeoutError:
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
