"""What a store knows of money: budgets of several commands, a killed process, and a disk that is full."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from argue_bench.errors import Code, DataError, JudgeError
from argue_bench.judges.base import Reply
from argue_bench.judges.prompted import Prompted
from argue_bench.judges.stored import Stored
from argue_bench.models.budget import Budget, BudgetSpent
from argue_bench.models.chat import Chat
from argue_bench.models.transport import ChatRequest, Message
from argue_bench.records import NeedsCitation
from argue_bench.store import Author, Store
from tests.models.server import ChatServer

pytest.importorskip("openai", reason="the extra judge is not installed")

ASKED = [NeedsCitation(f"s{n}") for n in range(60)]


def priced(server: ChatServer, folder: Path) -> Prompted:
    """A judge whose model has a price, asked over loopback."""
    table = folder / "providers.toml"
    table.write_text("[server]\nin = 10.0\nout = 20.0\n")
    known = {"ARGUE_BENCH_BASE_URL": server.url, "ARGUE_BENCH_PROVIDERS": str(table)}
    return Prompted(Chat("server", "m", known=known))


def ask(judge: Prompted, place: Path, requests: Sequence[NeedsCitation] = ASKED) -> int:
    """Puts the requests through a store; how many had a reply. Raises what the judge raises."""

    async def run() -> int:
        with Store(place) as store:
            return len([one async for one in Stored(judge, store).judge(requests)])

    return asyncio.run(run())


def test_a_budget_holds_for_all_commands_on_one_store_and_a_larger_one_goes_on(
    tmp_path: Path,
) -> None:
    paid = 0.0
    with ChatServer() as server:
        for limit in (0.1, 0.1, 0.2):
            judge = priced(server, tmp_path)
            judge.set_budget(Budget(limit))
            with pytest.raises(BudgetSpent, match="larger --budget"):
                ask(judge, tmp_path / "store")
            paid += judge.counts.price
            assert limit / 2 < paid <= limit  # and the second command has spent nothing
        with pytest.raises(BudgetSpent, match=r"of it by earlier commands on this store"):
            ask(judge, tmp_path / "store")
        with Store(tmp_path / "store") as store:
            assert store.spent() == pytest.approx(paid)
        ask(priced(server, tmp_path), tmp_path / "other")  # without a budget it is booked too
        with Store(tmp_path / "other") as store:
            assert store.spent() > paid


def test_what_a_killed_process_had_reserved_stays_spent(tmp_path: Path) -> None:
    async def killed() -> None:
        with Store(tmp_path / "store") as store:
            budget = Budget(1.0)
            budget.keep_in(store)
            await budget.reserve(0.25)
            budget.settle(0.25, 0.1)
            await budget.reserve(0.25)

    asyncio.run(killed())
    with Store(tmp_path / "store") as store:
        assert store.spent() == pytest.approx(0.35)


def test_calls_lost_with_a_worker_are_counted_as_paid(tmp_path: Path) -> None:
    with ChatServer() as server:
        judge = priced(server, tmp_path)
        ask(judge, tmp_path / "store")
        each = judge.counts.price / judge.counts.calls
        sent = ChatRequest(
            tuple(Message(m["role"], m["content"]) for m in server.requests[0]["messages"])
        )
    before = judge.counts.price
    assert judge.note_lost([sent, sent], 3) == pytest.approx(2 * each, rel=0.1)
    assert judge.counts.lost == 6
    assert judge.counts.price - before == pytest.approx(6 * each, rel=0.1)


class Full(Store):
    """A store whose disk is full for some time."""

    refused = 0

    def add_all(self, judge: Author, replies: Sequence[Reply]) -> None:
        if self.refused:
            self.refused -= 1
            raise DataError.of(Code.NOT_WRITTEN, "the disk is full", self.path)
        super().add_all(judge, replies)


@pytest.mark.parametrize("times", [1, 9])
def test_replies_wait_in_memory_while_the_disk_is_full(
    times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("argue_bench.judges.stored._ROOM_SECONDS", 2)

    async def run() -> int:
        with Full(tmp_path / "store") as store:
            store.refused = times
            return len([one async for one in Stored(priced(server, tmp_path), store).judge(ASKED)])

    with ChatServer() as server:
        if times == 1:
            assert asyncio.run(run()) == server.count == len(ASKED)
            with Store(tmp_path / "store", write=False) as stored:
                assert len(stored) == len(ASKED)
        else:
            with pytest.raises(DataError, match=r"\d+ replies that had come are lost"):
                asyncio.run(run())


def test_a_budget_needs_a_price(tmp_path: Path) -> None:
    with ChatServer() as server, pytest.raises(JudgeError, match="needs the price"):
        Prompted(Chat("server", "m", known={"ARGUE_BENCH_BASE_URL": server.url})).set_budget(
            Budget(1.0)
        )
