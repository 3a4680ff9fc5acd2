"""The documents that a system may read in each setting. Gold is never among them.

closedbook        nothing
evidenceprovided  the documents that the question lists; for FanOutQA the Wikipedia pages of its evidence
openbook          all documents of the set, by BM25+; for FanOutQA the pages that Wikipedia's search finds
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Literal

from argue_bench import satellites
from argue_bench.errors import UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Document, Question
from argue_bench.retrieval import Corpus, Passage

Setting = Literal["closedbook", "openbook", "evidenceprovided"]
SETTINGS: tuple[Setting, ...] = ("closedbook", "openbook", "evidenceprovided")
_REFUSALS = {
    "en": "I cannot answer this question from the documents that I was given.",
    "fr": "Je ne peux pas répondre à cette question à partir des documents fournis.",
}


class DocumentAccess:
    """Documents and passages for the questions of one data set in one setting.

    Raises UsageError where the
    setting needs documents that the set lacks.
    """

    def __init__(self, dataset: Dataset, setting: Setting) -> None:
        self._dataset, self.setting = dataset, setting
        self._on_wikipedia = not dataset.documents and any(q.evidence for q in dataset)
        if setting != "closedbook" and not dataset.documents and not self._on_wikipedia:
            raise UsageError(
                f"{dataset.name} comes without documents, so {setting} has nothing to read. "
                "Use --setting closedbook."
            )
        listed = self._on_wikipedia or any(question.documents for question in dataset)
        if setting == "evidenceprovided" and not listed:
            raise UsageError(
                f"no question of {dataset.name} lists documents, so {setting} has nothing to read. "
                "Use --setting openbook."
            )

    def documents(self, question: Question) -> Mapping[str, Document]:
        """The documents that the question lists, by id, in its order; none in the other settings.

        Raises DataError where Wikipedia cannot be reached.
        """
        if self.setting != "evidenceprovided":
            return {}
        if self._on_wikipedia:
            found: Mapping[str, Document] = self._wikipedia.documents(question)
            return found
        return self._dataset.documents_of(question) if question.documents else {}

    def best(self, question: Question, k: int) -> list[Passage]:
        """The k best passages for the question. Raises DataError as `documents` does."""
        if self.setting == "closedbook":
            return []
        if self.setting == "evidenceprovided":
            corpus = Corpus(self.documents(question).values())
        elif self._on_wikipedia:
            corpus = Corpus(self._wikipedia.search(question).values())
        else:
            corpus = self._all_documents
        return list(corpus.best(search_query(question), k))

    def document(self, id: str) -> Document:
        """A document of the set; one without text or date where the set has none, as of Wikipedia."""
        return self._dataset.documents.get(id) or Document(id, "")

    @cached_property
    def _all_documents(self) -> Corpus:
        return Corpus(self._dataset.documents.values())

    @cached_property
    def _wikipedia(self) -> Any:
        """The pages of a question's evidence, and those that a search for it finds, both by title."""
        return satellites.import_text(satellites.WIKIPEDIA)()


def search_query(question: Question) -> str:
    """The search query: the question and the parts that its request adds."""
    parts = [question.text]
    if question.request is not None:
        parts += [question.request.title, question.request.problem_statement]
    return " ".join(filter(None, parts))


def with_citation(text: str, id: str) -> str:
    """The sentence with its citation before the full stop, where readers of citations expect it."""
    text = " ".join(text.split())
    end = len(text.rstrip(".!?"))
    return f"{text[:end]} [{id}]{text[end:] or '.'}"


def first_within(sentences: Iterable[str], question: Question) -> str:
    """The first sentences, as many as fit whole into the request's limit of characters."""
    limit = question.request.limit if question.request else None
    text = ""
    for sentence in sentences:
        longer = f"{text} {sentence}".strip()
        if limit is not None and len(longer) > limit:
            break
        text = longer
    return text


def refusal_sentence(question: Question) -> str:
    """The sentence of a system that finds no answer, in the language of the question."""
    return _REFUSALS.get(question.language, _REFUSALS["en"])
