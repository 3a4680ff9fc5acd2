"""Anthropic's messages and inspect_ai's content: text blocks, each with the citations of its words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argue_bench.web.products.form import (
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
from argue_bench.web.text import Reference


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
