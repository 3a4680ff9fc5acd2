"""Batches that a provider has been sent and has not yet answered, in the store of the run that sent them.

Each step is in the file before the next one is taken, so that a process that goes on after a kill finds its
batches again, and no request is in two of them.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from argue_bench.store.file import StoreFile, in_parts


@dataclass(frozen=True)
class SentBatch:
    """A batch and its known state.

    ``nonce`` names it before the provider does. ``file`` and ``id`` are the provider's names of the file
    of requests and of the batch, empty until it gave them. ``reserved``: the most US dollars that it may
    cost.
    """

    number: int
    nonce: str
    server: str
    file: str
    id: str
    reserved: float


class Batches:
    """The batches of a store that is open to write."""

    def __init__(self, store: StoreFile) -> None:
        self._store = store

    def begin(self, server: str, keys: Sequence[bytes], reserved: float) -> SentBatch:
        """A new batch of the requests with these keys, which belong to no other from now on."""
        nonce = secrets.token_hex(12)
        with self._store.adding() as db:
            number = db.execute(
                "INSERT INTO batches VALUES (NULL, ?, ?, '', '', ?)", (nonce, server, reserved)
            ).lastrowid
            rows = ((key, number) for key in keys)
            db.executemany("INSERT OR REPLACE INTO batched VALUES (?, ?)", rows)
        return SentBatch(int(number or 0), nonce, server, "", "", reserved)

    def note(self, batch: SentBatch) -> SentBatch:
        """Updates and stores the state of the batch."""
        with self._store.adding() as db:
            values = (batch.file, batch.id, batch.number)
            db.execute("UPDATE batches SET file = ?, batch = ? WHERE id = ?", values)
        return batch

    def drop(self, batch: SentBatch) -> None:
        """Forgets a batch that the provider never had, or refused as a whole."""
        with self._store.adding() as db:
            db.execute("DELETE FROM batched WHERE batch = ?", (batch.number,))
            db.execute("DELETE FROM batches WHERE id = ?", (batch.number,))

    def forget(self, keys: Iterable[bytes]) -> None:
        """Forgets that these requests are in a batch: they go into another."""
        with self._store.adding() as db:
            db.executemany("DELETE FROM batched WHERE key = ?", ((key,) for key in keys))

    def of(self, keys: Iterable[bytes]) -> Mapping[bytes, SentBatch]:
        """The batches of requests, by key; requests of no batch are left out."""
        found: dict[bytes, SentBatch] = {}
        batches: dict[int, SentBatch] = {}
        with self._store.reading() as db:
            for some in in_parts(list(keys)):
                query = f"""
                    SELECT key, id, nonce, server, file, batches.batch, reserved
                    FROM batched CROSS JOIN batches ON batches.id = batched.batch
                    WHERE key IN ({",".join("?" * len(some))})
                """
                for key, number, *rest in db.execute(query, some):
                    found[key] = batches.setdefault(number, SentBatch(number, *rest))
        return found

    def clear(self) -> None:
        """Forgets all batches, once every verdict that they brought is stored."""
        with self._store.adding() as db:
            db.execute("DELETE FROM batched")
            db.execute("DELETE FROM batches")
