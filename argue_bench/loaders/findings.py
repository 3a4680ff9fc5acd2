"""Findings about the files that people hand in: collected, counted and worded in one way."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding, Level
from argue_bench.loaders.dataset import Dataset

MOST_OF_A_KIND = 100
FIRST_IDS = 20
EXCERPT = 80
"""How many characters of a foreign text a finding repeats."""


def default_hint(code: Code) -> str:
    """What to do about any finding of this code, or nothing."""
    return _hints().get(code, "")


@cache
def _hints() -> dict[str, str]:
    return tomllib.loads((files(__package__) / "hints.toml").read_text(encoding="utf-8"))


class Findings:
    """Findings about one file. After the first hundred of a kind the rest is only counted."""

    def __init__(self, file: str | Path) -> None:
        self.file, self.errors = str(file), 0
        self._kept: list[Finding] = []
        self._counts: Counter[tuple[Code, Level]] = Counter()

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

    def extend(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.errors += finding.level == "error"
            kind = (finding.code, finding.level)
            self._counts[kind] += 1
            if self._counts[kind] <= MOST_OF_A_KIND:
                self._kept.append(finding)

    def all(self) -> list[Finding]:
        """The findings that were kept, in the order found, then one line for each kind that was cut."""
        found = list(self._kept)
        for (code, level), count in sorted(self._counts.items()):
            if count > MOST_OF_A_KIND:
                message = f"and {count - MOST_OF_A_KIND:,} more of this kind"
                found.append(Finding(code, message, self.file, level=level))
        return found

    def raise_errors(self) -> None:
        """Raises DataError with all findings if one of them is an error."""
        if self.errors:
            raise DataError(self.all())


def coverage(
    ids: Collection[str], dataset: Dataset, file: str = "", level: Level = "error"
) -> list[Finding]:
    """The questions without an answer among these ids, and the ids of no question.

    At most two findings: one for all that is missing, one for all that is unknown.
    """
    known = dataset.by_id.keys()
    missing, unknown = sorted(known - set(ids)), sorted(set(ids) - known)
    found = Findings(file)
    if missing:
        message = f"{len(missing)} of {len(known)} questions have no answer"
        found.add(Code.MISSING_IDS, f"{message}: {few(missing, FIRST_IDS)}", level=level)
    if unknown:
        were = "id names no question" if len(unknown) == 1 else "ids name no question"
        message = f"{len(unknown)} {were}"
        found.add(Code.UNKNOWN_IDS, f"{message}: {few(unknown, FIRST_IDS)}", level=level)
    return found.all()


def few(ids: list[str], most: int = 10) -> str:
    """The first ids of a list, and how many more there are; odd or long ones in quotes."""
    named = ", ".join(
        id if id.isprintable() and len(id) <= EXCERPT else f"{id[:EXCERPT]!r}" for id in ids[:most]
    )
    return f"{named} and {len(ids) - most:,} more" if len(ids) > most else named


def in_order(ids: Iterable[str]) -> list[str]:
    """Ids as people sort them: numbers by size, then texts."""
    return sorted(ids, key=lambda id: (0, int(id), id) if id.isdecimal() else (1, 0, id))


def step(path: str, key: str) -> str:
    """A JSON path one step deeper: ``$.metadata.run_id``, ``$.citations['d-1']``."""
    return f"{path}.{key}" if key.isidentifier() and key.isascii() else f"{path}[{key[:EXCERPT]!r}]"


_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def json_kind(value: Any) -> str:
    """The kind of a JSON value, in words."""
    return _KINDS.get(type(value), f"a {type(value).__name__}")
