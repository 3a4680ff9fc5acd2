"""Answer relevance: whether the answer is about the question, whether or not it is true.

    relevant     sentences of the answer that help to answer the question / its sentences
                 (answer relevancy as deepeval defines it); the mean over answers
    answered     answers that state something / answers

``rules=ragas`` is the formula of Es et al. 2024, section 3: the judge guesses three questions from the
answer; the score is the mean similarity of those to the one that was asked, and 0 for an answer that
declines. The similarity here is the cosine of the words of two questions; ragas takes the cosine of
embeddings, so its figures are higher. A language model should be the judge; the lexical one guesses
no questions.

By our own rules an answer that declines or is empty states nothing: ``relevant`` does not apply. Nor do
courtesies and announcements count ("Hope this helps!", `argue_bench.text.statements`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

from argue_bench.metrics.base import Bounds, Metric, TallySteps
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    GuessQuestion,
    HelpsAnswer,
    JudgeRequest,
    Question,
    Refuses,
    Tally,
)
from argue_bench.stats.averages import Average, macro
from argue_bench.text.overlap import porter_stems
from argue_bench.text.statements import stated_sentences

GUESSES = 3
"""Questions guessed from an answer, ragas' strictness."""


@dataclass(frozen=True)
class AnswerRelevance(Metric):
    """The share of an answer's sentences that help to answer the question."""

    judge: str = ""

    name: ClassVar[str] = "answer_relevance"
    family: ClassVar[str] = "correctness"
    summary: ClassVar[str] = "is the answer about the question?"
    paper: ClassVar[str] = "Es et al. 2024 (ragas)"
    scores: ClassVar[Mapping[str, Average]] = {
        "relevant": macro("relevant"),
        "answered": macro("answered"),
    }
    headline: ClassVar[tuple[str, ...]] = ("relevant",)
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Refuses, HelpsAnswer)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        stated = [one.text for one in stated_sentences(question, answer)]
        if not stated:
            why = "it states nothing" if any(map(str.isalnum, answer.plain)) else "empty"
            return {"relevant": NOT_APPLICABLE, "answered": Tally(0.0, note=why)}
        refuses = Refuses(question.text, answer.plain)
        if (yield [refuses])[refuses].yes:
            return {"relevant": NOT_APPLICABLE, "answered": Tally(0.0, note="declines")}
        requests = [HelpsAnswer(text, question.text) for text in stated]
        verdicts = yield list(dict.fromkeys(requests))
        beside = [str(n) for n, one in enumerate(requests, 1) if not verdicts[one].yes]
        note = f"not about the question: {', '.join(beside)}" if beside else ""
        helping = len(stated) - len(beside)
        return {"relevant": Tally(helping, len(stated), note), "answered": Tally(1.0)}

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """A verdict on each sentence, where the answer does not decline."""
        return {"HelpsAnswer": (0, len(answer.sentences))} if answer.sentences else {}


@dataclass(frozen=True)
class RagasAnswerRelevance(AnswerRelevance):
    """The likeness of the question to those that a judge guesses from the answer."""

    rules: ClassVar[str] = "ragas"
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Refuses, GuessQuestion)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        if not any(map(str.isalnum, answer.plain)):
            return {"relevant": Tally(0.0), "answered": Tally(0.0, note="empty")}
        refuses = Refuses(question.text, answer.plain)
        if (yield [refuses])[refuses].yes:
            return {"relevant": Tally(0.0), "answered": Tally(0.0, note="declines")}
        # The number makes three requests of one text: each guess is drawn anew.
        guesses = [GuessQuestion(answer.plain, str(n + 1)) for n in range(GUESSES)]
        verdicts = yield guesses
        guessed = [str(verdicts[one].value) for one in guesses]
        # ragas compares embeddings; words need no model, and give lower figures.
        alike = [cosine(porter_stems(question.text), porter_stems(one)) for one in guessed]
        note = " | ".join(one[:200] for one in guessed)
        return {"relevant": Tally(fmean(alike), 1.0, note), "answered": Tally(1.0)}

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """The guesses, where the answer does not decline."""
        return {"GuessQuestion": (0, GUESSES)} if answer.sentences else {}


def cosine(one: Sequence[str], other: Sequence[str]) -> float:
    """The cosine of two lists of words, each a vector of how often it occurs; 0 where one is empty."""
    a, b = Counter(one), Counter(other)
    lengths = math.hypot(*a.values()) * math.hypot(*b.values())
    return sum(count * b[word] for word, count in a.items()) / lengths if lengths else 0.0
