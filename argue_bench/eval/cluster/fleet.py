"""The workers of a run: which are available, what each is working on, and what is lost with one.

The driver chooses the worker of each part itself. So it knows what was under way on one that died, does
that again on another, and can say how much it was; Dask would run it again unseen. A worker that comes
back is a new one. A worker without argue-bench, or with another version, gets nothing and is named.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import platform
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from argue_bench import __version__
from argue_bench.errors import ArgueBenchError, JudgeError, UsageError
from argue_bench.eval.cluster import tasks

if TYPE_CHECKING:
    from distributed import Client

_LOG = logging.getLogger(__name__)
_LOOK_SECONDS = 0.5
"""How often the scheduler is asked which workers there are."""
_LONGEST_LOOK_SECONDS = 10.0
"""How long the scheduler may take to say it."""
_LONGEST_CALL_SECONDS = 120.0
"""How long workers may take to load argue-bench and the job."""
_SLOW_LOOK_SECONDS = 2.0
"""The same for more than this many workers."""
_MANY = 32
PATIENCE = 180.0
"""Seconds without a worker, or without the scheduler, after which a run ends."""
_MOST_DEATHS = 3
"""Workers that may be lost over one part: then the part is what kills them."""
_ABOUT = (
    "[__import__('argue_bench').__version__, __import__('platform').python_version_tuple()[:2]]"
)
"""Asked as text, since code is not the same in every version."""


@dataclass(eq=False)
class _Place:
    """One worker. ``gone`` is done once it is lost."""

    address: str
    slots: int
    resources: dict[str, float]
    gone: asyncio.Future[None]


@dataclass
class Losses:
    """Work in progress on workers that were lost. It is repeated, so it may be paid for twice."""

    workers: int = 0
    parts: int = 0
    requests: int = 0

    def __str__(self) -> str:
        lost = f"{self.workers} worker{'s' if self.workers > 1 else ''} lost"
        what = f"{self.requests:,} judge requests" if self.requests else f"{self.parts:,} parts"
        return f"{lost}: {what} under way there were made again, and may be paid twice"


@dataclass
class _Lost(Exception):
    """The worker of a part was lost."""

    why: str = ""


@dataclass(eq=False)
class Fleet:
    """The workers of one job. An async context manager.

    ``ahead``: parts that wait at a worker while others are done there. ``connect`` makes a client again
    once the scheduler was away for long. With ``gpu`` workers that declare a GPU get all parts.
    """

    client: Client
    job: bytes
    connect: Callable[[], Awaitable[Client]]
    ahead: int = 1
    gpu: bool = False
    patience: float = PATIENCE
    losses: Losses = field(default_factory=Losses)
    refused: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._token = secrets.token_hex(8)
        self._places: dict[str, _Place] = {}
        self._free: asyncio.Queue[_Place] = asyncio.Queue()
        self._parts = 0
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._watching: asyncio.Task[None] | None = None
        self._ended = False
        self._changed = asyncio.Event()

    @property
    def slots(self) -> int:
        """Parts that can be under way at once."""
        return sum(place.slots for place in self._places.values())

    @property
    def workers(self) -> int:
        return len(self._places)

    async def __aenter__(self) -> Self:
        """Waits for the first worker. Raises UsageError where all are refused, JudgeError where none comes."""
        with suppress(OSError):  # the scheduler is slow or away: the watch looks again
            await self._look()
        self._watching = asyncio.create_task(self._watch())
        while not self._places:
            if self.refused and not self._failed.done():
                raise UsageError(
                    "no worker can be used: "
                    + "; ".join(f"{address} {why}" for address, why in self.refused.items())
                )
            self._changed.clear()
            await self._or_failed(asyncio.create_task(self._changed.wait()))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._ended = True
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        if self._places:
            with suppress(Exception):  # the cluster may be gone, and what it kept with it
                async with asyncio.timeout(5):
                    await self._run(tasks.forget, self._token)
        if not self._failed.done():
            self._failed.cancel()
        if self.losses.parts:
            _LOG.warning("%s", self.losses)

    async def call(
        self, part: Any, requests: int = 0, lost: Callable[[], None] = lambda: None
    ) -> Any:
        """The result of a part, from whichever worker does it; ``requests`` is the number
        of its judge requests.

        ``lost`` is called each time that a worker was lost over it. Raises what the job raises, and JudgeError where no worker is left or this part loses them all.
        """
        data = pickle.dumps(part)
        for _ in range(_MOST_DEATHS):
            place = await self._next_place()
            try:
                reply = await self._on(place, data)
            except _Lost:
                self.losses.parts += 1
                self.losses.requests += requests
                lost()
                continue
            finally:
                if not place.gone.done():
                    self._free.put_nowait(place)
            result = pickle.loads(reply)
            if isinstance(result, ArgueBenchError):
                raise result
            return result
        raise JudgeError(
            f"{_MOST_DEATHS} workers were lost over the same part of the work: have they enough memory?"
        )

    async def stop(self) -> None:
        """Tells the workers to start nothing more; work in progress is finished."""
        with suppress(Exception):
            await self._run(tasks.stop, self._token)

    async def _next_place(self) -> _Place:
        while True:
            taking = asyncio.create_task(self._free.get())
            try:
                place: _Place = await self._or_failed(taking)
            except BaseException:
                if taking.done() and not taking.cancelled():
                    # Taken in the moment in which this part was given up: it is for another one.
                    self._free.put_nowait(taking.result())
                raise
            if not place.gone.done():
                return place

    async def _on(self, place: _Place, data: bytes) -> bytes:
        self._parts += 1
        resources = {"GPU": 1} if self.gpu and "GPU" in place.resources else None
        future = self.client.submit(
            tasks.work,
            self._token,
            data,
            key=f"argue-bench-{self._token}-{self._parts}",
            workers=[place.address],
            allow_other_workers=False,
            retries=0,
            pure=False,
            resources=resources,
        )
        waiting = asyncio.create_task(self._reply(future, place))
        try:
            both: set[asyncio.Future[Any]] = {waiting, place.gone}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                raise _Lost("the worker is gone")
            return waiting.result()
        finally:
            # Dask fetches the results of several parts in one go: whoever ends his fetching ends the others'.
            if future.status == "pending":
                waiting.cancel()
            waiting.add_done_callback(_read)
            future.release()

    async def _reply(self, future: Any, place: _Place) -> bytes:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        try:
            reply: bytes = await future
        except tasks.NotEquipped:
            self._lose(place)  # and found again at the next look, like a new worker
            raise _Lost("the worker began anew") from None
        except (FutureCancelledError, KilledWorker, OSError) as error:
            raise _Lost(str(error)) from None
        return reply

    async def _or_failed(self, task: asyncio.Task[Any]) -> Any:
        """The result of a task, or the reason why the run can't go on."""
        try:
            await asyncio.wait({task, self._failed}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                self._failed.result()
            return task.result()
        finally:
            task.cancel()

    async def _watch(self) -> None:
        """Keeps the list of workers up to date; ends the run where there is none for long."""
        loop = asyncio.get_running_loop()
        alone_since: float | None = None
        while not self._ended:  # a look that ends in the moment of a cancellation may hide it
            await asyncio.sleep(_LOOK_SECONDS if len(self._places) <= _MANY else _SLOW_LOOK_SECONDS)
            why = "no worker of the cluster could be used"
            try:
                await self._look()
            except Exception as error:  # whatever a network can do: it may be back in a moment
                why = f"the scheduler does not answer: {error or type(error).__name__}"
                with suppress(Exception):
                    await self._again()
            now = loop.time()
            alone_since = None if self._places else (alone_since or now)
            if alone_since is not None and now - alone_since > self.patience:
                refused = "".join(f"; {one} {why}" for one, why in self.refused.items())
                self._failed.set_exception(
                    JudgeError(f"{why} for {self.patience:.0f} seconds{refused}")
                )
                return

    async def _again(self) -> None:
        """Reconnects where the client has given up on the scheduler."""
        if self.client.status == "closed":
            self.client = await self.connect()
            for place in list(self._places.values()):
                self._lose(place)

    async def _look(self) -> None:
        # Not wait_for, which forgets a cancellation that comes together with the result.
        async with asyncio.timeout(_LONGEST_LOOK_SECONDS):
            found = await self.client.scheduler.identity(n_workers=-1)
        workers: dict[str, Any] = found["workers"]
        for address, place in list(self._places.items()):
            if address not in workers:
                self._lose(place)
        new = [one for one in workers if one not in self._places and one not in self.refused]
        if not new:
            return
        gpus = any("GPU" in one["resources"] for one in workers.values())
        async with asyncio.timeout(_LONGEST_CALL_SECONDS):
            good = await self._accept(new)
        if good:
            places = []
            for address in good:
                about = workers[address]
                if self.gpu and gpus and "GPU" not in about["resources"]:
                    continue
                threads = int(about["nthreads"])
                if self.gpu:
                    threads = int(about["resources"].get("GPU", 1))
                gone = asyncio.get_running_loop().create_future()
                places.append(_Place(address, threads + self.ahead, dict(about["resources"]), gone))
            self._places |= {place.address: place for place in places}
            # One part to each before a second to any.
            for number in range(max((place.slots for place in places), default=0)):
                for place in places:
                    if number < place.slots:
                        self._free.put_nowait(place)
        self._changed.set()

    async def _accept(self, addresses: list[str]) -> list[str]:
        """The workers that have this version and took the job; the others are refused, and named once."""
        mine = [__version__, list(platform.python_version_tuple()[:2])]
        found = await self._run(eval, _ABOUT, workers=addresses)
        good = []
        for address in addresses:
            about = found.get(address)
            if isinstance(about, ModuleNotFoundError):
                self._refuse(address, "has no argue-bench")
            elif isinstance(about, OSError) or about is None:
                continue  # gone again
            elif isinstance(about, BaseException):
                self._refuse(address, f"can't load argue-bench: {about}")
            elif [about[0], list(about[1])] != mine:
                theirs = f"argue-bench {about[0]} on Python {'.'.join(about[1])}"
                ours = f"{__version__} on Python {'.'.join(mine[1])}"
                self._refuse(address, f"has {theirs}, not {ours}")
            else:
                good.append(address)
        if not good:
            return []
        done = await self._run(tasks.equip, self._token, self.job, workers=good)
        for address in list(good):
            if isinstance(error := done.get(address), BaseException):
                good.remove(address)
                if not isinstance(error, OSError):
                    self._refuse(address, f"can't take the work: {error}")
        return [address for address in good if address in done]

    async def _run(
        self, function: Callable[..., Any], *given: Any, workers: list[str] | None = None
    ) -> dict[str, Any]:
        """Calls a function in each worker; returns its results and exceptions."""
        found: dict[str, Any] = await self.client.run(
            function, *given, workers=workers or list(self._places), on_error="return"
        )
        return found

    def _refuse(self, address: str, why: str) -> None:
        self.refused[address] = why
        _LOG.warning("the worker %s %s: it gets no work", address, why)

    def _lose(self, place: _Place) -> None:
        if not place.gone.done():
            place.gone.set_result(None)
            self.losses.workers += 1
        self._places.pop(place.address, None)


def _read(waiting: asyncio.Task[bytes]) -> None:
    """Takes note of how a task ended that nobody waits for any more."""
    if not waiting.cancelled():
        waiting.exception()
