"""A reader of published JSON files: it takes an object key by key, and collects what is wrong with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError
from argue_bench.loaders.findings import EXCERPT, Findings

GET = "Get the file from its publisher."


def in_order(ids: Iterable[str]) -> list[str]:
    """Ids as people sort them: numbers by size, then texts."""
    return sorted(ids, key=lambda id: (0, int(id), id) if id.isdecimal() else (1, 0, id))


def step(path: str, key: str) -> str:
    """A JSON path one step deeper: ``$.metadata.run_id``, ``$.citations['d-1']``."""
    return f"{path}.{key}" if key.isidentifier() and key.isascii() else f"{path}[{key[:EXCERPT]!r}]"


def find_file(path: Path, names: Collection[str], hint: str) -> Path:
    """The file at ``path``, or the first of these names in the folder there. Raises DataError."""
    if not path.is_dir():
        return path
    file = next((path / name for name in names if (path / name).is_file()), None)
    if file is None:
        raise DataError.of(
            Code.NO_SUCH_FILE, f"the folder holds none of {', '.join(names)}", path, hint=hint
        )
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
