"""Reads a plain text as an `Answer`: sentences without citation marks, each with its citations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from argue_bench.records import Answer, Document, Sentence
from argue_bench.text.citations import CitationIndex, Mark, find_marks, remove_marks
from argue_bench.text.sentences import spans

Documents = Mapping[str, Document] | Iterable[tuple[str, str]]
"""Documents by id, or pairs of id and title, in the order of the numbers that cite them."""

_TRACE = re.compile(
    r"<(think(?:ing)?|reasoning|reflection|scratchpad|search_quality_(?:reflection|score))>.*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
"""As models write them: DeepSeek and Qwen, Claude with its tools, others that are asked to."""


def strip_reasoning(text: str) -> str:
    """The text without traces of reasoning (``<think>``, ``<thinking>``, ...), closed or cut off by the end.

    >>> strip_reasoning("<think>Lyon?</think>Paris. <think>Or")
    ' Paris.  '
    """
    return _TRACE.sub(" ", text)


def read_answer(
    id: str, text: str, documents: Documents | CitationIndex, language: str = "en", run: str = ""
) -> Answer:
    """The answer as sentences with resolved citations; its ``text`` is unchanged.

    A reasoning trace (``<think>``, ``<thinking>``) belongs neither to the sentences nor to the citations. A sentence of
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
