"""The BM25 baseline: documents in, ranked passages out.

from argue_bench import load_dev
from argue_bench.retrieval import Corpus

corpus = Corpus(load_dev().documents.values())
for passage in corpus.best("When did the bridge open?", k=5):
    print(passage.score, passage.title, passage.content)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from argue_bench.records import Document, Evidence
from argue_bench.retrieval.chunks import cut_passages
from argue_bench.retrieval.engines import ENGINES, Engine, EngineName, order

__all__ = ["Corpus", "Passage"]

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document. ``start`` counts characters; ``score`` is BM25+, 0 before a search."""

    document: str
    title: str
    content: str
    start: int
    score: float = 0.0


class Corpus:
    """Documents, cut into passages of at most ``doc_len`` characters and indexed at the first search.

    ``engine``: "fast" (bm25s), "plain" (rank-bm25) or "once" (no index, for a corpus that is asked
    once); all give the same order.
    """

    def __init__(
        self, documents: Iterable[Document], doc_len: int = 2048, engine: EngineName = "fast"
    ) -> None:
        self._engine_name = engine
        self.passages: Sequence[Passage] = tuple(
            Passage(document.id, document.title, content, start)
            for document in documents
            for start, content in cut_passages(document.text, doc_len)
        )

    @classmethod
    def ready(cls, passages: Sequence[Passage], engine: Engine | None) -> Corpus:
        """Passages with an engine that knows them already, as from an `index` on disk."""
        corpus = cls(())
        corpus.passages = passages
        if engine is not None:
            corpus.engine = engine
        return corpus

    @classmethod
    def from_wikipedia(
        cls, evidence: Iterable[Evidence], doc_len: int = 2048, engine: EngineName = "fast"
    ) -> Corpus:
        """The Wikipedia pages of a question (``question.evidence``), as at the data set's epoch.

        Raises DataError with every page that could not be had, MissingExtra.
        """
        from argue_bench.retrieval.wikipedia import Wikipedia

        return cls(Wikipedia().documents(evidence).values(), doc_len, engine)

    def best(self, query: str, k: int | None = None) -> Iterator[Passage]:
        """Passages from best to worst, all of them or the first ``k``; none for an empty query."""
        asked = index_terms(query)
        if not asked or not self.passages or (k is not None and k <= 0):
            return
        scores = self.engine.scores(asked)
        for i in order(scores, k):
            found = self.passages[i]
            yield Passage(found.document, found.title, found.content, found.start, float(scores[i]))

    @cached_property
    def engine(self) -> Engine:
        """What scores the passages, made at the first search."""
        return ENGINES[self._engine_name](
            [index_terms(f"{passage.title} {passage.content}") for passage in self.passages]
        )

    def __len__(self) -> int:
        return len(self.passages)


def index_terms(text: str) -> Sequence[str]:
    """The words that are indexed and searched: runs of letters and digits, case folded.

    >>> list(index_terms("The Ålvik Bridge, 1931"))
    ['the', 'ålvik', 'bridge', '1931']
    """
    folded = text.casefold()
    # Folded at once where that folds every word alike: it may not make letters of marks, or more of one.
    if len(folded) == len(text) and "\u0345" not in text:
        return _WORD.findall(folded)
    return [word.casefold() for word in _WORD.findall(text)]
