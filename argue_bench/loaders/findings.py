"""Findings about submitted files, and a reader of foreign JSON objects that collects findings key
by key."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding, Level
from argue_bench.loaders.dataset import Dataset

# A file of a million bad lines gives a page of findings instead of a million.
MOST_OF_A_KIND = 100
# As many ids as fit into a few lines of a terminal.
FIRST_IDS = 20
_HINTS: dict[str, str] = tomllib.loads((files(__package__) / "hints.toml").read_text("utf-8"))
EXCERPT = 80
"""How many characters of a foreign text a finding repeats."""
_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}
GET = "Get the file from its publisher."


def default_hint(code: Code) -> str:
    """The usual hint for findings of this code, or nothing."""
    return _HINTS.get(code, "")


class Findings:
    """Findings about one file. After the first hundred of a kind the rest is only counted."""

    def __init__(self, file: str | Path) -> None:
        self.file, self.errors = str(file), 0
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


def json_kind(value: Any) -> str:
    """The kind of a JSON value, in words."""
    return _KINDS.get(type(value), f"a {type(value).__name__}")


def find_file(path: Path, names: Collection[str], hint: str) -> Path:
    """The file at ``path``, or the first of these names in the folder there. Raises DataError."""
    if not path.is_dir():
        return path
    file = next((path / name for name in names if (path / name).is_file()), None)
    if file is None:
        message = f"the folder holds none of {', '.join(names)}"
        raise DataError.of(Code.NO_SUCH_FILE, message, path, hint=hint)
    return file


class ForeignObject:
    """One JSON object, and its place in the file (``$[3].decomposition[0]``).

    A value of another type is added to ``found`` and reads as the empty value of the type that was
    expected. Null is the same as leaving a key out.
    """

    def __init__(self, value: Mapping[str, Any], at: str, found: Findings) -> None:
        self.value, self.at, self.found = value, at, found

    def text(self, key: str, empty: bool = True) -> str:
        """A text that must be there, and not be empty unless ``empty``."""
        value = self.value.get(key)
        if isinstance(value, str) and (value or empty):
            return value
        self.wrong(key, "a text")
        return ""

    def optional_text(self, key: str) -> str | None:
        return None if self.value.get(key) is None else self.text(key)

    def number(self, key: str) -> int | None:
        value = self.value.get(key)
        if value is None or type(value) is int:
            return value
        self.wrong(key, "a whole number")
        return None

    def items(self, key: str) -> list[Any]:
        value = self.value.get(key)
        if value is None or isinstance(value, list):
            return value or []
        self.wrong(key, "a list")
        return []

    def texts(self, key: str) -> tuple[str, ...]:
        return texts(self.items(key), f"{self.at}.{key}", self.found)

    def object(self, key: str) -> ForeignObject | None:
        value = self.value.get(key)
        if value is None or isinstance(value, Mapping):
            return None if value is None else ForeignObject(value, f"{self.at}.{key}", self.found)
        self.wrong(key, "an object")
        return None

    def objects(self, key: str) -> Iterator[ForeignObject]:
        return objects(self.items(key), f"{self.at}.{key}", self.found)

    def wrong(self, key: str, expected: str, hint: str = GET) -> None:
        add_wrong(self.found, f"{self.at}.{key}", expected, self.value.get(key), hint)


def objects(values: list[Any], at: str, found: Findings) -> Iterator[ForeignObject]:
    """The objects in a list; everything else in it is a finding."""
    for place, value in enumerate(values):
        if isinstance(value, Mapping):
            yield ForeignObject(value, f"{at}[{place}]", found)
        else:
            add_wrong(found, f"{at}[{place}]", "an object", value)


def texts(values: Any, at: str, found: Findings) -> tuple[str, ...]:
    """The texts of a list, which holds nothing else."""
    if isinstance(values, list) and all(isinstance(value, str) for value in values):
        return tuple(values)
    add_wrong(found, at, "a list of texts", values)
    return ()


def add_wrong(found: Findings, at: str, expected: str, value: Any, hint: str = GET) -> None:
    """Adds a finding: something else was expected at this place."""
    shown = "nothing" if value is None else f"{type(value).__name__} {str(value)[:40]!r}"
    found.add(Code.WRONG_SHAPE, f"expected {expected}, found {shown}", None, at, hint)
