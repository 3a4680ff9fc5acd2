"""The outcome of a step: codes, counts and digests, and none of the content that the step read.

Steps hand on what they decided as ``intake.json`` and ``score.json`` in one folder. Every value has
a closed form (codes, names of systems, numbers, hexadecimal digits), because the job that may write
to the repository reads nothing else of a stranger's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from argue_bench.errors import Code, Finding
from argue_bench.leaderboard.formats.canonical import canonical, parse_canonical
from argue_bench.leaderboard.formats.git_objects import refusing
from argue_bench.leaderboard.formats.layout import SETTINGS
from argue_bench.leaderboard.formats.names import (
    AuthorId,
    CommitId,
    Count,
    Digest,
    SeasonName,
    SettingName,
    SystemOrNone,
)
from argue_bench.records.atomic import atomic_write
from argue_bench.records.display import escape
from argue_bench.records.untrusted import Limits, read_bounded
from argue_bench.records.validation import Expect, strict

STATES = (
    "ready",
    "refused",
    "scored",
    "unchanged",
    "failed",
    "withdrawn",
    "superseded",
    "described",
    "outran",
    "none",
)
STEPS = ("intake", "score", "record")
LEVELS = ("error", "warning", "notice")
LIMITS = Limits(line_bytes=500_000, file_bytes=500_000, depth=6)
# Form of an error code, looser than the list of codes: a newer release may have scored.
CODE = re.compile(r"[a-z0-9][a-z0-9-]{1,39}")
# What a comment can show. 500,000 bytes hold 50 findings of 300 characters, escaped, many times over.
MOST_FINDINGS = 50
# Two lines of a comment: enough for a message and its hint.
MOST_TEXT = 300
UNEDITED = "Take the file that the step wrote; nothing in it is edited."
PLACE = re.compile(r"results/[a-z0-9][a-z0-9.-]{0,63}/[a-z0-9][a-z0-9./-]{1,100}")

# A finding as outcomes carry it: level, code, where, message.
Row = tuple[str, str, str, str]


def _is_plain(text: str, most: int = MOST_TEXT) -> bool:
    return escape(text, most) == text


def _are_findings(rows: Iterable[Row]) -> bool:
    return all(
        row[0] in LEVELS and CODE.fullmatch(row[1]) and all(map(_is_plain, row)) for row in rows
    )


_Plain = Annotated[str, Expect(f"a text on one line of at most {MOST_TEXT} characters", _is_plain)]


@strict
@dataclass(frozen=True)
class Disclosed:
    """The published facts about one setting; no score where the row did not change."""

    moved: bool
    value: float | None = None
    low: float | None = None
    high: float | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    """Every share, in a season that tells all; else nothing."""


@strict
@dataclass(frozen=True)
class StepOutcome:
    """The decision of a step. ``findings`` are safe to print."""

    step: Annotated[str, Expect.one_of(*STEPS)]
    state: Annotated[str, Expect.one_of(*STATES)]
    findings: Annotated[
        tuple[Row, ...],
        Field(max_length=MOST_FINDINGS + 1),
        Expect("a list of [error|warning|notice, code, where, message]", _are_findings),
    ] = ()
    system: SystemOrNone = ""
    author: AuthorId | None = None
    season: SeasonName | Literal[""] = ""
    pr: Count | None = None
    commit: CommitId | None = None
    digest: Digest | None = None
    """Of the bundle."""
    answers: Digest | None = None
    """Of its files of answers alone."""
    results: CommitId | None = None
    """The commit of the results branch that the decision rests on."""
    settings: Annotated[
        Mapping[SettingName, Disclosed],
        Expect(f"an object from {', '.join(SETTINGS)} to {{moved, value, low, high, scores}}"),
    ] = field(default_factory=dict)
    """The ranked score of each setting as it is told."""
    ranked: _Plain = ""
    runs: Count = 0
    quota: Count | None = None
    files: Annotated[
        Mapping[str, Digest],
        Expect(
            "an object from results/SEASON/... to 64 hexadecimal digits",
            lambda files: all(PLACE.fullmatch(path) and ".." not in path for path in files),
        ),
    ] = field(default_factory=dict)
    """Path of what is to be recorded to its SHA-256."""
    questions: Count | None = None
    """How many the set has, where no score is told of so few."""
    date: _Plain = ""
    reason: Annotated[
        str, Expect("a text of at most 1,000 characters", lambda text: _is_plain(text, 1_000))
    ] = ""
    schema: Literal[1] = 1

    @property
    def codes(self) -> list[str]:
        return [code for level, code, _, _ in self.findings if level == "error"]

    def to_bytes(self) -> bytes:
        return canonical(asdict(self))

    # Canonical bytes, since the outcome of a scoring is signed and hashed as it stands.
    def write(self, folder: Path) -> Path:
        path = folder / f"{self.step}.json"
        with atomic_write(path) as file:
            file.write(self.to_bytes().decode())
        return path


def summarise(findings: Iterable[Finding], most: int = MOST_FINDINGS) -> tuple[Row, ...]:
    """Findings shortened for an outcome: on one line each, errors first."""
    # Errors first, so that what is cut off at the end is what matters least.
    ordered = sorted(findings, key=lambda one: LEVELS.index(one.level))
    rows: list[Row] = []
    for one in ordered[:most]:
        line = "" if one.line is None else f":{one.line}"
        says = f"{one.message}. {one.hint}" if one.hint else one.message
        rows.append(
            (one.level, one.code, escape(f"{one.file}{line}", 150), escape(says, MOST_TEXT))
        )
    if len(ordered) > most:
        rows.append(("notice", Code.MORE, "", f"and {len(ordered) - most:,} more findings"))
    return tuple(rows)


def read_outcome(path: Path) -> StepOutcome:
    """The outcome in a file, every value of its form. Raises SubmissionError."""
    with refusing():
        return parse_outcome(read_bounded(path, LIMITS, path.name), path.name)


def parse_outcome(raw: bytes, label: str) -> StepOutcome:
    """Raises DataError."""
    return parse_canonical(
        StepOutcome, raw, LIMITS, label, required=StepOutcome.__annotations__, hint=UNEDITED
    )


def screen_finding(why: str, path: str, held: bool, looked: bool) -> Finding:
    """What holds a row until a maintainer has ``looked``, or stands on it as a flag."""
    flag = Finding(Code.FLAGGED, why, path, level="warning")
    return held_for(flag) if held and not looked else flag


def held_for(finding: Finding) -> Finding:
    """The finding as what holds a row."""
    return replace(
        finding,
        code=Code.HELD,
        level="error",
        hint="A maintainer looks at it (board screen) and sets the label 'screened', or closes it.",
    )
