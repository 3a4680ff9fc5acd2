"""Which verdict does a reply give? Only a declared one counts; anything else is no verdict.

Where the server holds its model to a JSON schema, the verdict is read from that JSON and from nothing
else. Elsewhere it is the verdict of the last JSON object that has one; where none has, the last declared
word. An object that gives one key two values says nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from argue_bench.records import JudgeRequest

Declared = tuple[str, ...] | type[str]
_LONGEST = 20_000
"""Characters at the end of a reply that are read: what is meant to cost time takes a quarter of a second."""
_AMBIGUOUS = object()


def declared(kind: type[JudgeRequest]) -> Declared:
    """The verdicts of a kind: words, or any text."""
    wanted = kind.verdicts
    return wanted if isinstance(wanted, tuple) else str


def schema(kind: type[JudgeRequest], count: int = 0) -> str:
    """The JSON schema of a reply to one ask, or with ``count`` to as many numbered ones."""
    words = declared(kind)
    return _schema(words if isinstance(words, tuple) else (), count)


@cache
def _schema(words: tuple[str, ...], count: int) -> str:
    one: dict[str, Any] = {"type": "string", **({"enum": list(words)} if words else {})}
    numbered = {str(number): one for number in range(1, count + 1)}
    return json.dumps(_object({"verdicts": _object(numbered)} if count else {"verdict": one}))


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read_one(text: str, words: Declared, strict: bool) -> str | None:
    """The verdict of a reply to one ask."""
    found: str | None = None
    told = strict or not isinstance(words, tuple)
    for value in _objects(text, strict):
        if "verdict" in value:
            found, told = _declared(value["verdict"], words), True
    return found if told or not isinstance(words, tuple) else _last_word(text[-_LONGEST:], words)


def read_many(text: str, words: Declared, count: int, strict: bool) -> dict[int, str]:
    """The verdicts of a reply to numbered asks; those that it lacks are not there."""
    found: dict[int, str] = {}
    for value in _objects(text, strict):
        rows = value.get("verdicts", None if strict else value)
        if isinstance(rows, dict):
            said = {
                number: _declared(rows.get(str(number)), words) for number in range(1, count + 1)
            }
            found = {number: word for number, word in said.items() if word is not None} or found
    return found


def _declared(value: Any, words: Declared) -> str | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = f"{value:g}"
    if not isinstance(value, str):
        return None
    if not isinstance(words, tuple):  # as any file can hold it: without halves of characters
        return value.encode("utf-8", "replace").decode()
    folded = value.strip().strip(".").casefold()
    return next((word for word in words if word.casefold() == folded), None)


def _objects(text: str, strict: bool) -> Iterator[dict[str, Any]]:
    """The JSON objects of a reply; ``strict``: the reply must be one, but for a code fence."""
    text = text[-_LONGEST:].strip()
    if strict:
        text = re.sub(r"\A```(?:json)?\s*|\s*```\Z", "", text)
        try:
            value = _DECODER.decode(text)
        except (ValueError, RecursionError):
            return
        if isinstance(value, dict):
            yield value
        return
    place = text.find("{")
    while place >= 0:
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield value
        place = text.find("{", end)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, in which a key that was given two values has none."""
    value: dict[str, Any] = {}
    for key, inner in pairs:
        value[key] = inner if key not in value or value[key] == inner else _AMBIGUOUS
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def _last_word(text: str, words: Sequence[str]) -> str | None:
    """The last declared word. "4 out of 5" and "4/5" are 4; a letter counts only as a capital."""
    short = all(len(word) == 1 for word in words)
    pattern = r"(?<![\w/])(?<!out of )(" + "|".join(map(re.escape, words)) + r")(?!\w)"
    found = re.findall(pattern, text, 0 if short else re.IGNORECASE)
    return _declared(found[-1], tuple(words)) if found else None
