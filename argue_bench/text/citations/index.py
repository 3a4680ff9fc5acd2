"""The documents that citations may name: by number, id, title, address, and by an answer's own list of sources."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Container, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from argue_bench.records.display import normalise
from argue_bench.text.citations.notations import COUNTED
from argue_bench.text.citations.references import Reference, identity_key
from argue_bench.text.phrases import is_sentence

if TYPE_CHECKING:
    from argue_bench.text.citations.marks import Mark

# The number of ids whose shapes are remembered.
SHAPES_FROM = 1000
# Characters of a title that is looked for inside the entry of a reference list.
SHORTEST_TITLE = 8
# Characters of an entry that are looked at.
LONGEST_ENTRY = 300
_AROUND = re.compile(r"\A[\W_]+|[\W_]+\Z")
_SIGNS = " \t*_`–—-•:：.,;|<>"
_WHOLE_WORD, _BLOCK = re.compile(r"\w+"), re.compile(r"\S+")
_SHOWN = re.compile(rf"\W*{COUNTED}[\s#:.]*\d", re.IGNORECASE)
_SHOWN_ALONE = re.compile(rf"\W*{COUNTED}[\s#:.]*(?P<number>\d{{1,3}})\W*", re.IGNORECASE)
_NUMBERED = re.compile(rf"\A{COUNTED}\s?\d{{1,3}}\s?[:：–—-]\s?", re.IGNORECASE)
_FOLDS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´ʼ", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)


@lru_cache(maxsize=1 << 16)
def fold_name(name: str) -> str:
    """A title or id without differences of quotes, dashes, white space, case and Unicode form."""
    plain = normalise("NFKC", name).translate(_FOLDS).casefold()
    return " ".join(normalise("NFKC", plain).split())


def shape_of(id: str) -> str:
    return re.sub(r"\d+", "0", id.casefold())


def _is_code(word: str) -> bool:
    """Whether an id is not a word: it holds letters, and something else."""
    return not word.isalpha() and any(map(str.isalpha, word))


@dataclass(frozen=True)
class CitationIndex:
    """The documents that citations may name, by number, id, title and address (`identity_key`).

    ``addresses`` is None where no document has one: then links are no citations. ``listed`` gives what the
    numbers of the answer's own list name, an empty text where that is nothing that is there. ``coded``: most ids
    hold letters and another sign (``d1``, ``old-mine``), so that the few of letters alone are not words either.
    ``titles`` by id, folded.
    """

    numbered: Sequence[str] = ()
    ids: Container[str] = frozenset()
    folded: MutableMapping[str, str] = field(default_factory=dict)
    shapes: frozenset[str] = frozenset()
    addresses: MutableMapping[str, str] | None = None
    listed: Mapping[str, str] = field(default_factory=dict)
    coded: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)

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
        called = {id: title for id in known if (title := fold_name(by_id.get(id, "")))}
        # An id goes before a title, and of those that share one the first.
        folded = {title: id for id, title in reversed(called.items())} | {
            fold_name(id): id for id in reversed(known)
        }
        # Ids of a thousand documents show the shape of all; of a long one a shape says nothing.
        shapes = frozenset(
            shape_of(id)
            for id in islice(known, SHAPES_FROM)
            if re.search(r"\d", id) and len(id) < 80
        )
        pages = {identity_key(url): id for url, id in (urls or {}).items() if url}
        numbers = known if numbered is None else tuple(numbered)
        coded = 2 * sum(map(_is_code, known)) > len(known)
        return cls(numbers, frozenset(known), folded, shapes, pages or None, {}, coded, called)

    def over(self, others: CitationIndex) -> CitationIndex:
        """The index of a question's documents within that of all: its own numbers, its own titles first."""
        return CitationIndex(
            self.numbered,
            others.ids,
            ChainMap(self.folded, others.folded),
            self.shapes | others.shapes,
            ChainMap(self.addresses or {}, others.addresses or {}) or None,
            coded=others.coded,
            titles=self.titles,
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
        listed = {one.id: self.find_entry(one) or "" for one in [*entries][::-1] if one.id}
        return replace(self, listed=listed) if listed else self

    def find_entry(self, entry: Reference) -> str | None:
        """The document of an entry: by its address, its title, an id, or the first title inside it."""
        page = self.find(entry.url) if entry.url and self.addresses is not None else None
        if page in self.ids:
            return page
        title = fold_name(entry.title[:LONGEST_ENTRY])[:LONGEST_ENTRY]
        # Documents may share a title, and a number or an id names one.
        if self.counted_as(entry.id or "", _NUMBERED.sub("", entry.title)):
            return self.find(entry.id or "")
        shown = [self.find(one["number"]) for one in [_SHOWN_ALONE.fullmatch(title)] if one]
        each = [self.folded.get(title), *self.ids_in(entry.title)[:1], *shown]
        return next(filter(None, each), None) or self._inside(title) or page

    def is_entry(self, entry: str) -> bool:
        """Whether an entry names a source: it is a title, begins with an id, or with one behind a word such as "Document",
        holds one beside a title or beside words that state nothing, or counts what was shown ("Passage 2")."""
        words = entry[:LONGEST_ENTRY].rstrip()
        ids = self.ids_in(words)
        id = ids[0] if len(set(ids)) == 1 else ""
        titles = (words, _AROUND.sub("", words), _AROUND.sub("", words.replace(id, "")))
        first = [one for at, one in enumerate(words.split()[:2]) if not at or one[0].isalnum()]
        return (
            any(map(self.ids_in, first))
            or _SHOWN.match(words) is not None
            or any(fold_name(one) in self.folded for one in titles)
            or (id != "" and not words.endswith((".", "。")) and not is_sentence(words))
        )

    def is_listing(self, line: str) -> bool:
        """Whether a line holds an id, or an id and a title, and nothing else."""
        ids = self.ids_in(line)
        named = "|".join(map(re.escape, ids))
        rest = re.sub(rf"[\[(【]?(?:{named})[\])】]?", "", line).strip(_SIGNS)
        return len(ids) == 1 and (not rest or self.find(rest) is not None)

    def ids_in(self, words: str) -> tuple[str, ...]:
        """The ids among words that are not words themselves (``d1``, ``old-mine``); of a set of such ids, all."""
        bare = (_AROUND.sub("", word) for word in words[:LONGEST_ENTRY].split())
        named = (
            (one if one in self.ids else self.folded.get(fold_name(one)), one)
            for one in bare
            if self.coded or _is_code(one)
        )
        return tuple(id for id, one in named if id and fold_name(id) == fold_name(one))

    def _inside(self, title: str) -> str | None:
        """The title that is there first, the longest of them, among the runs of whole words, with the marks beside them and without:
        behind a title an entry may quote another."""
        each = [*_WHOLE_WORD.finditer(title), *_BLOCK.finditer(title)]
        starts, ends = sorted({one.start() for one in each}), sorted({one.end() for one in each})
        runs = (title[a:b] for a in starts for b in ends[::-1] if b - a >= SHORTEST_TITLE)
        return next(filter(None, map(self.folded.get, runs)), None)

    def counts(self, number: str) -> bool:
        """Whether there is such an entry or document."""
        return number in self.listed or (
            number.isdecimal() and len(number) <= 9 and 0 < int(number) <= len(self.numbered)
        )

    def counted_as(self, number: str, title: str) -> bool:
        """Whether the document with this number has this title, as others may."""
        return self.counts(number) and self.titles.get(self.find(number) or "") == fold_name(title)

    def knows(self, mark: Mark) -> bool:
        """Whether all that a mark names is there; a page may be fetched later."""
        pages = self.addresses is not None
        return bool(mark.names) and all(
            one in self.ids or (pages and one.startswith(("http://", "https://")))
            for one in mark.names
        )


EMPTY_INDEX = CitationIndex()
