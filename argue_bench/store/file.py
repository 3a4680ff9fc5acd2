"""The SQLite file of a store: whole at every moment, and written by one process at a time.

A process that opens a store to write holds it until it closes it or ends in whatever way; a second one
waits for a while and is then refused with the reason. Everything added is in the file before it is used,
so a killed run loses nothing. Its tables:

``judges``    who gave verdicts: name, identity, and the digest of both
``requests``  judge requests, by key
``verdicts``  one for each judge and request, in the order in which they came, with its probability and class, the raw prompt and reply
``failures``  requests without a verdict, with the last reason; they are asked again next time
``models``    who wrote replies: name, identity, and the digest of both
``replies``   replies of models, by model, prompt and attempt, with the raw texts sent and received
``texts``     the first prompts of judges and models, with which the others are packed
``served``    the servers and models that answered for a judge of a name
``spent``     US dollars that calls for this store, and for those that were merged into it, have cost, those under way
              at their highest possible cost
``secret``    one random value, on which prompts rest so that whoever wrote a text cannot foresee them

Rows refer to judges and models by a number made of their digest, and to requests by their key, so that
rows of another store can be copied as they are.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from argue_bench.errors import Code, DataError, Finding
from argue_bench.records import JudgeRequest, request_from_json, request_to_json

# Merging the stores of several processes or machines. Rows of the target are not replaced.
#
# SQLite copies the rows from file to file: a verdict is neither read into Python nor packed anew. Each part
# is one transaction, so a merge that was killed is whole up to some part, and repeating it ends it.

# Their rows say nothing that another store could say otherwise.
_WHOLE_TABLES = ("judges", "models", "texts", "requests", "served")
_ADD_VERDICTS = """
INSERT OR IGNORE INTO main.verdicts
SELECT NULL, judge, request, value, note, probability, flag, raw FROM part.verdicts ORDER BY id
"""
_COUNT_DIFFERING = """
SELECT count(*) FROM part.verdicts AS theirs JOIN main.verdicts AS ours USING (judge, request)
WHERE ours.value IS NOT theirs.value
"""
_ADD_FAILURES = """
INSERT INTO main.failures SELECT * FROM part.failures WHERE true
ON CONFLICT (judge, request) DO UPDATE SET reason = excluded.reason, times = times + excluded.times,
    raw = excluded.raw
"""
_DROP_FAILURES = """
DELETE FROM main.failures WHERE (judge, request) IN (SELECT judge, request FROM main.verdicts)
"""
_ADD_REPLIES = """
INSERT OR IGNORE INTO main.replies
SELECT NULL, key, model, purpose, attempt, text, finish, tokens_in, tokens_out, price, raw
FROM part.replies ORDER BY id
"""
_COUNT_DIFFERING_REPLIES = """
SELECT count(*) FROM part.replies AS theirs JOIN main.replies AS ours USING (key)
WHERE ours.text IS NOT theirs.text
"""


_MERGE_SPENT = """
INSERT INTO main.spent SELECT * FROM part.spent WHERE true
ON CONFLICT (store) DO UPDATE SET dollars = max(dollars, excluded.dollars)
"""


@dataclass
class MergeCounts:
    """The counts of a merge.

    ``differing``: requests with two different verdicts of one judge, and prompts with two different
    replies of one model.
    """

    read: int = 0
    added: int = 0
    differing: int = 0
    failures: int = 0
    replies_read: int = 0
    replies_added: int = 0


def merge_stores(out: Path, parts: Sequence[Path]) -> MergeCounts:
    """Adds every verdict, failure and reply of ``parts``, and what was spent for them, to the store ``out``, created
    if missing.

    Of verdicts, and of replies, that differ the first stays. Raises DataError: a part that is missing, in
    use or not a store.
    """
    same = [part for part in parts if out.exists() and part.exists() and out.samefile(part)]
    if same:
        raise DataError.of(
            Code.OTHER_DATA,
            "a store can't be merged into itself",
            same[0],
            hint="Name another file to merge into.",
        )
    findings: list[Finding] = []
    for part in parts:  # every part is opened once before anything is written
        try:
            StoreFile(part, write=False).close()
        except DataError as error:
            findings.extend(error.findings)
    if findings:
        raise DataError(findings)
    counts = MergeCounts()
    with StoreFile(out) as target:
        for part in parts:
            with target.attached(part) as db, target.adding():
                _add_part(db, counts)
    return counts


def _add_part(db: sqlite3.Connection, counts: MergeCounts) -> None:
    """Copies everything of the database ``part`` into the target."""
    for table in _WHOLE_TABLES:
        db.execute(f"INSERT OR IGNORE INTO main.{table} SELECT * FROM part.{table}")
    db.execute(_MERGE_SPENT)
    # Counted before: afterwards a verdict that was added would be compared with itself.
    for query in (_COUNT_DIFFERING, _COUNT_DIFFERING_REPLIES):
        counts.differing += _one_value(db, query)
    counts.read += _one_value(db, "SELECT count(*) FROM part.verdicts")
    counts.added += db.execute(_ADD_VERDICTS).rowcount
    counts.replies_read += _one_value(db, "SELECT count(*) FROM part.replies")
    counts.replies_added += db.execute(_ADD_REPLIES).rowcount
    before = _one_value(db, "SELECT count(*) FROM main.failures")
    db.execute(_ADD_FAILURES)
    db.execute(_DROP_FAILURES)
    counts.failures += _one_value(db, "SELECT count(*) FROM main.failures") - before


# Texts as a store keeps them: JSON under zlib.
#
# What was sent to a model, and what it replied, is packed with two texts as zlib's dictionary (RFC 1950): the first
# one that this judge sent for a request of this kind, which has the same instructions, and the request, which has
# the same data.

# Bytes of sha256 by which a text is found.
_DIGEST = 16
# zlib looks back 32 KiB, of which each of the two texts of a dictionary gets a half.
_HALF_WINDOW = 1 << 14
# Of one text unpacked: no prompt is longer, and a stranger's store can't fill the memory.
_MOST_BYTES = 1 << 27


def packed_request(request: JudgeRequest) -> bytes:
    """The body of a request."""
    return zlib.compress(_json_of(request_to_json(request)))


def unpacked_request(body: bytes) -> JudgeRequest:
    """The request of a body. Raises zlib.error where the store is broken."""
    try:
        return request_from_json(_value_of(body))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise zlib.error("a request of the store is broken") from None


class Texts:
    """The prompts and replies of an open store. What it is asked for raises zlib.error where the store is broken."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        # By author and kind of request: digest and text of what was first sent while the store was open.
        self._samples: dict[tuple[int, str], tuple[bytes, bytes]] = {}

    def pack(
        self, author: int, prompt: str, reply: str, request: JudgeRequest | None = None
    ) -> bytes:
        """What was sent and what came back; no byte where both are empty.

        ``author``: the number of the judge or model, ``request``: what the prompt was made for.
        """
        if not prompt and not reply:
            return b""
        raw = _json_of([prompt, reply])
        first = raw[:_HALF_WINDOW]
        place = author, type(request).__name__
        digest, sample = self._samples.setdefault(
            place, (hashlib.sha256(first).digest()[:_DIGEST], first)
        )
        # Each time, since the transaction of the first one may have been taken back.
        self._db.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (digest, sample))
        stream = zlib.compressobj(zdict=_dictionary(sample, request))
        return digest + stream.compress(raw) + stream.flush()

    def unpack(self, packed: bytes, request: JudgeRequest | None = None) -> tuple[str, str]:
        """The prompt and the reply that `pack` packed for the same request."""
        if not packed:
            return "", ""
        row = self._db.execute(
            "SELECT text FROM texts WHERE digest = ?", (packed[:_DIGEST],)
        ).fetchone()
        if row is None:
            raise zlib.error("a text of the store is missing")
        prompt, reply = _value_of(packed[_DIGEST:], _dictionary(row[0], request))
        return prompt, reply


def _dictionary(sample: bytes, request: JudgeRequest | None) -> bytes:
    data = _json_of(request_to_json(request)) if request else b""
    return data[-_HALF_WINDOW:] + sample


def _json_of(value: Any) -> bytes:
    # ASCII, since half a surrogate pair, which a hostile text may hold, has no UTF-8.
    return json.dumps(value).encode("ascii")


def _value_of(packed: bytes, dictionary: bytes = b"") -> Any:
    stream = zlib.decompressobj(zdict=dictionary)
    whole = stream.decompress(packed, _MOST_BYTES)
    if not stream.eof:
        raise zlib.error("a text of the store is cut off or longer than any prompt")
    try:
        return json.loads(whole)
    except (ValueError, RecursionError):
        raise zlib.error("a text of the store is broken") from None


# Goes up when the tables below change; a store of another version is refused.
VERSION = 8

TABLES = """
CREATE TABLE judges (number INTEGER NOT NULL UNIQUE, digest TEXT, name TEXT, identity TEXT);
CREATE TABLE models (number INTEGER NOT NULL UNIQUE, digest TEXT, name TEXT, identity TEXT);
CREATE TABLE texts (digest BLOB NOT NULL UNIQUE, text BLOB NOT NULL);
CREATE TABLE requests (key BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE verdicts (
    id INTEGER PRIMARY KEY, judge INTEGER NOT NULL, request BLOB NOT NULL,
    value NOT NULL, note TEXT NOT NULL, probability REAL, flag TEXT NOT NULL, raw BLOB NOT NULL,
    UNIQUE (judge, request)
);
CREATE TABLE failures (
    judge INTEGER NOT NULL, request BLOB NOT NULL, reason TEXT NOT NULL, times INTEGER NOT NULL,
    raw BLOB NOT NULL, PRIMARY KEY (judge, request)
) WITHOUT ROWID;
CREATE TABLE replies (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, model INTEGER NOT NULL, purpose TEXT NOT NULL,
    attempt INTEGER NOT NULL, text TEXT NOT NULL, finish TEXT NOT NULL,
    tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, price REAL, raw BLOB NOT NULL
);
CREATE TABLE served (
    judge TEXT NOT NULL, host TEXT NOT NULL, model TEXT NOT NULL, fingerprint TEXT NOT NULL,
    PRIMARY KEY (judge, host, model, fingerprint)
) WITHOUT ROWID;
CREATE TABLE secret (value BLOB NOT NULL);
CREATE TABLE spent (store BLOB PRIMARY KEY, dollars REAL NOT NULL) WITHOUT ROWID;
"""
# A store is known by its secret, so that one merged twice is counted once.
_ADD_SPENT = """
INSERT INTO spent SELECT value, ? FROM secret WHERE true
ON CONFLICT (store) DO UPDATE SET dollars = dollars + excluded.dollars
"""
# The first sixteen bytes of every SQLite database (sqlite.org/fileformat.html, section 1.3).
_HEAD = b"SQLite format 3\0"
_BROKEN = ("SQLITE_NOTADB", "SQLITE_CORRUPT")
_AuthorTable = Literal["judges", "models"]


@dataclass(frozen=True)
class Author:
    """A judge that gave verdicts, or a model that wrote replies.

    ``digest`` is the sha256 of name and identity together, in hexadecimal digits.
    """

    digest: str
    name: str
    identity: Mapping[str, str]

    @classmethod
    def of(cls, name: str, identity: Mapping[str, str]) -> Self:
        """The author of this name and identity."""
        text = json.dumps([name, dict(sorted(identity.items()))])
        return cls(hashlib.sha256(text.encode()).hexdigest(), name, dict(identity))

    @property
    def number(self) -> int:
        """The number of its rows: 60 bits of the digest, as SQLite's integers have 63."""
        return int(self.digest[:15], 16)


class StoreFile:
    """A store, created where there is none. A context manager.

    ``wait``: seconds to wait for another process that has it open. ``write=False`` only reads, and
    then there must be a file. Raises DataError: in use, of another version, not a store, not
    writable, the disk full.
    """

    def __init__(self, path: str | Path, *, wait: float = 10.0, write: bool = True) -> None:
        self.path = Path(path)
        self._write = write
        with self._data_errors():
            if write:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            elif not self.path.exists():
                raise DataError.of(Code.NO_SUCH_FILE, "no such store", path, hint="Check the path.")
            self._refuse_other_files()
            self._db = self._open(wait)
        self._texts = Texts(self._db)

    def _refuse_other_files(self) -> None:
        # SQLite takes a file of a few bytes for an empty database and would write over it.
        if self.path.is_symlink():
            why = "this is a link, and nothing is written through one"
            raise DataError.of(Code.SYMLINK, why, self.path, hint="Name the store itself.")
        if not self.path.is_file():
            return
        with self.path.open("rb") as file:
            head = file.read(len(_HEAD))
        if head and head != _HEAD:
            raise DataError.of(
                Code.NOT_A_RUN_FILE,
                "this is not a store of ours",
                self.path,
                hint="Name another file; this one was not touched.",
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Releases the file, which is then a single file again, readable in a read-only folder."""
        if self._write:
            with suppress(sqlite3.Error):
                self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.close()

    def _open(self, wait: float) -> sqlite3.Connection:
        db = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={'rwc' if self._write else 'ro'}",
            uri=True,
            timeout=wait,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            self._prepare(db)
        except BaseException:
            db.close()
            raise
        return db

    def _prepare(self, db: sqlite3.Connection) -> None:
        if not self._write:
            self._check_version(db)
            return
        # In exclusive mode the lock of the first transaction is held until the file is closed. Only of this
        # file: of one that is merged, the log that a killed process left could not be read.
        db.execute("PRAGMA main.locking_mode=EXCLUSIVE")
        with transaction(db, "EXCLUSIVE"):
            if db.execute("SELECT 1 FROM sqlite_master").fetchone():
                self._check_version(db)
            else:
                for statement in filter(str.strip, TABLES.split(";")):
                    db.execute(statement)
                db.execute("INSERT INTO secret VALUES (?)", (secrets.token_bytes(16),))
                db.execute(f"PRAGMA user_version={VERSION}")
        # WAL in exclusive mode needs no shared memory; a commit is one append without a sync,
        # which a killed process can't lose.
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")

    def _check_version(self, db: sqlite3.Connection) -> None:
        version = _one_value(db, "PRAGMA user_version")
        # A view in place of a table may have rows without end.
        views = _one_value(
            db, "SELECT count(*) FROM sqlite_master WHERE type <> 'table' AND sql <> ''"
        )
        if version != VERSION or views:
            raise DataError.of(
                Code.OTHER_VERSION,
                f"the store has version {version}{' and views' * bool(views)}, this argue-bench reads {VERSION}",
                self.path,
                hint="Use the argue-bench that wrote it, or name a new file and ask again.",
            )

    @property
    def secret(self) -> bytes:
        """The random value that was drawn when the store was made."""
        with self._data_errors():
            return bytes(_one_value(self._db, "SELECT value FROM secret"))

    def spent(self) -> float:
        """US dollars that all commands so far have spent for this store."""
        with self._data_errors():
            return float(_one_value(self._db, "SELECT total(dollars) FROM spent"))

    def add_spent(self, dollars: float) -> None:
        """Books what a call costs, or with less than 0 takes back what it did not cost."""
        with self.adding() as db:
            db.execute(_ADD_SPENT, (dollars,))

    def _add_author(self, table: _AuthorTable, author: Author) -> int:
        """The number of a judge or model, which is added where it is not there yet."""
        row = (author.number, author.digest, author.name, json.dumps(dict(author.identity)))
        self._db.execute(f"INSERT OR IGNORE INTO {table} VALUES (?, ?, ?, ?)", row)
        return author.number

    def _authors(self, table: _AuthorTable) -> tuple[Author, ...]:
        with self._data_errors():
            rows = self._db.execute(f"SELECT digest, name, identity FROM {table} ORDER BY rowid")
            return tuple(
                Author(digest, name, dict(json.loads(text))) for digest, name, text in rows
            )

    def _count(self, table: Literal["verdicts", "replies"]) -> int:
        with self._data_errors():
            return int(_one_value(self._db, f"SELECT count(*) FROM {table}"))

    @contextmanager
    def attached(self, other: Path) -> Iterator[sqlite3.Connection]:
        """The database while another store is open in it as ``part``."""
        with self._data_errors():
            self._db.execute("ATTACH ? AS part", (f"{other.absolute().as_uri()}?mode=ro",))
            try:
                yield self._db
            finally:
                self._db.execute("DETACH part")

    @contextmanager
    def adding(self) -> Iterator[sqlite3.Connection]:
        """One transaction: everything added inside is in the file afterwards, or nothing."""
        with self._data_errors(), transaction(self._db):
            yield self._db

    @contextmanager
    def _data_errors(self) -> Iterator[None]:
        """Turns errors of SQLite and the system into a DataError that says what to do."""
        try:
            yield
        except (sqlite3.Error, OSError, zlib.error, ValueError, TypeError, KeyError) as error:
            if _name(error).startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                code, message = Code.STORE_IN_USE, "another process has this store open"
                hint = "Wait until it ends, or give each process a store of its own (--store)."
            elif not isinstance(error, (sqlite3.Error, OSError)) or _name(error) in _BROKEN:
                code, message = Code.NOT_A_RUN_FILE, f"this is not a whole store: {error}"
                hint = "Name another file; this one was not touched."
            else:
                why = getattr(error, "strerror", None) or error
                code, message = Code.NOT_WRITTEN, f"the store can't be used: {why}"
                hint = "What was stored so far stays; make room or name another place, and run it again."
            raise DataError.of(code, message, self.path, hint=hint) from None


def storable(text: str) -> str:
    """The text with a mark in place of half a surrogate pair, which UTF-8 can't hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


@contextmanager
def transaction(db: sqlite3.Connection, kind: str = "") -> Iterator[None]:
    """Everything done inside is in the file afterwards, or nothing."""
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


def _one_value(db: sqlite3.Connection, query: str) -> Any:
    """The value of a query that has one row of one column."""
    (value,) = db.execute(query).fetchone()
    return value


def _name(error: Exception) -> str:
    return getattr(error, "sqlite_errorname", "")
