"""The length of an answer, and its cut at a limit, in characters as the TREC tracks count them.

Characters are counted after NFKC, and citations of documents are left out, as TREC's reports keep them
apart from the text. A mark that is longer than a citation needs to be, or that names no document, is
text: its words are read by every metric that reads an answer as it was written.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Sequence

from argue_bench.text.citations import EMPTY_INDEX, CitationIndex, Mark, find_marks, remove_marks
from argue_bench.text.sentences import spans

_AROUND = 12
"""Characters of a mark around the id that it names: brackets, blanks, a word such as "doc"."""


def characters(text: str, index: CitationIndex = EMPTY_INDEX) -> int:
    """The length of a text that cites the documents of this index."""
    marks = _citations(find_marks(text, index), index)
    return _length(remove_marks(text, marks, 0, len(text)))


def cut_at_limit(
    text: str, limit: int, index: CitationIndex = EMPTY_INDEX, language: str = "en"
) -> str:
    """The first sentences of a text, as many as fit; where not even the first does, its first words."""
    if characters(text, index) <= limit:
        return text
    marks = find_marks(text, index)
    ends = [end for _, end in spans(text, marks, language)]
    kept = fitting(ends, limit, lambda end: characters(text[:end], index))
    if kept:
        return text[: ends[kept - 1]].rstrip()
    plain = unicodedata.normalize("NFKC", remove_marks(text, marks, 0, len(text)))
    return (plain[: limit + 1].rpartition(" ")[0] or plain[:limit]).rstrip()


def fitting(ends: Sequence[int], limit: int, length: Callable[[int], int]) -> int:
    """How many of the first sentences fit, where ``length`` of an end grows from one to the next."""
    count = bisect_right(ends, limit, key=length)
    # NFKC may join two characters across an end: then a longer part can be the shorter one.
    while count and length(ends[count - 1]) > limit:
        count -= 1
    return count


def _length(text: str) -> int:
    return len(unicodedata.normalize("NFKC", text))


def _citations(marks: Iterable[Mark], index: CitationIndex) -> list[Mark]:
    """The marks that do nothing but name documents of the index."""
    known: Container[str] = index.ids
    return [
        mark
        for mark in marks
        if mark.names
        and all(name in known for name in mark.names)
        and mark.end - mark.start <= sum(len(name) + _AROUND for name in mark.names)
    ]
