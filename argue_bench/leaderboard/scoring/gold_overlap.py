"""Checks how much wording of the gold a submission contains: a rate for the maintainer alone.

An answer holds gold verbatim if it has eight words in a row, in one sentence, of its question's gold
(answers, claims, nugget questions) that occur neither in the question, nor in its documents, nor in a
document that the answer cites: quoting documents is not suspect, knowing the gold's wording is. A
system's rate is compared with the other systems' rates in its setting: SWE-bench asked
makers of systems above 20 % where the mean was 6.7 % (post of 2025-11-19). Rates are kept within the
sealed tallies and shown in the sealed diagnosis.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer, Gold, Question

RUN = 8
"""Words in a row."""
MOST_DOCUMENTS = 1_000
"""Of a collection that is read whole where a question lists none of its own."""
LEAST_RATE, TIMES_OTHERS = 0.05, 2.0
"""A rate above both, the share and so many times the highest of the others, is worth a look."""
_WORD = re.compile(r"\w+")
_END = re.compile(r"[.!?]\s|\n")
_MARK = re.compile(r"\[[^\[\]\n]{1,200}\]")

Rate = tuple[int, int]
"""(answers that hold gold verbatim, questions whose gold has eight words)"""


def gold_overlap(answers: Iterable[Answer], dataset: Dataset) -> Rate:
    """How many answers hold wording of the gold that was not there to be read, of how many."""
    got = of = 0
    for answer in answers:
        question = dataset.by_id[answer.id]
        if question.gold is None:
            continue
        gold = {run for text in _texts(question.gold) for run in _runs(text)}
        if not gold:
            continue
        of += 1
        held = gold.intersection(_runs(answer.text))
        if held:
            cited = {id for sentence in answer.sentences for id in sentence.citations}
            open_to_all = _read(question, dataset, cited)
            got += any(f" {' '.join(run)} " not in open_to_all for run in held)
    return got, of


def overlap_note(setting: str, rate: Rate, others: Sequence[Rate]) -> str:
    """One line for the diagnosis: the rate, the other systems' rates, and whether it is worth a look."""
    if not rate[1]:
        return f"verbatim {setting}: no gold of {RUN} words"
    shares = [got / of for got, of in others if of]
    own = rate[0] / rate[1]
    line = f"verbatim {setting}: {rate[0]} of {rate[1]} answers ({100 * own:.1f} %)"
    if shares:
        line += (
            f"; {len(shares)} others: median {100 * median(shares):.1f} %,"
            f" highest {100 * max(shares):.1f} %"
        )
    return f"{line}; LOOK AT IT" if is_suspect(rate, others) else line


def is_suspect(rate: Rate, others: Sequence[Rate]) -> bool:
    """Whether a rate stands out from the others'."""
    shares = [got / of for got, of in others if of]
    own = rate[0] / rate[1] if rate[1] else 0.0
    return own > LEAST_RATE and own > TIMES_OTHERS * max(shares, default=0.0)


def _read(question: Question, dataset: Dataset, cited: Iterable[str]) -> str:
    """The texts that may be quoted: the question, its documents or a small collection, and
    cited documents."""
    few = bool(question.documents) or len(dataset.documents) <= MOST_DOCUMENTS
    documents = dict(dataset.documents_of(question)) if few else {}
    documents |= {id: dataset.documents[id] for id in cited if id in dataset.documents}
    texts = [question.text, *(f"{one.title}\n{one.text}" for one in documents.values())]
    return "\n".join(f" {' '.join(_words(text))} " for text in texts)


def _texts(gold: Gold) -> Iterator[str]:
    yield from _strings(gold.answer)
    yield from gold.long_answers
    yield from gold.claims
    for short in gold.short_answers:
        yield short.question
        yield from short.answers
    for nugget in gold.nuggets:
        yield nugget.question
        for accepted in nugget.answers:
            yield accepted.text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from _strings(inner)


def _words(text: str) -> list[str]:
    return _WORD.findall(_MARK.sub(" ", text).casefold())


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    for piece in _END.split(_MARK.sub(" ", text)):
        words = _words(piece)
        yield from (tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1))
