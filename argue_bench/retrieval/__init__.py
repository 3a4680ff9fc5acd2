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
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version

from argue_bench.records import Document, Evidence
from argue_bench.retrieval.chunks import cut_passages
from argue_bench.retrieval.engines import (
    DELTA,
    ENGINES,
    K1,
    MOST_PLAIN,
    B,
    Engine,
    EngineName,
    rank,
)
from argue_bench.satellites import WIKIPEDIA_PAGES, import_text

__all__ = ["Corpus", "Passage"]

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document.

    ``document`` is its id, ``start`` the place of ``content`` in its text in characters, ``score``
    BM25+ for the query, 0 before a search.
    """

    document: str
    title: str
    content: str
    start: int
    score: float = 0.0


class Corpus:
    """Documents cut into passages, searched by BM25+ over titles and contents.

    ``documents`` may be any number of `Document`; ``doc_len`` is the longest passage in characters, 2,048
    as in FanOutQA. ``engine``: "rank-bm25" or "bm25s", which give the same order; without it rank-bm25 up
    to 2,000 passages, and bm25s above, where its index pays. The index is built at the first search.
    ``len(corpus)`` is the number of passages, ``corpus.passages`` the sequence of them.

        >>> page = Document(id="d1", title="Bridge", text="The bridge opened in 1931. It is red.")
        >>> corpus = Corpus([page], doc_len=30)
        >>> [(p.document, p.start, p.content) for p in corpus.best("red", k=1)]
        [('d1', 27, 'It is red.')]
    """

    def __init__(
        self, documents: Iterable[Document], doc_len: int = 2048, engine: EngineName | None = None
    ) -> None:
        self.passages: Sequence[Passage] = tuple(
            Passage(document.id, document.title, content, start)
            for document in documents
            for start, content in cut_passages(document.text, doc_len)
        )
        small = len(self.passages) <= MOST_PLAIN
        self.engine_name: EngineName = engine or ("rank-bm25" if small else "bm25s")

    @classmethod
    def from_wikipedia(
        cls, evidence: Iterable[Evidence], doc_len: int = 2048, engine: EngineName | None = None
    ) -> Corpus:
        """The Wikipedia pages of a question (``question.evidence``), as at the data set's epoch.

        Raises DataError with every page that could not be had, MissingExtra.
        """
        wikipedia = import_text(WIKIPEDIA_PAGES)()
        return cls(wikipedia.documents(evidence).values(), doc_len, engine)

    def best(self, query: str, k: int | None = None) -> Iterator[Passage]:
        """Passages with their scores, best first: all, or the first ``k``; none for an empty query.

        Passages of equal score come in the order of the documents.
        """
        terms = index_terms(query)
        if not terms or not self.passages or (k is not None and k <= 0):
            return
        scores = self.engine.scores(terms)
        for i in rank(scores, k):
            yield replace(self.passages[i], score=float(scores[i]))

    @cached_property
    def engine(self) -> Engine:
        """The index over the passages, built at the first search."""
        return ENGINES[self.engine_name](
            [index_terms(f"{passage.title} {passage.content}") for passage in self.passages]
        )

    @property
    def signature(self) -> str:
        """What the order of the passages rests on: "bm25+(engine=rank-bm25-0.2.2,k1=1.5,b=0.75,delta=1.0)"."""
        return f"bm25+(engine={self.engine_name}-{version(self.engine_name)},k1={K1},b={B},delta={DELTA})"

    def __len__(self) -> int:
        return len(self.passages)


def index_terms(text: str) -> Sequence[str]:
    """The words that are indexed and searched: runs of letters and digits, case folded.

    >>> list(index_terms("The Ålvik Bridge, 1931"))
    ['the', 'ålvik', 'bridge', '1931']
    """
    folded = text.casefold()
    # Case folding may turn a mark into a letter, or one letter into two; then words are found before it.
    if len(folded) == len(text) and "\u0345" not in text:
        return _WORD.findall(folded)
    return [word.casefold() for word in _WORD.findall(text)]
