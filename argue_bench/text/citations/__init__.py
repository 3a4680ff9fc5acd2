"""Citation marks of a text, in every notation (`NOTATIONS`), resolved to documents.

A mark names, in this order: the document that the answer's own reference list gives for it, the number of
a document of the question (from 1), an id, an address, a title. Square brackets also enclose an editor's
words, so a part of one is a citation only if it is

* a known id or title;
* a whole number of one to three digits, also out of range (then, as ``0``, it names nothing);
  longer ones only if there are so many documents: ``[2019]`` is text;
* a range of such numbers; one that runs backwards or is wider than 50 names nothing;
* a token without blanks that looks like an id: it has the shape of a known id (digits apart), or
  digits with ``_`` or ``#``, a word such as ``doc`` before its digits, seven digits, or a UUID.

A list is a citation if every part is. All else is text: ``[sic]``, ``[...]``, ``[a]``, ``[3rd]``. A number in round
brackets, a raised figure behind a letter, and an author with a year cite only where they name something.
The other notations always cite. A citation that names no document keeps its words as its id; a link to a
page is one only where documents have addresses. Nothing is read inside code, formulas and images.
"""

from __future__ import annotations

from argue_bench.text.citations.index import EMPTY_INDEX, CitationIndex, fold_name
from argue_bench.text.citations.marks import (
    Mark,
    count_marks,
    enclosed,
    enclosures,
    find_marks,
    hide,
    named_ids,
    read_marks,
    settle,
    unhidden,
    without_marks,
)
from argue_bench.text.citations.notations import NOTATIONS, Notation
from argue_bench.text.phrases import HIDDEN, OPENING

__all__ = [
    "EMPTY_INDEX",
    "HIDDEN",
    "NOTATIONS",
    "OPENING",
    "CitationIndex",
    "Mark",
    "Notation",
    "count_marks",
    "enclosed",
    "enclosures",
    "find_marks",
    "fold_name",
    "hide",
    "named_ids",
    "read_marks",
    "settle",
    "unhidden",
    "without_marks",
]
