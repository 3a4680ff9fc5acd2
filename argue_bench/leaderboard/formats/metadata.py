"""Who made a system, and how? ``metadata/SYSTEM.json``, checked before any of it is believed.

The keys are FanOutQA's (Zhu et al. 2024), and some of our own that may be left out. A file holds
one flat object; everything that is wrong with it is found at once, with the line of the key.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from argue_bench.errors import Code, DataError, Finding
from argue_bench.leaderboard.formats.layout import SETTINGS, STATUS, TYPES
from argue_bench.leaderboard.formats.names import invisible, mixes_scripts, skeleton
from argue_bench.records.display import describe, escape
from argue_bench.records.untrusted import Limits, open_bounded, parse

LIMITS = Limits(line_bytes=100_000, file_bytes=100_000, depth=4)

Wrong = tuple[Code, str] | None
"""(code, what was expected), or None where the value is right."""


@dataclass(frozen=True)
class Key:
    """What one key may hold."""

    wrong: Callable[[Any], Wrong]
    expected: str
    required: bool = False
    nullable: bool = False


def text(most: int, lines: bool = False, least: int = 1) -> Callable[[Any], Wrong]:
    """A text of ``least`` to ``most`` characters, all of them to be seen."""

    def wrong(value: Any) -> Wrong:
        if not isinstance(value, str):
            return Code.METADATA_TYPE, f"a text of at most {most:,} characters"
        if len(value.strip()) < least:
            return Code.METADATA_EMPTY, "a text that is not empty"
        if len(value) > most:
            return Code.METADATA_LENGTH, f"at most {most:,} characters, not {len(value):,}"
        if char := invisible(value, "\n" if lines else ""):
            return (
                Code.INVISIBLE_CHARACTER,
                f"a text without U+{ord(char):04X}, which is not to be seen",
            )
        return None

    return wrong


def one_of(words: Sequence[str]) -> Callable[[Any], Wrong]:
    def wrong(value: Any) -> Wrong:
        if isinstance(value, str) and value in words:
            return None
        return Code.METADATA_CHOICE, f"one of {', '.join(words)}"

    return wrong


def number(most: int, what: str, whole: bool = False) -> Callable[[Any], Wrong]:
    """A number from 0 to ``most``; true and false are none."""

    def wrong(value: Any) -> Wrong:
        fits = isinstance(value, int) or (isinstance(value, float) and not whole)
        if fits and not isinstance(value, bool) and 0 <= value <= most:
            return None
        return Code.METADATA_NUMBER, f"{what} from 0 to {most:,}"

    return wrong


def _name(value: Any) -> Wrong:
    if found := text(80)(value):
        return found
    if re.search(r"[<>`]|\]\(", value):
        return Code.METADATA_MARKUP, "a name without marks of HTML or Markdown (< > ` ]( )"
    return None


def _yes_or_no(value: Any) -> Wrong:
    return None if isinstance(value, bool) else (Code.METADATA_TYPE, "true or false")


def _link(value: Any) -> Wrong:
    return None if isinstance(value, str) else (Code.METADATA_TYPE, "a file name, or null")


def _day(value: Any) -> Wrong:
    expected = (Code.METADATA_DATE, "a day such as 2027-01-31")
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII):
        return expected
    try:
        date.fromisoformat(value)
    except ValueError:
        return expected
    return None


def _texts(value: Any) -> Wrong:
    if not isinstance(value, list) or len(value) > 100:
        return Code.METADATA_TYPE, "a list of at most 100 texts"
    if found := next((found for one in value if (found := text(200)(one))), None):
        return found
    return None if len(set(value)) == len(value) else (Code.METADATA_CHOICE, "each text once")


def wrong_with_url(value: Any) -> Wrong:
    """A link may lead to HTTPS only, and says plainly where."""
    if found := text(2_000)(value):
        return found
    expected = (Code.METADATA_URL, "an https:// address without user name, blanks or quotes")
    try:
        parts = urlsplit(value)
        fits = parts.scheme == "https" and parts.hostname and parts.port != 0
    except ValueError:
        return expected
    if not fits or "@" in parts.netloc or re.search(r"[\s\"'<>\\^`{|}]", value):
        return expected
    return None


KEYS: dict[str, Key] = {
    "name": Key(_name, "the name that the board shows", required=True),
    "authors": Key(text(10_000), "who made it", required=True),
    "url": Key(wrong_with_url, "an https:// address, or null", required=True, nullable=True),
    "citation": Key(text(1_000), 'how to cite it, such as "Zhu et al., 2024"', required=True),
    "type": Key(one_of(TYPES), f"one of {', '.join(TYPES)}", required=True),
    "context": Key(
        number(10**9, "a whole number of tokens", whole=True),
        "the context window in tokens, 0 for a system that has none",
        required=True,
    ),
    "is_trained_for_function_calling": Key(_yes_or_no, "true or false", required=True),
    "details": Key(text(20_000, lines=True, least=0), "what else to know", nullable=True),
    **{
        f"{setting}_generations": Key(
            _link, "SYSTEM.jsonl, or null where there are no answers", required=True, nullable=True
        )
        for setting in SETTINGS
    },
    "base_model": Key(text(200), "the model underneath"),
    "tokens": Key(number(10**15, "a number"), "tokens of all answers together"),
    "cost": Key(number(10**12, "a number"), "US dollars for all answers together"),
    "training_overlap": Key(text(5_000, lines=True), "known overlap with the set"),
    "judges_used": Key(_texts, "judges that the system was built with"),
    "licence": Key(text(128), "the licence of the answers"),
    "anonymous_until": Key(_day, "until when the authors stay hidden"),
    "status": Key(one_of(STATUS), f"one of {', '.join(STATUS)}"),
}


@dataclass(frozen=True)
class Metadata:
    """A checked metadata file. ``values`` holds its keys as they stand there."""

    system: str
    values: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.values["name"])

    def link(self, setting: str) -> str | None:
        """The file of generations that it names for a setting."""
        value: str | None = self.values.get(f"{setting}_generations")
        return value


def read_metadata(path: Path, label: str, system: str) -> tuple[Metadata | None, list[Finding]]:
    """The metadata in a file and what is wrong with it; None where it can't be used at all.

    Links are checked for their form: each names the system's own file. Raises nothing.
    """
    try:
        with open_bounded(path, LIMITS, label) as file:
            raw = file.read(LIMITS.file_bytes + 1)
        value = parse(raw.removeprefix(b"\xef\xbb\xbf"), label, None, LIMITS)
    except DataError as error:
        return None, list(error.findings)
    if not isinstance(value, dict):
        hint = "Write one object, {...}; see docs/submit.md."
        return None, [Finding(Code.METADATA_SHAPE, "this is no object", label, 1, hint=hint)]
    lines = _lines(raw)
    findings = _check_keys(value, label, lines)
    for setting in SETTINGS:
        findings += _check_link(value.get(f"{setting}_generations"), setting, system, label, lines)
    usable = not any(finding.level == "error" for finding in findings)
    return (Metadata(system, value) if usable else None), findings


def _check_keys(value: Mapping[str, Any], label: str, lines: Mapping[str, int]) -> list[Finding]:
    findings = []
    for name, key in KEYS.items():
        if name not in value:
            if key.required:
                message, hint = f"the key {name!r} is missing", f"Add it: {key.expected}."
                findings.append(Finding(Code.METADATA_KEY_MISSING, message, label, hint=hint))
            continue
        given = value[name]
        if given is None and key.nullable:
            continue
        if found := key.wrong(given):
            code, expected = found
            message = f"{name} is {describe(given)}; expected {expected}"
            findings.append(Finding(code, message, label, lines.get(name)))
    for name in sorted(value.keys() - KEYS.keys()):
        near = difflib.get_close_matches(name[:80], KEYS, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Known keys: {', '.join(KEYS)}."
        message = f"the key '{escape(name)}' is not known"
        findings.append(
            Finding(Code.METADATA_KEY_UNKNOWN, message, label, lines.get(name), hint=hint)
        )
    display = value.get("name")
    if isinstance(display, str) and mixes_scripts(display):
        message = f"the name '{escape(display)}' mixes scripts whose letters look alike"
        findings.append(
            Finding(
                Code.NAME_MIXES_SCRIPTS,
                message,
                label,
                lines.get("name"),
                hint="Write it in one script.",
                level="warning",
            )
        )
    return findings


def _check_link(
    link: Any, setting: str, system: str, label: str, lines: Mapping[str, int]
) -> list[Finding]:
    """A link may be null, or the system's own file of that setting."""
    if not isinstance(link, str) or link == f"{system}.jsonl":
        return []
    key = f"{setting}_generations"
    leaves = "/" in link or "\\" in link or ".." in link or "\0" in link
    return [
        Finding(
            Code.LINK_LEAVES_FOLDER if leaves else Code.LINK_NAME,
            f"{key} is '{escape(link)}', which "
            + (f"leads out of {setting}-generations" if leaves else "is not this system's file"),
            label,
            lines.get(key),
            hint=f"Write {system}.jsonl, or null where there are no answers.",
        )
    ]


def check_names(known: Sequence[tuple[str, str, str]]) -> list[Finding]:
    """Warnings where two systems look alike: (system, display name, label of its file)."""
    findings = []
    first: dict[str, tuple[str, str]] = {}
    for system, name, label in known:
        for what, look in (("system", system), ("name", name)):
            if not (bones := skeleton(look)):
                continue
            other, other_look = first.setdefault(f"{what}:{bones}", (system, look))
            if other != system:
                message = (
                    f"the {what} '{escape(look)}' looks like '{escape(other_look)}' of {other}"
                )
                hint = "Choose another, so that readers can tell them apart."
                findings.append(
                    Finding(Code.LOOK_ALIKE, message, label, hint=hint, level="warning")
                )
    return findings


def _lines(raw: bytes) -> dict[str, int]:
    """The line of each key, by the first place where it stands before a colon."""
    lines: dict[str, int] = {}
    for match in re.finditer(rb'"([A-Za-z_]{1,40})"\s*:', raw):
        lines.setdefault(match[1].decode(), raw.count(b"\n", 0, match.start()) + 1)
    return lines
