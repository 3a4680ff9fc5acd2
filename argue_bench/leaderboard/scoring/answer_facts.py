"""Facts about a submission's answers that need no gold: their lengths, and how much of them is copied.

A word is copied if it stands in a row of `RUN` words of its answer that stands so in one of the documents
that its question lists or that the answer cites, without case, marks, punctuation and look-alike letters:
a word put into each sentence leaves the rows beside it. A system that quotes is no cheat: what a board
shows is that it is one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from statistics import median

from argue_bench.leaderboard.formats.names import skeleton
from argue_bench.leaderboard.formats.results import AnswerFacts
from argue_bench.loaders.answers import citation_indexes
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import answer_length
from argue_bench.records import Answer

RUN = 5
"""Words in a row that hardly anybody writes by chance."""
_WORD = re.compile(r"\w+")


def answer_facts(answers: Iterable[Answer], dataset: Dataset, cut: int = 0) -> AnswerFacts:
    """The facts about answers as they are scored; ``cut`` of them were longer before."""
    index = citation_indexes(dataset)
    lengths: list[int] = []
    copied = of = 0
    for answer in answers:
        question = dataset.by_id[answer.id]
        lengths.append(answer_length(answer, index(question)))
        here, words = _copied(answer, [*question.documents], dataset)
        copied, of = copied + here, of + words
    share = round(copied / of, 4) if of else None
    return AnswerFacts(round(median(lengths or [0])), max(lengths, default=0), cut, share)


def _copied(answer: Answer, listed: Collection[str], dataset: Dataset) -> tuple[int, int]:
    """How many words of an answer are copied, and how many it has; (0, 0) where there are no sources."""
    cited = (id for sentence in answer.sentences for id in sentence.citations)
    known = [id for id in dict.fromkeys([*listed, *cited]) if id in dataset.documents]
    words = _words(answer.plain) if known else []
    places: dict[tuple[str, ...], list[int]] = {}
    for place, row in enumerate(_rows(words)):
        places.setdefault(row, []).append(place)
    copied: set[int] = set()
    for id in known:
        for row in _rows(_words(dataset.documents[id].text)):
            for place in places.pop(row, ()):
                copied.update(range(place, place + RUN))
    return len(copied), len(words)


def _rows(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(RUN)), strict=False)


def _words(text: str) -> list[str]:
    return [skeleton(word) for word in _WORD.findall(text)]
