"""What can be seen of a submission's answers without gold: their lengths, and how much is copied.

A sentence is copied if all its words stand in a row in one of the documents that its question lists
or that the answer cites, without case, marks and punctuation; one of fewer than five words may do so by chance
and is not counted. A system that quotes is no cheat: what a board shows is that it is one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from statistics import median

from argue_bench.leaderboard.formats.results import AnswerFacts
from argue_bench.loaders.answers import citation_indexes
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import answer_length
from argue_bench.records import Answer

FEWEST_WORDS = 5
_WORD = re.compile(r"\w+")


def answer_facts(answers: Iterable[Answer], dataset: Dataset, cut: int = 0) -> AnswerFacts:
    """The facts about answers as they are scored; ``cut`` of them were longer before."""
    index = citation_indexes(dataset)
    lengths: list[int] = []
    copied: list[bool] = []
    for answer in answers:
        question = dataset.by_id[answer.id]
        lengths.append(answer_length(answer, index(question)))
        copied += _copied(answer, [*question.documents], dataset)
    share = sum(copied) / len(copied) if copied else None
    return AnswerFacts(
        round(median(lengths or [0])), max(lengths, default=0), cut, share and round(share, 4)
    )


def _copied(answer: Answer, listed: Collection[str], dataset: Dataset) -> Iterator[bool]:
    """For each sentence that is long enough whether it is copied; nothing where there are no sources."""
    cited = (id for sentence in answer.sentences for id in sentence.citations)
    known = [id for id in dict.fromkeys([*listed, *cited]) if id in dataset.documents]
    sources = [_in_a_row(dataset.documents[id].text) for id in known]
    for sentence in answer.sentences if sources else ():
        if len(_WORD.findall(sentence.text)) >= FEWEST_WORDS:
            words = _in_a_row(sentence.text)
            yield any(words in source for source in sources)


def _in_a_row(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "
