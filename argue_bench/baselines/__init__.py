"""Baselines: systems to compare with, from quoted sentences to a language model with retrieval.

Those without a model are here: one quotes the best sentences, three are floors to read scores against.

    bm25-extractive    the sentences that BM25+ ranks first
    nearest-sentences  the sentences nearest to the question and its request, no two of them alike
    lead-sentences     how each document begins: fluent, rightly cited, and right only by luck
    random-citations   the sentences of bm25-extractive with random citations, so that only metrics that
                       check citations can tell the two apart
    stuffing           titles and every number from 0 to 2100: how much a metric that looks for strings
                       pays for saying everything

None of them reads gold.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from math import fsum, log, sqrt
from typing import Any, ClassVar, Literal, cast

from argue_bench import satellites
from argue_bench.errors import UnknownName, UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Document, Question
from argue_bench.retrieval import Corpus, Passage
from argue_bench.text import sentences
from argue_bench.text.overlap import porter_stems

# The documents that a system may read in each setting. Gold is never among them.
#
# closedbook        nothing
# evidenceprovided  the documents that the question lists; for FanOutQA the Wikipedia pages of its evidence
# openbook          all documents of the set, by BM25+; for FanOutQA the pages that Wikipedia's search finds

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
            return cast("Mapping[str, Document]", self._wikipedia.documents(question))
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


# Passages that are searched for sentences, and sentences that are quoted, at most.
_PASSAGES, _QUOTED = 10, 15
# Characters of a document in which its first sentence ends.
_OPENING = 2_000
# Small counts and all years are among the numbers up to this one.
_NUMBERS = 2_100
# Share of a sentence's stems that one quoted before may have, at most.
_NEW = 0.7


class Baseline(ABC):
    """A system for one data set and setting; it answers one question at a time."""

    name: ClassVar[str]
    summary: ClassVar[str]

    def __init__(self, documents: DocumentAccess) -> None:
        self._documents = documents

    @abstractmethod
    def answer(self, question: Question) -> str:
        """The answer as text, with citation marks."""

    def _passages(self, question: Question) -> list[Passage]:
        """The documents listed with the question, whole; where none are, the passages that search finds."""
        listed = self._documents.documents(question).items()
        whole = [Passage(id, one.title, one.text, 0) for id, one in listed]
        return whole or self._documents.best(question, _PASSAGES)

    def _sentences(self, passages: Iterable[Passage]) -> dict[str, str]:
        """The sentences to quote, each with the document that it stands in: no questions, and no few words."""
        return {
            sentence: one.document
            for one in passages
            for sentence in sentences(one.content, self._documents.document(one.document).language)
            if len(sentence.split()) > 3 and not sentence.rstrip().endswith("?")
        }


class ExtractiveBM25(Baseline):
    """Quotes the best sentences of the best passages, within the request's limit."""

    name = "bm25-extractive"
    summary = "quotes the sentences that BM25+ ranks first, each with its citation"

    def answer(self, question: Question) -> str:
        chosen = (with_citation(piece.content, piece.document) for piece in self.quoted(question))
        return first_within(chosen, question) or refusal_sentence(question)

    def quoted(self, question: Question) -> Sequence[Passage]:
        """The sentences to quote, the best first."""
        pieces = self._sentences(self._documents.best(question, _PASSAGES))
        found = (Document(id, one, language=question.language) for one, id in pieces.items())
        # Passages longer than any sentence: each sentence is ranked whole.
        return list(Corpus(found, 10_000).best(search_query(question), _QUOTED))


class NearestSentences(Baseline):
    """Quotes the sentences nearest to the question and its request, each of which says something new.

    Nearest by the cosine of their stems, weighted by how few sentences have them (Salton and Buckley
    1988); a sentence of whose stems an earlier one has most is passed over.
    """

    name = "nearest-sentences"
    summary = "quotes the sentences nearest to the question, each with its citation"

    def answer(self, question: Question) -> str:
        pieces = self._sentences(self._passages(question))
        nearest = _nearest(list(pieces), search_query(question))
        chosen = (with_citation(sentence, pieces[sentence]) for sentence in nearest)
        return first_within(chosen, question) or refusal_sentence(question)


def _nearest(pieces: Sequence[str], query: str) -> list[str]:
    """The pieces nearest to the query, the nearest first, without those that say nothing new."""
    read = {piece: frozenset(porter_stems(piece)) for piece in pieces}
    among = Counter(chain.from_iterable(read.values()))
    wanted = frozenset(porter_stems(query))
    weights = {one: log(1 + len(read) / among[one]) for one in among}

    def weight(some: frozenset[str]) -> float:
        # Rounded once: a sum in a set's order would differ from process to process, and break ties so.
        return fsum(weights[one] for one in some)

    near = {piece: weight(own & wanted) / sqrt(weight(own)) for piece, own in read.items() if own}
    kept: list[str] = []
    for piece in sorted(near, key=lambda piece: (-near[piece], piece)):
        if len(kept) == 2 * _QUOTED:
            break
        if all(len(read[piece] & read[one]) < _NEW * len(read[piece]) for one in kept):
            kept.append(piece)
    return kept


class LeadSentences(Baseline):
    """Quotes the first sentence of each document that the question lists, or that search finds."""

    name = "lead-sentences"
    summary = "quotes how each document begins, each sentence with its citation"

    def answer(self, question: Question) -> str:
        leads = []
        for one in self._passages(question)[:_PASSAGES]:
            language = self._documents.document(one.document).language
            first = sentences(one.content[:_OPENING].strip(), language)[: one.start == 0]
            leads += [with_citation(o, one.document) for o in first if any(map(str.isalnum, o))]
        return first_within(leads, question) or refusal_sentence(question)


class RandomCitations(ExtractiveBM25):
    """Quotes like the parent, but cites a document drawn at random (seeded by the question's id)."""

    name = "random-citations"
    summary = "says what bm25-extractive says, and cites documents drawn at random"

    def answer(self, question: Question) -> str:
        listed = [*self._documents.documents(question)] or [
            *dict.fromkeys(p.document for p in self._documents.best(question, 5 * _PASSAGES))
        ]
        draw = random.Random(question.id)
        chosen = (
            with_citation(piece.content, draw.choice(listed)) for piece in self.quoted(question)
        )
        return first_within(chosen, question) or refusal_sentence(question)


class Stuffing(Baseline):
    """Lists titles and numbers, as many as the limit allows; without a limit, all of them."""

    name = "stuffing"
    summary = "titles of the documents and all numbers to 2100: what saying everything earns"

    def answer(self, question: Question) -> str:
        if self._documents.setting == "closedbook":
            titles = [question.text]
        elif question.evidence:  # titles are public; no page needs to be fetched
            titles = [page.title for page in question.evidence]
        elif listed := self._documents.documents(question):
            titles = [document.title for document in listed.values() if document.title]
        else:
            found = self._documents.best(question, _PASSAGES)
            titles = list(dict.fromkeys(passage.title for passage in found if passage.title))
        return first_within([*titles, *map(str, range(_NUMBERS + 1))], question)


# The baselines that need no model, by name.
BASELINES: dict[str, type[Baseline]] = {
    one.name: one
    for one in (ExtractiveBM25, NearestSentences, LeadSentences, RandomCitations, Stuffing)
}


def generate(name: str, dataset: Dataset, setting: Setting) -> Iterator[dict[str, str]]:
    """The lines of a baseline's submission, ``{"id", "answer"}``, one a question, in the set's order.


    Raises UnknownName, UsageError where the setting needs documents that the set lacks, and
    DataError where Wikipedia cannot be reached.
    """
    if name not in BASELINES:
        raise UnknownName("system", name, tuple(BASELINES), see="argue-bench list baselines")
    baseline = BASELINES[name](DocumentAccess(dataset, setting))
    for question in dataset:
        yield {"id": question.id, "answer": baseline.answer(question)}
