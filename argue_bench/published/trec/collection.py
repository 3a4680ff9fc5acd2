"""Collections of documents, looked up by id on disk and never loaded whole.

A collection is a file of JSON lines (``id``, ``docid``, ``doc_id`` or ``_id``; ``text``, ``contents``,
``segment`` or ``body``; ``title``), or a folder of such files (``*.jsonl``), of JSON objects
(``*.json``) and of texts (``*.txt``, whose name is the id). The index beside it, or in the cache where
one can't write beside it, is an SQLite file that says for each id where its bytes are; it is made at the
first use, and anew where a file has another size or time of change. Compressed files are refused: a
document is read from the middle of its file. NeuCLIR's published look-up, ``doc_mapping_*.pkl``, is
turned into JSON lines first (`published.trec.pickles`).
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
from argue_bench.records import Document
from argue_bench.records.untrusted import GOLD_LIMITS, open_bounded, parse_json

NEUCLIR = ("neuclir/1/ru", "neuclir/1/fa", "neuclir/1/zh")
"""NeuCLIR's three collections, which Auto-ARGUE looks documents up in when none is named."""
_ALIASES = ({"ru", "rus"}, {"fa", "fas"}, {"zh", "zho"})
PICKLE, PREFIX = ".pkl", "doc_mapping_"

Progress = Callable[[int, int], None]
"""(bytes read, bytes in all)."""
FORMAT = "2"
LINES, OBJECT, TEXT = SUFFIXES = (".jsonl", ".json", ".txt")
COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
ID_KEYS = ("id", "docid", "doc_id", "_id")
TEXT_KEYS = ("text", "contents", "segment", "body")
# 16 MB of cache: with 64 a million ids take 5 % less time, with 8 a third more.
_SCHEMA = """
PRAGMA synchronous=OFF; PRAGMA cache_size=-16384; BEGIN;
CREATE TABLE head (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE files (number INTEGER PRIMARY KEY, name TEXT, size INTEGER, changed INTEGER);
CREATE TABLE documents (id TEXT PRIMARY KEY, file INTEGER, start INTEGER, length INTEGER) WITHOUT ROWID;
"""
_FIND = (
    "SELECT name, size, changed, start, length FROM documents JOIN files ON number = file "
    "WHERE id = ?"
)


class Collection(Mapping[str, Document]):
    """Documents by id, each read from its file when it is looked up. Threads may share it.

    Raises DataError with all findings where documents can't be read; ``findings`` has the
    warnings. ``progress`` is called while the index is made.
    """

    def __init__(self, path: Path, *, progress: Progress | None = None) -> None:
        self.path = path
        self._place = path
        if path.suffix == PICKLE:
            from argue_bench.published.trec.pickles import as_lines

            # A pickle is a program, so a reader of its own turns it into lines and runs nothing.
            self._place = as_lines(path)
        self._index = _indexed(self._place, progress)
        self._db, head = _opened(self._index)
        self._lock = threading.Lock()
        self._count, self.digest = int(head["documents"]), head["digest"]
        self.findings = tuple(Finding(**one) for one in json.loads(head["findings"]))
        if any(finding.level == "error" for finding in self.findings):
            self.close()
            message = "some documents can't be used"
            hint = "Mend them, or take them out."
            bad = Finding(Code.BAD_DOCUMENTS, message, str(path), hint=hint)
            raise DataError((*self.findings, bad))

    def __getitem__(self, id: str) -> Document:
        if (row := self._find(id)) is None:
            raise KeyError(id)
        name, size, changed, start, length = row
        path = self._place / name if name else self._place
        try:
            with path.open("rb", buffering=0) as file:
                status = os.fstat(file.fileno())
                # The file is looked at while it is open: what is read is what was compared.
                if (status.st_size, status.st_mtime_ns) == (size, changed):
                    file.seek(start)
                    raw = file.read(length)
                    first = 1 if start == 0 else 2  # only a first line may have a BOM
                    return _read_document(raw, path.name, str(path), first)
        except OSError as error:
            message = f"the file can't be read: {error.strerror}"
            raise DataError.of(Code.UNREADABLE, message, path) from None
        message = f"the file is not the one that was indexed; it held {id!r}"
        hint = "Start again: it will be indexed anew."
        raise DataError.of(Code.OTHER_DATA, message, path, hint=hint)

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


class JoinedCollections(Mapping[str, Document]):
    """Several collections as one: an id is looked up in one after the other, the first that has it counts."""

    def __init__(self, parts: Sequence[Collection]) -> None:
        self.parts = tuple(parts)
        self.findings = tuple(finding for part in parts for finding in part.findings)
        joined = hashlib.sha256(" ".join(part.digest for part in parts).encode()).hexdigest()
        self.digest = f"sha256:{joined}"

    def __getitem__(self, id: str) -> Document:
        for part in self.parts:
            if id in part:
                return part[id]
        raise KeyError(id)

    def __contains__(self, id: object) -> bool:
        return any(id in part for part in self.parts)

    def __iter__(self) -> Iterator[str]:
        for number, part in enumerate(self.parts):
            yield from (id for id in part if not any(id in one for one in self.parts[:number]))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def join_collections(
    paths: Sequence[Path], *, progress: Progress | None = None
) -> Collection | JoinedCollections:
    """The collections at these paths as one. Raises DataError as `Collection` does."""
    parts = [Collection(path, progress=progress) for path in paths]
    return parts[0] if len(parts) == 1 else JoinedCollections(parts)


def open_collection(
    named: str | Path, subsets: Sequence[str] = ()
) -> Collection | JoinedCollections:
    """The collection, or these parts of it, indexed where they are not yet, with progress on the terminal.

    Raises UsageError and DataError.
    """
    from argue_bench.cli.progress import progress

    paths = find_collections(named, subsets)
    with progress("indexing documents, MB", 0) as step:
        return join_collections(paths, progress=lambda done, size: step(done >> 20, size >> 20))


def collection_paths(documents: Mapping[str, Document]) -> tuple[Path, ...]:
    """Where a collection lies, each of its parts; nothing for documents that are in memory."""
    parts = documents.parts if isinstance(documents, JoinedCollections) else (documents,)
    return tuple(part.path for part in parts if isinstance(part, Collection))


def find_collections(named: str | Path = "", subsets: Sequence[str] = ()) -> list[Path]:
    """The paths of a collection's parts, or of the whole; `find_collection` says how they are found.

    A folder with pickles of NeuCLIR's look-up is as many collections as it has pickles, and what else
    it holds. Raises UsageError.
    """
    if subsets:
        return list(dict.fromkeys(find_collection(named, subset) for subset in subsets))
    whole = find_collection(named)
    pickles = sorted(whole.glob(f"{PREFIX}*{PICKLE}")) if whole.is_dir() else []
    if not pickles:
        return [whole]
    others = (one for one in whole.rglob("*") if not one.name.startswith("."))
    return [*pickles, *([whole] if any(one.suffix in SUFFIXES for one in others) else [])]


def find_collection(named: str | Path = "", subset: str = "") -> Path:
    """The path of a collection by path, or by its name in the folder that ``DOC_LOOKUP`` names.

    ``subset`` is a part of it: a folder or file inside, with or without ``.jsonl``, ``/`` or ``_``
    between the parts of its name, or a pickle ``doc_mapping_SUBSET.pkl``; ``rus`` and ``ru``, ``fas``
    and ``fa``, ``zho`` and ``zh`` are the same. Raises UsageError.
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
        for candidate in _places(path, subset):
            inside = candidate.resolve().is_relative_to(path.resolve())
            if inside and candidate.exists():
                return candidate
        there = sorted(one.name for one in path.iterdir() if not one.name.startswith("."))
        raise UsageError(f"{path} has no part {subset!r}; it has: {', '.join(there[:20])}")
    core = path / "documents.jsonl"  # a data set's own folder
    return core if (path / "set.json").is_file() and core.is_file() else path


def _places(folder: Path, subset: str) -> Iterator[Path]:
    """Where a part of a collection may be, its language by either of its names."""
    language = subset.replace("_", "/").replace("-", "/").rpartition("/")[2]
    same = next((names for names in _ALIASES if language in names), {language})
    before = subset.removesuffix(language)
    for spelt in (subset, *(before + other for other in sorted(same - {language}))):
        for name in dict.fromkeys((spelt, spelt.replace("/", "_"), spelt.replace("/", "-"))):
            yield from (folder / name, folder / f"{name}.jsonl", folder / f"{name}{PICKLE}")
            yield folder / f"{PREFIX}{name}{PICKLE}"


def _indexed(path: Path, progress: Progress | None) -> Path:
    """The index of this collection, made where there is none that is up to date."""
    from argue_bench.store.fetch import cache_folder

    whole = path.resolve()
    if not whole.name:
        raise UsageError(f"{path} is not a collection: name the folder or file of its documents")
    files = _listed(whole)
    name = hashlib.sha256(str(whole).encode()).hexdigest()[:32]
    # The cache is for a collection in a read-only place, or on a full disk.
    places = (
        whole.with_name(f".{whole.name}.argue-bench-index"),
        cache_folder() / "collections" / f"{name}.index",
    )
    for place in places:
        if place.is_file() and _is_current(place, whole, files):
            return place
    reason = ""
    for place in places:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            # An index that is out of date, or half written, is not mended.
            place.unlink(missing_ok=True)
            # One transaction: where this process is killed, no table is there and the index counts for nothing.
            with closing(sqlite3.connect(place, isolation_level=None)) as db:
                db.executescript(_SCHEMA)
                _Builder(db, whole, progress).run(files)
                db.execute("COMMIT")
            return place
        except (OSError, sqlite3.OperationalError) as error:
            reason = getattr(error, "strerror", None) or str(error)
    message = f"the index could not be written: {reason}"
    hint = "ARGUE_BENCH_CACHE names another place."
    raise DataError.of(Code.NOT_WRITTEN, message, places[-1], hint=hint)


def _opened(index: Path) -> tuple[sqlite3.Connection, dict[str, str]]:
    """A finished index, open for reading, and its head. Raises sqlite3.Error."""
    uri = f"{index.resolve().as_uri()}?mode=ro"
    db = sqlite3.connect(uri, uri=True, check_same_thread=False)
    try:
        return db, dict(db.execute("SELECT key, value FROM head"))
    except sqlite3.Error:
        db.close()
        raise


def _is_current(index: Path, root: Path, files: Sequence[str]) -> bool:
    """Whether an index is whole, and the files are those that it was made of."""
    with suppress(sqlite3.Error, OSError):
        db, head = _opened(index)
        with closing(db):
            rows = db.execute("SELECT name, size, changed FROM files ORDER BY number").fetchall()
        stamps = [(name, *_stamp(root / name)) for name in files]
        return head.get("format") == FORMAT and rows == stamps
    return False


def _stamp(path: Path) -> tuple[int, int]:
    """Size and time of the last change."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


class _Builder:
    """Writes the index of one collection."""

    def __init__(self, db: sqlite3.Connection, root: Path, progress: Progress | None) -> None:
        self.db, self.root, self.progress = db, root, progress
        self.found = Findings("")
        self.digest = hashlib.sha256()
        self.documents = self.done = self.size = 0

    def run(self, files: Sequence[str]) -> None:
        """Indexes the files. Raises DataError where one can't be opened, OSError."""
        self.size = sum((self.root / name).stat().st_size for name in files)
        for number, name in enumerate(files):
            path = self.root / name
            self.found.file = str(path)
            with open_bounded(path, GOLD_LIMITS, str(path)) as file:
                size, changed = _stamp(path)
                row = (number, name, size, changed)
                self.db.execute("INSERT INTO files VALUES (?, ?, ?, ?)", row)
                # Names and sizes before the bytes: two files joined are not the same collection as
                # one.
                self.digest.update(json.dumps([name, size]).encode())
                if path.suffix in (OBJECT, TEXT):
                    raw = file.read()
                    self._count(raw)
                    self._add(raw, path.name, None, number, 0)
                else:
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
            document = _read_document(raw, name, self.found.file, line)
        except DataError as error:
            self.found.extend(error.findings)
            return
        row = (document.id, file, start, len(raw))
        # The first of two documents of one id stays, as in a mapping that is filled once.
        if self.db.execute("INSERT OR IGNORE INTO documents VALUES (?, ?, ?, ?)", row).rowcount:
            self.documents += 1
        else:
            message = f"a second document has the id {document.id[:EXCERPT]!r}"
            hint = "Keep one of the two; the first is read."
            self.found.add(Code.DUPLICATE_ID, message, line, hint=hint)


def _read_document(raw: bytes, name: str, file: str, line: int | None) -> Document:
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
        raise wrong(Code.WRONG_SHAPE, "a document is an object")
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


def _listed(root: Path) -> list[str]:
    """The files of a collection relative to its root, by name; "" for a root that is a file.

    Raises DataError where there are none, or compressed ones.
    """
    if not root.exists():
        hint = "Name a file of JSON lines, or a folder of documents."
        raise DataError.of(Code.NO_SUCH_FILE, "no such file or folder", root, hint=hint)
    # Hidden files are editors' and systems', and our own index.
    inside = [root] if root.is_file() else [one for one in root.rglob("*") if one.is_file()]
    files = [one for one in inside if not any(p[0] == "." for p in one.relative_to(root).parts)]
    if packed := sorted(file for file in files if file.suffix in COMPRESSED):
        hint = "Unpack them: a document is read from the middle of its file."
        message = f"{len(packed)} files are compressed"
        raise DataError.of(Code.UNREADABLE, message, packed[0], hint=hint)
    if root.is_file():
        return [""]
    kept = sorted(file for file in files if file.suffix in SUFFIXES)
    if not kept:
        hint = f"Documents are files *{LINES}, *{OBJECT} or *{TEXT}."
        raise DataError.of(Code.EMPTY, "the folder holds no documents", root, hint=hint)
    return [file.relative_to(root).as_posix() for file in kept]
