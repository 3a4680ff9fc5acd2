"""What did a step decide? A small file of codes, counts and digests, and nothing of what was read.

Steps pass on what they decided as ``intake.json`` and ``score.json`` in one folder. Values are of
closed forms (codes, names of systems, numbers, hexadecimal digits): the job that may write to
the repository reads nothing else of a stranger's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding, SubmissionError
from argue_bench.leaderboard.formats.layout import SETTINGS
from argue_bench.leaderboard.formats.names import AUTHOR, DIGEST, OID, is_season, wrong_with_system
from argue_bench.leaderboard.formats.results import canonical
from argue_bench.records.atomic import atomic_write
from argue_bench.records.display import describe, escape
from argue_bench.records.untrusted import Limits, open_bounded, parse

SCHEMA = 1
STATES = (
    "ready",
    "refused",
    "scored",
    "unchanged",
    "failed",
    "withdrawn",
    "superseded",
    "described",
)
STEPS = ("intake", "score", "record")
LIMITS = Limits(line_bytes=500_000, file_bytes=500_000, depth=6)
CODE = re.compile(r"[a-z0-9][a-z0-9-]{1,39}")
MOST_FINDINGS = 50
MOST_TEXT = 300
WRITTEN = "Take the file that the step wrote; nothing in it is edited."
INSIDE = re.compile(r"results/[a-z0-9][a-z0-9.-]{0,63}/[a-z0-9][a-z0-9./-]{1,100}")


@dataclass(frozen=True)
class StepOutcome:
    """A decision. ``findings`` are [level, code, where, message], safe to show."""

    step: str
    state: str
    findings: tuple[tuple[str, str, str, str], ...] = ()
    system: str = ""
    author: str | None = None
    season: str = ""
    pr: int | None = None
    commit: str | None = None
    digest: str | None = None
    """Of the bundle."""
    results: str | None = None
    """The commit of the results branch that the decision rests on."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Setting to {moved, value, low, high}, rounded as they are shown."""
    ranked: str = ""
    runs: int = 0
    quota: int | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    """Path of what is to be recorded to its SHA-256."""
    date: str = ""
    reason: str = ""
    group: str = ""

    @property
    def codes(self) -> list[str]:
        return [code for level, code, _, _ in self.findings if level == "error"]

    def to_bytes(self) -> bytes:
        return canonical({"schema": SCHEMA, **asdict(self)})

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.step}.json"
        with atomic_write(path) as file:
            file.write(self.to_bytes().decode())
        return path


def summarise(
    findings: Iterable[Finding], most: int = MOST_FINDINGS
) -> tuple[tuple[str, str, str, str], ...]:
    """Findings as outcomes carry them: short, on one line, the errors first."""
    ordered = sorted(findings, key=lambda one: ("error", "warning", "notice").index(one.level))
    rows = []
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
    """The decision in a file, every value of its form. Raises SubmissionError."""
    try:
        with open_bounded(path, LIMITS, path.name) as file:
            raw = file.read(LIMITS.file_bytes + 1)
        return parse_outcome(raw, path.name)
    except DataError as error:
        raise SubmissionError(error.findings) from None


def parse_outcome(raw: bytes, label: str) -> StepOutcome:
    """Raises DataError."""
    value = parse(raw, label, None, LIMITS)
    keys = {"schema", *StepOutcome.__annotations__}
    if not isinstance(value, dict) or value.keys() != keys or value["schema"] != SCHEMA:
        why = f"this is no outcome of a step; expected an object with the keys {', '.join(sorted(keys))}"
        raise DataError.of(Code.OUTCOME_SHAPE, why, label, hint=WRITTEN)
    if wrong := [
        Finding(
            Code.OUTCOME_VALUE,
            f"{key} is {describe(value[key])}; expected {what}",
            label,
            path=f"/{key}",
            hint=WRITTEN,
        )
        for key, (fits, what) in _forms(value).items()
        if not fits
    ]:
        raise DataError(wrong)
    if canonical(value) != raw:
        why = "these are not the canonical bytes of its values"
        raise DataError.of(Code.OUTCOME_BYTES, why, label, hint=WRITTEN)
    del value["schema"]
    return StepOutcome(**{**value, "findings": tuple(map(tuple, value["findings"]))})


def _forms(value: Mapping[str, Any]) -> dict[str, tuple[bool, str]]:
    """Whether each value is of its form, and what that form is, in words."""

    def text(key: str, most: int = MOST_TEXT) -> tuple[bool, str]:
        given = value[key]
        fits = isinstance(given, str) and escape(given, most) == given
        return fits, f"a text on one line of at most {most:,} characters"

    def like(key: str, form: re.Pattern[str], what: str) -> tuple[bool, str]:
        given = value[key]
        fits = given is None or (isinstance(given, str) and form.fullmatch(given) is not None)
        return fits, f"{what}, or null"

    system, hexadecimal = value["system"], "hexadecimal digits"
    count = "a whole number from 0"
    return {
        "step": (value["step"] in STEPS, f"one of {', '.join(STEPS)}"),
        "state": (value["state"] in STATES, f"one of {', '.join(STATES)}"),
        "findings": (
            _findings(value["findings"]),
            "a list of [error|warning|notice, code, where, message]",
        ),
        "system": (
            text("system")[0] and (not system or not wrong_with_system(system)),
            "the name of a system, or an empty text",
        ),
        "author": like("author", AUTHOR, "1 to 64 of [A-Za-z0-9_.-]"),
        "season": (
            value["season"] == "" or is_season(value["season"]),
            "the name of a season, or an empty text",
        ),
        "pr": (value["pr"] is None or _count(value["pr"]), f"{count}, or null"),
        "commit": like("commit", OID, f"40 {hexadecimal}"),
        "digest": like("digest", DIGEST, f"64 {hexadecimal}"),
        "results": like("results", OID, f"40 {hexadecimal}"),
        "settings": (
            _settings(value["settings"]),
            f"an object from {', '.join(SETTINGS)} to {{moved, value, low, high}}",
        ),
        "ranked": text("ranked"),
        "runs": (_count(value["runs"]), count),
        "quota": (value["quota"] is None or _count(value["quota"]), f"{count}, or null"),
        "files": (_files(value["files"]), f"an object from results/SEASON/... to 64 {hexadecimal}"),
        "date": text("date", 30),
        "reason": text("reason", 1_000),
        "group": text("group", 40),
    }


def _findings(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= MOST_FINDINGS + 1 and all(map(_finding, value))


def _settings(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() <= set(SETTINGS)
        and all(map(_setting, value.values()))
    )


def _files(value: Any) -> bool:
    return isinstance(value, dict) and all(
        INSIDE.fullmatch(path)
        and ".." not in path
        and isinstance(sha, str)
        and DIGEST.fullmatch(sha) is not None
        for path, sha in value.items()
    )


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 53


def _finding(row: Any) -> bool:
    return (
        isinstance(row, list)
        and len(row) == 4
        and all(isinstance(one, str) and escape(one, MOST_TEXT) == one for one in row)
        and row[0] in ("error", "warning", "notice")
        and CODE.fullmatch(row[1]) is not None
    )


def _setting(one: Any) -> bool:
    def number(value: Any) -> bool:
        return value is None or (isinstance(value, int | float) and not isinstance(value, bool))

    return (
        isinstance(one, dict)
        and one.keys() == {"moved", "value", "low", "high"}
        and isinstance(one["moved"], bool)
        and all(number(one[key]) for key in ("value", "low", "high"))
    )
