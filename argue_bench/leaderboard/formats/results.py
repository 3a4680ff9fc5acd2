"""The results of a scoring: one file for each system and season, in bytes that can be signed.

``results/SEASON/SYSTEM.json`` is canonical JSON. The same scoring gives the same bytes on every
machine (``created`` honours SOURCE_DATE_EPOCH). ``group`` is absent from a ranked row of the season.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.leaderboard.formats.canonical import canonical, parse_canonical
from argue_bench.leaderboard.formats.layout import GROUPS
from argue_bench.leaderboard.formats.names import (
    DIGEST,
    OID,
    SeasonName,
    SettingName,
    SystemName,
    pattern,
    whole,
)
from argue_bench.records.atomic import atomic_write, refuse_links
from argue_bench.records.untrusted import Limits
from argue_bench.records.validation import Expect, strict

LIMITS = Limits(line_bytes=5_000_000, file_bytes=5_000_000, depth=8)
PARTS = ("value", "low", "high", "n", "failed")
# How many groups the questions of a score form, of those that form some.
CLUSTERS = "clusters"
UNEDITED = "Results are written by 'board score' and never edited: take the file as it was."


FilePath = Annotated[str, pattern(r"^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$")]
Sha256 = Annotated[str, pattern(whole(DIGEST))]
Score = Annotated[
    Mapping[str, int | float | None],
    Expect(
        f"an object {{{', '.join(PARTS)}}} of numbers or null, and {CLUSTERS} where questions form some",
        lambda score: score.keys() - {CLUSTERS} == set(PARTS),
    ),
]


@strict
@dataclass(frozen=True)
class AnswerFacts:
    """Facts about the answers that need no gold. Lengths are characters after NFKC."""

    median: int
    """Half of the answers are no longer."""
    longest: int
    """The length of the longest answer."""
    cut: int
    """Answers that were longer than allowed: cut at the last sentence that fits, or left out."""
    verbatim: Annotated[float, Field(ge=0, le=1)] | None
    """Share of words that stand in a source in rows of five or more; null where the set has no sources."""
    flags: Mapping[str, int] = field(default_factory=dict)
    """What the screening saw in answers, and in how many of them; guesses is of the row as a whole."""


@strict
@dataclass(frozen=True)
class Setting:
    """The scores of one setting."""

    signature: Mapping[str, Mapping[str, str]]
    """Metric text to how its scores were made. Scores rank together only if this is the same."""
    scores: Mapping[str, Score]
    """Full key to its score; null is what was not counted or is not known."""
    answers: AnswerFacts | None = None
    """Lengths and copying of the answers; null where they were not at hand."""


@strict
@dataclass(frozen=True)
class Result:
    """The results of one system in one season."""

    season: SeasonName
    """The season of the board."""
    system: SystemName
    """The system, which is also the name of its files."""
    settings: Annotated[
        Mapping[SettingName, Setting], Field(json_schema_extra={"minProperties": 1})
    ]
    """The scores, setting by setting."""
    submission: Annotated[
        Mapping[FilePath, Sha256],
        Expect("an object of paths and their SHA-256"),
        Field(json_schema_extra={"additionalProperties": False}),
    ] = field(default_factory=dict)
    """Path inside the folder of submissions to SHA-256 of every scored file."""
    gold_digest: Annotated[str, pattern(r"^sha256:[0-9a-f]{64}$")] | None = None
    """Of the gold it was scored against; null where it is not known, as in an imported result."""
    author: str | None = None
    """Who may replace the entry; null in a local scoring or an imported result."""
    commit: Annotated[str, pattern(whole(OID))] | None = None
    """The commit that was scored; null for a submission that came as files."""
    group: Annotated[str, Expect.one_of("", *GROUPS)] = ""
    """What the row is if no season ranks it."""
    created: Annotated[str, Expect("a time such as 2027-01-31T12:00:00Z")] = ""
    """When it was scored, in UTC."""
    schema: Literal[1] = 1
    """Version of this format."""

    def to_json(self) -> dict[str, Any]:
        """The values of the file, without empty ones: no group, no facts about answers."""
        given = {key: value for key, value in asdict(self).items() if key != "group" or value}
        for setting in given["settings"].values():
            if setting["answers"] is None:
                del setting["answers"]
            elif not setting["answers"]["flags"]:
                del setting["answers"]["flags"]  # an empty one, which results before it do not have
        return given

    def changed_files(self, digests: Mapping[str, str]) -> list[tuple[str, str, str]]:
        """Files that differ from the scored ones: (path, digest now or an empty text, as scored)."""
        return [
            (path, digests.get(path, ""), scored)
            for path, scored in sorted(self.submission.items())
            if digests.get(path) != scored
        ]

    @property
    def path(self) -> Path:
        """Where it lies inside the folder of submissions."""
        return Path("results", self.season, f"{self.system}.json")


@dataclass(frozen=True)
class Version:
    """An earlier result of the results branch: the bytes that were signed, and their signature."""

    result: Result
    content: bytes
    signature: bytes


REQUIRED = frozenset(Result.__annotations__) - {"group"}


def now() -> str:
    """The time in UTC, to the second; SOURCE_DATE_EPOCH where that is set. Raises UsageError."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        seconds = time.time() if given is None else int(given)
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"SOURCE_DATE_EPOCH is {given!r}; expected seconds since 1970") from None


def write_result(folder: Path, result: Result) -> Path:
    """Writes ``results/SEASON/SYSTEM.json`` in its exact bytes. Raises DataError."""
    path = folder / result.path
    refuse_links(folder, result.path)
    with atomic_write(path) as file:
        file.write(canonical(result.to_json()).decode())
    return path


def parse_result(raw: bytes, path: Path) -> Result:
    """The result in the bytes of a file that lies at this path. Raises DataError."""
    result = parse_canonical(Result, raw, LIMITS, str(path), None, REQUIRED, UNEDITED)
    # A signature covers the bytes, not the place: a good file must not pass for another system's.
    if result.path.parts[-2:] != path.parts[-2:]:
        why = f"it is of {result.season}/{result.system}, which is not where it lies"
        hint = "Put it where it says, or take the file as it was written."
        raise DataError.of(Code.OTHER_RESULT, why, path, hint=hint)
    return result
