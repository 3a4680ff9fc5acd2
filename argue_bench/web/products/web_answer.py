"""Converts a report that cites the web, or a product's response, to an `Answer`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import Any

from argue_bench.loaders.rows.columns import ForeignAnswer
from argue_bench.records import Answer, MarkCount, Sentence
from argue_bench.text.citations import CitationIndex, Mark, read_marks, settle
from argue_bench.text.reading import read_answer, read_parts
from argue_bench.web.products import ProductAnswer, read_product_response
from argue_bench.web.text import (
    MOST_PROBLEMS,
    WEB,
    citation_problems,
)


class WebAnswer(ForeignAnswer):
    """A report that cites the web, or a product's response, among own rows."""

    def __init__(self, given: str | ProductAnswer) -> None:
        self.given = given
        self.text = given if isinstance(given, str) else given.text
        found = citation_problems(given) if isinstance(given, str) else given.problems
        self.problems = found[:MOST_PROBLEMS]

    def read(self, id: str, index: CitationIndex) -> Answer:
        return read_web_answer(id, self.given, index)


def web_answer(given: Any) -> WebAnswer | None:
    """The text of a report, or a product's saved response; None for an object that is neither."""
    read = given if isinstance(given, str) else read_product_response(given)
    return None if read is None else WebAnswer(read)


def read_web_answer(
    id: str, given: str | ProductAnswer, index: CitationIndex, language: str = "en", run: str = ""
) -> Answer:
    """The answer of a report that cites the web, or of a saved response, as sentences with citations.

    A page that is no document of the index is cited by its `identity_key`. Of a response every sentence
    that a citation's statement touches has it.
    """
    index = index if index.addresses is not None else replace(index, addresses={})
    if isinstance(given, str):
        return read_answer(id, given, index, language, run)
    said, asides = read_parts(given.text, settle(given.text, read_marks(given.text, WEB)), language)
    starts, ends = [one.start for one in said], [one.end for one in said]
    names: list[list[str]] = [[] for _ in said]
    unknown = 0
    for one in given.citations:
        own = tuple(index.find(name) or name for name in one.urls or one.ids)
        unknown += not index.knows(Mark(0, 0, own))
        span = one.statement or (one.kind == "answer_span" and (one.start, one.end)) or None
        if span is None or span[0] is None or span[1] is None:
            continue
        # Every sentence that the span touches: a product's span may begin or end inside one.
        for at in range(bisect_right(ends, span[0]), bisect_left(starts, span[1])):
            names[at] += own
    read = [
        replace(one, citations=tuple(own)) for one, own in zip(said, names, strict=True) if one.text
    ]
    if not read and given.text.strip():
        read.append(Sentence(""))
    marks = (MarkCount("of a saved response", len(given.citations), unknown),)
    return Answer(id, given.text, tuple(read), run, tuple(asides), marks)
