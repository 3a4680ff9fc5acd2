"""How is one SQLite file kept whole, and by one process at a time? What verdicts and replies share.

Whoever opens a store to write holds it until it is closed or the process ends in whatever way; a second
waits for a while and is then refused with the reason. What was added is in the file before it is used, so
a killed run loses nothing of it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from argue_bench.errors import Code, DataError, Finding
from argue_bench.store import schema

_HEAD = b"SQLite format 3\0"


@dataclass(frozen=True)
class Author:
    """Whoever said what a store keeps. ``digest`` is of name and identity together."""

    digest: str
    name: str
    identity: Mapping[str, str]

    @classmethod
    def of(cls, name: str, identity: Mapping[str, str]) -> Self:
        """The one of this name and identity."""
        text = json.dumps([name, dict(sorted(identity.items()))])
        return cls(hashlib.sha256(text.encode()).hexdigest(), name, dict(identity))


class StoreFile:
    """A store, made where there is none. A context manager.

    ``wait``: seconds to wait for another process that has it open. ``write=False`` only reads, and
    then there must be a file. Raises DataError: in use, of another version, no store at all, not
    writable, the disk full.
    """

    def __init__(self, path: str | Path, *, wait: float = 10.0, write: bool = True) -> None:
        self.path = Path(path)
        self._write = write
        self._numbers: dict[str, int] = {}
        with self._told():
            if write:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            elif not self.path.exists():
                raise DataError.of(
                    Code.NO_SUCH_FILE, "there is no such store", path, hint="Check the path."
                )
            self._refuse_others()
            self._db = self._open(wait)

    def _refuse_others(self) -> None:
        """SQLite takes a file of a few bytes for an empty one, and would write over it."""
        if not self.path.is_file():
            return
        with self.path.open("rb") as file:
            head = file.read(len(_HEAD))
        if head and head != _HEAD:
            raise DataError.of(
                Code.NOT_A_STORE,
                "this is no store of ours",
                self.path,
                hint="Name another file; this one was not touched.",
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the file, which is then one file again, readable in a read-only folder."""
        if self._write:
            with suppress(sqlite3.Error):
                self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.close()

    def _open(self, wait: float) -> sqlite3.Connection:
        until = time.monotonic() + wait
        while True:
            mode = "rwc" if self._write else "ro"
            db = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={mode}",
                uri=True,
                timeout=0,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                self._prepare(db)
            except sqlite3.OperationalError as error:
                db.close()
                if not _busy(error) or time.monotonic() > until:
                    raise
                time.sleep(0.05)
            except BaseException:
                db.close()
                raise
            else:
                return db

    def _prepare(self, db: sqlite3.Connection) -> None:
        if not self._write:
            version = self._check(db)
            if version < schema.VERSION:  # what it lacks is empty; the file stays as it is
                db.execute("PRAGMA temp_store=MEMORY")
                _add_tables(db, version, "TEMP TABLE")
            return
        db.execute("PRAGMA locking_mode=EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")  # held until the file is closed
        try:
            if not db.execute("SELECT 1 FROM sqlite_master").fetchone():
                db.execute(f"PRAGMA application_id={schema.APPLICATION}")
                db.execute("PRAGMA user_version=0")
                version = 0
            else:
                version = self._check(db)
            if version < schema.VERSION:
                _add_tables(db, version)
                db.execute(f"PRAGMA user_version={schema.VERSION}")
            db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            raise
        # WAL in exclusive mode needs no shared memory; a commit is one append without a sync,
        # which a killed process can't lose.
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")

    def _check(self, db: sqlite3.Connection) -> int:
        """The version. Raises DataError where it is none of ours."""
        (application,) = db.execute("PRAGMA application_id").fetchone()
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if application != schema.APPLICATION:
            raise DataError.of(
                Code.NOT_A_STORE,
                "this SQLite file is no store of ours",
                self.path,
                hint="Name another file.",
            )
        if not 1 <= version <= schema.VERSION:
            raise DataError.of(
                Code.STORE_VERSION,
                f"the store has version {version}, this argue-bench reads 1 to {schema.VERSION}",
                self.path,
                hint="Use the argue-bench that wrote it, or name a new file and ask again.",
            )
        return int(version)

    def _number(self, table: str, who: Author) -> int:
        """The row of a judge or model, added where there is none; -1 where it can't be."""
        if who.digest not in self._numbers:
            if self._write:
                self._db.execute(
                    f"INSERT OR IGNORE INTO {table} VALUES (NULL, ?, ?, ?)",
                    (who.digest, who.name, json.dumps(dict(who.identity))),
                )
            row = self._db.execute(
                f"SELECT id FROM {table} WHERE digest = ?", (who.digest,)
            ).fetchone()
            if row is None:
                return -1
            self._numbers[who.digest] = row[0]
        return self._numbers[who.digest]

    @contextmanager
    def _added(self) -> Iterator[None]:
        """A transaction: all of what is done in it is in the file afterwards, or nothing."""
        self._db.execute("BEGIN")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever SQLite or the system refuses, as an error that says what to do."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise DataError(_finding(error, self.path)) from None


def storable(text: str) -> str:
    """The text with a mark where half a surrogate pair stood, which UTF-8 can't hold."""
    return text.encode("utf-8", "replace").decode()


def _add_tables(db: sqlite3.Connection, version: int, kind: str = "TABLE") -> None:
    for tables in schema.TABLES[version:]:
        for statement in filter(str.strip, tables.split(";")):
            db.execute(statement.replace("CREATE TABLE", f"CREATE {kind}"))


def _busy(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _finding(error: sqlite3.Error | OSError, path: Path) -> Finding:
    if isinstance(error, OSError):
        return Finding(
            Code.NOT_WRITTEN,
            f"the store can't be used: {error.strerror}",
            str(path),
            hint="Name a place that can be written.",
        )
    name = getattr(error, "sqlite_errorname", "")
    if _busy(error):
        return Finding(
            Code.STORE_IN_USE,
            "another process has this store open",
            str(path),
            hint="Wait until it ends, or give each process a store of its own (--store).",
        )
    if name in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
        return Finding(
            Code.NOT_A_STORE,
            f"this is not a whole store: {error}",
            str(path),
            hint="Name another file; this one was not touched.",
        )
    return Finding(
        Code.NOT_WRITTEN,
        f"the store can't be used: {error}",
        str(path),
        hint="What was kept so far stays; make room or name another place, and run it again.",
    )
