"""Collections of documents, looked up by id on disk and never loaded whole.

A collection is a file of JSON lines (``id``, ``docid``, ``doc_id`` or ``_id``; ``text``, ``contents``,
``segment`` or ``body``; ``title``), a folder of such files (``*.jsonl``), or several of both. Its index in
the cache is an SQLite file that says for each id where its bytes are; it is made at the first use, and
anew where a file has another size or time of change. Compressed files are refused: a document is read from
the middle of its file. NeuCLIR's published look-up, ``doc_mapping_*.pkl``, is turned into JSON lines first
(`published.trec.pickles`).
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.loaders.findings import EXCERPT, Findings, default_hint
from argue_bench.loaders.source import LOOKUP, lookup_folder
from argue_bench.published.trec.pickles import as_lines
from argue_bench.records import Document
from argue_bench.records.untrusted import GOLD_LIMITS, open_bounded, parse_json
from argue_bench.store.fetch import cache_folder

# Languages by the names that NeuCLIR's documents have elsewhere.
_SHORT = {"rus": "ru", "fas": "fa", "zho": "zh"}
LINES, PICKLE, PREFIX = ".jsonl", ".pkl", "doc_mapping_"

# (bytes read, bytes in all).
Progress = Callable[[int, int], None]
FORMAT = "3"
COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
ID_KEYS = ("id", "docid", "doc_id", "_id")
TEXT_KEYS = ("text", "contents", "segment", "body")
_BOM = b"\xef\xbb\xbf"
# 16 MB of cache: with 64 a million ids take 5 % less time, with 8 a third more.
_SCHEMA = """
PRAGMA synchronous=OFF; PRAGMA cache_size=-16384; BEGIN;
CREATE TABLE head (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE files (number INTEGER PRIMARY KEY, path TEXT, size INTEGER, changed INTEGER);
CREATE TABLE documents (id TEXT PRIMARY KEY, file INTEGER, start INTEGER, length INTEGER) WITHOUT ROWID;
"""
_FIND = (
    "SELECT path, size, changed, start, length FROM documents JOIN files ON number = file "
    "WHERE id = ?"
)
# Each file of a collection: its name in the folder that was named ("" where it was named itself), its path.
Files = Sequence[tuple[str, Path]]


class Collection(Mapping[str, Document]):
    """The documents of these files and folders by id, each read from its file when it is looked up.

    Threads may share it. Raises DataError with all findings where documents can't be read; ``findings`` has
    the warnings. ``progress`` is called while the index is made.
    """

    def __init__(self, paths: Path | Sequence[Path], *, progress: Progress | None = None) -> None:
        self.paths = (paths,) if isinstance(paths, Path) else tuple(paths)
        files = [file for path in self.paths for file in _listed(path.resolve())]
        listed = json.dumps([(name, str(path)) for name, path in files])
        name = hashlib.sha256(listed.encode()).hexdigest()[:32]
        self._index = cache_folder() / "collections" / f"{name}.index"
        if not _is_current(self._index, files):
            _make_index(self._index, files, progress)
        self._db, head = _opened(self._index)
        self._lock = threading.Lock()
        self._count, self.digest = int(head["documents"]), head["digest"]
        self.findings = tuple(Finding(**one) for one in json.loads(head["findings"]))
        if any(finding.level == "error" for finding in self.findings):
            self.close()
            message = "some documents can't be used"
            bad = Finding(
                Code.WRONG_SHAPE, message, str(self.paths[0]), hint="Mend them, or take them out."
            )
            raise DataError((*self.findings, bad))

    def __getitem__(self, id: str) -> Document:
        if (row := self._find(id)) is None:
            raise KeyError(id)
        name, size, changed, start, length = row
        try:
            with open(name, "rb", buffering=0) as file:
                status = os.fstat(file.fileno())
                # The file is looked at while it is open: what is read is what was compared.
                if (status.st_size, status.st_mtime_ns) == (size, changed):
                    file.seek(start)
                    return _read_document(file.read(length), name)
        except OSError as error:
            raise DataError.of(
                Code.UNREADABLE, f"the file can't be read: {error.strerror}", name
            ) from None
        message = f"the file is not the one that was indexed; it held {id!r}"
        raise DataError.of(
            Code.OTHER_DATA, message, name, hint="Start again: it will be indexed anew."
        )

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._find(id) is not None

    def __iter__(self) -> Iterator[str]:
        """The ids, in the order of the files."""
        # A connection of its own: others may look documents up while the ids are listed.
        with closing(_opened(self._index)[0]) as own:
            for (id,) in own.execute("SELECT id FROM documents ORDER BY file, start"):
                yield id

    def __len__(self) -> int:
        return self._count

    def close(self) -> None:
        """Closes the index."""
        with self._lock:
            self._db.close()

    def _find(self, id: str) -> tuple[str, int, int, int, int] | None:
        with self._lock:
            row: tuple[str, int, int, int, int] | None = self._db.execute(_FIND, (id,)).fetchone()
            return row


def open_collection(named: str | Path = "", subsets: Sequence[str] = ()) -> Collection:
    """The collection, or these parts of it, indexed where they are not yet, with progress on the terminal.

    `find_collection` says how it is found. Raises UsageError and DataError.
    """
    from argue_bench.cli.progress import progress

    paths = [find_collection(named, subset) for subset in subsets or ("",)]
    with progress("indexing documents, MB", 0) as step:
        return Collection(paths, progress=lambda done, size: step(done >> 20, size >> 20))


def collection_paths(documents: Mapping[str, Document]) -> tuple[Path, ...]:
    """Where a collection lies, each of its parts; nothing for documents that are in memory."""
    return documents.paths if isinstance(documents, Collection) else ()


def find_collection(named: str | Path = "", subset: str = "") -> Path:
    """The path of a collection by path, or by its name in the folder that ``DOC_LOOKUP`` names.

    ``subset`` is a part of it: a folder or file inside, with or without ``.jsonl``, ``/`` or ``_``
    between the parts of its name, or a pickle ``doc_mapping_SUBSET.pkl``; ``rus`` may be called ``ru``, ``fas``
    ``fa`` and ``zho`` ``zh``. Raises UsageError.
    """
    lookup = lookup_folder()
    path = Path(named or lookup)
    if not str(named) and not lookup:
        raise UsageError(f"no collection was named, and {LOOKUP} is not set")
    if not path.exists() and lookup and not path.is_absolute():
        path = Path(lookup) / named
    if not path.exists():
        looked = f", nor in {lookup}" if lookup else f"; {LOOKUP} names a folder of collections"
        raise UsageError(f"no such collection: {named}{looked}")
    if subset:
        if not path.is_dir():
            raise UsageError(f"{path} is one file and has no part {subset!r}")
        short = f"{subset[:-3]}{_SHORT.get(subset[-3:], subset[-3:])}"
        for name in (one for spelt in (subset, short) for one in (spelt, spelt.replace("/", "_"))):
            for candidate in (name, f"{name}{LINES}", f"{PREFIX}{name}{PICKLE}"):
                part = path / candidate
                if part.exists() and part.resolve().is_relative_to(path.resolve()):
                    return part
        there = sorted(one.name for one in path.iterdir() if not one.name.startswith("."))
        raise UsageError(f"{path} has no part {subset!r}; it has: {', '.join(there[:20])}")
    core = path / "documents.jsonl"  # a data set's own folder
    return core if (path / "set.json").is_file() and core.is_file() else path


def _make_index(place: Path, files: Files, progress: Progress | None) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # An index that is out of date, or half written, is not mended.
        place.unlink(missing_ok=True)
        # One transaction: where this process is killed, no table is there and the index counts for nothing.
        with closing(sqlite3.connect(place, isolation_level=None)) as db:
            db.executescript(_SCHEMA)
            _Builder(db, progress).run(files)
            db.execute("COMMIT")
    except (OSError, sqlite3.OperationalError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"the index could not be written: {reason}"
        raise DataError.of(
            Code.NOT_WRITTEN, message, place, hint="ARGUE_BENCH_CACHE names another place."
        ) from None


def _opened(index: Path) -> tuple[sqlite3.Connection, dict[str, str]]:
    """A finished index, open for reading, and its head. Raises sqlite3.Error."""
    db = sqlite3.connect(f"{index.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
    try:
        return db, dict(db.execute("SELECT key, value FROM head"))
    except sqlite3.Error:
        db.close()
        raise


def _is_current(index: Path, files: Files) -> bool:
    """Whether an index is whole, and the files are those that it was made of."""
    with suppress(sqlite3.Error, OSError):
        db, head = _opened(index)
        with closing(db):
            rows = db.execute("SELECT path, size, changed FROM files ORDER BY number").fetchall()
        stamps = [(str(path), *_stamp(path)) for _, path in files]
        return head.get("format") == FORMAT and rows == stamps
    return False


def _stamp(path: Path) -> tuple[int, int]:
    """Size and time of the last change."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


class _Builder:
    """Writes the index of one collection."""

    def __init__(self, db: sqlite3.Connection, progress: Progress | None) -> None:
        self.db, self.progress = db, progress
        self.found = Findings("")
        self.digest = hashlib.sha256()
        self.documents = self.done = self.size = 0

    def run(self, files: Files) -> None:
        """Indexes the files. Raises DataError where one can't be opened, OSError."""
        self.size = sum(path.stat().st_size for _, path in files)
        for number, (name, path) in enumerate(files):
            self.found.file = str(path)
            with open_bounded(path, GOLD_LIMITS, str(path)) as file:
                size, changed = _stamp(path)
                row = (number, str(path), size, changed)
                self.db.execute("INSERT INTO files VALUES (?, ?, ?, ?)", row)
                # Names and sizes before the bytes: two files joined are not the same collection as
                # one.
                self.digest.update(json.dumps([name, size]).encode())
                self._lines(number, file)
        head = {
            "format": FORMAT,
            "documents": str(self.documents),
            "digest": f"sha256:{self.digest.hexdigest()}",
            "findings": json.dumps([asdict(finding) for finding in self.found.all()]),
        }
        self.db.executemany("INSERT INTO head VALUES (?, ?)", head.items())

    def _lines(self, number: int, file: BinaryIO) -> None:
        start = 0
        for line, raw in enumerate(iter(lambda: file.readline(GOLD_LIMITS.line_bytes), b""), 1):
            self.digest.update(raw)
            before, self.done = self.done, self.done + len(raw)
            if self.progress is not None and before >> 20 != self.done >> 20:
                self.progress(self.done, self.size)
            if raw.removeprefix(_BOM).strip():
                self._add(raw, line, number, start)
            start += len(raw)

    def _add(self, raw: bytes, line: int, file: int, start: int) -> None:
        try:
            document = _read_document(raw, self.found.file, line)
        except DataError as error:
            self.found.extend(error.findings)
            return
        row = (document.id, file, start, len(raw))
        # The first of two documents of one id stays, as in a mapping that is filled once.
        if self.db.execute("INSERT OR IGNORE INTO documents VALUES (?, ?, ?, ?)", row).rowcount:
            self.documents += 1
        else:
            self.found.add(
                Code.DUPLICATE_ID,
                f"a second document has the id {document.id[:EXCERPT]!r}",
                line,
                hint="Keep one of the two; the first is read.",
            )


def _read_document(raw: bytes, file: str, line: int | None = None) -> Document:
    """The document in the JSON object of a line. Raises DataError."""

    def wrong(code: Code, message: str) -> DataError:
        return DataError.of(code, message, file, line, hint=default_hint(code))

    value = parse_json(raw.removeprefix(_BOM), file, line, GOLD_LIMITS)
    if not isinstance(value, dict):
        raise wrong(Code.WRONG_SHAPE, "a document is an object")
    id, text = (
        next((value[key] for key in keys if key in value), None) for keys in (ID_KEYS, TEXT_KEYS)
    )
    if isinstance(id, int) and not isinstance(id, bool):
        id = str(id)  # PubMed numbers its documents
    if not isinstance(id, str) or not id:
        raise wrong(Code.DOCUMENT_ID, "the document has no id")
    if not isinstance(text, str):
        raise wrong(Code.DOCUMENT_TEXT, f"the document {id[:EXCERPT]!r} has no text")
    keys = ("title", "language", "date", "url")
    return Document(id, text, **{k: value[k] for k in keys if isinstance(value.get(k), str)})


def _listed(root: Path) -> list[tuple[str, Path]]:
    """The files under a path. Raises DataError where there are none, or compressed ones."""
    if root.is_file():
        inside = [root]
    elif root.is_dir():
        inside = sorted(one for one in root.rglob("*") if one.is_file())
    else:
        hint = "Name a file of JSON lines, or a folder of documents."
        raise DataError.of(Code.NO_SUCH_FILE, "no such file or folder", root, hint=hint)
    # Hidden files are editors' and systems'.
    files = [one for one in inside if not any(p[0] == "." for p in one.relative_to(root).parts)]
    if packed := [file for file in files if file.suffix in COMPRESSED]:
        hint = "Unpack them: a document is read from the middle of its file."
        raise DataError.of(
            Code.UNREADABLE, f"{len(packed)} files are compressed", packed[0], hint=hint
        )
    kept = [
        ("" if file == root else file.relative_to(root).as_posix(), file)
        for file in files
        if file == root or file.suffix in (LINES, PICKLE)
    ]
    if not kept:
        raise DataError.of(
            Code.EMPTY, "the folder holds no documents", root, hint=f"Documents are files *{LINES}."
        )
    # A pickle is a program, so a reader of our own turns it into lines and runs nothing.
    return [(name, as_lines(file) if file.suffix == PICKLE else file) for name, file in kept]
