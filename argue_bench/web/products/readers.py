"""The readers of each product's responses.

blocks    Anthropic's messages and inspect_ai's content: text blocks, each with the citations of its words
openai    responses, chat completions and assistants, and Perplexity's numbers into a list of addresses
gemini    claims by UTF-8 bytes of a part, with the sources of each
cohere    the same by characters
"""

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
    joined_texts,
    nested_objects,
    note_problem,
    only_place,
    row_of,
    slice_at,
    text_of,
    url_of,
    whole_number,
)
from argue_bench.web.text import Reference, read_web_report

# What models that think aloud print before their answer, which is none of it.
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)


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


# Where a source of Gemini has its address.
_CHUNKS = ("web", "retrievedContext", "retrieved_context", "maps")


def _gemini_candidate(payload: Any) -> Mapping[str, Any]:
    return next(nested_objects(row_of(payload).get("candidates")), row_of(payload))


def holds_gemini(payload: Any) -> bool:
    return isinstance(row_of(_gemini_candidate(payload).get("content")).get("parts"), list)


def _metadata(payload: Any) -> Mapping[str, Any]:
    return row_of(_first(_gemini_candidate(payload), "groundingMetadata", "grounding_metadata"))


def gemini_chunks(payload: Any) -> list[Mapping[str, Any]]:
    """The sources of a response of Gemini, which its claims count from 0."""
    return list(nested_objects(_first(_metadata(payload), "groundingChunks", "grounding_chunks")))


def read_gemini(payload: Any) -> ProductAnswer:
    candidate = _gemini_candidate(payload)
    answer = ProductAnswer()
    texts = joined_texts(
        answer, candidate["content"]["parts"], lambda part: bool(part.get("thought"))
    )
    metadata = _metadata(payload)
    chunks = gemini_chunks(payload)
    addresses = [_chunk_address(chunk) for chunk in chunks]
    supports = nested_objects(_first(metadata, "groundingSupports", "grounding_supports"))
    for number, support in enumerate(supports, 1):
        indices = _first(support, "groundingChunkIndices", "grounding_chunk_indices")
        if not isinstance(indices, list) or not indices:
            note_problem(answer, number, "names no source")
            continue
        known = [one for one in indices if whole_number(one) is not None]
        good = [one for one in known if 0 <= one < len(chunks)]
        if len(good) < len(known):
            note_problem(answer, number, f"names a chunk that the response does not hold: {known}")
        place = _gemini_place(answer, texts, row_of(support.get("segment")), number)
        urls = tuple(url for one in good for url in addresses[one])
        kind: CitationKind = "answer_span" if place else "unplaced"
        start, end = place or (None, None)
        answer.add(ProductCitation(start, end, kind, urls, tuple(map(str, good))))
    return answer


def _chunk_address(chunk: Mapping[str, Any]) -> tuple[str, ...]:
    """The address of a source in the first of the fields that have one."""
    return next(filter(None, (url_of(row_of(chunk.get(one)).get("uri")) for one in _CHUNKS)), ())


def _first(row: Mapping[str, Any], *names: str) -> Any:
    return next((row[name] for name in names if name in row), None)


def _gemini_place(
    answer: ProductAnswer,
    texts: Mapping[int | None, tuple[int, str]],
    segment: Mapping[str, Any],
    number: int,
) -> tuple[int, int] | None:
    part = whole_number(_first(segment, "partIndex", "part_index"))
    first = whole_number(_first(segment, "startIndex", "start_index")) or 0
    last = whole_number(_first(segment, "endIndex", "end_index"))
    return _place(answer, texts.get(part, texts[None]), first, last, segment, number, "utf-8")


def _place(
    answer: ProductAnswer,
    part: tuple[int, str],
    first: int | None,
    last: int | None,
    row: Mapping[str, Any],
    number: int,
    unit: Unit,
) -> tuple[int, int] | None:
    """The place of a claim by its offsets in a part, else by its words, where they stand there once."""
    words = text_of(row.get("text"))
    found = slice_at(part[1], first, last, lambda here: words in (None, here), unit)
    if found:
        return part[0] + found[0], part[0] + found[1]
    return only_place(answer, words, number)


# Cohere: claims by characters, and the ids of documents and tool outputs.


def holds_cohere(payload: Any) -> bool:
    row = row_of(payload)
    message = row_of(row.get("message"))
    return isinstance(message.get("content"), list) or (
        isinstance(row.get("text"), str) and isinstance(row.get("citations"), list)
    )


def read_cohere(payload: Any) -> ProductAnswer:
    answer = ProductAnswer()
    message = row_of(payload.get("message")) or payload
    content = message.get("content")
    parts = content if isinstance(content, list) else [payload]
    texts = joined_texts(answer, parts, lambda part: part.get("type", "text") != "text")
    by_id = {
        row.get("id"): row
        for row in nested_objects(payload.get("documents"))
        if text_of(row.get("id"))
    }
    for number, row in enumerate(nested_objects(message.get("citations")), 1):
        if row.get("type") in ("THINKING_CONTENT", "PLAN"):  # they count in other texts
            continue
        part = texts.get(whole_number(row.get("content_index")), texts[None])
        first, last = whole_number(row.get("start")), whole_number(row.get("end"))
        place = _place(answer, part, first, last, row, number, "characters")
        ids, urls = _cohere_sources(row, by_id)
        kind: CitationKind = "answer_span" if place else "unplaced"
        start, end = place or (None, None)
        answer.add(ProductCitation(start, end, kind, urls, ids))
    return answer


def _cohere_sources(
    row: Mapping[str, Any], by_id: Mapping[Any, Mapping[str, Any]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    named = row.get("document_ids")
    if isinstance(named, list):
        listed = tuple(one for one in named if isinstance(one, str))
        return listed, tuple(url for id in listed for url in url_of(by_id.get(id, {}).get("url")))
    ids: list[str] = []
    urls: list[str] = []
    for source in nested_objects(row.get("sources")):
        ids += id_of(source.get("id"))
        urls += url_of(row_of(source.get("document") or source.get("tool_output")).get("url"))
    return tuple(ids), tuple(urls)


def _content_of(payload: Any) -> Any:
    """The list of content blocks, of a message or of the first choice that inspect_ai keeps."""
    if isinstance(row_of(payload).get("content"), list):
        return payload["content"]
    message = next(nested_objects(row_of(payload).get("choices")), {}).get("message")
    return row_of(message).get("content")


def holds_blocks(payload: Any) -> bool:
    content = _content_of(payload)
    return isinstance(content, list) and all(
        isinstance(block.get("text"), str)
        for block in nested_objects(content)
        if block.get("type") == "text"
    )


def read_blocks(payload: Any) -> ProductAnswer:
    answer = ProductAnswer()
    pieces: list[str] = []
    at = 0
    for block in nested_objects(_content_of(payload)):
        text = text_of(block.get("text"))
        if block.get("type") != "text" or text is None:
            continue
        pieces.append(text)
        start = at + len(text) - len(text.lstrip())
        end = at + len(text.rstrip())
        for number, row in enumerate(nested_objects(block.get("citations")), 1):
            _block_citation(answer, row, number, (at, at + len(text)), (start, max(start, end)))
        at += len(text)
    answer.text = "".join(pieces)
    return answer


def _block_citation(
    answer: ProductAnswer,
    row: Mapping[str, Any],
    number: int,
    block: tuple[int, int],
    span: tuple[int, int],
) -> None:
    kind = row.get("type")
    quote, title = row.get("cited_text"), text_of(row.get("title"))
    urls = url_of(row.get("url")) or url_of(row.get("source"))
    if (
        kind == "url" and quote is None
    ):  # a source of the whole answer, which printed marks may name
        answer.entries.append(
            Reference(str(len(answer.entries) + 1), title or "", *urls[:1] or (None,))
        )
        return
    if isinstance(quote, list):
        first, last = (whole_number(one) for one in (*quote, None, None)[:2])
        if first is None or last is None or not 0 <= first < last <= block[1] - block[0]:
            note_problem(answer, number, f"gives a range outside its block: {quote!r:.60}")
            answer.add(ProductCitation(None, None, "unplaced", urls, title=title))
            return
        span, quote = (block[0] + first, block[0] + last), None
    ids = id_of(row.get("document_index", row.get("search_result_index")))
    ids = ids or id_of(row_of(row.get("internal")).get("document_index"))
    answer.add(
        ProductCitation(
            *span,
            "answer_span",
            urls,
            ids,
            text_of(quote),
            title or text_of(row.get("document_title")),
            _place_in_source(row),
        )
    )


def _place_in_source(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Characters and blocks count from 0, pages from 1; all ends are exclusive."""
    inside = row.get("range")
    if isinstance(inside, Mapping):
        return {
            "type": text_of(inside.get("type")),
            "start": whole_number(inside.get("start_index")),
            "end": whole_number(inside.get("end_index")),
        }
    for type, start, end in (
        ("char", "start_char_index", "end_char_index"),
        ("page", "start_page_number", "end_page_number"),
        ("block", "start_block_index", "end_block_index"),
    ):
        if start in row:
            return {
                "type": type,
                "start": whole_number(row[start]),
                "end": whole_number(row.get(end)),
            }
    return None
