"""Converts a report that cites the web, or a product's response, to an `Answer`."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping

from argue_bench.records import Answer, Sentence
from argue_bench.text.citations import Mark, remove_marks
from argue_bench.text.products import ProductAnswer
from argue_bench.text.sentences import spans
from argue_bench.text.web import WebMark, identity_key, read_web_report

_HEADING = re.compile(r"#{1,6}\s+\S[^\n]*\Z")


def read_web_answer(
    id: str, given: str | ProductAnswer, ids: Mapping[str, str], language: str = "en", run: str = ""
) -> Answer:
    """The answer of a report that cites the web, or of a saved response, as sentences with citations.

    ``ids`` gives the id of the document with an `identity_key`; a page without one is cited by its
    key, a number without an address by itself. Reference lists, code and headings
    that cite nothing belong to no sentence. Every
    sentence that a citation's statement touches has it.
    """
    text = given if isinstance(given, str) else given.text
    report = read_web_report(text)
    found = report.marks if isinstance(given, str) else given.citations
    removed = [Mark(start, end, ()) for start, end in report.lists]
    removed += [part for mark in report.marks for part in _printed(text, mark)]
    removed.sort(key=lambda mark: mark.start)
    places = spans(text, removed, language)
    starts, ends = [start for start, _ in places], [end for _, end in places]
    names: list[list[str]] = [[] for _ in places]
    for one in found:
        span = one.statement or (one.kind == "answer_span" and (one.start, one.end)) or None
        if span is None or span[0] is None or span[1] is None:
            continue
        own = [ids.get(key, key) for key in map(identity_key, one.urls)] or [
            ids.get(name, name) for name in one.ids
        ]
        for at in range(bisect_right(ends, span[0]), bisect_left(starts, span[1])):
            names[at] += own
    read: list[Sentence] = []
    at = 0
    for (start, end), own in zip(places, names, strict=True):
        first = at
        while at < len(removed) and removed[at].start < end:
            at += 1
        words = remove_marks(text, removed[first:at], start, end).strip()
        heading = _HEADING.match(words) and not own  # it claims nothing that a source could support
        if any(map(str.isalnum, words)) and not heading:
            read.append(Sentence(words, tuple(own)))
    if not read and text.strip():
        read.append(Sentence(""))
    return Answer(id, text, tuple(read), run)


def _printed(text: str, mark: WebMark) -> list[Mark]:
    """The parts of a mark that are not text: all of it, except the words of a link."""
    if mark.kind not in ("link", "reference_link"):
        return [Mark(mark.start, mark.end, ())]
    close = text.rfind("](" if mark.kind == "link" else "][", mark.start, mark.end)
    return [Mark(mark.start, mark.start + 1, ()), Mark(close, mark.end, ())]
