"""How findings name things: ids in order, a path inside a line, what a JSON value is."""

from __future__ import annotations

from typing import Any

SHOWN = 80
"""How much of somebody's text a finding repeats."""


def in_order(ids: set[str] | list[str]) -> list[str]:
    """Ids as people sort them: numbers by size, then texts."""
    return sorted(ids, key=lambda id: (0, int(id), id) if id.isdecimal() else (1, 0, id))


def few(ids: list[str], most: int = 10) -> str:
    """The first ids of a list, and how many more there are."""
    shown = ", ".join(
        id if id.isprintable() and len(id) <= SHOWN else f"{id[:SHOWN]!r}" for id in ids[:most]
    )
    return f"{shown} and {len(ids) - most:,} more" if len(ids) > most else shown


def step(path: str, key: str) -> str:
    """A JSON path one step deeper: ``$.metadata.run_id``, ``$.citations['d-1']``."""
    return f"{path}.{key}" if key.isidentifier() and key.isascii() else f"{path}[{key[:SHOWN]!r}]"


def kind(value: Any) -> str:
    """What a JSON value is, in words."""
    names: dict[type, str] = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
        type(None): "null",
    }
    return names.get(type(value), f"a {type(value).__name__}")
