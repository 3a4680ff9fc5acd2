"""Converts a report that cites the web, or a product's response, to an `Answer`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from argue_bench.loaders.rows.columns import ForeignAnswer
from argue_bench.records import Answer, MarkCount
from argue_bench.text.citations import CitationIndex, Mark, read_marks, settle
from argue_bench.text.citations.references import reference_lists
from argue_bench.text.reading import make_answer, read_answer
from argue_bench.text.structure import blocks
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
    body = given.text
    lists = reference_lists(body)
    found = blocks(body, settle(body, read_marks(body, WEB, lists)), lists.lines)
    unknown = 0
    cited: list[tuple[int, int, tuple[str, ...]]] = []
    for one in given.citations:
        own = tuple(index.find(name) or name for name in one.urls or one.ids)
        unknown += not index.knows(Mark(0, 0, own))
        start, end = one.statement or (one.start, one.end)
        if (one.statement or one.kind == "answer_span") and start is not None and end is not None:
            # A product's span may begin or end inside a sentence.
            cited.append((start, end, own))
    marks = (MarkCount("of a saved response", len(given.citations), unknown),)
    return make_answer(Answer(id, body, run=run, marks=marks), found, body, cited, language)
