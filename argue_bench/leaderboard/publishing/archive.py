"""Dated snapshots of the boards on the results branch: made once a day, never changed, part of
every build.

``archive/DAY/index.json`` lists the other files of the snapshot by their SHA-256, and an event of the
ledger holds that of the index. So the ledger's chain holds every byte of every snapshot. Only who may
push to the results branch adds one; a pull request never reaches that branch. A snapshot is not signed:
the key stays in the job that scores, and a citation holds the index's digest, which vouches for more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from argue_bench.errors import Code, DataError, Finding, SubmissionError
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.git_objects import Objects
from argue_bench.leaderboard.formats.layout import ARCHIVE, ARCHIVED, INDEX, ROOT
from argue_bench.leaderboard.formats.ledger import Event
from argue_bench.leaderboard.formats.results import LIMITS
from argue_bench.leaderboard.publishing.record import RecordTarget, record_events
from argue_bench.leaderboard.submitting.checking import is_file
from argue_bench.records.digests import file_sha256, sha256, sha256_each
from argue_bench.records.untrusted import read_json

MOST_BYTES = 1 << 30
"""Of all snapshots together: the most that GitHub Pages serves."""
# The layout of a snapshot's index.
SCHEMA = 1
# Names that a snapshot may have; whatever else stands on the branch is not laid out.
_FILE = re.compile(r"\d{4}-\d\d-\d\d(?:/[A-Za-z0-9][A-Za-z0-9._-]*)+\.(?:json|csv)")


@dataclass(frozen=True)
class BoardSnapshot:
    """The boards of one day: their files, by their paths under the day's folder, and who lists them."""

    day: str
    title: str
    files: Mapping[str, bytes]

    @property
    def index(self) -> bytes:
        listed = sha256_each(self.files)
        about = {"schema": SCHEMA, "date": self.day, "title": self.title, "files": listed}
        return canonical(about) + b"\n"


def days_kept(folder: Path) -> list[str]:
    """The days of which a fetched board has a snapshot, the newest first."""
    return sorted((path.parent.name for path in folder.glob(f"{ARCHIVE}/*/{INDEX}")), reverse=True)


def is_as_before(folder: Path, snapshot: BoardSnapshot) -> bool:
    """Whether the newest snapshot of a fetched board holds these very files."""
    last = next(iter(days_kept(folder)), None)
    return last is not None and _listed(folder, last) == sha256_each(snapshot.files)


def record_snapshot(
    snapshot: BoardSnapshot, season: str, date: str, target: RecordTarget
) -> str | None:
    """Commits a snapshot of the boards to the results branch; None where the day has one.

    Raises SubmissionError.
    """
    place = f"{ARCHIVE}/{snapshot.day}"
    files = {f"{place}/{path}": content for path, content in snapshot.files.items()}
    event = Event(ARCHIVED, date, season, digest=sha256(snapshot.index))
    try:
        return record_events(target, [event], {**files, f"{place}/{INDEX}": snapshot.index})
    except SubmissionError as error:
        if error.findings[0].code == Code.ARCHIVE_THERE:
            return None
        raise


def lay_archive(objects: Objects, tip: str, out: Path) -> None:
    """Writes every snapshot of the results branch under ``out``. Raises SubmissionError."""
    folder = objects.folder(tip, ROOT).get(ARCHIVE)
    files = {} if folder is None else objects.files(folder.oid)
    oids = {path: row.oid for path, row in files.items() if _FILE.fullmatch(path)}
    contents = objects.blobs(list(oids.values()), MOST_BYTES)
    for path, content in zip(oids, contents, strict=True):
        place = out / ARCHIVE / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def verify_archive(folder: Path, events: Iterable[Event]) -> Iterator[Finding]:
    """Finds files of snapshots that were changed, deleted or added since the ledger recorded them."""
    root = folder / ARCHIVE
    # Links too: none of them is a file of the board's.
    # What is no plain file has the digest "": no snapshot lists that.
    there = {
        path.relative_to(root).as_posix(): path
        for path in root.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }
    found = {path: file_sha256(p) if is_file(p) else "" for path, p in there.items()}
    named: dict[str, str] = {}
    for event in events:
        if event.event == ARCHIVED:
            day = event.date[:10]
            # The first event of a day counts: a second one can't exchange what the first one kept.
            named.setdefault(f"{day}/{INDEX}", event.digest or "")
            if found.get(f"{day}/{INDEX}") == named[f"{day}/{INDEX}"]:
                listed = _listed(folder, day)
                named |= {f"{day}/{path}": digest for path, digest in listed.items()}
    broken = {path.partition("/")[0] for path in named if found.get(path) != named[path]}
    for path in sorted(found.keys() | named.keys()):
        if found.get(path) == named.get(path):
            continue
        if path not in named and path.partition("/")[0] in broken:
            continue  # the snapshot's index is at fault, and is told
        why = "it is not there" if path not in found else "it is not the file that was archived"
        why = why if path in named else "the ledger tells of no such file"
        hint = "Get the branch again: a snapshot never changes."
        yield Finding(Code.OTHER_DIGEST, why, f"{ARCHIVE}/{path}", hint=hint)


def _listed(folder: Path, day: str) -> dict[str, str]:
    """The files of a snapshot by their SHA-256, as its index lists them; none where it can't be read."""
    try:
        value = read_json(folder / ARCHIVE / day / INDEX, LIMITS)
        return {str(path): str(digest) for path, digest in value["files"].items()}
    except (DataError, TypeError, KeyError, AttributeError):
        return {}
