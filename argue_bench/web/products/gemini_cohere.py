"""Gemini's claims by UTF-8 bytes of a part, and Cohere's by characters, with the sources of each."""

from __future__ import annotations

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

_CHUNKS = ("web", "retrievedContext", "retrieved_context", "maps")
"""Where a source of Gemini has its address."""


def _gemini_candidate(payload: Any) -> Mapping[str, Any]:
    candidate = next(nested_objects(row_of(payload).get("candidates")), None)
    return candidate if candidate is not None else row_of(payload)


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
    for kind in _CHUNKS:
        if address := url_of(row_of(chunk.get(kind)).get("uri")):
            return address
    return ()


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
