"""Batches that a provider has been sent and has not yet answered, in a SQLite file beside the run.

Each step is in the file before the next one is taken, so that a process that goes on after a kill finds its
batches again, and no request is in two of them.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from argue_bench.errors import Code, DataError

_TABLES = """
CREATE TABLE IF NOT EXISTS batches (
    id INTEGER PRIMARY KEY, nonce TEXT NOT NULL UNIQUE, server TEXT NOT NULL, file TEXT NOT NULL,
    batch TEXT NOT NULL, reserved REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS batched (key BLOB PRIMARY KEY, batch INTEGER NOT NULL) WITHOUT ROWID;
"""


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
    """The batches of a run, in the file ``path``. A context manager: where its block ends without an error,
    every verdict was used and the file goes."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def __enter__(self) -> Self:
        """Raises DataError where the file cannot be used."""
        try:
            self._db = sqlite3.connect(
                self._path, check_same_thread=False
            )  # a notebook's runs have their own
            self._db.executescript(_TABLES)
        except sqlite3.Error as error:
            raise DataError.of(Code.UNREADABLE, str(error), self._path) from None
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._db.close()
        if kind is None:
            self._path.unlink(missing_ok=True)

    @contextmanager
    def _adding(self) -> Iterator[sqlite3.Connection]:
        """A transaction that is on disk when it ends. Raises DataError where the disk refuses."""
        try:
            with self._db:
                yield self._db
        except sqlite3.OperationalError as error:
            raise DataError.of(Code.NOT_WRITTEN, str(error), self._path) from None

    def begin(self, server: str, keys: Sequence[bytes], reserved: float) -> SentBatch:
        """A new batch of the requests with these keys, which belong to no other from now on."""
        nonce = secrets.token_hex(12)
        with self._adding() as db:
            number = db.execute(
                "INSERT INTO batches VALUES (NULL, ?, ?, '', '', ?)", (nonce, server, reserved)
            ).lastrowid
            rows = ((key, number) for key in keys)
            db.executemany("INSERT OR REPLACE INTO batched VALUES (?, ?)", rows)
        return SentBatch(int(number or 0), nonce, server, "", "", reserved)

    def note(self, batch: SentBatch) -> SentBatch:
        """Stores the state of the batch."""
        with self._adding() as db:
            values = (batch.file, batch.id, batch.number)
            db.execute("UPDATE batches SET file = ?, batch = ? WHERE id = ?", values)
        return batch

    def drop(self, batch: SentBatch) -> None:
        """Forgets a batch that the provider never had, or refused as a whole."""
        with self._adding() as db:
            db.execute("DELETE FROM batched WHERE batch = ?", (batch.number,))
            db.execute("DELETE FROM batches WHERE id = ?", (batch.number,))

    def forget(self, keys: Iterable[bytes]) -> None:
        """Forgets that these requests are in a batch: they go into another."""
        with self._adding() as db:
            db.executemany("DELETE FROM batched WHERE key = ?", ((key,) for key in keys))

    def of(self, keys: Iterable[bytes]) -> Mapping[bytes, SentBatch]:
        """The batches of requests, by key; requests of no batch are left out."""
        batches = {row[0]: SentBatch(*row) for row in self._db.execute("SELECT * FROM batches")}
        rows = self._db.execute("SELECT key, batch FROM batched")
        wanted = set(keys)
        return {key: batches[number] for key, number in rows if key in wanted}
