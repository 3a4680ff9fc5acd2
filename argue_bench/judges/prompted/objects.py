"""JSON in replies: the one object of a reply, and the objects that carry the key of its form.

Models wrap their JSON in prose, fences, strings and further objects, and write it with single quotes,
curly quotes or a comma too many. All of that is read; what an object says is for `verdicts` to decide.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

AMBIGUOUS = object()
"""The value of a name to which one object gives two different values."""
_FENCE = re.compile(r"\A`{3,}[\w+-]*[ \t]*\n?(.*?)\n?[ \t]*`{3,}\Z", re.DOTALL)
_CURLY = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "｛": "{", "｝": "}"})
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
# A part of a reply in which an object may be written wrongly.
_LONGEST_LOOSE = 4_000
_HEX = frozenset("0123456789abcdef")
_WORD = frozenset("0123456789abcdefghijklmnopqrstuvwxyz")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without the names that occur twice, since neither of their values can be trusted.

    A number that stands twice has none at all: the model lost count.
    """
    value: dict[str, Any] = {}
    for name, inner in pairs:
        same = name in value and value[name] == inner and not name.isdigit()
        value[name] = inner if name not in value or same else AMBIGUOUS
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def without_fence(text: str) -> str:
    """The text without blanks and the code fence around all of it."""
    text = text.strip()
    fenced = _FENCE.match(text)
    return fenced[1].strip() if fenced and "```" not in fenced[1] else text


def whole_json(text: str) -> Any:
    """The JSON value that the text is, apart from a code fence; None where it is none."""
    try:
        return _DECODER.decode(without_fence(text))
    except (ValueError, RecursionError):
        return None


def keyed_objects(text: str, key: str) -> list[Any]:
    """The outermost JSON values of a text that carry the key, in the order in which they stand."""
    if key not in text.casefold():
        return []
    if found := [value for value in _embedded(text) if _carries(value, key)]:
        return found
    # JSON in JSON whose outer quotes are missing, and JSON as a Python program prints it.
    loose = text.replace('\\"', '"') if '\\"' in text else text
    loose = _TRAILING_COMMA.sub("", loose.translate(_CURLY))
    found = [value for value in _embedded(loose) if _carries(value, key)]
    return found or [value for value in _literals(loose) if _carries(value, key)]


def _embedded(text: str) -> Iterator[Any]:
    """The objects and lists in a text, without those inside of others."""
    place, brackets = 0, re.compile(r"[{\[]")
    while (start := brackets.search(text, place)) is not None:
        try:
            value, place = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            place = start.end()
        else:
            yield value


def _literals(text: str) -> Iterator[Any]:
    """Objects in Python's notation."""
    for start in re.finditer(r"\{", text[:_LONGEST_LOOSE]):
        part = text[start.start() : start.start() + _LONGEST_LOOSE]
        for end in re.finditer(r"\}", part):
            try:
                value = ast.literal_eval(part[: end.end()])
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(value, dict):
                yield value
                return


def objects_in(value: Any, key: str) -> Iterator[dict[str, Any]]:
    """A value's objects, outer ones first; also those of JSON in strings that hold the key."""
    waiting = [value]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, dict):
            yield one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str) and key in one.casefold() and "{" in one:
            waiting.append(whole_json(one))


def carries_key(one: dict[str, Any], key: str) -> bool:
    """Whether an object itself carries the key: in a name, or as a value."""
    return any(beside_key(name, key) is not None for name in one) or any(
        isinstance(value, str) and value.strip().casefold() == key for value in one.values()
    )


def beside_key(name: Any, key: str) -> str | None:
    """The rest of a name besides the key, in lower case; None where it does not contain
    exactly this key."""
    if not key or key not in (text := str(name).casefold()):
        return None
    # Each request has a key of its own, and compiling a pattern of it would take longer than all the rest.
    kept: list[str] = []
    start = place = 0
    while (at := text.find(key, place)) >= 0:
        end = at + len(key)
        if text[max(at - 1, 0) : at] in _HEX or text[end : end + 1] in _WORD:
            place = at + 1
            continue
        kept.append(text[start:at])
        start = place = end
    return "".join([*kept, text[start:]]).strip("-_: ") if kept else None


def _carries(value: Any, key: str) -> bool:
    return any(carries_key(one, key) for one in objects_in(value, key))
