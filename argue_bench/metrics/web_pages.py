"""Web pages as sources: which passages of a long page a judge reads, and which pages it cannot read."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from argue_bench.records import Document, Documents, Source, WebPage
from argue_bench.records.question import LOST

if TYPE_CHECKING:
    from argue_bench.retrieval import Corpus, Passage

GAP = "\n[...]\n"


def state_of(document: Document) -> str:
    """The state of a cited document: "read" for what is no web page, and for copies of lost pages."""
    if not isinstance(document, WebPage) or (document.state in LOST and document.text):
        return "read"
    return document.state


def is_unread(document: Document) -> bool:
    """Whether the text of a cited page is unknown, so that a citation of it is neither right
    nor wrong."""
    state = state_of(document)
    return state != "read" and state not in LOST


def evidence(document: Document, statement: str) -> Source:
    """The text of a document that a judge reads to decide on a statement.

    Of a web page longer than its number of passages, the passages that BM25+ ranks first for the
    statement, in the page's order; of everything else all.
    """
    whole = Source.of(document)
    most = document.passages if isinstance(document, WebPage) else 0
    if not most:
        return whole
    from argue_bench.sources.snapshot import PASSAGE

    if len(document.text) <= most * PASSAGE:
        return whole
    corpus = _corpus(document)
    return _joined(document, list(corpus.best(statement, most)) or corpus.passages[:most])


class Contexts:
    """The contexts provided to an answer, as a judge reads them to decide on one statement.

    Of long web pages, of all of them together, it reads as many passages as of one long page: those
    that BM25+ ranks first for the statement, page by page in their order. Of everything else it reads
    all. Pages that nobody could read are no contexts.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self.documents = tuple(one for one in documents if state_of(one) == "read")
        pages = [one for one in self.documents if isinstance(one, WebPage) and one.passages]
        self._most = max((one.passages for one in pages), default=0)
        self._long = frozenset(one.id for one in pages if self._are_long(pages))
        self._whole = tuple(map(Source.of, self.documents)) if not self._long else ()

    def __bool__(self) -> bool:
        return bool(self.documents)

    def _are_long(self, pages: Sequence[Document]) -> bool:
        from argue_bench.sources.snapshot import PASSAGE

        return sum(len(one.text) for one in pages) > self._most * PASSAGE

    @cached_property
    def _corpus(self) -> Corpus:
        from argue_bench.retrieval import Corpus
        from argue_bench.sources.snapshot import PASSAGE

        return Corpus([one for one in self.documents if one.id in self._long], PASSAGE)

    def read_for(self, statement: str) -> tuple[Source, ...]:
        """The sources that the judge reads."""
        if not self._long:
            return self._whole
        found = list(self._corpus.best(statement, self._most))
        found = found or list(self._corpus.passages[: self._most])
        chosen: defaultdict[str, list[Passage]] = defaultdict(list)
        for one in found:
            chosen[one.document].append(one)
        return tuple(
            _joined(one, chosen[one.id]) if one.id in self._long else Source.of(one)
            for one in self.documents
            if one.id in chosen or one.id not in self._long
        )


def _joined(document: Document, passages: Iterable[Passage]) -> Source:
    """The title and these passages of a page, in its order."""
    ordered = sorted(passages, key=lambda one: one.start)
    text = GAP.join(one.content.strip() for one in ordered)
    return Source(document.id, "\n".join(filter(None, (document.title, text))))


@lru_cache(maxsize=16)
def _corpus(document: Document) -> Corpus:
    from argue_bench.retrieval import Corpus
    from argue_bench.sources.snapshot import PASSAGE

    return Corpus([document], PASSAGE)


class OtherPages:
    """The cited pages of one answer, searched for what its sentences say.

    A page ranks by the words of the sentence that it holds, rare ones above all (their idf over the
    pages). Only words of ``statements`` are indexed, so that hundreds of long pages need little room.
    """

    def __init__(self, ids: Iterable[str], documents: Documents, statements: Iterable[str]) -> None:
        from argue_bench.retrieval import index_terms

        self._terms = index_terms
        wanted = {word for text in statements for word in index_terms(text)}
        pages = [documents[id] for id in dict.fromkeys(ids) if id in documents]
        self._ids = [one.id for one in pages if wanted and state_of(one) == "read"]
        self._places: dict[str, list[int]] = {}
        for place, id in enumerate(self._ids):
            for word in wanted & set(index_terms(f"{documents[id].title} {documents[id].text}")):
                self._places.setdefault(word, []).append(place)

    def nearest(self, statement: str, own: Iterable[str], most: int) -> list[str]:
        """The pages that are likeliest to hold a statement, best first, without the ``own`` ones."""
        out = set(own)
        scores: defaultdict[int, float] = defaultdict(float)
        for word in set(self._terms(statement)):
            found = self._places.get(word, ())
            for place in found:
                scores[place] += math.log(1 + len(self._ids) / len(found))
        ranked = sorted(scores, key=lambda place: (-scores[place], place))
        return [id for id in map(self._ids.__getitem__, ranked) if id not in out][:most]
