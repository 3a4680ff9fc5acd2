"""An extractive baseline: the sentences that BM25+ likes best, each with its citation.

It reads no gold and knows no language beyond words. What it may look at depends on the setting:
closedbook nothing, so it refuses; openbook the whole set; evidenceprovided the question's documents.
"""

from __future__ import annotations

from collections.abc import Sequence

from argue_bench.baselines.library import Library, cited, limit_of, refusal, wanted, within
from argue_bench.records import Document, Question
from argue_bench.retrieval import Corpus, Passage
from argue_bench.text import sentences


class ExtractiveBM25:
    """Quotes at most ``most`` sentences out of the best ``passages``, within the request's limit."""

    name = "bm25-extractive"

    def __init__(self, library: Library, passages: int = 10, most: int = 15) -> None:
        self._library, self._passages, self._most = library, passages, most

    def answer(self, question: Question) -> str:
        chosen = (cited(piece.content, piece.document) for piece in self.quoted(question))
        return within(chosen, limit_of(question)) or refusal(question)

    def quoted(self, question: Question) -> Sequence[Passage]:
        """The sentences that it quotes, the best first."""
        found = self._library.best(question, self._passages)
        pieces = {
            sentence: Document(passage.document, sentence, language=question.language)
            for passage in found
            for sentence in sentences(passage.content, self._library.language(passage.document))
            if len(sentence.split()) > 3 and not sentence.rstrip().endswith("?")
        }
        corpus = Corpus(pieces.values(), 10_000, "once")
        return list(corpus.best(wanted(question), self._most))
