"""A judge with a verdict store: stored verdicts are reused, everything else is judged and stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import astuple, replace
from pathlib import Path

from argue_bench.errors import Code, DataError
from argue_bench.judges.base import (
    SENT_WITHOUT,
    Judge,
    Reply,
    Wrapper,
)
from argue_bench.models.transport import Served
from argue_bench.records import JudgeRequest, NotJudged
from argue_bench.store import Author, Store

_LOG = logging.getLogger(__name__)
# Seconds for which replies wait in memory where the disk is full.
_ROOM_SECONDS = 30


class Stored(Wrapper):
    """A judge with a store: stored verdicts are read, the others are judged and stored.

    A verdict is on disk before it is handed on. Failures are stored to be read, and judged again. The
    prompts of language models rest on the store's secret, so that a run that goes on sends the same.
    """

    def __init__(self, judge: Judge, store: Store) -> None:
        super().__init__(judge)
        self._store = store
        self._author = Author.of(judge.name, judge.identity())
        self._without: set[str] = set()
        for model in judge.language_models():
            model.set_secret(store.secret)
            model.servers.recall(Served(*row) for row in store.served(model.transport.name))
            if model.budget is not None:
                model.budget.keep_in(store)
        self._booked = judge.counts.price

    def observed(self) -> Mapping[str, str]:
        """The inner judge's, and the parameters that the notes of stored verdicts name."""
        found = self.inner.observed()
        names = self._without.union(filter(None, found.get("without", "").split(", ")))
        return {**found, **({"without": ", ".join(sorted(names))} if names else {})}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """Stored verdicts first, then the judge's own. Raises DataError where the disk refuses."""
        known = self._store.find(self._author, requests)
        self.counts.stored += len(known)
        if known:
            self.inner.confirm_responsive()
        for verdict in known.values():
            _, noted, names = verdict.note.partition(SENT_WITHOUT)
            if noted:
                self._without.update(names.split(", "))
        rest = [request for request in requests if request.key not in known]
        for request in requests:
            if request.key in known:
                yield request, known[request.key]
        if rest:
            async with aclosing(self._judge_and_store(rest)) as replies:
                async for request, reply in replies:
                    # The raw texts are in the file; they need not be in memory too.
                    if not isinstance(reply, NotJudged):
                        reply = replace(reply, prompt="", reply="")
                    yield request, reply

    def _book(self) -> None:
        """Books in the store what calls cost that no budget books."""
        if self.counts.price > self._booked:
            if all(model.budget is None for model in self.inner.language_models()):
                self._store.add_spent(self.counts.price - self._booked)
            self._booked = self.counts.price

    async def _judge_and_store(self, requests: Sequence[JudgeRequest]) -> AsyncGenerator[Reply]:
        """The judge's replies; those that have come by the same moment are stored in one transaction.

        Where the disk is full they wait in memory for a while; then DataError says how many are lost. What
        had come is stored also where the judge is lost, or nobody waits any more.
        """
        come: list[Reply] = []
        arrived = asyncio.Event()

        async def collect() -> None:
            try:
                async for one in self.inner.judge(requests):
                    come.append(one)
                    arrived.set()
            finally:
                arrived.set()

        collecting = asyncio.create_task(collect())
        try:
            while come or not collecting.done():
                await arrived.wait()
                arrived.clear()
                for one in await self._store_patiently(come):
                    yield one
            collecting.result()
        finally:
            collecting.cancel()
            await asyncio.gather(collecting, return_exceptions=True)
            try:
                self._store_come(come)
            except DataError as error:
                lost = f"; {len(come):,} replies that had come are lost, and will be asked again"
                raise DataError(
                    [replace(one, message=one.message + lost) for one in error.findings]
                ) from None

    def _store_come(self, come: list[Reply]) -> list[Reply]:
        """Stores the replies that have come, and takes them out of ``come``. Raises DataError."""
        stored = come[:]
        if stored:
            self._store.add_all(self._author, stored)
            del come[: len(stored)]  # only now: what the disk refused stays in memory
            self._book()
            for model in self.inner.language_models():
                self._store.add_served(
                    model.transport.name, [astuple(served) for served in model.servers.known]
                )
        return stored

    async def _store_patiently(self, come: list[Reply]) -> list[Reply]:
        """The same, waiting while the disk is full. Raises DataError when that lasts."""
        for waited in range(_ROOM_SECONDS):
            try:
                return self._store_come(come)
            except DataError as error:
                if error.findings[0].code != Code.NOT_WRITTEN:
                    raise
                if not waited:
                    _LOG.warning(
                        "%s: paid replies wait in memory for %d seconds",
                        error.findings[0].message,
                        _ROOM_SECONDS,
                    )
                await asyncio.sleep(1)
        return self._store_come(come)


@contextmanager
def stored(judge: Judge, path: Path) -> Iterator[Stored]:
    """The judge with the store in this file, which is open as long as the block."""
    with Store(path) as opened:
        yield Stored(judge, opened)
