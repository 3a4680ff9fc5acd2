"""Prompts sent through a provider's batch interface: a file of requests is uploaded, a batch begun on it, its
state asked for until it has ended, and its replies are read.

The store has a batch before the provider does, under a name of our own that the provider is told too. So a
process that goes on after a kill, or after a reply that was lost on the way, finds the batch again, and
nothing is asked twice. `Batches` is that store, a SQLite file beside the run: each step is in the file before the next one is taken, so that a process that goes on after a kill finds its
batches again, and no request is in two of them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import sqlite3
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing, contextmanager
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from argue_bench.errors import ArgueBenchError, Code, DataError, JudgeError, UsageError
from argue_bench.judges import Judge, JudgeFunction, as_judge
from argue_bench.judges.prompted import Prompted
from argue_bench.models.chat import Chat
from argue_bench.models.environment import environment
from argue_bench.models.providers import poll_seconds
from argue_bench.models.reply import Fault, status_fault
from argue_bench.models.transport import ChatRequest, Completion
from argue_bench.records import Failed
from argue_bench.scale.batch_calls import BatchApi, BatchState, LineReply, MessageBatches, key_of

_TABLES = """
CREATE TABLE IF NOT EXISTS batches (
    nonce TEXT PRIMARY KEY, reserved REAL NOT NULL, file TEXT NOT NULL, id TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS batched (key BLOB PRIMARY KEY, nonce TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class SentBatch:
    """A batch and its known state.

    ``nonce`` names it before the provider does. ``reserved``: the most US dollars that it may cost. ``file``
    and ``id`` are the provider's names of the file of requests and of the batch, empty until it gave them.
    """

    nonce: str
    reserved: float
    file: str = ""
    id: str = ""


class Batches:
    """The batches of a run, in the file ``path``. A context manager: where its block ends without an error,
    every verdict was used and the file goes."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def __enter__(self) -> Self:
        """Raises DataError where the file cannot be used."""
        try:
            # A notebook's runs have threads of their own.
            self._db = sqlite3.connect(self._path, check_same_thread=False)
            self._db.executescript(_TABLES)
        except sqlite3.Error as error:
            raise DataError.of(Code.UNREADABLE, str(error), self._path) from None
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._db.close()
        if kind is None:
            self._path.unlink(missing_ok=True)

    def _add(self, *statements: tuple[str, Iterable[tuple[object, ...]]]) -> None:
        """A transaction that is on disk when it ends. Raises DataError where the disk refuses."""
        try:
            with self._db:
                for statement, rows in statements:
                    self._db.executemany(statement, rows)
        except sqlite3.OperationalError as error:
            raise DataError.of(Code.NOT_WRITTEN, str(error), self._path) from None

    def begin(self, keys: Sequence[bytes], reserved: float) -> SentBatch:
        """A new batch of the requests with these keys, which belong to no other from now on."""
        batch = SentBatch(secrets.token_hex(12), reserved)
        rows = ((key, batch.nonce) for key in keys)
        self._add(
            ("INSERT INTO batches VALUES (?, ?, ?, ?)", [astuple(batch)]),
            ("INSERT OR REPLACE INTO batched VALUES (?, ?)", rows),
        )
        return batch

    def note(self, batch: SentBatch) -> SentBatch:
        """Stores the state of the batch."""
        self._add(("REPLACE INTO batches VALUES (?, ?, ?, ?)", [astuple(batch)]))
        return batch

    def drop(self, batch: SentBatch) -> None:
        """Forgets a batch that the provider never had, or refused as a whole."""
        self._add(
            ("DELETE FROM batched WHERE nonce = ?", [(batch.nonce,)]),
            ("DELETE FROM batches WHERE nonce = ?", [(batch.nonce,)]),
        )

    def forget(self, keys: Iterable[bytes]) -> None:
        """Forgets that these requests are in a batch: they go into another."""
        self._add(("DELETE FROM batched WHERE key = ?", [(key,) for key in keys]))

    def of(self, keys: Iterable[bytes]) -> Mapping[bytes, SentBatch]:
        """The batches of requests, by key; requests of no batch are left out."""
        batches = {row[0]: SentBatch(*row) for row in self._db.execute("SELECT * FROM batches")}
        rows = self._db.execute("SELECT key, nonce FROM batched")
        wanted = set(keys)
        return {key: batches[nonce] for key, nonce in rows if key in wanted}


# Of a file of requests; OpenAI takes 200 MB.
_MOST_BYTES = 90_000_000
# Of a file of replies.
_MOST_FILE_BYTES = 1 << 30
# A file of requests or replies has up to 200 MB.
_SECONDS_A_CALL = 900.0
# Seconds before the second try, which double each time: about a minute in all.
_FIRST_WAIT, _RETRIES = 0.5, 7
# How often a provider is asked for a batch: batches take minutes to a day.
POLL_SECONDS = 30.0
# Requests in one batch, at most; OpenAI allows 50,000, but their replies are in memory at once.
BATCH = 20_000
# Batches in which a request may come to nothing before it has failed.
TRIES = 3
Say = Callable[[str], None]
_LOG = logging.getLogger(__name__)

T = TypeVar("T")


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
    for model, chat in _chats([made]):  # judges of one model in several orders share its chat
        if id(chat) not in sending:
            sending[id(chat)] = BatchedChat(chat, batches, say, seconds)
        model.send_through(sending[id(chat)])
    if not sending:
        raise UsageError(
            f"{made.name} has no model whose provider has a batch interface, so there is nothing to batch"
        )
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
            wanted = {self._body(request): request for request in open_requests}
            bodies = {key_of(body): body for body in wanted}
            open_requests = []
            # What came to nothing in these batches goes into the next ones, at most `TRIES` times.
            async with aclosing(self._answered(bodies)) as ended:
                async for one in ended:
                    paid = 0.0
                    for key, line in one.replies.items():
                        reply = self._outcome(key, bodies[key], line)
                        if isinstance(reply, Completion):
                            paid += reply.price or 0.0
                        if reply is None:
                            open_requests.append(wanted[bodies[key]])
                        else:
                            yield wanted[bodies[key]], reply
                    if self.chat.budget is not None:
                        self.chat.budget.settle(one.batch.reserved, paid)

    def _body(self, request: ChatRequest) -> str:
        return json.dumps(self.chat.wording(request), ensure_ascii=False)

    def _outcome(self, key: bytes, body: str, reply: LineReply) -> Completion | Failed | None:
        """The reply to a request or its failure; None where it must be sent again. Raises
        JudgeError."""
        try:
            if reply.status == 200:
                return self.chat.read(reply.body, body)
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

    async def _answered(self, bodies: Mapping[bytes, str]) -> AsyncGenerator[_Ended]:
        connection = self.chat.connect(_SECONDS_A_CALL, _MOST_FILE_BYTES)
        made = MessageBatches if self.chat.provider.dialect == "anthropic" else BatchApi
        work = _Work(made(self.chat, connection, partial(self._pause, self._seconds)), bodies)
        try:
            self._take_up(work)
            while work.new or work.running:
                await self._begin_new(work)
                if not work.running:
                    break
                done, _ = await asyncio.wait(work.running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    work.running.discard(task)
                    try:
                        ended = self._ended(work, task.result())
                    except ArgueBenchError as error:
                        work.error = work.error or error
                    else:
                        yield ended
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
        taken: set[bytes] = set()
        for batch, keys in earlier.items():
            if not batch.file:  # its file was not uploaded, so it cannot have been begun
                self._batches.drop(batch)
                continue
            if self.chat.budget is not None:
                self.chat.budget.hold(batch.reserved)  # it is paid for, whatever the limit is now
            taken.update(keys)
            work.run(self._run(work, batch, keys, resumed=True))
        work.new = [key for key in work.bodies if key not in taken]

    async def _begin_new(self, work: _Work) -> None:
        """Begins batches until all requests are in one, or the budget or a limit is reached."""
        # A batch is cut where the budget ends, so that what still fits is sent.
        while work.new and work.error is None:
            keys: list[bytes] = []
            size = 0
            for key in work.new[: self._most_lines]:
                size += len(work.bodies[key].encode()) + 200
                if keys and size > _MOST_BYTES:
                    break
                keys.append(key)
            reserved = 0.0
            if (budget := self.chat.budget) is not None:
                most = [self.chat.most_of(json.loads(work.bodies[key])) for key in keys]
                if most[0] > budget.left and work.running:
                    return  # once a batch has ended, there may be room for it
                try:
                    count, reserved = await budget.reserve_some(most)
                except ArgueBenchError as error:
                    work.error = error
                    return
                keys = keys[:count]
            del work.new[: len(keys)]
            work.run(self._run(work, self._batches.begin(keys, reserved), keys))

    async def _run(
        self, work: _Work, batch: SentBatch, keys: list[bytes], resumed: bool = False
    ) -> _Ended:
        """Runs one batch from its present state to its end."""
        # Each step is noted before the next begins; a process that goes on after a kill starts where it stands.
        api, bodies = work.api, [work.bodies[key] for key in keys]
        if not batch.file:
            file = await self._retried(partial(api.upload, batch.nonce, bodies))
            batch = self._batches.note(replace(batch, file=file))
        if not batch.id:
            batch = await self._begun(api, batch, bodies, resumed)
            self._say(f"{self.name}: batch {batch.id} of {len(keys):,} requests is begun")
        said = ""
        while not (state := await self._retried(partial(api.state, batch.id))).ended:
            if (now := f"{state.status}, {state.done:,} of {state.total:,} done") != said:
                said = now
                self._say(f"{self.name}: batch {batch.id}: {now}")
            await self._pause(self._seconds)
        if state.too_many_tokens:
            await self._pause(self._seconds)
        found: dict[bytes, LineReply] = {}
        for name in state.files:
            found |= await self._retried(partial(_read, api, name))
        return _Ended(batch, keys, state, found)

    async def _begun(
        self, api: BatchApi, batch: SentBatch, bodies: Sequence[str], maybe_begun: bool
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

    def _ended(self, work: _Work, ended: _Ended) -> _Ended:
        """A batch with a reply to each of its requests. Raises JudgeError where no others shall be begun."""
        batch, state = ended.batch, ended.state
        if state.status == "failed":
            self._batches.drop(batch)
            if not state.too_many_tokens:
                if self.chat.budget is not None:
                    self.chat.budget.settle(batch.reserved, 0.0)
                raise JudgeError(f"{self.name}: batch {batch.id}: {state.reason}")
            if not work.running:  # it is not other batches of ours that are too many
                self._most_lines = max(1, len(ended.keys) // 2)
            self._say(f"{self.name}: {state.reason}; {len(ended.keys):,} requests go again")
            work.new[:0] = ended.keys
            return replace(ended, replies={})
        keys = ended.keys
        # Somebody cancelled it on the provider's page: not to be begun again behind his back.
        if state.status == "cancelled":
            keys = [key for key in keys if key in ended.replies and ended.replies[key].status]
            self._batches.forget(set(ended.keys).difference(keys))
            work.error = work.error or JudgeError(
                f"{self.name}: batch {batch.id} was cancelled at the provider; what it had answered is "
                "stored, and the same command asks for the rest"
            )
        self._came.update(keys)
        absent = LineReply(0, "", f"batch {batch.id} is {state.status}, without a reply")
        return replace(ended, replies={key: ended.replies.get(key, absent) for key in keys})

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


async def _read(api: BatchApi, name: str) -> dict[bytes, LineReply]:
    """The replies in a file. Raises Fault where it is not whole: what seems to lack a reply would be asked,
    and paid for, once more."""
    lines = [line for line in (await api.content(name)).splitlines() if line.strip()]
    found = dict(filter(None, map(api.reply_in, lines)))
    if len(found) < len(lines) or not lines:
        why = f"the file {name} has {len(found):,} replies in {len(lines):,} lines"
        raise Fault("retry", why)
    return found


@dataclass(frozen=True)
class _Ended:
    """A batch that has come to its end, with its replies by key."""

    batch: SentBatch
    keys: Sequence[bytes]
    state: BatchState
    replies: Mapping[bytes, LineReply]


@dataclass
class _Work:
    """The work in progress of one call of `BatchedChat.complete`."""

    api: BatchApi
    bodies: Mapping[bytes, str]
    new: list[bytes] = field(default_factory=list)
    running: set[asyncio.Task[_Ended]] = field(default_factory=set)
    error: ArgueBenchError | None = None

    def run(self, work: Any) -> None:
        self.running.add(asyncio.create_task(work))


@contextmanager
def in_batches(judges: Mapping[str, Judge], store: Path, say: Say) -> Iterator[Mapping[str, Judge]]:
    """What ``--batch`` does: the judges by name, those of providers asked in batches.

    The batches lie beside the verdicts' ``store``. Raises UsageError where no judge can be asked so.
    """
    found = [name for name, judge in judges.items() if _chats([judge])]
    if not found:
        raise UsageError(
            "no judge of this run is a model whose provider has a batch interface, so there is nothing to batch"
        )
    # Beside the verdicts, and by their name: the same command finds its batches again.
    seconds = poll_seconds(environment())
    with Batches(f"{store}.batches") as batches:
        yield {**judges, **{name: batched(judges[name], batches, say, seconds) for name in found}}


def charge_for_batches(judges: Iterable[Judge]) -> None:
    """Lets the judges estimate what batches cost."""
    for model, chat in _chats(judges):
        chat.price = chat.provider.price(chat.model)
        chat.price = chat.price and chat.price.in_batches()
        model.send_through(chat)  # which takes the new price


def _chats(judges: Iterable[Judge]) -> list[tuple[Prompted, Chat]]:
    """The language models behind the judges that can be asked in batches, with their chats."""
    return [
        (model, chat)
        for judge in judges
        for model in judge.language_models()
        if isinstance(chat := model.transport, Chat) and chat.provider.dialect != "azure"
    ]
