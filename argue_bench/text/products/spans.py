"""Gemini's claims by UTF-8 bytes of a part, and Cohere's by characters, with the sources of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argue_bench.text.products.form import (
    CitationKind,
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

_CHUNKS = ("web", "retrievedContext", "retrieved_context", "maps")
"""Where a source of Gemini has its address."""


def _gemini_candidate(payload: Any) -> Mapping[str, Any]:
    candidate = next(nested_objects(row_of(payload).get("candidates")), None)
    return candidate if candidate is not None else row_of(payload)


def holds_gemini(payload: Any) -> bool:
    return isinstance(row_of(_gemini_candidate(payload).get("content")).get("parts"), list)


def read_gemini(payload: Any) -> ProductAnswer:
    candidate = _gemini_candidate(payload)
    answer = ProductAnswer()
    texts: dict[int, tuple[int, str]] = {}  # by number of the part: where its text starts, the text
    for number, part in enumerate(candidate["content"]["parts"]):
        text = text_of(row_of(part).get("text"))
        if text is not None and not row_of(part).get("thought"):
            texts[number] = (len(answer.text), text)
            answer.text += text
    metadata = row_of(candidate.get("groundingMetadata", candidate.get("grounding_metadata")))
    chunks = list(nested_objects(_first(metadata, "groundingChunks", "grounding_chunks")))
    addresses = [_chunk_address(chunk) for chunk in chunks]
    used: set[int] = set()
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
        used.update(good)
        place = _gemini_place(answer, texts, row_of(support.get("segment")), number)
        urls = tuple(url for one in good for url in addresses[one])
        kind: CitationKind = "answer_span" if place else "unplaced"
        start, end = place or (None, None)
        answer.add(ProductCitation(start, end, kind, urls, tuple(map(str, good))))
    answer.sources += [
        url for number, found in enumerate(addresses) if number not in used for url in found
    ]
    return answer


def _chunk_address(chunk: Mapping[str, Any]) -> tuple[str, ...]:
    """The address of a source in the first of the fields that have one."""
    for kind in _CHUNKS:
        if address := url_of(row_of(chunk.get(kind)).get("uri")):
            return address
    return ()


def _first(row: Mapping[str, Any], *names: str) -> Any:
    return next((row[name] for name in names if name in row), None)


def _gemini_place(
    answer: ProductAnswer,
    texts: Mapping[int, tuple[int, str]],
    segment: Mapping[str, Any],
    number: int,
) -> tuple[int, int] | None:
    part = whole_number(_first(segment, "partIndex", "part_index"))
    at, text = texts.get(part, (0, "")) if part is not None else (0, answer.text)
    first = whole_number(_first(segment, "startIndex", "start_index")) or 0
    last = whole_number(_first(segment, "endIndex", "end_index"))
    words = text_of(segment.get("text"))
    raw = text.encode("utf-8", "surrogatepass")
    if last is not None and 0 <= first < last <= len(raw):
        try:
            start = at + len(raw[:first].decode())
            found = raw[first:last].decode()
        except UnicodeDecodeError:
            found = None
        if found is not None and (words is None or words == found):
            return start, start + len(found)
    return _search(answer, words, number)


def _search(answer: ProductAnswer, words: str | None, number: int) -> tuple[int, int] | None:
    """The one place that has these words; a problem where there is none, or more than one."""
    if words and answer.text.count(words) == 1:
        start = answer.text.index(words)
        return start, start + len(words)
    note_problem(
        answer,
        number,
        "does not fit the text: its offsets cut a character, lie outside or name other words",
    )
    return None


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
    texts: dict[int, tuple[int, str]] = {}
    content = message.get("content")
    for number, part in enumerate(content if isinstance(content, list) else [payload]):
        text = text_of(row_of(part).get("text"))
        if text is not None and row_of(part).get("type", "text") == "text":
            texts[number] = (len(answer.text), text)
            answer.text += text
    by_id = {
        row.get("id"): row
        for row in nested_objects(payload.get("documents"))
        if text_of(row.get("id"))
    }
    for number, row in enumerate(nested_objects(message.get("citations")), 1):
        if row.get("type") in ("THINKING_CONTENT", "PLAN"):  # they count in other texts
            continue
        index = whole_number(row.get("content_index"))
        at, text = (0, answer.text) if index is None else texts.get(index, (0, answer.text))
        first, last, words = (
            whole_number(row.get("start")),
            whole_number(row.get("end")),
            text_of(row.get("text")),
        )
        good = first is not None and last is not None and 0 <= first < last <= len(text)
        if good and words in (None, text[first:last]):
            place: tuple[int, int] | None = (at + (first or 0), at + (last or 0))
        else:
            place = _search(answer, words, number)
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
