"""The reader of a board's folder: results with their signatures, metadata, ledger, queue, bands.

The queue of open pull requests says their authors, how long they have waited, and for what. It is read from a list of objects {"number", "author": {"login"}, "createdAt", "headRefOid",
"labels": [{"name"}], "isDraft"}, as `gh pr list --json
number,author,createdAt,headRefOid,labels,isDraft` prints it; "isDraft" may be missing. Strangers
chose their names: no other text of theirs is looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from argue_bench.errors import Code, DataError, Finding
from argue_bench.leaderboard.formats.layout import BANDS, BRIDGES, LEDGER, MAIN_LEDGER, RUNS
from argue_bench.leaderboard.formats.ledger import Event
from argue_bench.leaderboard.formats.metadata import read_metadata
from argue_bench.leaderboard.formats.names import OID, is_season
from argue_bench.leaderboard.formats.results import Result
from argue_bench.leaderboard.formats.season import FILE, Season, read_season
from argue_bench.leaderboard.publishing.verifying import (
    Seal,
    VerifiedFile,
    signed_bridges,
    verify_file,
    verify_ledger,
)
from argue_bench.records.untrusted import DEFAULT_LIMITS, Limits, read_json, read_lines

if TYPE_CHECKING:
    from argue_bench.leaderboard.signing.keys import Keys

T = TypeVar("T")
# 1,000 open pull requests with their labels are some 300 kB.
LIMITS = Limits(line_bytes=20_000_000, file_bytes=20_000_000, depth=8)
# What a label says of a pull request; all other labels say nothing. It may have been set for an older commit.
STATES = {"score": "labelled score", "screened": "labelled screened", "refused": "refused"}
UNREVIEWED = "awaiting review"


@dataclass(frozen=True)
class QueueEntry:
    """One pull request: its state, and how many days it has been open."""

    number: int
    author: str
    state: str
    since: str
    days: int


def read_queue(path: Path, events: Iterable[Event], now: str) -> list[QueueEntry]:
    """The queue, the oldest first. Raises DataError."""
    value = read_json(path, LIMITS)
    if not isinstance(value, list):
        raise DataError.of(
            Code.WRONG_SHAPE, "The list of open pull requests is not a JSON list", file=path
        )
    scored = {event.commit: event.event for event in events if event.commit}
    rows = []
    for place, one in enumerate(value):
        try:
            rows.append(_row(one, scored, now))
        except (KeyError, TypeError, ValueError, AttributeError):
            why = f"entry {place + 1} has not number, author, createdAt, headRefOid and labels"
            raise DataError.of(Code.WRONG_SHAPE, why, path) from None
    return sorted(rows, key=lambda row: (row.since, row.number))


def _row(one: dict[str, Any], scored: dict[str, str], now: str) -> QueueEntry:
    number, head, since = one["number"], one["headRefOid"], one["createdAt"]
    # True is an int to isinstance.
    if type(number) is not int or not OID.fullmatch(head):
        raise ValueError
    labels = [label["name"] for label in one["labels"]]
    unreviewed = "is a draft" if one.get("isDraft") is True else UNREVIEWED
    state = scored.get(head) or next((STATES[n] for n in STATES if n in labels), unreviewed)
    # A login has these characters; whatever else it holds is dropped, not shown.
    login = re.sub(r"[^A-Za-z0-9\[\]-]", "", str((one["author"] or {}).get("login", ""))[:40])
    return QueueEntry(number, login, state, since[:10], max(0, (_time(now) - _time(since)).days))


def _time(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


# The group of unsigned results on a board that signs its own.
FOREIGN = "published elsewhere"


@dataclass(frozen=True)
class PublishedResult:
    """One result as it is shown: its group, its seal and the id of the key that signed it."""

    result: Result
    group: str
    seal: Seal
    key: str


@dataclass
class PublishedFolder:
    """Reads the parts of a board's folder. What cannot be read becomes a finding and is left out."""

    folder: Path
    findings: list[Finding] = field(default_factory=list)

    @cached_property
    def declared(self) -> Season | None:
        """The season that season.json declares; None where it cannot be read."""
        return self._noted(lambda: read_season(self.folder))

    @cached_property
    def keys(self) -> Keys | None:
        """The public keys of a board that signs; None where it has none. Raises MissingExtra."""
        from argue_bench.leaderboard.signing.keys import read_keys

        there = (self.folder / "keys").is_dir()
        keys = self._noted(lambda: read_keys(self.folder)) if there else None
        return keys if keys and (keys.active or keys.retired) else None

    @cached_property
    def metadata(self) -> dict[str, dict[str, Any]]:
        """The metadata of each system whose file is as the board takes it."""
        found: dict[str, dict[str, Any]] = {}
        for path in sorted((self.folder / "metadata").glob("*.json")):
            checked, problems = read_metadata(path, str(path), path.stem)
            self.findings += [one for one in problems if one.level == "error"]
            if checked is not None:
                found[path.stem] = dict(checked.values)
        return found

    @cached_property
    def ledger(self) -> tuple[Mapping[str, Any], ...]:
        """Every event that can be read; where the chain does not hold, that is a finding."""
        self.findings += verify_ledger(self.folder)[1]
        paths = [self.folder / name for name in (MAIN_LEDGER, LEDGER)]
        lines = [line for path in paths if path.is_file() for line in read_lines(path)]
        return tuple(line.value for line in lines if isinstance(line.value, dict))

    @cached_property
    def queue(self) -> tuple[Mapping[str, Any], ...] | None:
        """The submissions that wait for a scoring, from ``results/queue.json``; None without the file."""
        path = self.folder / "results" / "queue.json"
        value = self._noted(lambda: read_json(path, DEFAULT_LIMITS)) if path.is_file() else None
        if value is None:
            return None
        if isinstance(value, list) and all(isinstance(row, dict) for row in value):
            return tuple(value)
        self.findings.append(Finding(Code.WRONG_SHAPE, "expected a list of objects", str(path)))
        return None

    def scored_runs(self) -> Counter[tuple[str, str]]:
        """Scored runs by season and author, shown or not."""
        return Counter(
            (line["season"], line["author"])
            for line in self.ledger
            if line.get("event") in RUNS
            and isinstance(line.get("season"), str)
            and isinstance(line.get("author"), str)
        )

    def seasons(self) -> Iterator[tuple[str, list[PublishedResult]]]:
        """The declared season first, then others that have results, newest name first.

        One that season.json declares is there before it has any result.
        """
        results, declared = self.folder / "results", self.declared
        there = results.iterdir() if results.is_dir() else ()
        # By name, since seasons are called 2027-1 or season-3; the declared one goes first whatever it is called.
        names = sorted((p.name for p in there if is_season(p.name) and p.is_dir()), reverse=True)
        if declared is not None:
            names = [declared.season, *(name for name in names if name != declared.season)]
        for place, name in enumerate(names):
            found = list(self._results(results / name))
            if found or (place == 0 and declared is not None and (self.folder / FILE).is_file()):
                yield name, found

    def bands(self, season: str) -> Path | None:
        """The bands of a hidden split; a board with keys shows only those that it signed."""
        path = self.folder / "results" / season / BANDS
        seen = self._seen(path) if path.is_file() else None
        if seen is not None and seen.seal == "unsigned" and self.keys is not None:
            self.findings.append(
                Finding(Code.BAD_SIGNATURE, "no bands are shown, for it is not signed", str(path))
            )
            return None
        return None if seen is None else path

    def bridges(self, season: str) -> list[dict[str, Any]]:
        """The bridges of a season that its board signed."""
        path = self.folder / "results" / season / BRIDGES
        return signed_bridges(path, self._seen(path)) if path.is_file() else []

    def _results(self, folder: Path) -> Iterator[PublishedResult]:
        for path in sorted(folder.glob("*.json")):
            # These lie among the results and are none.
            seen = None if path.name in (BANDS, BRIDGES) else self._seen(path)
            if seen is not None and seen.result is not None:
                result = seen.result
                # A result that another board published has no signature of this one.
                foreign = self.keys is not None and seen.seal == "unsigned" and not result.group
                yield PublishedResult(
                    result, FOREIGN if foreign else result.group, seen.seal, seen.key
                )

    def _seen(self, path: Path) -> VerifiedFile | None:
        """A file of results and the state of its signature; None where it is left out, with a finding."""
        seen = verify_file(path, self.keys)
        if seen.seal != "broken":
            return seen
        self.findings.append(Finding(seen.code, f"{seen.why}; it was left out", str(path)))
        return None

    def _noted(self, read: Callable[[], T]) -> T | None:
        """What is read; None where it cannot be, with the findings."""
        try:
            return read()
        except DataError as error:
            self.findings += error.findings
            return None
