"""Web pages as sources: which passages of a long page a judge reads, and which pages it cannot read."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from argue_bench.records import Document, Documents, Source, WebPage
from argue_bench.sources.states import LOST

if TYPE_CHECKING:
    from argue_bench.retrieval import Corpus

GAP = "\n[...]\n"


def state_of(document: Document) -> str:
    """The state of a cited document: "read" for what is no web page, and for copies of lost pages."""
    if not isinstance(document, WebPage) or (document.state in LOST and document.text):
        return "read"
    return document.state


def left_out(document: Document) -> bool:
    """Whether a citation of it can be neither right nor wrong: nobody could look."""
    state = state_of(document)
    return state != "read" and state not in LOST


def evidence(document: Document, statement: str) -> Source:
    """What a judge reads of a document to decide on a statement.

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
    found = sorted(_corpus(document).best(statement, most), key=lambda one: one.start)
    chosen = found or list(_corpus(document).passages[:most])
    text = GAP.join(one.content.strip() for one in chosen)
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
