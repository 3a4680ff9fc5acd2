"""Wikipedia as the book of FanOutQA's questions: the pages of their evidence, or those that a search finds.

Wikipedia's search finds pages that hold all words of a query, and few pages hold all words of a long
question. So the names and phrases of the question are searched for as well, until enough pages are found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from argue_bench.published.fanoutqa.wikipedia import Wikipedia
from argue_bench.records import Document, Evidence, Question
from argue_bench.text.vocabulary import STOP

PAGES_SEARCHED = 5
"""Pages that an open-book search reads for one question: FanOutQA's own baseline reads as many."""
_SEARCHES = 5
"""Searches for one question, at most, since each is a request to Wikipedia's servers."""
_ASKING = "name list give tell find show first last next many much two three four five ten"
_COMMON = STOP | frozenset(_ASKING.split(" "))
"""Words that are no part of a phrase: those without content, and what questions ask with."""
_WORD = re.compile(r"(?:\w\.){2,}|\w[\w'’.&-]*\w|\w|[^\w\s]")
_OF = re.compile(r"([A-Z]\S*) (?:of|of the|for the) (?=[A-Z])")


class OpenBook:
    """The pages of Wikipedia that a system may read. Raises DataError where it cannot be reached."""

    def __init__(self) -> None:
        self._wikipedia = Wikipedia()

    def documents(self, question: Question) -> Mapping[str, Document]:
        """The pages of the question's evidence, by title."""
        return self._wikipedia.documents(question.evidence)

    def search(self, question: Question) -> Mapping[str, Document]:
        """The pages that searches for the question and its phrases find, by title."""
        pages: dict[str, Evidence] = {}
        for query in (question.text, *phrases(question.text))[:_SEARCHES]:
            for page in self._wikipedia.search(query, PAGES_SEARCHED):
                pages.setdefault(page.title, page)
            if len(pages) >= PAGES_SEARCHED:
                break
        return self._wikipedia.documents(
            list(pages.values())[:PAGES_SEARCHED], pass_over_missing=True
        )


def phrases(text: str) -> list[str]:
    """Names and phrases of an English question: the runs of words between stop words and marks.

    Those with a name come first, and of them the longest; a single word counts only if it is a name.

    >>> phrases("What is the batting hand of each of the first five picks in the 1998 MLB draft?")
    ['1998 MLB draft', 'batting hand']
    >>> phrases("Who fought in the War of the Third Coalition?")
    ['War of the Third Coalition']
    """
    runs: list[list[str]] = [[]]
    before = "."
    joined = _OF.sub(lambda name: name[0].replace(" ", "_"), text)
    for word in _WORD.findall(joined):
        named = word[0].isupper() and before not in ".?!"
        before = word
        if not word[0].isalnum() or (word.casefold() in _COMMON and not named):
            runs.append([])
        else:
            runs[-1].append(word.replace("_", " "))

    def weight(run: list[str]) -> tuple[bool, int]:
        return any(word[0].isupper() for word in run), len(" ".join(run).split())

    useful = [run for run in runs if run and weight(run) > (False, 1)]
    return list(dict.fromkeys(map(" ".join, sorted(useful, key=weight, reverse=True))))
