"""The verdict in a reply of a language model: a declared one, or none.

Where the server holds its model to a JSON schema, the verdict is read from that JSON and from nothing
else. Elsewhere the last JSON object with a verdict counts; without any, the last declared word. An
object that gives one key two values has no verdict.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from argue_bench.records import JudgeRequest

# The verdicts of a kind; empty for a kind whose verdict is any text.
Words = tuple[str, ...]

# Characters at the end of a reply that are read: at this length a reply made to cost time takes a
# quarter of a second.
_LONGEST = 20_000
_AMBIGUOUS = object()


def declared_words(kind: type[JudgeRequest]) -> Words:
    """The verdicts that a kind declares; empty where its verdict is a text."""
    return kind.verdicts if isinstance(kind.verdicts, tuple) else ()


@cache
def schema(words: Words, count: int = 0) -> str:
    """The JSON schema of a reply to one request, or with ``count`` to as many numbered ones."""
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


def read_one(text: str, words: Words, strict: bool) -> str | None:
    """The verdict of a reply to one request."""
    given = [value["verdict"] for value in _objects(text, strict) if "verdict" in value]
    if given:
        return _word(given[-1], words)
    if strict or not words:
        return None
    # The last declared word. "4 out of 5" and "4/5" are 4; a letter counts only as a capital.
    short = all(len(word) == 1 for word in words)
    pattern = r"(?<![\w/])(?<!out of )(" + "|".join(map(re.escape, words)) + r")(?!\w)"
    found = re.findall(pattern, text[-_LONGEST:], 0 if short else re.IGNORECASE)
    return _word(found[-1], words) if found else None


def read_many(text: str, words: Words, count: int, strict: bool) -> dict[int, str]:
    """The verdicts of a reply to numbered requests, by number."""
    found: dict[int, str] = {}
    for value in _objects(text, strict):
        rows = value.get("verdicts", None if strict else value)
        if isinstance(rows, dict):
            read = {number: _word(rows.get(str(number)), words) for number in range(1, count + 1)}
            found = {number: word for number, word in read.items() if word is not None} or found
    return found


def _word(value: Any, words: Words) -> str | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = f"{value:g}"
    if not isinstance(value, str):
        return None
    if not words:  # any text, without half surrogates, which no file can hold
        return value.encode("utf-8", "replace").decode()
    folded = value.strip().strip(".").casefold()
    return next((word for word in words if word.casefold() == folded), None)


def _objects(text: str, strict: bool) -> Iterator[dict[str, Any]]:
    """The JSON objects in a reply; ``strict``: the reply must be one object, apart from a code fence."""
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
    """An object in which a key with two values has neither."""
    value: dict[str, Any] = {}
    for key, inner in pairs:
        # Text in a reply may repeat a key on purpose; neither value can be trusted then.
        value[key] = inner if key not in value or value[key] == inner else _AMBIGUOUS
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_once)
