"""The documents that a system may read in each setting. Gold is never among them.

closedbook        nothing
evidenceprovided  the documents that the question lists; for FanOutQA the Wikipedia pages of its evidence
openbook          all documents of the set, by BM25+; for FanOutQA the pages that Wikipedia's search finds

Wikipedia's search finds pages that hold all words of a query, and few pages hold all words of a long
question. So the names and phrases of the question are searched for as well, until enough pages are found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from argue_bench.errors import UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Document, Question
from argue_bench.retrieval import Corpus, Passage
from argue_bench.retrieval.index import load_or_build_index

if TYPE_CHECKING:
    from argue_bench.records import Evidence
    from argue_bench.retrieval.wikipedia import Wikipedia

Setting = Literal["closedbook", "openbook", "evidenceprovided"]
SETTINGS: tuple[Setting, ...] = ("closedbook", "openbook", "evidenceprovided")
PAGES_SEARCHED = 5
"""Pages of Wikipedia that an open-book search reads for one question."""
_SEARCHES = 5
"""Searches for one question, at most."""
_WORD = re.compile(r"(?:\w\.){2,}|\w[\w'’.&-]*\w|\w|[^\w\s]")
_OF = re.compile(r"([A-Z]\S*) (?:of|of the|for the) (?=[A-Z])")
_REFUSALS = {
    "en": "I cannot answer this question from the documents that I was given.",
    "fr": "Je ne peux pas répondre à cette question à partir des documents fournis.",
}


class DocumentAccess:
    """Documents and passages for the questions of one data set in one setting.

    ``index``: a folder where the search index of the whole set is kept. Raises UsageError where the
    setting needs documents that the set lacks.
    """

    def __init__(self, dataset: Dataset, setting: Setting, index: Path | None = None) -> None:
        self._dataset, self.setting, self._index = dataset, setting, index
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
            return self._wikipedia.documents(question.evidence)
        return self._dataset.documents_of(question) if question.documents else {}

    def best(self, question: Question, k: int) -> list[Passage]:
        """The k best passages for the question. Raises DataError as `documents` does."""
        if self.setting == "closedbook":
            return []
        if self.setting == "evidenceprovided":
            corpus = Corpus(self.documents(question).values(), engine="once")
        elif self._on_wikipedia:
            found = self._wikipedia.documents(self._searched(question), pass_over_missing=True)
            corpus = Corpus(found.values(), engine="once")
        else:
            corpus = self._all_documents
        return list(corpus.best(search_query(question), k))

    def document(self, id: str) -> Document:
        """A document of the set; one without text or date where the set has none, as of Wikipedia."""
        return self._dataset.documents.get(id) or Document(id, "")

    def _searched(self, question: Question) -> list[Evidence]:
        pages: dict[str, Evidence] = {}
        for query in (question.text, *phrases(question.text))[:_SEARCHES]:
            for page in self._wikipedia.search(query, PAGES_SEARCHED):
                pages.setdefault(page.title, page)
            if len(pages) >= PAGES_SEARCHED:
                break
        return list(pages.values())[:PAGES_SEARCHED]

    @cached_property
    def _all_documents(self) -> Corpus:
        build = partial(Corpus, self._dataset.documents.values())
        if self._index is None:
            return build()
        # The text names the index on disk: another one, and indexes kept by users are built anew.
        return load_or_build_index(build, self._index, f"{self._dataset.title}, passages of 2048")

    @cached_property
    def _wikipedia(self) -> Wikipedia:
        from argue_bench.retrieval.wikipedia import Wikipedia

        return Wikipedia()


def phrases(text: str) -> list[str]:
    """Names and phrases of an English question: the runs of words between stop words and marks.

    Those with a name come first, and of them the longest; a single word counts only if it is a name.

    >>> phrases("What is the batting hand of each of the first five picks in the 1998 MLB draft?")
    ['1998 MLB draft', 'batting hand']
    >>> phrases("Who fought in the War of the Third Coalition?")
    ['War of the Third Coalition']
    """
    from spacy.lang.en.stop_words import STOP_WORDS

    runs: list[list[str]] = [[]]
    before = "."
    joined = _OF.sub(lambda name: name[0].replace(" ", "_"), text)
    for word in _WORD.findall(joined):
        named = word[0].isupper() and before not in ".?!"
        before = word
        if not word[0].isalnum() or (word.casefold() in STOP_WORDS and not named):
            runs.append([])
        else:
            runs[-1].append(word.replace("_", " "))

    def weight(run: list[str]) -> tuple[bool, int]:
        return any(word[0].isupper() for word in run), len(" ".join(run).split())

    useful = [run for run in runs if run and weight(run) > (False, 1)]
    return list(dict.fromkeys(map(" ".join, sorted(useful, key=weight, reverse=True))))


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
