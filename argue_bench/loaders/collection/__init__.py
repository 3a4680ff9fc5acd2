"""Collections of documents, looked up by id on disk and never loaded whole.

A collection is a file of JSON lines (``id``, ``docid``, ``doc_id`` or ``_id``; ``text``, ``contents``,
``segment`` or ``body``; ``title``), or a folder of such files (``*.jsonl``), of JSON objects
(``*.json``) and of texts (``*.txt``, whose name is the id). The index beside it, or in the cache where
one can't write beside it, says for each id where its bytes are; it is made at the first use. Compressed
files are refused: a document is read from the middle of its file. NeuCLIR's published look-up,
``doc_mapping_*.pkl``, is turned into JSON lines first.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.loaders.collection.index import (
    SUFFIXES,
    DocumentPlace,
    Index,
    Progress,
    build_index,
    current_index,
    read_document,
)
from argue_bench.loaders.collection.pickles import PICKLE, PREFIX, as_lines
from argue_bench.models.environment import environment
from argue_bench.records import Document

LOOKUP = "DOC_LOOKUP"
"""The environment variable that names the folder in which collections lie."""
NEUCLIR = ("neuclir/1/ru", "neuclir/1/fa", "neuclir/1/zh")
"""NeuCLIR's three collections, which Auto-ARGUE looks documents up in when none is named."""
_ALIASES = ({"ru", "rus"}, {"fa", "fas"}, {"zh", "zho"})


class Collection(Mapping[str, Document]):
    """Documents by id, each read from its file when it is looked up. Threads may share it.

    Raises DataError with all findings where documents can't be read; with ``skip_bad`` the good
    rest is used, and ``findings`` says what is not.
    """

    def __init__(
        self, path: Path, *, skip_bad: bool = False, progress: Progress | None = None
    ) -> None:
        self.path = path
        self._place = as_lines(path) if path.suffix == PICKLE else path
        self._index = _indexed(self._place, progress)
        self._lock = threading.Lock()
        self.findings, self.digest = self._index.findings, self._index.digest
        if not skip_bad and any(finding.level == "error" for finding in self.findings):
            self.close()
            message = "some documents can't be used"
            hint = "Mend them, or leave them out with --skip-bad-documents."
            bad = Finding(Code.BAD_DOCUMENTS, message, str(path), hint=hint)
            raise DataError((*self.findings, bad))

    def __getitem__(self, id: str) -> Document:
        if (entry := self._find(id)) is None:
            raise KeyError(id)
        return self._read(entry, id)

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._find(id) is not None

    def __iter__(self) -> Iterator[str]:
        """The ids, in the order of the files."""
        with closing(Index(self._index.path)) as own:
            yield from own.ids()

    def __len__(self) -> int:
        return self._index.documents

    def __repr__(self) -> str:
        return f"<Collection {self.path}: {len(self):,} documents>"

    def close(self) -> None:
        """Closes the index."""
        with self._lock:
            self._index.close()

    def _find(self, id: str) -> DocumentPlace | None:
        with self._lock:
            return self._index.find(id)

    def _read(self, entry: DocumentPlace, id: str) -> Document:
        path = self._place / entry.file if entry.file else self._place
        try:
            with path.open("rb", buffering=0) as file:
                status = os.fstat(file.fileno())
                if (status.st_size, status.st_mtime_ns) == (entry.size, entry.changed):
                    raw = os.pread(file.fileno(), entry.length, entry.start)
                    first = 1 if entry.start == 0 else 2  # only a first line may have a BOM
                    document = read_document(raw, path.name, str(path), first)
                    if document.id == id:
                        return document
        except OSError as error:
            message = f"the file can't be read: {error.strerror}"
            raise DataError.of(Code.UNREADABLE, message, path) from None
        with suppress(OSError):
            self._index.path.unlink(missing_ok=True)
        message = f"the file is not the one that was indexed; it held {id!r}"
        hint = "Start again: it will be indexed anew."
        raise DataError.of(Code.COLLECTION_CHANGED, message, path, hint=hint)


class JoinedCollections(Mapping[str, Document]):
    """Several collections as one: an id is looked up in one after the other, the first that has it counts."""

    def __init__(self, parts: Sequence[Collection]) -> None:
        self.parts = tuple(parts)
        self.findings = tuple(finding for part in parts for finding in part.findings)
        joined = sha256(" ".join(part.digest for part in parts).encode()).hexdigest()
        self.digest = f"sha256:{joined}"

    def __getitem__(self, id: str) -> Document:
        for part in self.parts:
            if id in part:
                return part[id]
        raise KeyError(id)

    def __contains__(self, id: object) -> bool:
        return any(id in part for part in self.parts)

    def __iter__(self) -> Iterator[str]:
        seen: list[Collection] = []
        for part in self.parts:
            yield from (id for id in part if not any(id in before for before in seen))
            seen.append(part)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return any(self.parts)

    def __repr__(self) -> str:
        return f"<JoinedCollections {', '.join(str(part.path) for part in self.parts)}>"

    def close(self) -> None:
        """Closes the indexes."""
        for part in self.parts:
            part.close()


def join_collections(
    paths: Sequence[Path], *, skip_bad: bool = False, progress: Progress | None = None
) -> Collection | JoinedCollections:
    """The collections at these paths as one. Raises DataError as `Collection` does."""
    parts = [Collection(path, skip_bad=skip_bad, progress=progress) for path in paths]
    return parts[0] if len(parts) == 1 else JoinedCollections(parts)


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


def lookup_folder() -> str:
    """The folder of collections that the environment or ``.env`` names, or nothing."""
    return environment().get(LOOKUP, "")


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
    before, language = subset[:-3], subset[-3:]
    while language and not language.isalnum():
        before, language = before + language[0], language[1:]
    same = next((names for names in _ALIASES if language in names), set())
    for spelt in (subset, *(before + other for other in sorted(same - {language}))):
        for name in dict.fromkeys((spelt, spelt.replace("/", "_"), spelt.replace("/", "-"))):
            yield from (folder / name, folder / f"{name}.jsonl", folder / f"{name}{PICKLE}")
            yield folder / f"{PREFIX}{name}{PICKLE}"


def _indexed(path: Path, progress: Progress | None) -> Index:
    """The index of this collection, made where there is none that is up to date."""
    from argue_bench.fetch import cache_folder

    whole = path.resolve()
    if not whole.name:
        raise UsageError(f"{path} is not a collection: name the folder or file of its documents")
    name = sha256(str(whole).encode()).hexdigest()[:32]
    beside = whole.with_name(f".{whole.name}.argue-bench-index")
    # The cache is for a collection in a read-only place, or on a full disk.
    places = (beside, cache_folder() / "collections" / f"{name}.index")
    for place in places:
        if (index := current_index(place, whole)) is not None:
            return index
    reason = ""
    for place in places:
        try:
            build_index(whole, place, progress)
            return Index(place)
        except OSError as error:
            reason = error.strerror or str(error)
    message, hint = (
        f"the index could not be written: {reason}",
        "ARGUE_BENCH_CACHE names another place.",
    )
    raise DataError.of(Code.NOT_WRITTEN, message, places[-1], hint=hint)
