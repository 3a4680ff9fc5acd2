"""The index of a collection: for each document its file and the bytes in it, in SQLite.

It is built beside its place and moved there, so that it is whole or not there at all; what was wrong
with the documents is kept in it. It is out of date as soon as a folder has other files, or a file
another size, time of change, beginning or end than when it was read.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.findings import EXCERPT, Findings, default_hint
from argue_bench.records import Document
from argue_bench.records.untrusted import GOLD_LIMITS, open_bounded, parse_json

Progress = Callable[[int, int], None]
"""(bytes read, bytes in all)."""

FORMAT = 1
LINES, OBJECT, TEXT = SUFFIXES = (".jsonl", ".json", ".txt")
COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
ID_KEYS = ("id", "docid", "doc_id", "_id")
TEXT_KEYS = ("text", "contents", "segment", "body")
ALL_WATCHED = 1000
"""In a collection of more files than this only the folders are checked before it is used; each file
is checked whenever a document is read from it."""
_ENDS = 1 << 16
_SCHEMA = """
CREATE TABLE head (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE folders (name TEXT PRIMARY KEY, changed INTEGER) WITHOUT ROWID;
CREATE TABLE files (number INTEGER PRIMARY KEY, name TEXT, size INTEGER, changed INTEGER, ends BLOB);
CREATE TABLE documents (id TEXT PRIMARY KEY, file INTEGER, start INTEGER, length INTEGER) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """The place of a document: a file as it was when it was indexed, and the bytes in it."""

    file: str
    size: int
    changed: int
    start: int
    length: int


class Index:
    """An index that is open for reading."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False
        )
        self._head: dict[str, str] = dict(self._db.execute("SELECT key, value FROM head"))

    @property
    def documents(self) -> int:
        return int(self._head["documents"])

    @property
    def digest(self) -> str:
        return self._head["digest"]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(Finding(**one) for one in json.loads(self._head["findings"]))

    def find(self, id: str) -> DocumentPlace | None:
        row = self._db.execute(
            "SELECT name, size, changed, start, length FROM documents JOIN files ON number = file "
            "WHERE id = ?",
            (id,),
        ).fetchone()
        return None if row is None else DocumentPlace(*row)

    def ids(self) -> Iterator[str]:
        """Every id, in the order of the files."""
        return (id for (id,) in self._db.execute("SELECT id FROM documents ORDER BY file, start"))

    def current(self, root: Path) -> bool:
        """Whether the files of the collection are unchanged since it was indexed."""
        if self._head.get("format") != str(FORMAT):
            return False
        with suppress(OSError):
            folders = self._db.execute("SELECT name, changed FROM folders").fetchall()
            (number,) = self._db.execute("SELECT count(*) FROM files").fetchone()
            stale = (not folders) != root.is_file() or any(
                (root / name).stat().st_mtime_ns != changed for name, changed in folders
            )
            if stale or number > ALL_WATCHED:
                return not stale
            rows = self._db.execute("SELECT name, size, changed, ends FROM files").fetchall()
            return all(file_stamp(root / name) == tuple(rest) for name, *rest in rows)
        return False

    def close(self) -> None:
        self._db.close()


def current_index(path: Path, root: Path) -> Index | None:
    """The index at ``path``, opened; None where there is none, a broken one or one out of date."""
    if not path.is_file():
        return None
    try:
        index = Index(path)
    except sqlite3.Error:
        return None
    with suppress(sqlite3.Error, KeyError, ValueError):
        if index.current(root):
            return index
    index.close()
    return None


def build_index(root: Path, target: Path, progress: Progress | None = None) -> None:
    """Indexes the file or folder ``root`` and puts the index at ``target``, whole.

    Raises DataError where ``root`` cannot be read, and OSError where ``target`` cannot be written.
    """
    folders, files = _listed(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    _sweep(target)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(part, isolation_level=None)) as db:
            # Nothing reads this file before it is whole, so it needs no journal. 16 MB of cache: with
            # 64 a million ids take 5 % less time, with 8 a third more.
            db.executescript(
                "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
                f"PRAGMA cache_size=-16384; {_SCHEMA} BEGIN"
            )
            db.executemany("INSERT INTO folders VALUES (?, ?)", folders)
            _Builder(db, root, progress).run(files)
            db.execute("COMMIT")
        with part.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(part, target)
    except sqlite3.OperationalError as error:
        raise OSError(None, str(error)) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


class _Builder:
    def __init__(self, db: sqlite3.Connection, root: Path, progress: Progress | None) -> None:
        self.db, self.root, self.progress = db, root, progress
        self.found = Findings("")
        self.digest = hashlib.sha256()
        self.documents = self.done = self.size = 0

    def run(self, files: list[str]) -> None:
        for name in files:
            with suppress(OSError):  # opening it says what is wrong
                self.size += (self.root / name).stat().st_size
        for number, name in enumerate(files):
            path = self.root / name
            self.found.file = str(path)
            with open_bounded(path, GOLD_LIMITS, str(path)) as file:
                stamp = file_stamp(path)
                self.db.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", (number, name, *stamp))
                self.digest.update(json.dumps([name, stamp[0]]).encode())
                if path.suffix in (OBJECT, TEXT):
                    raw = file.read()
                    self._count(raw)
                    self._add(raw, path.name, None, number, 0)
                else:
                    self._lines(number, file)
        head = {
            "format": str(FORMAT),
            "documents": str(self.documents),
            "digest": f"sha256:{self.digest.hexdigest()}",
            "findings": json.dumps([asdict(finding) for finding in self.found.all()]),
        }
        self.db.executemany("INSERT INTO head VALUES (?, ?)", head.items())

    def _lines(self, number: int, file: BinaryIO) -> None:
        start = 0
        for line, raw in enumerate(iter(lambda: file.readline(GOLD_LIMITS.line_bytes), b""), 1):
            self._count(raw)
            if raw.strip(b"\xef\xbb\xbf \t\r\n") if line == 1 else raw.strip():
                self._add(raw, "", line, number, start)
            start += len(raw)

    def _count(self, raw: bytes) -> None:
        """Adds bytes to the digest, and reports progress once per mebibyte."""
        self.digest.update(raw)
        before, self.done = self.done, self.done + len(raw)
        if self.progress is not None and before >> 20 != self.done >> 20:
            self.progress(self.done, self.size)

    def _add(self, raw: bytes, name: str, line: int | None, file: int, start: int) -> None:
        try:
            document = read_document(raw, name, self.found.file, line)
        except DataError as error:
            self.found.extend(error.findings)
            return
        row = (document.id, file, start, len(raw))
        if self.db.execute("INSERT OR IGNORE INTO documents VALUES (?, ?, ?, ?)", row).rowcount:
            self.documents += 1
        else:
            message = f"a second document has the id {document.id[:EXCERPT]!r}"
            hint = "Keep one of the two; the first is read."
            self.found.add(Code.DUPLICATE_ID, message, line, hint=hint)


def read_document(raw: bytes, name: str, file: str, line: int | None) -> Document:
    """The document in these bytes: a text of this file name, or a JSON object. Raises DataError."""

    def wrong(code: Code, message: str) -> DataError:
        return DataError.of(code, message, file, line, hint=default_hint(code))

    stem, suffix = os.path.splitext(name)
    raw = raw.removeprefix(b"\xef\xbb\xbf") if line in (None, 1) else raw
    if suffix == TEXT:
        try:
            return Document(stem, raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise wrong(Code.NOT_UTF_8, f"byte {error.start} is not UTF-8") from None
    value = parse_json(raw, file, line, GOLD_LIMITS)
    if not isinstance(value, dict):
        raise wrong(Code.DOCUMENT_SHAPE, "a document is an object")
    id = next((value[key] for key in ID_KEYS if key in value), stem or None)
    text = next((value[key] for key in TEXT_KEYS if key in value), None)
    if isinstance(id, int) and not isinstance(id, bool):
        id = str(id)  # PubMed numbers its documents
    if not isinstance(id, str) or not id:
        raise wrong(Code.DOCUMENT_ID, "the document has no id")
    if not isinstance(text, str):
        raise wrong(Code.DOCUMENT_TEXT, f"the document {id[:EXCERPT]!r} has no text")
    keys = ("title", "language", "date", "url")
    return Document(id, text, **{k: value[k] for k in keys if isinstance(value.get(k), str)})


def _listed(root: Path) -> tuple[list[tuple[str, int]], list[str]]:
    """(folders with their times of change, files), relative to the root, in order of name."""
    if not root.exists():
        hint = "Name a file of JSON lines, or a folder of documents."
        raise DataError.of(Code.NO_COLLECTION, "no such file or folder", root, hint=hint)
    if root.is_file():
        _refuse_compressed([root])
        return [], [""]
    folders, files = [], []
    for folder, inner, names in os.walk(root):
        place = Path(folder)
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        folders.append((place.relative_to(root).as_posix(), place.stat().st_mtime_ns))
        files += [place / name for name in names if not name.startswith(".")]
    _refuse_compressed(files)
    kept = sorted(file for file in files if file.suffix in SUFFIXES)
    if not kept:
        hint = f"Documents are files *{LINES}, *{OBJECT} or *{TEXT}."
        raise DataError.of(Code.NO_DOCUMENTS, "the folder holds no documents", root, hint=hint)
    return folders, [file.relative_to(root).as_posix() for file in kept]


def _refuse_compressed(files: list[Path]) -> None:
    if packed := sorted(file for file in files if file.suffix in COMPRESSED):
        hint = "Unpack them: a document is read from the middle of its file."
        message = f"{len(packed)} files are compressed"
        raise DataError.of(Code.COMPRESSED, message, packed[0], hint=hint)


def file_stamp(path: Path) -> tuple[int, int, bytes]:
    """Size, time of change, and a digest of the first and last 64 KiB."""
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        digest = hashlib.sha256(file.read(_ENDS))
        file.seek(max(0, status.st_size - _ENDS))
        digest.update(file.read(_ENDS))
    return status.st_size, status.st_mtime_ns, digest.digest()


def _sweep(target: Path) -> None:
    """Removes the unfinished indexes of processes that are dead."""
    for part in target.parent.glob(f"{target.name}.*.part"):
        pid = part.name.rsplit(".", 2)[1]
        if pid.isdecimal():
            try:
                os.kill(int(pid), 0)  # signal 0 asks whether the process is there
            except ProcessLookupError:
                part.unlink(missing_ok=True)
            except OSError:  # it is there, and another user's
                pass
