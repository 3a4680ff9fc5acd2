"""The texts of judge requests, as a store keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from argue_bench.records import KINDS, JudgeRequest, Source
from argue_bench.records.request_json import LISTS, LISTS_OF_SOURCES


def long_texts(request: JudgeRequest, length: int) -> list[str]:
    """The texts in the request of at least so many characters, the longest first."""
    found: list[str] = []
    for name in type(request).__match_args__:
        value = getattr(request, name)
        if isinstance(value, str):
            if len(value) >= length:
                found.append(value)
            continue
        for one in value if isinstance(value, tuple) else (value,):
            text = one.text if isinstance(one, Source) else one
            if len(text) >= length:
                found.append(text)
    return sorted(found, key=len, reverse=True) if len(found) > 1 else found


def request_from_texts(kind: str, texts: Iterator[str | None]) -> JudgeRequest:
    """The request whose fields are these texts in order, a source being its id and its text; None ends
    a list. Raises KeyError, TypeError, ValueError or StopIteration where they are something else."""

    def one() -> str:
        if (text := next(texts)) is None:
            raise ValueError("a list ends where none was")
        return text

    made = KINDS[kind]
    values: dict[str, Any] = {}
    for name in made.__match_args__:
        if name in LISTS_OF_SOURCES:
            some = [text for text in iter(lambda: next(texts), None) if text is not None]
            values[name] = tuple(Source(*pair) for pair in zip(some[::2], some[1::2], strict=True))
        elif name in LISTS:
            values[name] = tuple(iter(lambda: next(texts), None))
        elif name in made.context_fields:
            values[name] = next(texts, "")
        else:
            values[name] = Source(one(), one()) if name == "document" else one()
    if list(texts):
        raise ValueError("there are more texts than fields")
    return made(**values)
