"""OpenAI's responses, chat completions and assistants, and Perplexity's numbers into a list of addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from argue_bench.web.products.form import (
    CitationKind,
    ProductAnswer,
    ProductCitation,
    Unit,
    id_of,
    nested_objects,
    note_problem,
    row_of,
    slice_at,
    text_of,
    url_of,
    whole_number,
)
from argue_bench.web.text import Reference, read_web_report

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
    titles = {text_of(row.get("url")): text_of(row.get("title")) for row in results}
    listed = payload.get("citations")
    # What is no address keeps its number, so that the next ones keep theirs.
    for number, one in enumerate(listed if isinstance(listed, list) and listed else results, 1):
        url = text_of(one.get("url") if isinstance(one, Mapping) else one)
        address = next(iter(url_of(url)), None)
        answer.entries.append(Reference(str(number), titles.get(url) or "", address))
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
    kind: CitationKind = "marker"
    if index is not None and start is None:
        kind, place = "position", ((index, index) if 0 <= index <= len(text) else None)
    elif row.get("type") == "container_file_citation":
        place = slice_at(text, start, end, bool, "characters")
    else:
        place = _openai_place(text, start, end, url, printed)
    if place is None:
        where = f"{start}-{end}" if index is None else str(index)
        note_problem(answer, number, f"names no place in the text: {where}")
        kind = "unplaced"
    first, last = (at + place[0], at + place[1]) if place else (None, None)
    answer.add(ProductCitation(first, last, kind, url, ids, None, title))


def _openai_place(
    text: str, start: int | None, end: int | None, url: tuple[str, ...], printed: str | None
) -> tuple[int, int] | None:
    """The slice that holds the address or is a mark: in characters, then in UTF-16 units.

    The reference names no unit, and calls the end the last character, so one more is tried too.
    """

    def fits(piece: str) -> bool:
        if piece == printed or (url and url[0] in piece):
            return True
        marks = read_web_report(piece).marks
        return len(marks) == 1 and (marks[0].start, marks[0].end) == (0, len(piece))

    last = end if end is None else end + 1
    units: tuple[Unit, Unit] = ("characters", "utf-16-le")
    tries = (slice_at(text, start, one, fits, unit) for unit in units for one in (end, last))
    return next(filter(None, tries), None)
