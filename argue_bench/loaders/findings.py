"""Findings about files that somebody sent: collected, counted, with a hint for each code."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding, Level

# A file of a million bad lines gives a page of findings instead of a million.
MOST_OF_A_KIND = 100
_HINTS: dict[str, str] = tomllib.loads((files(__package__) / "hints.toml").read_text("utf-8"))
# How many characters of a foreign text a finding repeats.
EXCERPT = 80
_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def default_hint(code: Code) -> str:
    """The usual hint for findings of this code, or nothing."""
    return _HINTS.get(code, "")


class Findings:
    """Findings about one file. After the first hundred of a kind the rest is only counted."""

    def __init__(self, file: str | Path) -> None:
        self.file, self.errors = str(file), 0
        # Whether the numbers of rows are those of the file's lines, as a reader says once it knows.
        self.by_line = False
        self._kept: list[Finding] = []
        self._counts: Counter[tuple[Code, Level]] = Counter()
        self._noted: dict[tuple[Code, str], list[int]] = {}

    def add(
        self,
        code: Code,
        message: str,
        line: int | None = None,
        path: str = "",
        hint: str = "",
        level: Level = "error",
    ) -> None:
        """Adds a finding; without a ``hint``, with what hints.toml says about its code."""
        hint = hint or default_hint(code)
        self.extend([Finding(code, message, self.file, line, path, hint, level)])

    def note(self, code: Code, message: str, line: int) -> None:
        """Adds a warning that many lines may need: it is given once, for the first with their count."""
        self._noted.setdefault((code, message), [line, 0])[1] += 1

    def extend(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.errors += finding.level == "error"
            kind = (finding.code, finding.level)
            self._counts[kind] += 1
            if self._counts[kind] <= MOST_OF_A_KIND:
                self._kept.append(finding)

    def all(self) -> list[Finding]:
        """The findings that were kept, in the order found, one line for each kind that was cut, the notes."""
        found = list(self._kept)
        for (code, level), count in sorted(self._counts.items()):
            if count > MOST_OF_A_KIND:
                message = f"and {count - MOST_OF_A_KIND:,} more of this kind"
                found.append(Finding(code, message, self.file, level=level))
        for (code, message), (line, count) in self._noted.items():
            more = f" (and {count - 1:,} more rows)" if count > 1 else ""
            found.append(Finding(code, message + more, self.file, line, level="warning"))
        return found

    def raise_errors(self) -> None:
        """Raises DataError with all findings if one of them is an error."""
        if self.errors:
            raise DataError(self.all())


def few(ids: Sequence[str], most: int = 10) -> str:
    """The first ids of a list, and how many more there are; odd or long ones in quotes."""
    named = ", ".join(
        id if id.isprintable() and len(id) <= EXCERPT else f"{id[:EXCERPT]!r}" for id in ids[:most]
    )
    return f"{named} and {len(ids) - most:,} more" if len(ids) > most else named


def json_kind(value: Any) -> str:
    """The kind of a JSON value, in words."""
    return _KINDS.get(type(value), f"a {type(value).__name__}")
