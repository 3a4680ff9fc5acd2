"""What ever happened to a board? One line an event, each holding the hash of the line before it.

    {"author", "commit", "date", "digest", "event", "previous", "reason", "scores", "season", "system"}

``results/ledger.jsonl`` is canonical JSON line by line, only ever added to: an event that was
taken out or changed breaks the chain, which anybody can check. It decides who owns a system (whoever was
first scored under its name) and how many runs an author has used.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from argue_bench.errors import Code, DataError, Finding, SubmissionError
from argue_bench.leaderboard.formats.git_objects import Objects
from argue_bench.leaderboard.formats.layout import (
    CLOSED,
    DESCRIBED,
    EVENTS,
    LEDGER,
    OPENED,
    ROOT,
    RUNS,
    SCORED,
)
from argue_bench.leaderboard.formats.names import AUTHOR, invisible, is_season, wrong_with_system
from argue_bench.leaderboard.formats.results import canonical
from argue_bench.records.display import describe
from argue_bench.records.untrusted import Limits, parse

LIMITS = Limits(line_bytes=20_000, file_bytes=200_000_000, depth=4)
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True)
class Event:
    """One line. ``digest`` is that of the bundle; ``scores`` are those of the ranked score, rounded as
    they were shown."""

    event: str
    date: str
    season: str
    system: str = ""
    author: str | None = None
    commit: str | None = None
    digest: str | None = None
    reason: str = ""
    scores: Mapping[str, float | None] = field(default_factory=dict)
    previous: str = ""

    def to_bytes(self) -> bytes:
        return canonical(asdict(self))


def line_digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def append_events(raw: bytes, events: Iterable[Event]) -> bytes:
    """The ledger with events at its end, chained to what stands there."""
    lines = raw.splitlines()
    previous = line_digest(lines[-1]) if lines else ""
    for event in events:
        line = Event(**{**asdict(event), "previous": previous}).to_bytes()
        raw += line + b"\n"
        previous = line_digest(line)
    return raw


def read_ledger(raw: bytes, label: str = str(LEDGER)) -> list[Event]:
    """Every event of a ledger whose chain holds. Raises DataError with all that is wrong."""
    events: list[Event] = []
    findings: list[Finding] = []
    previous = ""
    if raw and not raw.endswith(b"\n"):
        findings.append(Finding(Code.LEDGER_CUT, "the last line has no end", label))
    for number, line in enumerate(raw.split(b"\n")[:-1], 1):
        try:
            value = parse(line, label, number, LIMITS)
        except DataError as error:
            findings += error.findings
        else:
            if why := _wrong(value):
                findings.append(Finding(Code.LEDGER_VALUE, why, label, number))
            elif canonical(value) != line:
                why = "these are not the canonical bytes of its values"
                findings.append(Finding(Code.LEDGER_BYTES, why, label, number))
            else:
                events.append(Event(**value))
                if value["previous"] != previous:
                    why = (
                        "it does not follow the line before it: something was changed or taken out"
                    )
                    findings.append(Finding(Code.LEDGER_CHAIN, why, label, number))
        previous = line_digest(line)
    if findings:
        raise DataError(findings[:100])
    return events


def ledger_bytes(objects: Objects, commit: str | None) -> bytes:
    """The ledger at a commit of the results branch; empty where there is none yet."""
    row = None if commit is None else objects.folder(commit, ROOT, "results").get(LEDGER.name)
    return b"" if row is None else objects.blobs([row.oid], LIMITS.file_bytes)[0]


def ledger_at(objects: Objects, commit: str | None) -> list[Event]:
    """Its events. Raises SubmissionError."""
    try:
        return read_ledger(ledger_bytes(objects, commit))
    except DataError as error:
        raise SubmissionError(error.findings) from None


def owners(events: Iterable[Event]) -> dict[str, str]:
    """System to the author whose it is: the first scored, unless the organiser said otherwise."""
    found: dict[str, str] = {}
    for event in events:
        if event.system and event.author:
            if event.event == "owner":
                found[event.system] = event.author
            elif event.event in SCORED:
                found.setdefault(event.system, event.author)
    return found


def runs_of(
    events: Iterable[Event], author: str, season: str, now: str = "", days: int | None = None
) -> list[Event]:
    """The scored runs of an author in a season, or in the last ``days`` of it."""
    since = ""
    if days is not None:
        end = datetime.strptime(now, "%Y-%m-%dT%H:%M:%SZ")
        since = (end - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return [
        event
        for event in events
        if event.event in RUNS
        and event.author == author
        and event.season == season
        and event.date > since
    ]


def hidden_systems(events: Sequence[Event], season: str) -> set[str]:
    """Systems of a season that are not shown any more.

    What the organiser hid or removed only the organiser shows again: no run of its maker's, no
    re-scoring. What its maker withdrew comes back with its maker's next submission.
    """
    by_organiser: set[str] = set()
    by_maker: set[str] = set()
    for event in events:
        if event.season != season or not event.system:
            continue
        if event.event in ("hidden", "removed"):
            by_organiser.add(event.system)
        elif event.event in ("withdrawn", "superseded"):
            by_maker.add(event.system)
        elif event.event in (*SCORED, DESCRIBED, "shown"):
            by_maker.discard(event.system)
            if event.event == "shown":
                by_organiser.discard(event.system)
    return by_organiser | by_maker


def is_over(events: Iterable[Event], season: str) -> bool:
    """Whether a season was closed, and not opened again after that."""
    said = [event.event for event in events if event.season == season]
    return next((one == CLOSED for one in reversed(said) if one in (CLOSED, OPENED)), False)


def _wrong(value: Any) -> str:
    if not isinstance(value, dict) or value.keys() != Event.__annotations__.keys():
        return f"an event has the keys {', '.join(sorted(Event.__annotations__))}"
    forms = {
        "event": (value["event"] in EVENTS, f"one of {', '.join(EVENTS)}"),
        "date": (_matches(DATE, value["date"]), "a time such as 2027-01-31T12:00:00Z"),
        "season": (is_season(value["season"]), "the name of a season"),
        "system": (
            isinstance(value["system"], str)
            and (not value["system"] or not wrong_with_system(value["system"])),
            "the name of a system, or an empty text",
        ),
        "author": (
            value["author"] is None or _matches(AUTHOR, value["author"]),
            "1 to 64 of [A-Za-z0-9_.-], or null",
        ),
        "commit": (
            value["commit"] is None or _matches(re.compile("[0-9a-f]{40}"), value["commit"]),
            "40 hexadecimal digits, or null",
        ),
        "digest": (
            value["digest"] is None or _matches(re.compile("[0-9a-f]{64}"), value["digest"]),
            "64 hexadecimal digits, or null",
        ),
        "previous": (
            value["previous"] == "" or _matches(re.compile("[0-9a-f]{64}"), value["previous"]),
            "the SHA-256 of the line before, empty in the first",
        ),
        "reason": (
            isinstance(value["reason"], str)
            and len(value["reason"]) <= 1_000
            and not invisible(value["reason"]),
            "at most 1,000 characters, all of them to be seen",
        ),
        "scores": (
            isinstance(value["scores"], dict)
            and all(
                one is None or (isinstance(one, int | float) and not isinstance(one, bool))
                for one in value["scores"].values()
            ),
            "an object of numbers or null",
        ),
    }
    return "; ".join(
        f"{key} is {describe(value[key])}; expected {what}"
        for key, (fits, what) in forms.items()
        if not fits
    )


def _matches(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and bool(pattern.fullmatch(value))
