"""The verdict store: what each judge said to each ask, kept the moment it was said.

One SQLite file, open in one process at a time: whoever opens it holds it until it is closed or the
process ends in whatever way, and a second waits for a while and is then refused with the reason.
Each verdict is committed before it is used, so a killed run loses none and asks none again. The
file is whole in itself: it holds the asks too, and can be replayed as ``recorded:FILE``.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from argue_bench.errors import DataError, Finding
from argue_bench.records import Ask, Failed, Verdict, ask_from_json, ask_to_json
from argue_bench.store import schema

LONG = 200
"""Characters from which a text is kept once and referred to."""
_MARKS = 400
_TEXTS_KNOWN = 20_000


@dataclass(frozen=True)
class JudgeRow:
    """A judge that gave verdicts here. ``digest`` is of name and identity together."""

    digest: str
    name: str
    identity: Mapping[str, str]

    @classmethod
    def of(cls, name: str, identity: Mapping[str, str]) -> JudgeRow:
        """The judge of this name and identity."""
        text = json.dumps([name, dict(sorted(identity.items()))])
        return cls(hashlib.sha256(text.encode()).hexdigest(), name, dict(identity))


@dataclass(frozen=True)
class Entry:
    """One verdict of a store. ``ask`` is plain data, as `ask_to_json` gives it.

    The verdict carries the raw request and reply.
    """

    key: str
    kind: str
    ask: Mapping[str, Any]
    judge: JudgeRow
    verdict: Verdict


@dataclass(frozen=True)
class Missed:
    """One ask without a verdict: why it failed last, and how often it was tried."""

    key: str
    kind: str
    ask: Mapping[str, Any]
    judge: JudgeRow
    failed: Failed
    times: int


class Store:
    """A verdict store, made where there is none. A context manager.

    ``wait``: seconds to wait for another process that has it open. ``write=False`` only reads, and
    then there must be a file. Raises DataError: in use, of another version, no store at all, not
    writable, the disk full.
    """

    def __init__(self, path: str | Path, *, wait: float = 10.0, write: bool = True) -> None:
        self.path = Path(path)
        self._write = write
        self._judges: dict[str, int] = {}
        self._texts: dict[bytes, int] = {}
        with self._told():
            if write:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            elif not self.path.exists():
                raise DataError(
                    Finding("no-such-file", "there is no such verdict store", str(path),
                            remedy="Check the path.")
                )  # fmt: skip
            self._db = self._open(wait)

    def _open(self, wait: float) -> sqlite3.Connection:
        until = time.monotonic() + wait
        while True:
            mode = "rwc" if self._write else "ro"
            db = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={mode}",
                uri=True, timeout=0, isolation_level=None, check_same_thread=False,
            )  # fmt: skip
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
            self._check(db)
            return
        db.execute("PRAGMA locking_mode=EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")  # held until the file is closed
        try:
            if not db.execute("SELECT 1 FROM sqlite_master").fetchone():
                for statement in schema.TABLES.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id={schema.APPLICATION}")
                db.execute(f"PRAGMA user_version={schema.VERSION}")
            self._check(db)
            db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            raise
        # WAL in exclusive mode needs no shared memory; a commit is one append without a sync,
        # which a killed process can't lose.
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")

    def _check(self, db: sqlite3.Connection) -> None:
        (application,) = db.execute("PRAGMA application_id").fetchone()
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if application != schema.APPLICATION:
            raise DataError(
                Finding("not-a-store", "this SQLite file is not a verdict store", str(self.path),
                        remedy="Name another file.")
            )  # fmt: skip
        if version != schema.VERSION:
            raise DataError(
                Finding(
                    "store-version",
                    f"the verdict store has version {version}, this argue-bench reads "
                    f"{schema.VERSION}",
                    str(self.path),
                    remedy="Use the argue-bench that wrote it, or name a new file and ask again.",
                )
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

    def find(self, judge: JudgeRow, asks: Sequence[Ask]) -> dict[str, Verdict]:
        """What this judge said already, by ask key."""
        found: dict[str, Verdict] = {}
        keys = [ask.key for ask in asks]
        with self._told():
            number = self._judge(judge)
            for start in range(0, len(keys), _MARKS):
                some = keys[start : start + _MARKS]
                query = schema.FIND.format(marks=",".join("?" * len(some)))
                for key, value, note in self._db.execute(query, (number, *some)):
                    found[key] = Verdict(value, note)
        return found

    def add(self, judge: JudgeRow, ask: Ask, reply: Verdict | Failed) -> None:
        """Keeps a verdict, or why there is none; in the file when this returns.

        A verdict that stands already is not replaced. Raises DataError where the disk refuses;
        what was kept stays.
        """
        raw = (_storable(reply.request), _storable(reply.reply))
        with self._told():
            number = self._judge(judge)
            self._db.execute("BEGIN")
            try:
                row = self._ask(ask)
                if isinstance(reply, Verdict):
                    value = reply.value
                    if isinstance(value, str):
                        value = _storable(value)
                    self._db.execute(
                        schema.ADD_VERDICT, (number, row, value, _storable(reply.note), *raw)
                    )
                    self._db.execute(
                        "DELETE FROM failures WHERE judge = ? AND ask = ?", (number, row)
                    )
                else:
                    self._db.execute(
                        schema.ADD_FAILURE, (number, row, _storable(reply.reason), *raw)
                    )
                self._db.execute("COMMIT")
            except BaseException:
                self._texts.clear()
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    def judges(self) -> tuple[JudgeRow, ...]:
        """Who gave verdicts or failed here."""
        with self._told():
            rows = self._db.execute("SELECT digest, name, identity FROM judges ORDER BY id")
            return tuple(JudgeRow(digest, name, json.loads(text)) for digest, name, text in rows)

    def __len__(self) -> int:
        with self._told():
            (count,) = self._db.execute("SELECT count(*) FROM verdicts").fetchone()
            return int(count)

    def __iter__(self) -> Iterator[Entry]:
        """Every verdict in the order in which it came, one in memory at a time."""
        judges = {judge.digest: judge for judge in self.judges()}
        with self._told():
            for key, kind, body, digest, *said in self._db.execute(schema.ENTRIES):
                yield Entry(key, kind, self._unpack(body), judges[digest], Verdict(*said))

    def missed(self) -> Iterator[Missed]:
        """Every ask that has no verdict, by judge."""
        judges = {judge.digest: judge for judge in self.judges()}
        with self._told():
            for key, kind, body, digest, times, *why in self._db.execute(schema.MISSED):
                ask = self._unpack(body)
                yield Missed(key, kind, ask, judges[digest], Failed(*why), times)

    def ask(self, key: str) -> Ask | None:
        """The ask of this key, or None where it was never asked here."""
        with self._told():
            row = self._db.execute("SELECT body FROM asks WHERE key = ?", (key,)).fetchone()
            return None if row is None else ask_from_json(self._unpack(row[0]))

    def _judge(self, judge: JudgeRow) -> int:
        if judge.digest not in self._judges:
            if self._write:
                self._db.execute(
                    "INSERT OR IGNORE INTO judges VALUES (NULL, ?, ?, ?)",
                    (judge.digest, judge.name, json.dumps(dict(judge.identity))),
                )
            row = self._db.execute(
                "SELECT id FROM judges WHERE digest = ?", (judge.digest,)
            ).fetchone()
            if row is None:
                return -1
            self._judges[judge.digest] = row[0]
        return self._judges[judge.digest]

    def _ask(self, ask: Ask) -> int:
        row = self._db.execute("SELECT id FROM asks WHERE key = ?", (ask.key,)).fetchone()
        if row is None:
            body = json.dumps(self._pack(ask_to_json(ask)))
            row = self._db.execute(
                "INSERT INTO asks VALUES (NULL, ?, ?, ?) RETURNING id",
                (ask.key, type(ask).__name__, body),
            ).fetchone()
        return int(row[0])

    def _pack(self, value: Any) -> Any:
        """Long texts become ``{"text": NUMBER}``, which nothing in an ask looks like."""
        if isinstance(value, str):
            kept_once = len(value) >= LONG and value == _storable(value)
            return {"text": self._text(value)} if kept_once else value
        if isinstance(value, dict):
            return {key: self._pack(inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._pack(inner) for inner in value]
        return value

    def _unpack(self, body: str) -> dict[str, Any]:
        def filled(value: dict[str, Any]) -> Any:
            if len(value) == 1 and isinstance(value.get("text"), int):
                row = self._db.execute("SELECT text FROM texts WHERE id = ?", (value["text"],))
                return row.fetchone()[0]
            return value

        ask: dict[str, Any] = json.loads(body, object_hook=filled)
        return ask

    def _text(self, text: str) -> int:
        digest = hashlib.sha256(text.encode()).digest()
        if digest not in self._texts:
            if len(self._texts) >= _TEXTS_KNOWN:
                self._texts.clear()
            row = self._db.execute("SELECT id FROM texts WHERE digest = ?", (digest,)).fetchone()
            if row is None:
                row = self._db.execute(
                    "INSERT INTO texts VALUES (NULL, ?, ?) RETURNING id", (digest, text)
                ).fetchone()
            self._texts[digest] = row[0]
        return self._texts[digest]

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever SQLite or the system refuses, as an error that says what to do."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise DataError(_finding(error, self.path)) from None


def _storable(text: str) -> str:
    """The text with a mark where half a surrogate pair stood, which UTF-8 can't hold."""
    return text.encode("utf-8", "replace").decode()


def _busy(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _finding(error: sqlite3.Error | OSError, path: Path) -> Finding:
    if isinstance(error, OSError):
        return Finding(
            "not-written", f"the verdict store can't be used: {error.strerror}", str(path),
            remedy="Name a place that can be written.",
        )  # fmt: skip
    name = getattr(error, "sqlite_errorname", "")
    if _busy(error):
        return Finding(
            "store-in-use", "another process has this verdict store open", str(path),
            remedy="Wait until it ends, or give each process a store of its own (--store).",
        )  # fmt: skip
    if name in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
        return Finding(
            "not-a-store", f"this is not a whole verdict store: {error}", str(path),
            remedy="Name another file; this one was not touched.",
        )  # fmt: skip
    return Finding(
        "not-written", f"the verdict store can't be used: {error}", str(path),
        remedy="Verdicts kept so far stay; make room or name another place, and run it again.",
    )  # fmt: skip
