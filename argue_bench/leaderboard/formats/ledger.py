"""The ledger: everything that happened to a board, one event on each line.

``results/ledger.jsonl`` is canonical JSON line by line and only grows. Each line holds the hash of
the line before it, so a changed or deleted event breaks the chain, and any reader can check it. The ledger decides who owns a system and how many runs an author has used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Annotated, Literal

from pydantic import Field

from argue_bench.errors import Code, DataError, Finding
from argue_bench.leaderboard.formats.canonical import canonical, parse_canonical
from argue_bench.leaderboard.formats.git_objects import Objects, refusal, refusing
from argue_bench.leaderboard.formats.layout import (
    CLOSED,
    DESCRIBED,
    EVENTS,
    EXPIRED,
    FAILED,
    LEDGER,
    OPENED,
    OUTRAN,
    RETURNED,
    ROOT,
    RUNS,
    SCORED,
    SIGNED_ANEW,
)
from argue_bench.leaderboard.formats.names import (
    AuthorId,
    CommitId,
    Digest,
    SeasonName,
    SystemOrNone,
    invisible,
    whole,
)
from argue_bench.records.digests import sha256
from argue_bench.records.untrusted import Limits
from argue_bench.records.validation import Expect, strict

# An event has some 700 bytes, so 200 MB hold far more runs than a board scores in its life.
LIMITS = Limits(line_bytes=20_000, file_bytes=200_000_000, depth=4)
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@strict
@dataclass(frozen=True)
class Event:
    """One line of the ledger."""

    event: Annotated[str, Expect.one_of(*EVENTS)]
    date: Annotated[str, Field(pattern=whole(DATE)), Expect("a time such as 2027-01-31T12:00:00Z")]
    season: SeasonName
    system: SystemOrNone = ""
    author: AuthorId | None = None
    commit: CommitId | None = None
    digest: Digest | None = None
    """Of the bundle, or of the index of a snapshot."""
    reason: Annotated[
        str,
        Field(max_length=1_000),
        Expect("at most 1,000 visible characters", lambda text: not invisible(text)),
    ] = ""
    scores: Mapping[str, int | float | None] = field(default_factory=dict)
    """Setting to its ranked score as it was told."""
    answers: Digest | None = None
    """Of the files of answers that were scored, whatever commit they came with."""
    previous: Digest | Literal[""] = ""
    """The SHA-256 of the line before; empty in the first."""

    def to_bytes(self) -> bytes:
        return canonical(asdict(self))


def append_events(raw: bytes, events: Iterable[Event]) -> bytes:
    """The ledger with events at its end, chained to what stands there.

    Raises DataError: a broken chain is not built upon, nor is a line added that would stop whoever reads it.
    """
    lines = raw.splitlines()
    previous = sha256(lines[-1]) if lines else ""
    for event in events:
        line = replace(event, previous=previous).to_bytes()
        raw += line + b"\n"
        previous = sha256(line)
    read_ledger(raw)
    return raw


def read_ledger(raw: bytes, label: str = str(LEDGER)) -> list[Event]:
    """Every event of a ledger whose chain holds. Raises DataError with all that is wrong."""
    events: list[Event] = []
    findings: list[Finding] = []
    previous = ""
    # An event is written with its line end, so a last line without one was cut on its way.
    if raw and not raw.endswith(b"\n"):
        findings.append(Finding(Code.LEDGER_BROKEN, file=label))
    for number, line in enumerate(raw.split(b"\n")[:-1], 1):
        try:
            event = parse_canonical(Event, line, LIMITS, label, number, Event.__annotations__)
        except DataError as error:
            findings += error.findings
        else:
            events.append(event)
            if event.previous != previous:
                findings.append(
                    Finding(
                        Code.LEDGER_BROKEN,
                        "A line of the ledger lacks the hash of the line before it",
                        file=label,
                        line=number,
                    )
                )
        # Also of a line that can't be read: then the chain shows one break, and not one on every line after it.
        previous = sha256(line)
    if findings:
        # A ledger that is wrong throughout would print as many lines as it has; the first ones say enough.
        raise DataError(findings[:100])
    return events


def ledger_bytes(objects: Objects, commit: str | None) -> bytes:
    """The ledger at a commit of the results branch; empty where there is none yet."""
    row = None if commit is None else objects.folder(commit, ROOT, "results").get(LEDGER.name)
    return b"" if row is None else objects.blobs([row.oid], LIMITS.file_bytes)[0]


def ledger_at(objects: Objects, commit: str | None) -> list[Event]:
    """Its events. Raises SubmissionError."""
    with refusing():
        return read_ledger(ledger_bytes(objects, commit))


def owners(events: Iterable[Event]) -> dict[str, str]:
    """The owner of each system: the first author scored, unless the organiser decided otherwise."""
    found: dict[str, str] = {}
    for event in events:
        if event.system and event.author:
            if event.event == "owner":
                found[event.system] = event.author
            # The first scored run owns the name. One that lapsed or outran owns nothing: else whoever
            # is quick could take names by runs that never show a row.
            elif event.event in SCORED:
                found.setdefault(event.system, event.author)
    return found


def check_owner(events: Iterable[Event], system: str, author: str) -> bool:
    """Whether the system has an owner. Raises SubmissionError where the owner is another author.

    Intake and scoring both ask: between the two jobs the ledger may have changed.
    """
    owner = owners(events).get(system)
    if owner not in (None, author):
        raise refusal(
            Code.SYSTEM_TAKEN,
            "The system on the board belongs to another author",
            file=f"{ROOT}/metadata/{system}.json",
            hint="Choose another name.",
        )
    return owner is not None


def refuse_twice(
    events: Iterable[Event], digest: str | None, season: str = "", lapsed: bool = False
) -> None:
    """Raises SubmissionError where a run was used for this very bundle; with ``lapsed`` also one that lapsed.

    Scoring and recording both ask: two scorings of one bundle may have run at the same time. What lapsed is scored
    again and told the same.
    """
    for one in _used(events):
        # By the digest of the bundle, which holds metadata and commit too: another commit is another run.
        same = one.digest == digest and season in ("", one.season)
        if same and (lapsed or one.event != EXPIRED):
            raise refusal(Code.ALREADY_SCORED)


def _used(events: Iterable[Event]) -> list[Event]:
    """The runs, without those that the clock or the budget ended and the organiser gave back."""
    runs: list[Event] = []
    for event in events:
        if event.event == RETURNED:
            ended = (event.season, event.system, OUTRAN)
            runs = [one for one in runs if (one.season, one.system, one.event) != ended]
        elif event.event in RUNS:
            runs.append(event)
    return runs


def runs_of(
    events: Iterable[Event],
    author: str,
    season: str,
    now: str = "",
    days: int | None = None,
    answers: str | None = None,
) -> list[Event]:
    """The scored runs of an author in a season, or in the last ``days`` of it, beside one of these ``answers``.

    A run that lapsed because the board moved on, or another author took its name, is free where its answers are sent
    again: its score was told, so with other answers it would be one run more than the quota.
    """
    since = ""
    if days is not None:
        end = datetime.strptime(now, "%Y-%m-%dT%H:%M:%SZ")
        since = (end - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
    runs = [
        event
        for event in _used(events)
        if event.author == author
        and event.season == season
        # A date is a text of one width, so texts compare as times do. A run of exactly so many days ago is free.
        and event.date > since
    ]
    moved = (Code.SYSTEM_TAKEN, Code.RESULTS_MOVED)
    raced = [e for e in runs if e.event == EXPIRED and e.reason in moved]
    sent = {answers, *(event.answers for event in runs if event not in raced)}
    return [event for event in runs if event not in raced or event.answers not in sent]


def told_scores(
    events: Iterable[Event], author: str, season: str, answers: str | None = None
) -> dict[str, list[float]]:
    """By setting: the published scores of an author that still stand; a new score must be above them.

    Of each system the last one stands; a re-scoring tells its systems' scores anew. What lapsed
    was told too; but of the very ``answers`` that lapsed the same is told again, and is no news.
    """
    standing: dict[str, dict[tuple[str, str], float]] = {}
    for event in events:
        if (event.author, event.season) != (author, season):
            continue
        # The author was told this score of these very answers, so telling it once more says nothing new.
        if event.event == EXPIRED and answers is not None and event.answers == answers:
            continue
        # Neither takes the place of what better answers were told: it stands beside that.
        beside = event.event == EXPIRED or event.reason.startswith(SIGNED_ANEW)
        for setting, value in event.scores.items():
            if value is None:
                continue
            place = standing.setdefault(setting, {})
            if event.event == "re-scored" and not beside:
                # After a re-scoring the old scores are of another scorer: only those made anew stand.
                for one in [one for one in place if one[0] == event.system]:
                    del place[one]
            place[event.system, event.reason if beside else ""] = float(value)
    return {setting: list(place.values()) for setting, place in standing.items()}


def failures_of(events: Iterable[Event], author: str, season: str) -> int:
    """Failed scorings of an author since the season was opened last."""
    own = [event for event in events if event.season == season]
    # The organiser opens the season again once the fault is mended, and forgives what failed before.
    since = takewhile(lambda event: event.event != OPENED, reversed(own))
    return sum(event.event == FAILED and event.author == author for event in since)


def hidden_systems(events: Sequence[Event], season: str) -> set[str]:
    """Systems of a season that are no longer shown.

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
        elif event.event in ("scored", DESCRIBED, "shown"):
            # A new row brings back what its maker took off, and never what the organiser did.
            by_maker.discard(event.system)
            if event.event == "shown":
                by_organiser.discard(event.system)
    return by_organiser | by_maker


def is_over(events: Iterable[Event], season: str) -> bool:
    """Whether a season was closed, and not opened again after that."""
    # The last word counts: a season that was closed may be opened again.
    said = [event.event for event in events if event.season == season]
    return next((one == CLOSED for one in reversed(said) if one in (CLOSED, OPENED)), False)
