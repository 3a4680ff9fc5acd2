"""The length of an answer, and its cut at a limit, in characters as the TREC tracks count them.

Characters are counted after NFKC, and citations of documents are left out, as TREC's reports keep them
apart from the text. A mark that holds anything beside names of documents, or names none, is text: its
words are read by every metric that reads an answer as it was written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Literal

from argue_bench.records.normal_forms import normalise
from argue_bench.text.citations import (
    EMPTY_INDEX,
    CitationIndex,
    Mark,
    find_marks,
    hide,
    unhidden,
)
from argue_bench.text.sentences import spans

# What may stand before a name: brackets, and words that every mark may have.
_LEAD = re.compile(
    r"[\W_]*(?:(?:cite|ref|name|see|cf|voir|sources?|docs?|documents?|refs?|references?|réf|passages?"
    r"|citations?)\b[\s:.=#]*)*",
    re.IGNORECASE,
)
_TRAIL = re.compile(r"(?:†source)?[\s\])】>}\"'/#”»’]*(?:</cite\s?>)?\Z", re.IGNORECASE)
_BETWEEN = re.compile(r"[,;&]|\b(?:and|et)\b")
_RANGE = re.compile(r"\d{1,3}\s?[-‐‑–—]\s?\d{1,3}")


Unit = Literal["characters", "words"]


def text_length(text: str, index: CitationIndex = EMPTY_INDEX, unit: Unit = "characters") -> int:
    """The length of a text that cites the documents of this index; words are split at white space."""
    marks = _citations(text, find_marks(text, index), index)
    plain = unhidden(hide(text, marks))
    return len(plain.split() if unit == "words" else normalise("NFKC", plain))


def cut_at_limit(
    text: str,
    limit: int,
    index: CitationIndex = EMPTY_INDEX,
    language: str = "en",
    unit: Unit = "characters",
) -> str:
    """The first sentences of a text, as many as fit; where not even the first does, its first words."""
    if text_length(text, index, unit) <= limit:
        return text
    marks = find_marks(text, index)
    ends = [end for _, end in spans(text, marks, language)]
    # Whole sentences; where not one fits, words.
    kept = fitting(ends, limit, lambda end: text_length(text[:end], index, unit))
    if kept:
        return text[: ends[kept - 1]].rstrip()
    plain = normalise("NFKC", unhidden(hide(text, marks)))
    if unit == "words":
        return " ".join(plain.split()[:limit])
    return (plain[: limit + 1].rpartition(" ")[0] or plain[:limit]).rstrip()


def fitting(ends: Sequence[int], limit: int, length: Callable[[int], int]) -> int:
    """How many of the first sentences fit, where ``length`` of an end grows from one to the next."""
    count = bisect_right(ends, limit, key=length)
    # NFKC may join two characters across an end: then a longer part can be the shorter one.
    while count and length(ends[count - 1]) > limit:
        count -= 1
    return count


def _citations(text: str, marks: Iterable[Mark], index: CitationIndex) -> list[Mark]:
    """The marks that do nothing but name documents of the index."""
    known: Container[str] = index.ids
    return [
        mark
        for mark in marks
        if mark.names
        and all(name in known for name in mark.names)
        and _is_bare(text[mark.start : mark.end], index)
    ]


def _is_bare(mark: str, index: CitationIndex) -> bool:
    """Whether a mark holds numbers, ids and titles of documents alone: no free text rides in it."""
    # A mark that is one name may hold a comma or "and"; only then it is cut at these.
    words = _name(mark)
    if index.find(words) is not None:
        return True
    parts = map(_name, _BETWEEN.split(words))
    return all(index.find(part) is not None or _RANGE.fullmatch(part) for part in parts)


def _name(part: str) -> str:
    lead = _LEAD.match(part)
    return _TRAIL.sub("", part[lead.end() if lead else 0 :]).strip()
