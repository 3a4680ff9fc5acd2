"""Batches that a provider has been sent and has not yet answered, in a SQLite file beside the run.

Each step is in the file before the next one is taken, so that a process that goes on after a kill finds its
batches again, and no request is in two of them.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Self

from argue_bench.errors import Code, DataError

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
