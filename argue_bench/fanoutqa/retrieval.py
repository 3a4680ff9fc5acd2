"""FanOutQA's baseline retriever under its own names: `Corpus` of the Wikipedia pages of a question."""

from __future__ import annotations

from collections.abc import Iterable

from argue_bench import retrieval
from argue_bench.published.fanoutqa.wikipedia import Wikipedia
from argue_bench.records import Evidence
from argue_bench.retrieval import Passage as RetrievalResult
from argue_bench.retrieval import cut_passages, index_terms

__all__ = ["Corpus", "RetrievalResult", "chunk_text"]


class Corpus(retrieval.Corpus):
    """Wikipedia pages cut into passages, searched by BM25+ (see `argue_bench.retrieval.Corpus`).

    ``best(query)`` yields passages with ``title`` and ``content``, the best first. Raises DataError with
    every page that could not be had, MissingExtra.
    """

    def __init__(self, documents: Iterable[Evidence], doc_len: int = 2048) -> None:
        super().__init__(Wikipedia().documents(documents).values(), doc_len)

    @staticmethod
    def tokenize(text: str) -> list[str]:
        """The words of a text or query that are indexed and searched."""
        return list(index_terms(text))


def chunk_text(text: str, max_chunk_size: int = 1024) -> list[str]:
    """A text in passages of at most ``max_chunk_size`` characters; joined, they give it whole."""
    return [content for _, content in cut_passages(text, max_chunk_size)]
