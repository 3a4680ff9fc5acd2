"""What may a system look at, in which setting?

closedbook        nothing
evidenceprovided  the documents that the question lists; FanOutQA's, the Wikipedia pages of its evidence
openbook          all documents of the set, by BM25+; FanOutQA's, the pages that a search of Wikipedia finds

An encyclopedia's search finds pages with all words of a query, and few pages have all words of a long
question; so its names and phrases are searched as well until enough pages are found.

Gold is never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.baselines.base import Setting
from argue_bench.errors import UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Document, Question
from argue_bench.retrieval import Corpus, Passage
from argue_bench.retrieval.index import load_or_build

if TYPE_CHECKING:
    from argue_bench.records import Evidence
    from argue_bench.retrieval.wikipedia import Wikipedia

PAGES_SEARCHED = 5
"""Pages of Wikipedia that an open-book search reads for one question."""
_SEARCHES = 5
"""Searches for one question, at most."""
_WORD = re.compile(r"(?:\w\.){2,}|\w[\w'’.&-]*\w|\w|[^\w\s]")
_OF = re.compile(r"([A-Z]\S*) (?:of|of the|for the) (?=[A-Z])")


class Library:
    """Documents and passages for the questions of one data set in one setting.

    ``index``: a folder where the index of the whole set is kept. Raises UsageError where the setting
    needs documents that the set lacks.
    """

    def __init__(
        self, dataset: Dataset, setting: Setting, doc_len: int = 2048, index: Path | None = None
    ) -> None:
        self._dataset, self.setting, self._doc_len, self._index = dataset, setting, doc_len, index
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
        """What the question itself brings, by id, in its order; none in the other settings.

        Raises DataError where pages of Wikipedia can't be had.
        """
        if self.setting != "evidenceprovided":
            return {}
        if self._on_wikipedia:
            return self._wikipedia.documents(question.evidence)
        return self._dataset.documents_of(question) if question.documents else {}

    def best(self, question: Question, k: int) -> list[Passage]:
        """The k best passages for the question. Raises DataError as `documents` does."""
        if self.setting == "closedbook":
            return []
        return list(self._corpus(question).best(wanted(question), k))

    def language(self, id: str) -> str:
        """The language of a document."""
        found = self._dataset.documents.get(id)
        return found.language if found is not None else "en"

    def date(self, id: str) -> str:
        """The day of a document, if it has one."""
        found = self._dataset.documents.get(id)
        return found.date if found is not None else ""

    def _corpus(self, question: Question) -> Corpus:
        if self.setting == "evidenceprovided":
            return Corpus(self.documents(question).values(), self._doc_len, "once")
        if self._on_wikipedia:
            found = self._wikipedia.documents(self._searched(question), pass_over_missing=True)
            return Corpus(found.values(), self._doc_len, "once")
        return self._everything

    def _searched(self, question: Question) -> list[Evidence]:
        pages: dict[str, Evidence] = {}
        for query in (question.text, *phrases(question.text))[:_SEARCHES]:
            for page in self._wikipedia.search(query, PAGES_SEARCHED):
                pages.setdefault(page.title, page)
            if len(pages) >= PAGES_SEARCHED:
                break
        return list(pages.values())[:PAGES_SEARCHED]

    @cached_property
    def _everything(self) -> Corpus:
        def made() -> Corpus:
            return Corpus(self._dataset.documents.values(), self._doc_len)

        if self._index is None:
            return made()
        return load_or_build(
            made, self._index, f"{self._dataset.title}, passages of {self._doc_len}"
        )

    @cached_property
    def _wikipedia(self) -> Wikipedia:
        from argue_bench.retrieval.wikipedia import Wikipedia

        return Wikipedia()


def phrases(text: str) -> list[str]:
    """Names and phrases of an English question: what stands between its stop words and marks.

    Those with a name come first, and of them the longest; a lone word is one only if it is a name.

    >>> phrases("What is the batting hand of each of the first five picks in the 1998 MLB draft?")
    ['1998 MLB draft', 'batting hand']
    >>> phrases("Who fought in the War of the Third Coalition?")
    ['War of the Third Coalition']
    """
    from spacy.lang.en.stop_words import STOP_WORDS

    runs: list[list[str]] = [[]]
    before = "."
    for word in _WORD.findall(_OF.sub(_joined, text)):
        named = word[0].isupper() and before not in ".?!"
        before = word
        if not word[0].isalnum() or (word.casefold() in STOP_WORDS and not named):
            runs.append([])
        else:
            runs[-1].append(word.replace("_", " "))

    def telling(run: list[str]) -> tuple[bool, int]:
        return any(word[0].isupper() for word in run), len(" ".join(run).split())

    load_or_build = [run for run in runs if run and telling(run) > (False, 1)]
    ordered = sorted(load_or_build, key=telling, reverse=True)
    return list(dict.fromkeys(" ".join(run) for run in ordered))


def _joined(name: re.Match[str]) -> str:
    return name[0].replace(" ", "_")


def wanted(question: Question) -> str:
    """What to search for: the question and what its request adds."""
    request = question.request
    parts = [question.text]
    if request is not None:
        parts += [request.title, request.problem_statement]
    return " ".join(filter(None, parts))


def cited(text: str, id: str) -> str:
    """The sentence with its citation before the full stop, as readers of citations expect."""
    text = " ".join(text.split())
    end = len(text.rstrip(".!?"))
    return f"{text[:end]} [{id}]{text[end:] or '.'}"


def within(sentences: Iterable[str], limit: int | None) -> str:
    """As many whole sentences from the first on as fit into ``limit`` characters."""
    text = ""
    for sentence in sentences:
        longer = f"{text} {sentence}".strip()
        if limit is not None and len(longer) > limit:
            break
        text = longer
    return text


def limit_of(question: Question) -> int | None:
    """The request's limit in characters."""
    return question.request.limit if question.request else None


REFUSALS = {
    "en": "I cannot answer this question from the documents that I was given.",
    "fr": "Je ne peux pas répondre à cette question à partir des documents fournis.",
}


def refusal(question: Question) -> str:
    """The sentence of a system that has nothing to say, in the question's language."""
    return REFUSALS.get(question.language, REFUSALS["en"])
