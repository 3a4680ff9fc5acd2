"""Web pages as documents: their states, and which passages of long pages a judge reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from argue_bench.records import Document, Source, State

if TYPE_CHECKING:
    from argue_bench.retrieval import Corpus, Passage

# Between passages that do not follow each other, so that a judge sees that something is left out.
GAP = "\n[...]\n"
# On 114 labelled claims (WiCE) 8 passages of this size held the support of 95.6 %.
PASSAGE = 1_000
"""The longest passage of a page, in characters."""


@dataclass(frozen=True, slots=True)
class WebPage(Document):
    """A web page as it was when it was fetched; its id is the address's `identity_key`.

    ``passages``: how many passages of a long text a judge reads, 0 for the whole text.
    """

    fetched: ClassVar[bool] = True

    state: State = "read"
    passages: int = 0

    @classmethod
    def evidence_of(cls, documents: Sequence[Document], statement: str) -> Sequence[Source]:
        """The pages as they are, or of pages that are long together as many passages as of one long page.

        These are the passages that BM25+ ranks first for the statement, page by page in their order.
        """
        pages = [one for one in documents if isinstance(one, WebPage) and one.passages]
        most = max((one.passages for one in pages), default=0)
        # Pages that fit together are read whole, as a judge without this bound would read them.
        if sum(len(one.text) for one in pages) <= most * PASSAGE:
            return list(map(Source.of, documents))
        corpus, cut = _corpus(tuple(pages)), {one.id for one in pages}
        chosen: defaultdict[str, list[Passage]] = defaultdict(list)
        # A statement without any word finds nothing: then the pages' beginnings are read.
        for one in list(corpus.best(statement, most)) or corpus.passages[:most]:
            chosen[one.document].append(one)
        return [
            _joined(one, chosen[one.id]) if one.id in cut else Source.of(one)
            for one in documents
            if one.id in chosen or one.id not in cut
        ]


def _joined(document: Document, passages: Iterable[Passage]) -> Source:
    """The title and these passages of a page, in its order."""
    ordered = sorted(passages, key=lambda one: one.start)
    text = GAP.join(one.content.strip() for one in ordered)
    return Source(document.id, "\n".join(filter(None, (document.title, text))))


# The sentences of an answer are held against the same few pages.
@lru_cache(maxsize=16)
def _corpus(pages: tuple[WebPage, ...]) -> Corpus:
    from argue_bench.retrieval import Corpus

    return Corpus(pages, PASSAGE)
