"""From a plain text to an `Answer`: sentences without their citation marks, each with its citations."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping

from argue_bench.records import Answer, Document, Sentence
from argue_bench.text.citations import CitationIndex, Mark, find_marks, remove_marks
from argue_bench.text.products import ProductAnswer
from argue_bench.text.sentences import spans
from argue_bench.text.web import WebMark, identity_key, read_web_report

Documents = Mapping[str, Document] | Iterable[tuple[str, str]]
"""Documents by id, or pairs of id and title, in the order of the numbers that cite them."""

_TRACE = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)

_HEADING = re.compile(r"#{1,6}\s+\S[^\n]*\Z")


def strip_reasoning(text: str) -> str:
    """The text without ``<think>`` traces, closed or cut off by the end.

    >>> strip_reasoning("<think>Lyon?</think>Paris. <think>Or")
    ' Paris.  '
    """
    return _TRACE.sub(" ", text)


def read_answer(
    id: str, text: str, documents: Documents | CitationIndex, language: str = "en", run: str = ""
) -> Answer:
    """The answer as sentences with resolved citations; its ``text`` is unchanged.

    A reasoning trace (``<think>``) belongs neither to the sentences nor to the citations. A sentence of
    marks alone gives them to the one before it. Every sentence between ``<ref name="T">`` and ``</ref>``
    cites T.
    """
    body = strip_reasoning(text)
    marks = find_marks(body, _index(documents))
    read: list[tuple[list[str], list[str]]] = []  # words and citations of each sentence
    at = 0
    held: tuple[str, ...] = ()
    closed_by = _closings(marks)
    for start, end in spans(body, marks, language):
        own: list[Mark] = []
        names: list[str] = list(held)
        while at < len(marks) and marks[at].start < end:
            mark = marks[at]
            own.append(mark)
            names += mark.names
            if mark.kind == "opens" and at in closed_by:
                held = mark.names
            elif mark.kind == "closes":
                held = ()
            at += 1
        words = remove_marks(body, own, start, end).strip()
        if any(map(str.isalnum, words)) or not read:
            read.append(([words], names))
            continue
        before, cited = read[-1]
        before += [words] if words else []
        cited += [name for mark in own for name in mark.names]
    if not read and text.strip():
        read.append(([""], []))
    sentences = (Sentence(" ".join(words), tuple(names)) for words, names in read)
    return Answer(id, text, tuple(sentences), run)


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
    """What of a mark is no text: all of it, but the words of a link stay."""
    if mark.kind not in ("link", "reference_link"):
        return [Mark(mark.start, mark.end, ())]
    close = text.rfind("](" if mark.kind == "link" else "][", mark.start, mark.end)
    return [Mark(mark.start, mark.start + 1, ()), Mark(close, mark.end, ())]


def _index(documents: Documents | CitationIndex) -> CitationIndex:
    if isinstance(documents, CitationIndex):
        return documents
    if isinstance(documents, Mapping):
        return CitationIndex.of(documents, {id: one.title for id, one in documents.items()})
    pairs = dict(documents)
    return CitationIndex.of(pairs, pairs)


def _closings(marks: list[Mark]) -> frozenset[int]:
    """The opening tags that are closed before the next one opens."""
    closed, last = set(), -1
    for position, mark in enumerate(marks):
        if mark.kind == "opens":
            last = position
        elif mark.kind == "closes" and last >= 0:
            closed.add(last)
            last = -1
    return frozenset(closed)
