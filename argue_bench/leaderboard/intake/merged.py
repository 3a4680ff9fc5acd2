"""The merged entries of a board: names that a new one must not look like, rows that it must not be a copy of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from argue_bench.errors import DataError, Finding
from argue_bench.leaderboard.formats.git_objects import FILE, Objects
from argue_bench.leaderboard.formats.layout import FOLDERS, ROOT
from argue_bench.leaderboard.formats.metadata import LIMITS, check_names
from argue_bench.records.untrusted import parse_json

MOST_NAMES = 5_000
"""Systems whose display names are read; of more only the names of their files are compared."""
COMPARED_BYTES = 1_000_000_000
"""Of merged answers with which a new row is compared: 1,000 systems with 1,000 answers each have less."""
# Of one file; what is larger was never accepted.
_FILE_BYTES = 400_000_000


@dataclass(frozen=True)
class MergedEntries:
    """The display names of the systems on main, and their files of answers: path to git's name of the bytes."""

    names: Mapping[str, str]
    answers: Mapping[str, str]


def read_merged(objects: Objects, commit: str) -> MergedEntries:
    """The entries at a commit of the board. Raises SubmissionError where they can't be fetched."""
    rows = {place: objects.folder(commit, ROOT, place) for place in ("metadata", *FOLDERS)}
    answers = {
        f"{place}/{name}": row.oid
        for place in FOLDERS
        for name, row in rows[place].items()
        if row.mode == FILE and name.endswith(".jsonl")
    }
    known = {
        name.removesuffix(".json"): row.oid
        for name, row in rows["metadata"].items()
        if row.mode == FILE and name.endswith(".json")
    }
    if len(known) > MOST_NAMES:
        return MergedEntries(dict.fromkeys(known, ""), answers)
    contents = objects.blobs([*known.values()], len(known) * LIMITS.file_bytes)
    return MergedEntries(dict(zip(known, map(_name, contents), strict=True)), answers)


def rows_of_others(
    objects: Objects, merged: MergedEntries, own: Collection[str]
) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The files of answers of systems that are not the author's ``own``, each with what reads it."""
    theirs = {
        path: oid
        for path, oid in merged.answers.items()
        if path.partition("/")[2].removesuffix(".jsonl") not in own
    }
    total = 0
    for (path, oid), size in zip(theirs.items(), objects.sizes([*theirs.values()]), strict=True):
        total += size
        if total <= COMPARED_BYTES:
            yield path, partial(_read, objects, oid)


def _read(objects: Objects, oid: str) -> bytes:
    return objects.blobs([oid], _FILE_BYTES)[0]


def find_look_alikes(merged: MergedEntries, system: str, metadata: bytes) -> list[Finding]:
    """Warnings where the system, or its display name, looks like another's."""
    mine = f"metadata/{system}.json"
    known = [(one, name, one) for one, name in merged.names.items() if one != system]
    known.append((system, _name(metadata), mine))
    return [one for one in check_names(known) if one.file == mine]


def _name(raw: bytes) -> str:
    try:
        value = parse_json(raw.removeprefix(b"\xef\xbb\xbf"), "metadata", None, LIMITS)
    except DataError:
        return ""
    name = value.get("name") if isinstance(value, dict) else None
    return name[:80] if isinstance(name, str) else ""
