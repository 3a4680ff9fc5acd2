"""The workers of a run when two things happen in one moment; Dask's side is written out here, to choose the moment."""

from __future__ import annotations

import asyncio
import pickle
import platform
from collections.abc import Callable, Coroutine, Generator
from typing import Any

import pytest

from argue_bench import __version__
from argue_bench.eval.cluster import fleet
from argue_bench.eval.cluster.fleet import Fleet

pytest.importorskip("distributed", reason="the extra cluster is not installed")


class Work(asyncio.Future[bytes]):
    """A part under way, as Dask's future of it."""

    status = "pending"

    def release(self) -> None:
        """Dask would forget it."""


class Cluster:
    """A client of a cluster of one worker with one thread."""

    status = "running"

    def __init__(self) -> None:
        self.scheduler = self
        self.parts: list[Work] = []
        self.made: type[Work] = Work
        self.addresses = ["tcp://worker"]
        self.asked = 0
        self.answer: Callable[[], Coroutine[Any, Any, None]] | None = None
        """What the scheduler does before it answers once more."""

    async def identity(self, n_workers: int) -> dict[str, Any]:
        self.asked += 1
        if self.answer is not None:
            await self.answer()
        return {"workers": {one: {"nthreads": 1, "resources": {}} for one in self.addresses}}

    async def run(self, function: Any, *_: Any, workers: list[str], on_error: str) -> Any:
        about = [__version__, list(platform.python_version_tuple()[:2])]
        return dict.fromkeys(workers, about if function is eval else None)

    def submit(self, *_: Any, **__: Any) -> Work:
        self.parts.append(self.made())
        return self.parts[-1]


def run(made: Callable[[Cluster], Coroutine[Any, Any, None]]) -> None:
    async def whole() -> None:
        async with asyncio.timeout(30):  # where it would wait without end
            await made(Cluster())

    asyncio.run(whole())


def fleet_of(cluster: Any) -> Fleet:
    return Fleet(cluster, b"", lambda: asyncio.sleep(0, cluster), ahead=0)


@pytest.mark.parametrize("turns", range(6))
def test_a_fleet_ends_while_the_scheduler_answers(
    monkeypatch: pytest.MonkeyPatch, turns: int
) -> None:
    monkeypatch.setattr(fleet, "_LOOK_SECONDS", 0)

    async def case(cluster: Cluster) -> None:
        looking = asyncio.Event()
        answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def wait() -> None:
            looking.set()
            await answered

        async with fleet_of(cluster):
            cluster.answer = wait
            await looking.wait()
            cluster.answer = None
            answered.set_result(None)
            for _ in range(turns):
                await asyncio.sleep(0)

    run(case)


def test_a_fleet_ends_although_its_look_hides_the_cancellation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fleet, "_LOOK_SECONDS", 0)

    async def case(cluster: Cluster) -> None:
        looking = asyncio.Event()

        async def hide() -> None:
            looking.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise OSError("the connection was closed") from None

        async with fleet_of(cluster):
            cluster.answer = hide
            await looking.wait()
            asked = cluster.asked
        assert cluster.asked == asked

    run(case)


@pytest.mark.parametrize("turns", range(6))
def test_a_place_that_was_taken_by_a_part_given_up_is_for_the_next(turns: int) -> None:
    async def case(cluster: Cluster) -> None:
        async with fleet_of(cluster) as workers:
            first = asyncio.create_task(workers.call("first"))
            second = asyncio.create_task(workers.call("second"))
            while not cluster.parts:
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            cluster.parts[0].set_result(pickle.dumps("one"))
            await first
            for _ in range(turns):
                await asyncio.sleep(0)
            second.cancel()
            third = asyncio.create_task(workers.call("third"))
            await asyncio.gather(second, return_exceptions=True)
            asked = len(cluster.parts)
            while len(cluster.parts) == asked and not third.done():
                await asyncio.sleep(0)
            cluster.parts[-1].set_result(pickle.dumps("three"))
            assert await third == "three"
            assert workers._free.qsize() == workers.slots == 1

    run(case)


def test_a_part_of_a_lost_worker_leaves_alone_what_dask_fetches_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fleet, "_LOOK_SECONDS", 0)

    async def case(cluster: Cluster) -> None:
        fetching = asyncio.create_task(asyncio.Event().wait())

        class Fetched(Work):
            status = "finished"

            def __await__(self) -> Generator[Any, Any, bytes]:
                yield from fetching
                return b""

        cluster.made = Fetched
        async with fleet_of(cluster) as workers:
            asking = asyncio.create_task(workers.call("part"))
            while not cluster.parts:
                await asyncio.sleep(0)
            cluster.addresses = []
            while not workers.losses.parts:
                await asyncio.sleep(0)
            assert not fetching.cancelling()
            asking.cancel()
        fetching.cancel()

    run(case)
