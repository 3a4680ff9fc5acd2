"""What citations may name, documents by number, id, address and title, and the names in a mark."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Container, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import unescape
from itertools import islice
from typing import Literal

from argue_bench.records.normal_forms import normalise
from argue_bench.text.citations.references import RAISED, Reference, identity_key

SHAPES_FROM = 1000
"""The number of ids whose shapes are remembered."""
SHORTEST_TITLE = 8
"""Characters of a title that is looked for inside the entry of a reference list."""
_FOLDS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´ʼ", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)
WIDEST_RANGE = 50
"""Documents of the widest range that is read: a list of sources is seldom longer, and ``[1-999]`` would cite all."""
_NAME = re.compile(
    r"""\bname\s?=\s?(?:"(?P<double>[^\n]*?)"|'(?P<single>[^\n]*?)'|(?P<bare>[^\s"'>]+))
                       (?=\s+[\w:-]{1,30}\s?=|\s*/?\s*$)""",
    re.VERBOSE | re.IGNORECASE,
)
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«\s*([^»]+?)\s*»")
_PREFIX = re.compile(
    r"(?:(?:docs?|documents?|refs?|references?|sources?|passages?|citations?|\^)[\s.:#]*|[^\W\d_]{2,20}[:#]\s?)"
    r"(?=\d)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d{1,9})\s?[-‐‑–—]\s?(\d{1,9})")
# A page is no further document: "[1, p. 5]".
_PAGE = re.compile(r"pp?\.\s?\d+(?:\s?[-–]\s?\d+)?")
_ID_LIKE = re.compile(
    r"(?=\S*\d)[\w.:/-]*[_#][\w.:/#-]*"  # shard_0_12, msmarco_v2.1_doc_3#1
    r"|(?:d|doc|document|source|src|passage|psg|ref|docid|id|pmid|chunk|page)[-.:]?\d+"
    r"|\d{7,}"
    r"|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}[\w-]*",
    re.IGNORECASE,
)
_TAGS = re.compile(r"</?[a-z][^<>]{0,1000}>|\]\([^\s()]{1,2000}\)|[\[\]]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mark:
    """A citation mark: its place in the text in characters, and the ids that it names.

    ``kind``: a ref tag "opens" and "closes" around the words that it supports; all others are points.
    ``notation`` is the name of one of `NOTATIONS`, ``ids`` are the names as they are printed, ``url`` the
    address that is printed.
    """

    start: int
    end: int
    names: tuple[str, ...]
    kind: Literal["point", "opens", "closes"] = "point"
    notation: str = ""
    ids: tuple[str, ...] = ()
    url: str = ""


@lru_cache(maxsize=1 << 16)
def fold_name(name: str) -> str:
    """A title or id without differences of quotes, dashes, white space, case and Unicode form."""
    plain = normalise("NFKC", name).translate(_FOLDS).casefold()
    return " ".join(normalise("NFKC", plain).split())


def shape_of(id: str) -> str:
    return re.sub(r"\d+", "0", id.casefold())


@dataclass(frozen=True)
class CitationIndex:
    """The documents that citations may name, by number, id, title and address (`identity_key`).

    ``addresses`` is None where no document has one: then links are no citations. ``listed`` gives what the
    numbers of the answer's own list name, an empty text where that is nothing that is there.
    """

    numbered: Sequence[str] = ()
    ids: Container[str] = frozenset()
    folded: MutableMapping[str, str] = field(default_factory=dict)
    shapes: frozenset[str] = frozenset()
    addresses: MutableMapping[str, str] | None = None
    listed: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        ids: Iterable[str],
        titles: Iterable[str] | Mapping[str, str] = (),
        numbered: Sequence[str] | None = None,
        urls: Mapping[str, str] | None = None,
    ) -> CitationIndex:
        """An index of these ids, with titles in the same order or by id.

        ``numbered`` are the ids that numbers count, the same by default; empty where a system
        searched a whole collection. Where two documents share a title, it names the first. ``urls``: the
        ids of those that have an address, by address.
        """
        known = tuple(ids)
        by_id = titles if isinstance(titles, Mapping) else dict(zip(known, titles, strict=False))
        folded: dict[str, str] = {}
        for id in known:
            folded.setdefault(fold_name(id), id)
        for id in known:
            if title := fold_name(by_id.get(id, "")):
                folded.setdefault(title, id)
        # Ids of a thousand documents show the shape of all; of a long one a shape says nothing.
        shapes = frozenset(
            shape_of(id)
            for id in islice(known, SHAPES_FROM)
            if re.search(r"\d", id) and len(id) < 80
        )
        pages = {identity_key(url): id for url, id in (urls or {}).items() if url}
        numbers = known if numbered is None else tuple(numbered)
        return cls(numbers, frozenset(known), folded, shapes, pages or None)

    def over(self, others: CitationIndex) -> CitationIndex:
        """The index of a question's documents within that of all: its own numbers, its own titles first."""
        pages = ChainMap(self.addresses or {}, others.addresses or {})
        return CitationIndex(
            self.numbered,
            others.ids,
            ChainMap(self.folded, others.folded),
            self.shapes | others.shapes,
            pages or None,
        )

    def find(self, name: str) -> str | None:
        """The id of the document with this number, id or title; None where there is none."""
        bare = name.strip()
        if listed := self.listed.get(bare):
            return listed
        # A number counts documents before it is an id: "[3]" is the third of those that were shown.
        if bare.isascii() and bare.isdigit() and len(bare) <= 9:
            position = int(bare)
            if 1 <= position <= len(self.numbered):
                return self.numbered[position - 1]
        if bare in self.ids:
            return bare
        found = self.folded.get(fold_name(bare)) if len(bare) <= 1000 else None
        if found is None and self.addresses is not None and "://" in bare[:9]:
            return self.addresses.get(key := identity_key(bare), key)
        # A title may be quoted.
        if found is None and len(bare) > 2 and bare[0] in "\"'“‘«" and bare[-1] in "\"'”’»":
            return self.find(bare[1:-1])
        return found

    def with_list(self, entries: Iterable[Reference]) -> CitationIndex:
        """The index of an answer with these entries; the first of a number wins."""
        listed: dict[str, str] = {}
        for entry in entries:
            if entry.id and entry.id not in listed:
                listed[entry.id] = self.find_entry(entry) or ""
        return replace(self, listed=listed) if listed else self

    def find_entry(self, entry: Reference) -> str | None:
        """The document of an entry: by its address, by its title, or by the longest title inside it."""
        page = self.find(entry.url) if entry.url and self.addresses is not None else None
        if page in self.ids or len(self.folded) > 2 * SHAPES_FROM:
            return page
        words = fold_name(entry.title[:1000])
        inside = [one for one in self.folded if len(one) >= SHORTEST_TITLE and one in words]
        return self.folded.get(words) or (self.folded[max(inside, key=len)] if inside else page)

    def counts(self, number: str) -> bool:
        """Whether there is such an entry or document."""
        return number in self.listed or (
            number.isdecimal() and 0 < int(number) <= len(self.numbered)
        )

    def knows(self, mark: Mark) -> bool:
        """Whether all that a mark names is there; a page may be fetched later."""
        pages = self.addresses is not None
        return bool(mark.names) and all(
            one in self.ids or (pages and one.startswith(("http://", "https://")))
            for one in mark.names
        )


EMPTY_INDEX = CitationIndex()


def _raised(words: str, index: CitationIndex) -> tuple[str, ...] | None:
    """The numbers of raised figures, "¹²" as 1 and 2 where there is no 12."""
    figures = words.translate(RAISED).replace("˒", ",")
    apart = not index.counts(figures) and all(map(index.counts, figures))
    return tuple(figures) if apart else _bracket(figures, EMPTY_INDEX)


def _dagger(words: str, index: CitationIndex) -> tuple[str, ...]:
    id, _, place = words.partition("†")
    return (place,) if index.find(place) else (id.strip(),)


def _attribute(words: str, index: CitationIndex) -> tuple[str, ...]:
    name = _NAME.search(words)
    given = name["double"] or name["single"] or name["bare"] if name else ""
    return declared_names(unescape(given or ""), index)


def declared_names(words: str, index: CitationIndex) -> tuple[str, ...]:
    """The names in a notation that always cites."""
    bare = words.strip()
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1].strip()
    if not bare or index.find(bare) is not None:
        return (bare,) if bare else ()
    quoted = [next(filter(None, groups)) for groups in _QUOTED.findall(bare)]
    # Several documents, where every part names one; else the commas are part of a title.
    for parts in (quoted, bare.split(";"), bare.split(",")):
        several = len(parts) > 1 or (parts is quoted and parts)
        if several and all(index.find(part) is not None for part in parts):
            return tuple(parts)
    # Nothing but quoted titles: each is one, known or not.
    if quoted and not _QUOTED.sub("", bare).strip(" ,;&"):
        return tuple(part.strip() for part in quoted)
    return _bracket(bare, index) or (bare,)


def _bracket(inner: str, index: CitationIndex) -> tuple[str, ...] | None:
    """The names in a bracket; None where it is text."""
    bare = inner.strip()
    if index.find(bare) is not None:
        return (bare,)
    names: list[str] = []
    for part in re.split(r"[,;，、；]|(?<=\d)\s+(?:and|et|&)\s+(?=\d)", bare):
        part = part.strip()
        # A page belongs to the document before it.
        if names and _PAGE.fullmatch(part):
            continue
        one = _part(part, index)
        if one is None:
            return None
        names += one
    return tuple(names)


def _part(part: str, index: CitationIndex) -> tuple[str, ...] | None:
    if index.find(part) is not None:
        return (part,)
    if prefix := _PREFIX.match(part):
        return _numbers(part[prefix.end() :], index) or (
            (part,) if _ID_LIKE.fullmatch(part) else None
        )
    numbers = _numbers(part, index)
    if numbers is not None:
        return numbers
    # An id has no blanks; words with blanks are an editor's.
    if not part or len(part) > 200 or any(map(str.isspace, part)):
        return None
    return (part,) if shape_of(part) in index.shapes or _ID_LIKE.fullmatch(part) else None


def _numbers(part: str, index: CitationIndex) -> tuple[str, ...] | None:
    """The numbers of a number or a range; None where it is none."""
    if part.isascii() and part.isdigit() and len(part) <= 3:
        return (part,)
    span = _RANGE.fullmatch(part)
    if span is None:
        return None
    first, last = int(span[1]), int(span[2])
    if len(span[1]) == 4 and len(span[2]) in (2, 4) and first > len(index.numbered):
        return None  # years
    # Such a range cites, and names nothing that is there.
    if not 0 <= last - first < WIDEST_RANGE:
        return (part,)
    return tuple(str(number) for number in range(first, last + 1))


READERS: Mapping[str, Callable[[str, CitationIndex], tuple[str, ...] | None]] = {
    **dict.fromkeys(("square", "double", "wide", "escaped"), _bracket),
    "range": lambda words, index: _numbers(re.sub(r"[\[\]\s]", "", words), index),
    "round": lambda words, index: _bracket(words, EMPTY_INDEX),
    "sup": lambda words, index: _bracket(_TAGS.sub("", words), EMPTY_INDEX),
    "note": lambda words, index: (words,),
    "closes": lambda words, index: (),
    "raised": _raised,
    "dagger": _dagger,
    "opens": _attribute,
}
"""How the words of a notation are read; those of all others are names."""
