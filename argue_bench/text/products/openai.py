"""OpenAI's responses, chat completions and assistants, and Perplexity's numbers into a list of addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from argue_bench.text.products.form import (
    ProductAnswer,
    ProductCitation,
    id_of,
    nested_objects,
    note_problem,
    row_of,
    text_of,
    url_of,
    whole_number,
)
from argue_bench.text.web import Reference, read_web_report

_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)
"""What models that think aloud print before their answer, which is none of it."""


def openai_parts(payload: Any) -> list[tuple[str, Any]]:
    """The texts of a response with their annotations."""
    if not isinstance(payload, Mapping):
        return []
    if isinstance(payload.get("output"), list):
        return [
            (text, part.get("annotations"))
            for item in nested_objects(payload["output"])
            if item.get("type") == "message"
            for part in nested_objects(item.get("content"))
            if (text := text_of(part.get("text", part.get("refusal")))) is not None
        ]
    if payload.get("type") == "output_text" and isinstance(payload.get("text"), str):
        return [(payload["text"], payload.get("annotations"))]
    if isinstance(payload.get("choices"), list):
        message = row_of(next(nested_objects(payload["choices"]), {}).get("message"))
        notes, text = message.get("annotations"), message.get("content")
        text = message.get("refusal") if text is None else text
        if not isinstance(text, str):
            return []
        # Offsets would count the thoughts; numbers into a list do not.
        return [(text if notes else _THOUGHTS.sub("", text), notes)]
    values = [row_of(part.get("text")) for part in nested_objects(payload.get("content"))]
    return [
        (text, one.get("annotations"))
        for one in values
        if (text := text_of(one.get("value"))) is not None
    ]


def read_openai(payload: Any) -> ProductAnswer:
    answer = ProductAnswer()
    at = 0
    for text, notes in openai_parts(payload):
        answer.text += text
        for number, row in enumerate(nested_objects(notes), 1):
            _annotation(answer, row, number, text, at)
        at += len(text)
    results = list(nested_objects(payload.get("search_results")))
    listed = payload.get("citations")
    found: list[tuple[Any, Any]]
    if isinstance(listed, list) and listed:
        titles = {row.get("url"): row.get("title") for row in results if text_of(row.get("url"))}
        # What is no address keeps its number, so that the next ones keep theirs.
        given = [row_of(one).get("url") if isinstance(one, Mapping) else one for one in listed]
        found = [(one, titles.get(one) if isinstance(one, str) else None) for one in given]
    else:
        found = [(row.get("url"), row.get("title")) for row in results]
    for number, (url, title) in enumerate(found, 1):
        answer.entries.append(Reference(str(number), text_of(title) or "", *url_of(url) or (None,)))
        answer.sources += url_of(url)
    return answer


def _annotation(
    answer: ProductAnswer, row: Mapping[str, Any], number: int, text: str, at: int
) -> None:
    if row.get("type") == "file_path":  # a file that the answer made
        return
    inner = row_of(row.get("url_citation")) or row_of(row.get("file_citation"))
    url = url_of(row.get("url", inner.get("url")))
    ids = id_of(row.get("file_id", inner.get("file_id")))
    title = text_of(row.get("title", inner.get("title"))) or text_of(row.get("filename"))
    start = whole_number(row.get("start_index", inner.get("start_index")))
    end = whole_number(row.get("end_index", inner.get("end_index")))
    index, printed = whole_number(row.get("index")), text_of(row.get("text"))
    if index is not None and start is None:
        if 0 <= index <= len(text):
            answer.add(ProductCitation(at + index, at + index, "position", url, ids, None, title))
            return
        place = None
    elif row.get("type") == "container_file_citation" and start is not None and end is not None:
        place = (start, end) if 0 <= start < end <= len(text) else None
    else:
        place = _openai_place(text, start, end, url, printed)
    if place is None:
        note_problem(
            answer,
            number,
            f"names no place in the text: {start}-{end}"
            if index is None
            else f"names place {index} outside of the text",
        )
        answer.add(ProductCitation(None, None, "unplaced", url, ids, None, title))
        return
    answer.add(ProductCitation(at + place[0], at + place[1], "marker", url, ids, None, title))


def _openai_place(
    text: str, start: int | None, end: int | None, url: tuple[str, ...], printed: str | None
) -> tuple[int, int] | None:
    """The slice that holds the address or is a mark: in characters, then in UTF-16 units.

    The reference names no unit, and calls the end the last character, so one more is tried too.
    """
    if start is None or end is None or not 0 <= start < end:
        return None
    tries: list[tuple[int, int]] = [(start, end), (start, end + 1)]
    units = _utf16_places(text, (start, end, end + 1))
    tries += [
        (units[start], units[last]) for last in (end, end + 1) if start in units and last in units
    ]
    for first, last in tries:
        piece = text[first:last]
        if last > len(text):
            continue
        if printed is not None and piece == printed:
            return first, last
        if url and url[0] in piece:
            return first, last
        marks = read_web_report(piece).marks
        if len(marks) == 1 and (marks[0].start, marks[0].end) == (0, len(piece)):
            return first, last
    return None


def _utf16_places(text: str, units: tuple[int, ...]) -> dict[int, int]:
    """The character at each of these UTF-16 offsets; one inside a character is left out."""
    if text.isascii() or units[0] > 2 * len(text):
        return {}
    wanted, found, at = set(units), {}, 0
    for place, character in enumerate(text):
        if at in wanted:
            found[at] = place
        at += 1 + (character > "\uffff")
    if at in wanted:
        found[at] = len(text)
    return found
