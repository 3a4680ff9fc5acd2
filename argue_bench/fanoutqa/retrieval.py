"""FanOutQA's baseline retriever under its own name: `Corpus` of the Wikipedia pages of a question."""

from __future__ import annotations

from collections.abc import Iterable

from argue_bench import retrieval
from argue_bench.records import Evidence
from argue_bench.retrieval.wikipedia import Wikipedia


class Corpus(retrieval.Corpus):
    """Wikipedia pages cut into passages, searched by BM25+ (see `argue_bench.retrieval.Corpus`).

    ``best(query)`` yields passages with ``title`` and ``content``, the best first. Raises DataError with
    every page that could not be had, MissingExtra.
    """

    def __init__(self, documents: Iterable[Evidence], doc_len: int = 2048) -> None:
        super().__init__(Wikipedia().documents(documents).values(), doc_len)
