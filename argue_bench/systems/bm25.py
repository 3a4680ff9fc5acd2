"""An extractive baseline: the sentences that BM25+ likes best, each with its citation.

It reads no gold and knows no language beyond words. What it may look at depends on the setting:
closedbook nothing, so it refuses; openbook the whole set; evidenceprovided the question's documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Document, Question
from argue_bench.retrieval import Corpus, Passage
from argue_bench.systems.base import Setting
from argue_bench.text import sentences

_REFUSAL = {
    "en": "I cannot answer this question from the documents that I was given.",
    "fr": "Je ne peux pas répondre à cette question à partir des documents fournis.",
}


class ExtractiveBM25:
    """Quotes at most ``most`` sentences out of the best ``passages``, within the request's limit."""

    name = "bm25-extractive"

    def __init__(
        self, dataset: Dataset, setting: Setting, passages: int = 10, most: int = 15
    ) -> None:
        self._dataset, self._setting = dataset, setting
        self._passages, self._most = passages, most

    def answer(self, question: Question) -> str:
        chosen = self._sentences(question) if self._setting != "closedbook" else []
        limit = question.request.limit if question.request else None
        text = ""
        for passage in chosen:
            longer = f"{text} {_cited(passage)}".strip()
            if limit is not None and len(longer) > limit:
                break
            text = longer
        return text or _REFUSAL.get(question.language, _REFUSAL["en"])

    def _sentences(self, question: Question) -> list[Passage]:
        query = wanted(question)
        found = list(self._corpus(question).best(query, self._passages))
        pieces = [
            Document(passage.document, sentence, language=question.language)
            for passage in found
            for sentence in sentences(passage.content, self._language(passage))
            if len(sentence.split()) > 3 and not sentence.rstrip().endswith("?")
        ]
        best = Corpus(_distinct(pieces), doc_len=10_000).best(query, self._most)
        return list(best)

    def _corpus(self, question: Question) -> Corpus:
        if self._setting == "openbook":
            return self._everything
        return Corpus(self._dataset.documents_of(question).values())

    @cached_property
    def _everything(self) -> Corpus:
        return Corpus(self._dataset.documents.values())

    def _language(self, passage: Passage) -> str:
        return self._dataset.documents[passage.document].language


def wanted(question: Question) -> str:
    """What to search for: the question and what its request adds."""
    request = question.request
    parts = [question.text]
    if request is not None:
        parts += [request.title, request.problem_statement]
    return " ".join(filter(None, parts))


def _distinct(pieces: Iterable[Document]) -> Iterable[Document]:
    seen: Mapping[str, Document] = {piece.text: piece for piece in pieces}
    return seen.values()


def _cited(passage: Passage) -> str:
    """The sentence with its citation before the full stop, as readers of citations expect."""
    text = " ".join(passage.content.split())
    end = len(text.rstrip(".!?"))
    return f"{text[:end]} [{passage.document}]{text[end:] or '.'}"
