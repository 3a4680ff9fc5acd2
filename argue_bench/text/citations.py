"""Citation marks of a text, in every notation, resolved to documents.

    [1]  [1][2]  [1, 2]  [1-3]  [d1]  [d1; d2]  [[1]]  [^1]  [Doc 1]  [1](link)  【1】
    [Source: T]  <cite>T</cite>  <<cite: T>>  ##Cite T##  <ref name="T">words</ref>  <ref name="T"/>
    <ref>T</ref>

A bracket names, in this order: the number of a document of the question (from 1), an id, a title.
Square brackets also enclose an editor's words, so a part of one is a citation only if it is

* a known id or title;
* a whole number of one to three digits, also out of range (then, as ``0``, it names nothing);
  longer ones only if there are so many documents: ``[2019]`` is text;
* a range of such numbers; one that runs backwards or is wider than 50 names nothing;
* a token without blanks that looks like an id: it has the shape of a known id (digits apart), or
  digits with ``_`` or ``#``, a word such as ``doc`` before its digits, seven digits, or a UUID.

A list is a citation if every part is. All else is text: ``[sic]``, ``[...]``, ``[a]``, ``[3rd]``. The other
notations always cite. A citation that names no document keeps its words as its id.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import unescape
from itertools import islice
from typing import Literal

from argue_bench.records.normal_forms import normalise

WIDEST_RANGE = 50
SHAPES_FROM = 1000
"""The number of ids whose shapes are remembered."""

_NOTATION = re.compile(
    r"""
      <<\s?cite\s?:\s?(?P<angle>[^\n]{1,400}?)>>
    | \#\#\s?cite[\s:]\s?(?P<hashes>(?:[^#\n]|\#(?!\#)){1,400}?)\#\#
    | <cite(?:\s[^<>\n]{0,300})?>(?P<cite>[^<>]{0,400})</cite\s?>
    | <ref\s?>(?P<footnote>[^<>]{0,400})</ref\s?>
    | (?P<open><ref(?=[\s/>])(?P<attributes>(?:\s+[\w:-]{1,30}\s?=\s?(?:"[^"<\n]{0,400}"|'[^'<\n]{0,400}')
          |[^<>\n"'/]|["'](?=[^<>\n]{0,400}>)|/(?!\s?>)){0,400}+)(?P<closed>/?)\s?>)
    | (?P<close></ref\s?>)
    | \[\s?sources?\s?:\s?(?P<source>(?:[^\[\]\n]|\[[^\[\]\n]{0,100}\]){1,400}+)\]
    | \[\[(?P<double>[^\[\]\n]{1,400})\]\]
    | \[(?P<square>[^\[\]\n]{1,400})\](?P<link>\([^()\s]{1,500}\))?
    | 【(?P<lens>[^【】\n]{1,400})】
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NAME = re.compile(
    r"""\bname\s?=\s?(?:"(?P<double>[^\n]*?)"|'(?P<single>[^\n]*?)'|(?P<bare>[^\s"'>]+))
                       (?=\s+[\w:-]{1,30}\s?=|\s*/?\s*$)""",
    re.VERBOSE | re.IGNORECASE,
)
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«\s*([^»]+?)\s*»")
_PREFIX = re.compile(
    r"(?:docs?|documents?|refs?|references?|sources?|passages?|citations?|\^)[\s.:#]*(?=\d)",
    re.IGNORECASE,
)
_FRAME = re.compile(r"\((?:see|cf\.|voir|sources?\s?:|réf\.|refs?\.?:?)?\s?\Z", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,9})\s?[-‐‑–—]\s?(\d{1,9})")
_PAGE = re.compile(r"pp?\.\s?\d+(?:\s?[-–]\s?\d+)?")
_ID_LIKE = re.compile(
    r"(?=\S*\d)[\w.:/-]*[_#][\w.:/#-]*"  # shard_0_12, msmarco_v2.1_doc_3#1
    r"|(?:d|doc|document|source|src|passage|psg|ref|docid|id|pmid|chunk|page)[-.:]?\d+"
    r"|\d{7,}"
    r"|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}[\w-]*",
    re.IGNORECASE,
)
_FOLDS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´ʼ", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)
_BLANK = " \t\xa0\u202f\u2009"


@dataclass(frozen=True, slots=True)
class Mark:
    """A citation mark: its place in the text in characters, and the ids that it names.

    ``kind``: a ref tag "opens" and "closes" around the words that it supports; all others are points.
    """

    start: int
    end: int
    names: tuple[str, ...]
    kind: Literal["point", "opens", "closes"] = "point"


@lru_cache(maxsize=1 << 16)
def fold_name(name: str) -> str:
    """A title or id without differences of quotes, dashes, white space, case and Unicode form."""
    plain = normalise("NFKC", name).translate(_FOLDS).casefold()
    return " ".join(normalise("NFKC", plain).split())


def _shape(id: str) -> str:
    return re.sub(r"\d+", "0", id.casefold())


@dataclass(frozen=True)
class CitationIndex:
    """The documents that citations may name, by number, id and title."""

    numbered: Sequence[str] = ()
    ids: Container[str] = frozenset()
    folded: Mapping[str, str] = field(default_factory=dict)
    shapes: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        ids: Iterable[str],
        titles: Iterable[str] | Mapping[str, str] = (),
        numbered: Sequence[str] | None = None,
    ) -> CitationIndex:
        """An index of these ids, with titles in the same order or by id.

        ``numbered`` are the ids that numbers count, the same by default; empty where a system
        searched a whole collection. Where two documents share a title, it names the first.
        """
        known = tuple(ids)
        by_id = titles if isinstance(titles, Mapping) else dict(zip(known, titles, strict=False))
        folded: dict[str, str] = {}
        for id in known:
            folded.setdefault(fold_name(id), id)
        for id in known:
            if title := fold_name(by_id.get(id, "")):
                folded.setdefault(title, id)
        shapes = frozenset(
            _shape(id) for id in islice(known, SHAPES_FROM) if re.search(r"\d", id) and len(id) < 80
        )
        return cls(known if numbered is None else tuple(numbered), frozenset(known), folded, shapes)

    def find(self, name: str) -> str | None:
        """The id of the document with this number, id or title; None where there is none."""
        bare = name.strip()
        if bare.isascii() and bare.isdigit() and len(bare) <= 9:
            position = int(bare)
            if 1 <= position <= len(self.numbered):
                return self.numbered[position - 1]
        if bare in self.ids:
            return bare
        found = self.folded.get(fold_name(bare)) if len(bare) <= 1000 else None
        if found is None and len(bare) > 2 and bare[0] in "\"'“‘«" and bare[-1] in "\"'”’»":
            return self.find(bare[1:-1])
        return found


EMPTY_INDEX = CitationIndex()


def find_marks(text: str, index: CitationIndex) -> list[Mark]:
    """Every citation mark of the text, in order, with the commas and round brackets that frame it."""
    found: list[Mark] = []
    first = 0  # of the marks that have nothing but blanks and commas between them
    for match in _NOTATION.finditer(text):
        mark = _mark(match, index)
        if mark is None:
            continue
        between = text[found[-1].end : mark.start][:5] if found else "apart"
        if found and found[-1].kind == mark.kind == "point" and between.strip() in (",", ";"):
            found[-1] = replace(found[-1], end=mark.start)
        elif between.strip():
            _frame(text, found, first)
            first = len(found)
        found.append(mark)
    _frame(text, found, first)
    return found


def _frame(text: str, found: list[Mark], first: int) -> None:
    """Adds round brackets to the marks that they enclose alone: ``(see [1])``."""
    if first == len(found) or any(mark.kind != "point" for mark in found[first:]):
        return
    start, end = found[first].start, found[-1].end
    before = _FRAME.search(text, max(0, start - 12), start)
    after = text[end : end + 2].lstrip(_BLANK)
    if before and after.startswith(")"):
        found[first] = replace(found[first], start=before.start())
        found[-1] = replace(found[-1], end=text.index(")", end) + 1)


def without_marks(text: str, index: CitationIndex = EMPTY_INDEX) -> str:
    """The text without its citation marks and the blanks beside them."""
    return remove_marks(text, find_marks(text, index), 0, len(text))


def remove_marks(text: str, marks: Iterable[Mark], start: int, end: int) -> str:
    """The slice of the text without these marks, which lie in it, in order.

    One blank of two around a mark goes, and the blank before a full stop or comma; words that only
    a mark kept apart get one.
    """
    kept: list[str] = []
    at = start
    for mark in marks:
        _append(kept, text[at : mark.start])
        at = mark.end
    _append(kept, text[at:end])
    if at == end > start and kept:
        kept[-1] = kept[-1].rstrip(_BLANK)
    return "".join(kept)


def _append(kept: list[str], piece: str) -> None:
    if kept and kept[-1][-1] in "([":
        piece = piece.lstrip(_BLANK)
    if not piece:
        return
    if piece[0].isspace() or piece[0] in ".,;:!?)]":
        while kept:
            kept[-1] = kept[-1].rstrip(_BLANK)
            if kept[-1]:
                break
            kept.pop()
    elif kept and kept[-1][-1].isalnum() and piece[0].isalnum():
        piece = f" {piece}"
    kept.append(piece if kept else piece.lstrip(_BLANK))
    if not kept[-1]:
        kept.pop()


def _mark(match: re.Match[str], index: CitationIndex) -> Mark | None:
    start, end = match.span()
    kind = match.lastgroup
    if kind == "close":
        return Mark(start, end, (), "closes")
    if match["open"] is not None:
        name = _NAME.search(match["attributes"])
        words = unescape(name["double"] or name["single"] or name["bare"] or "") if name else ""
        return Mark(start, end, _declared(words, index), "point" if match["closed"] else "opens")
    if kind in ("square", "link", "double", "lens"):
        inner = match["square"] or match["double"] or match["lens"]
        names = _bracket(inner.split("†")[0] if kind == "lens" else inner, index)
        return None if names is None else Mark(start, end, names)
    return Mark(start, end, _declared(match[str(kind)], index))


def _declared(words: str, index: CitationIndex) -> tuple[str, ...]:
    """The ids in a notation that always cites."""
    bare = words.strip()
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1].strip()
    if not bare:
        return ()
    if (found := index.find(bare)) is not None:
        return (found,)
    quoted = [next(filter(None, groups)) for groups in _QUOTED.findall(bare)]
    for parts in (quoted, bare.split(";"), bare.split(",")):
        if len(parts) > 1 or parts is quoted:
            names = [index.find(part) for part in parts]
            if names and all(name is not None for name in names):
                return tuple(name for name in names if name is not None)
    if quoted and not _QUOTED.sub("", bare).strip(" ,;&"):
        return tuple(index.find(part) or part.strip() for part in quoted)
    return _bracket(bare, index) or (bare,)


def _bracket(inner: str, index: CitationIndex) -> tuple[str, ...] | None:
    """The ids that a square bracket names; None where it is text."""
    bare = inner.strip()
    if (found := index.find(bare)) is not None:
        return (found,)
    names: list[str] = []
    for part in re.split(r"[,;]|(?<=\d)\s+(?:and|et|&)\s+(?=\d)", bare):
        part = part.strip()
        if names and _PAGE.fullmatch(part):
            continue
        one = _part(part, index)
        if one is None:
            return None
        names += one
    return tuple(names)


def _part(part: str, index: CitationIndex) -> tuple[str, ...] | None:
    if (found := index.find(part)) is not None:
        return (found,)
    if prefix := _PREFIX.match(part):
        return _numbers(part[prefix.end() :], index) or (
            (part,) if _ID_LIKE.fullmatch(part) else None
        )
    numbers = _numbers(part, index)
    if numbers is not None:
        return numbers
    if not part or len(part) > 200 or any(map(str.isspace, part)):
        return None
    return (part,) if _shape(part) in index.shapes or _ID_LIKE.fullmatch(part) else None


def _numbers(part: str, index: CitationIndex) -> tuple[str, ...] | None:
    """The documents of a number or a range of numbers; None where it is none."""
    if part.isascii() and part.isdigit() and len(part) <= 3:
        return (index.find(part) or part,)
    span = _RANGE.fullmatch(part)
    if span is None:
        return None
    first, last = int(span[1]), int(span[2])
    if len(span[1]) == 4 and len(span[2]) in (2, 4) and first > len(index.numbered):
        return None  # years
    if not 0 <= last - first < WIDEST_RANGE:
        return (part,)
    return tuple(index.find(str(number)) or str(number) for number in range(first, last + 1))
