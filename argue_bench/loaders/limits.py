"""The bounds of an answer: the characters that its request allows, and sentences.

A request's own limit comes first (``request.limit``); a board's season gives one to questions that
have none. More than 400 sentences or 600 citations are judged of no answer, so that the time of a
scoring is bounded.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from argue_bench.loaders.answer_parser import ParsedAnswer
from argue_bench.loaders.answers import build_answer, citation_indexes
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer, Question
from argue_bench.records.normal_forms import normalise
from argue_bench.text import read_answer
from argue_bench.text.citations import EMPTY_INDEX, CitationIndex
from argue_bench.text.cutting import MEASURES, Unit, cut_at_limit, fitting

OverLimit = Literal["unscored", "cut"]
MOST_SENTENCES = 400
"""Of one answer; the longest report of a TREC track has about 100."""
MOST_CITATIONS = 600
"""Of one answer, where sentences are bounded. Marks do not count as characters, and each is judged."""
MOST_OF_A_SENTENCE = 25
"""Documents that one sentence may cite; what each adds is judged, so the work grows with their square."""
_MAY_END = re.compile(r"[.!?…‽؟۔।。！？\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""What may end a sentence."""


@dataclass(frozen=True)
class AnswerLimits:
    """The limits of an answer, and the treatment of longer ones.

    ``length`` is for questions that set no limit themselves, in the ``unit``; a question's own limit is
    in characters. ``track``: the TREC track whose form a file of answers must have, if any.
    """

    length: int | None = None
    sentences: int | None = None
    over: OverLimit = "unscored"
    unit: Unit = "characters"
    track: str = ""

    def of(self, question: Question) -> tuple[int | None, Unit]:
        """The limit of an answer to this question, and its unit."""
        own = question.request.limit if question.request else None
        return (self.length, self.unit) if own is None else (own, "characters")

    def may_exceed(self, question: Question, text: str, sentences: int) -> bool:
        """Whether an answer must be read to know; ``sentences`` where it came in so many, else 0."""
        limit, unit = self.of(question)
        if self.sentences is not None:
            many = sentences or 1 + sum(1 for _ in _MAY_END.finditer(text))
            if many > self.sentences or sentences or any(mark in text for mark in "[【<#"):
                return True  # what is cited is known once it is read
        # A mark counts for nothing, so the words with marks are an upper bound as the characters are.
        whole = text.split() if unit == "words" else normalise("NFKC", text)
        return limit is not None and len(whole) > limit

    def excess(self, question: Question, answer: Answer, index: CitationIndex) -> str:
        """By how much an answer passes its limits, in words; empty where it does not."""
        (limit, unit), count = self.of(question), len(answer.sentences)
        length = answer_length(answer, index, unit)
        if limit is not None and length > limit:
            return f"{length:,} {unit}, and the request allows {limit:,}"
        if self.sentences is not None and count > self.sentences:
            return f"{count:,} sentences, and at most {self.sentences:,} are judged"
        cited = sum(len(sentence.citations) for sentence in answer.sentences)
        if self.sentences is not None and cited > MOST_CITATIONS:
            return f"{cited:,} citations, and at most {MOST_CITATIONS:,} are judged"
        most = max((len({*one.citations}) for one in answer.sentences), default=0)
        if self.sentences is not None and most > MOST_OF_A_SENTENCE:
            return (
                f"a sentence with {most:,} citations, and at most {MOST_OF_A_SENTENCE} are judged"
            )
        return ""

    def cut(self, question: Question, answer: Answer, index: CitationIndex) -> Answer:
        """The answer up to the last sentence that fits."""
        (limit, unit), most = self.of(question), self.sentences
        # First the bounds of work (sentences, citations), then the length that the request allows.
        if most is not None and (fit := _judged(answer, most)) < len(answer.sentences):
            kept = answer.sentences[:fit]
            answer = replace(
                answer, sentences=kept, text=answer.text[: kept[-1].end] if kept else ""
            )
        if limit is None or answer_length(answer, index, unit) <= limit:
            return answer
        # A report that came as sentences is cut between them; a text is cut in its own words, marks
        # and all.
        if _is_plain(answer):
            texts = [one.plain for one in answer.sentences]
            ends = range(1, len(texts) + 1)
            count = fitting(
                ends, limit, lambda end: MEASURES[unit](" ".join(texts[:end]), EMPTY_INDEX)
            )
            if count:
                return replace(
                    answer, sentences=answer.sentences[:count], text=" ".join(texts[:count])
                )
        text = cut_at_limit(answer.text, limit, index, question.language, unit)
        return read_answer(answer.id, text, index, question.language, answer.run)


@dataclass(frozen=True)
class Limited:
    """Answers within their limits, and which of them were cut: id to what they had before."""

    answers: Mapping[str, Answer]
    cut: Mapping[str, str]


def within_limits(answers: Mapping[str, Answer], dataset: Dataset, limits: AnswerLimits) -> Limited:
    """The answers, those cut that pass their limits."""
    index = citation_indexes(dataset)
    kept: dict[str, Answer] = {}
    cut: dict[str, str] = {}
    for answer in answers.values():
        question = dataset.by_id[answer.id]
        if limits.may_exceed(question, answer.text, len(answer.sentences)):
            own = index(question)
            if excess := limits.excess(question, answer, own):
                cut[answer.id] = excess
                kept[answer.id] = limits.cut(question, answer, own)
    # A chain map writes to its first mapping alone, so that the second may be a file's records.
    both: Mapping[str, Answer] = ChainMap(kept, answers)  # type: ignore[arg-type]
    return Limited(both, cut)


def excess_of(dataset: Dataset, limits: AnswerLimits) -> Callable[[ParsedAnswer], str]:
    """A function that says by how much an answer passes its limits, empty where it does not."""
    index = citation_indexes(dataset)

    def excess(row: ParsedAnswer) -> str:
        question = dataset.by_id[row.id]
        if not limits.may_exceed(question, row.joined, len(row.sentences)):
            return ""
        return limits.excess(question, build_answer(row, question, index), index(question))

    return excess


def unknown_citations(dataset: Dataset) -> Callable[[ParsedAnswer], list[str]] | None:
    """A function that gives the citations of an answer that the set does not have; None where
    the set has no documents.

    An address of the web is no document of any set, and left alone.
    """
    if not dataset.documents:
        return None
    index = citation_indexes(dataset)

    def unknown(row: ParsedAnswer) -> list[str]:
        if not row.sentences and not any(mark in row.joined for mark in "[【<#"):
            return []
        answer = build_answer(row, dataset.by_id[row.id], index)
        cited = [name for sentence in answer.sentences for name in sentence.citations]
        return [name for name in cited if name not in dataset.documents and "://" not in name]

    return unknown


def _judged(answer: Answer, most: int) -> int:
    """How many of the first sentences stay within all bounds."""
    count = total = 0
    for sentence in answer.sentences[:most]:
        total += len(sentence.citations)
        if total > MOST_CITATIONS or len({*sentence.citations}) > MOST_OF_A_SENTENCE:
            break
        count += 1
    return count


def answer_length(answer: Answer, index: CitationIndex, unit: Unit = "characters") -> int:
    """The length of an answer as TREC counts it."""
    return MEASURES[unit](answer.text, EMPTY_INDEX if _is_plain(answer) else index)


def _is_plain(answer: Answer) -> bool:
    """Whether its text is that of its sentences: a report, or a text without marks."""
    return answer.text == " ".join(sentence.plain for sentence in answer.sentences)
