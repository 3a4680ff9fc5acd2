"""What do scores look like for systems that understand nothing? Three floors to read others against.

lead-sentences    how each document begins: fluent, cited rightly, answers what openings happen to answer
random-citations  what bm25-extractive says, each sentence citing a document drawn at random: only
                  metrics that check citations can tell the two apart
stuffing          titles of the documents and every number from 0 to 2100, and no gold: what a
                  metric that looks for strings pays for saying everything
"""

from __future__ import annotations

import random

from argue_bench.baselines.bm25 import ExtractiveBM25
from argue_bench.baselines.library import Library, cited, limit_of, refusal, within
from argue_bench.records import Document, Question
from argue_bench.text import sentences

_DOCUMENTS = 10
_OPENING = 2_000
_NUMBERS = 2_100


class LeadSentences:
    """The first sentence of each document that the question lists, or that is found for it."""

    name = "lead-sentences"

    def __init__(self, library: Library) -> None:
        self._library = library

    def answer(self, question: Question) -> str:
        return within(self._leads(question), limit_of(question)) or refusal(question)

    def _leads(self, question: Question) -> list[str]:
        openings = {
            document.id: document.text
            for document in list(self._library.documents(question).values())[:_DOCUMENTS]
        } or {
            passage.document: passage.content
            for passage in self._library.best(question, _DOCUMENTS)
            if passage.start == 0
        }
        leads = []
        for id, text in openings.items():
            first = sentences(text[:_OPENING].strip(), self._library.language(id))[:1]
            leads += [cited(one, id) for one in first if any(map(str.isalnum, one))]
        return leads


class RandomCitations:
    """The baseline's sentences, each citing one of the documents found, drawn by question and place."""

    name = "random-citations"

    def __init__(self, library: Library) -> None:
        self._library, self._quoting = library, ExtractiveBM25(library)

    def answer(self, question: Question) -> str:
        pieces = self._quoting.quoted(question)
        listed = [*self._library.documents(question)] or [
            *dict.fromkeys(p.document for p in self._library.best(question, 5 * _DOCUMENTS))
        ]
        draw = random.Random(question.id)
        chosen = (cited(piece.content, draw.choice(listed)) for piece in pieces)
        return within(chosen, limit_of(question)) or refusal(question)


class Stuffing:
    """Titles and numbers, as many as the limit allows; without a limit, all of them."""

    name = "stuffing"

    def __init__(self, library: Library) -> None:
        self._library = library

    def answer(self, question: Question) -> str:
        words = [*self._titles(question), *map(str, range(_NUMBERS + 1))]
        return within(words, limit_of(question))

    def _titles(self, question: Question) -> list[str]:
        if self._library.setting == "closedbook":
            return [question.text]
        if question.evidence:  # titles are public; no page needs to be fetched
            return [page.title for page in question.evidence]
        listed: dict[str, Document] = dict(self._library.documents(question))
        if listed:
            return [document.title for document in listed.values() if document.title]
        found = self._library.best(question, _DOCUMENTS)
        return list(dict.fromkeys(passage.title for passage in found if passage.title))
