"""A judge with a verdict store: stored verdicts are reused, everything else is judged and stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import astuple, replace
from pathlib import Path

from argue_bench.errors import Code, DataError
from argue_bench.judges import language_models, observed
from argue_bench.judges.base import (
    SENT_WITHOUT,
    Counts,
    Judge,
    Reply,
    is_free,
    is_patient,
    reads_context,
)
from argue_bench.models.transport import Served
from argue_bench.records import JudgeRequest
from argue_bench.store import Author, Store

_MOST_TOGETHER = 1024
"""Verdicts in one transaction, at most."""


class OtherVersion(DataError):
    """The verdict store was written by another version, so it can't be used."""

    exit_code = 3


def open_store(path: Path, *, write: bool = True) -> Store:
    """A verdict store.

    Raises OtherVersion, with the file untouched, and DataError for anything else wrong with it.
    """
    try:
        return Store(path, write=write)
    except DataError as error:
        if any(finding.code == Code.STORE_VERSION for finding in error.findings):
            raise OtherVersion(error.findings) from None
        raise


class Stored:
    """A judge with a store: stored verdicts are read, the others are judged and stored.

    A verdict is on disk before it is handed on. Failures are stored to be read, and judged again. The
    prompts of language models rest on the store's secret, so that a run that goes on sends the same.

    Raises JudgeError where the store's verdicts came from another server, and a model is strict on that.
    """

    def __init__(self, judge: Judge, store: Store) -> None:
        self.name, self.kinds, self.batch = judge.name, judge.kinds, judge.batch
        self.defaults: Mapping[type[JudgeRequest], str] = getattr(judge, "defaults", {})
        self.inner, self._store = judge, store
        self.patient, self.reads_context = is_patient(judge), reads_context(judge)
        self.free = is_free(judge)
        self._author = Author.of(judge.name, judge.identity())
        self._without: set[str] = set()
        for model in language_models(judge):
            model.set_secret(store.secret)
            model.servers.recall(Served(*row) for row in store.served(model.transport.name))

    @property
    def counts(self) -> Counts:
        """The inner judge's counts; ``stored`` is the number of verdicts read from the store."""
        return self.inner.counts

    def identity(self) -> Mapping[str, str]:
        return self.inner.identity()

    def observed(self) -> Mapping[str, str]:
        """The inner judge's, and the parameters that the notes of stored verdicts name."""
        found = observed(self.inner)
        names = self._without.union(filter(None, found.get("without", "").split(", ")))
        return {**found, **({"without": ", ".join(sorted(names))} if names else {})}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """Stored verdicts first, then the judge's own. Raises DataError where the disk refuses."""
        known = self._store.find(self._author, requests)
        self.counts.stored += len(known)
        if known and hasattr(self.inner, "confirm_responsive"):
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
                    yield request, replace(reply, prompt="", reply="")

    async def _judge_and_store(self, requests: Sequence[JudgeRequest]) -> AsyncGenerator[Reply]:
        """The judge's replies; those that have come by the same moment are stored in one transaction.

        No reply waits for a later one. What had come is stored also where the judge is lost, or nobody
        waits any more.
        """
        come: list[Reply] = []
        arrived, room = asyncio.Event(), asyncio.Event()

        async def collect() -> None:
            try:
                async for one in self.inner.judge(requests):
                    come.append(one)
                    arrived.set()
                    # What comes of a whole batch is stored at once: a call of it is never split.
                    if len(come) >= _MOST_TOGETHER and not self.patient:
                        room.clear()
                        await room.wait()
            finally:
                arrived.set()

        def store() -> list[Reply]:
            stored, come[:] = come[:], []
            if stored:
                self._store.add_all(self._author, stored)
                for model in language_models(self.inner):
                    rows = [astuple(served) for served in model.servers.known]
                    self._store.add_served(model.transport.name, rows)
            return stored

        collecting = asyncio.create_task(collect())
        try:
            while come or not collecting.done():
                await arrived.wait()
                arrived.clear()
                stored = store()
                room.set()
                for one in stored:
                    yield one
            collecting.result()
        finally:
            collecting.cancel()
            await asyncio.gather(collecting, return_exceptions=True)
            store()
