"""A judge with a store: verdicts are stored as they come, several at once, and none that came is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from argue_bench.errors import JudgeError
from argue_bench.judges.base import Reply
from argue_bench.judges.stored import Stored
from argue_bench.records import JudgeRequest, Verdict
from argue_bench.store import Store
from tests.judges.slow import Slow, requests, truth


class _Judge(Slow):
    """Answers ``together`` requests at a time, then waits for the event; lost after ``most``."""

    def __init__(self, together: int, most: int = 10**9) -> None:
        super().__init__(Path("/dev/null"))
        self.together, self.most = together, most
        self.go = asyncio.Event()
        self.closed = False

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        try:
            for number, request in enumerate(requests):
                if number == self.most:
                    raise JudgeError("no money is left")
                if number and number % self.together == 0:
                    await self.go.wait()
                    self.go.clear()
                yield request, Verdict(truth(request))
        finally:
            self.closed = True


class _Counting(Store):
    """A store that notes how many verdicts come in each transaction."""

    def add_all(self, judge, replies):  # type: ignore[no-untyped-def]
        self.sizes = [*getattr(self, "sizes", []), len(replies)]
        super().add_all(judge, replies)


def test_no_verdict_waits_for_a_later_one_and_those_at_once_are_one_transaction(
    tmp_path: Path,
) -> None:
    wanted = requests(21)

    async def work(store: _Counting) -> None:
        judge, seen = _Judge(together=7), 0
        async with aclosing(Stored(judge, store).judge(wanted)) as replies:  # type: ignore[type-var]
            async for request, reply in replies:
                assert isinstance(reply, Verdict)
                assert reply.value == truth(request)
                seen += 1
                assert len(store) == -(-seen // 7) * 7  # stored, with all that came with it
                if seen % 7 == 0:
                    judge.go.set()  # what follows comes only after this was handed on
        assert seen == 21

    with _Counting(tmp_path / "s") as store:
        asyncio.run(work(store))
        assert store.sizes == [7, 7, 7]


def test_what_came_before_a_judge_was_lost_is_stored_and_handed_on(tmp_path: Path) -> None:
    seen = []

    async def work(store: Store) -> None:
        async for request, _ in Stored(_Judge(10**9, most=5), store).judge(requests(9)):
            seen.append(request)

    with Store(tmp_path / "s") as store:
        with pytest.raises(JudgeError, match="no money"):
            asyncio.run(work(store))
        assert len(seen) == len(store) == 5


def test_what_came_is_stored_though_nobody_takes_it(tmp_path: Path) -> None:
    async def work(store: Store) -> _Judge:
        judge = _Judge(together=4)
        async with aclosing(Stored(judge, store).judge(requests(9))) as replies:  # type: ignore[type-var]
            async for _ in replies:
                judge.go.set()
                await asyncio.sleep(0)  # the next four come while this one is being used
                await asyncio.sleep(0)
                break
        return judge

    with Store(tmp_path / "s") as store:
        judge = asyncio.run(work(store))
        assert judge.closed
        assert len(store) == 8
