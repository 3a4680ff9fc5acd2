"""Warnings on an entry that may be taken for another: look-alike names, equal answers.

It is compared with what is merged: the board's main branch at the base of the pull request. A
finding is a warning to the maintainer, never a refusal: two people who run the same baseline send
the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from argue_bench.errors import Code, DataError, Finding
from argue_bench.leaderboard.formats.git_objects import FILE, Objects
from argue_bench.leaderboard.formats.metadata import LIMITS, check_names
from argue_bench.records.display import escape
from argue_bench.records.untrusted import parse_json

MOST_NAMES = 5_000
"""Systems whose display names are read; of more only the names of their files are compared."""


@dataclass(frozen=True)
class MergedEntries:
    """The merged entries of a board: display names by system, and the system of each file of
    answers."""

    names: Mapping[str, str]
    answers: Mapping[str, str]
    """Git's name of the bytes to the path of the first file that holds them."""


def read_merged(objects: Objects, commit: str, root: str, places: tuple[str, ...]) -> MergedEntries:
    """The entries at a commit of the board. Raises SubmissionError where they can't be fetched."""
    rows = {place: objects.folder(commit, root, place) for place in ("metadata", *places)}
    answers: dict[str, str] = {}
    for place in places:
        for name, row in rows[place].items():
            answers.setdefault(row.oid, f"{place}/{name}")
    known = {
        name.removesuffix(".json"): row.oid
        for name, row in rows["metadata"].items()
        if row.mode == FILE and name.endswith(".json")
    }
    if len(known) > MOST_NAMES:
        return MergedEntries(dict.fromkeys(known, ""), answers)
    contents = objects.blobs([*known.values()], len(known) * LIMITS.file_bytes)
    return MergedEntries(dict(zip(known, map(_name, contents), strict=True)), answers)


def find_duplicates(
    merged: MergedEntries, system: str, files: Mapping[str, bytes]
) -> list[Finding]:
    """Warnings on a submission that was checked."""
    findings = []
    own: dict[str, str] = {}
    for path, content in files.items():
        if path.startswith("metadata/"):
            continue
        oid = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        other = merged.answers.get(oid, "")
        if other and not other.endswith(f"/{system}.jsonl"):
            why = f"these are byte for byte the answers of {escape(other)}"
            findings.append(Finding(Code.COPIED, why, path, level="warning"))
        if oid in own:
            why = f"these are byte for byte the answers of {own[oid]}"
            findings.append(Finding(Code.SAME_ANSWERS, why, path, level="warning"))
        own.setdefault(oid, path)
    mine = f"metadata/{system}.json"
    known = [(one, name, one) for one, name in merged.names.items() if one != system]
    known.append((system, _name(files[mine]), mine))
    return findings + [one for one in check_names(known) if one.file == mine]


def _name(raw: bytes) -> str:
    try:
        value = parse_json(raw.removeprefix(b"\xef\xbb\xbf"), "metadata", None, LIMITS)
    except DataError:
        return ""
    name = value.get("name") if isinstance(value, dict) else None
    return name[:80] if isinstance(name, str) else ""
