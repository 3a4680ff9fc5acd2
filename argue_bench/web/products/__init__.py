"""Citation fields of the products' own responses, in one form: Anthropic, OpenAI, Gemini, Cohere,
Perplexity, inspect_ai.

Each product counts in a unit of its own. Here every offset is in characters of the answer's text
(its parts joined without separator), end exclusive. An offset that lies outside, cuts a character
or does not fit the words that the response gives for it is a problem that is told, never clipped.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from argue_bench.web.products.form import ProductAnswer, ProductCitation
from argue_bench.web.products.readers import (
    holds_blocks,
    holds_cohere,
    holds_gemini,
    openai_parts,
    read_blocks,
    read_cohere,
    read_gemini,
    read_openai,
)
from argue_bench.web.text import read_web_report, statements_of

__all__ = ["ProductAnswer", "ProductCitation", "read_product_response"]


def read_product_response(payload: Any) -> ProductAnswer | None:
    """The answer in a saved response; None where the payload has no shape that is known."""
    for holds, read in _READERS:
        if holds(payload):
            answer: ProductAnswer = read(payload)
            return _with_marks(answer)
    return None


def _with_marks(answer: ProductAnswer) -> ProductAnswer:
    """Adds the printed marks that no field of the response overlaps, and the statement of each."""
    # Spans may lie in each other (two sources for one claim), so the nearest alone does not decide.
    taken = [
        (one.start, max(one.end or 0, one.start + 1))
        for one in answer.citations
        if one.start is not None
    ]
    for mark in read_web_report(answer.text, entries=answer.entries or None).marks:
        if not any(start < mark.end and mark.start < end for start, end in taken):
            answer.add(
                ProductCitation(
                    mark.start, mark.end, "marker", mark.urls, mark.ids, statement=mark.statement
                )
            )
    answer.citations.sort(key=lambda one: (one.start is None, one.start or 0, one.end or 0))
    placed = [
        (one.start or 0, one.end or 0)
        for one in answer.citations
        if one.kind in ("marker", "position") and one.statement is None
    ]
    found = statements_of(answer.text, placed) if placed else {}
    answer.citations = [
        replace(one, statement=one.statement or found.get((one.start or 0, one.end or 0)))
        if one.kind in ("marker", "position")
        else one
        for one in answer.citations
    ]
    return answer


_READERS = (
    (holds_gemini, read_gemini),
    (holds_cohere, read_cohere),
    (lambda payload: bool(openai_parts(payload)), read_openai),
    (holds_blocks, read_blocks),
)
