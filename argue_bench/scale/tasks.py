"""The functions that run in a worker of the cluster: a judge is made there once, and asked part by part.

Everything travels as bytes that only these functions read, so that Dask looks into nothing.
"""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from argue_bench.errors import ArgueBenchError, Interrupted, JudgeError
from argue_bench.judges.base import Counts
from argue_bench.version import __version__

# Judges that a worker keeps, of several drivers at most: each may hold a model in memory.
_MOST_HELD = 4
_HELD: dict[str, Held] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class PartDone:
    """What became of a part: replies by position, and the error that ended it early."""

    replies: Sequence[tuple[int, Any]] = ()
    error: ArgueBenchError | None = None
    unsure: float = 0.0
    """US dollars that calls without a reply may have cost."""
    dropped: tuple[str, ...] = ()
    """Parameters that the server refused."""
    counts: Mapping[str, float] = field(default_factory=dict)
    worker: str = ""


class Held:
    """A judge or model in a worker, with the one event loop in which all threads ask it, to which its
    connections belong."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="judge", daemon=True).start()

    def answer(self, requests: Sequence[Any]) -> PartDone:
        """Answers the requests of a part."""
        return asyncio.run_coroutine_threadsafe(self._answer(requests), self._loop).result()

    def stop(self) -> None:
        """Sends nothing more; requests in progress are finished."""
        if (stop := getattr(self.model, "stop", None)) is not None:
            self._loop.call_soon_threadsafe(stop, Interrupted("stopped"))

    def end(self) -> None:
        """Ends the event loop's thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)

    async def _answer(self, requests: Sequence[Any]) -> PartDone:
        model = self.model
        # Counts are sent as differences, since the driver adds those of all workers.
        before, unsure = asdict(getattr(model, "counts", Counts())), getattr(model, "unsure", 0.0)
        places = {request: place for place, request in enumerate(requests)}
        replies: list[tuple[int, Any]] = []
        error: ArgueBenchError | None = None
        asking = model.complete if hasattr(model, "complete") else model.judge
        try:
            async for request, reply in asking(requests):
                replies.append((places[request], reply))
        except ArgueBenchError as raised:
            error = raised
        counts = asdict(getattr(model, "counts", Counts()))
        return PartDone(
            replies,
            error,
            getattr(model, "unsure", 0.0) - unsure,
            tuple(getattr(model, "dropped", ())),
            {name: value - before[name] for name, value in counts.items()},
        )


def work(version: str, token: str, model: bytes, number: int, requests: bytes) -> bytes:
    """Answers part ``number`` by the judge or model that ``token`` names, which is made of its bytes once.

    An error of ours is returned in the `PartDone`, since it may pass through Dask only as text.
    """
    from distributed import get_worker

    if version != __version__:
        why = f"a worker of the cluster has argue-bench {__version__}, not {version}: install the same"
        return pickle.dumps(PartDone(error=JudgeError(why)))
    here = get_worker().address
    # Told before anything is asked, so that it is known also of a worker that dies over the part.
    get_worker().log_event(token, [number, here])  # the driver counts what another worker began too
    try:
        with _lock:
            if token not in _HELD:
                _HELD[token] = Held(pickle.loads(model))
            # The oldest goes: its driver has most likely ended without saying so.
            while len(_HELD) > _MOST_HELD:
                _HELD.pop(next(iter(_HELD))).end()
            held = _HELD[token]
        done = held.answer(pickle.loads(requests))
    except ArgueBenchError as error:
        done = PartDone(error=error)
    return pickle.dumps(replace(done, worker=here))


def stop(token: str) -> None:
    """Lets the judge of this name begin nothing more."""
    with _lock:
        if token in _HELD:
            _HELD[token].stop()


def forget(driver: str) -> None:
    """Drops all judges of one driver, whose name begins their tokens."""
    with _lock:
        for token in [token for token in _HELD if token.startswith(driver)]:
            _HELD.pop(token).end()
