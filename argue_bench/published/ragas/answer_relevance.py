"""Answer relevance: whether the answer is about the question, whether or not it is true.

    relevant     sentences of the answer that help to answer the question / its sentences
                 (answer relevancy as deepeval defines it); the mean over answers
    answered     answers that state something / answers

An answer that declines or is empty states nothing: ``relevant`` does not apply. Nor do
courtesies and announcements count ("Hope this helps!", `argue_bench.text.statements`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.base import Bounds, Metric, TallySteps
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    HelpsAnswer,
    JudgeRequest,
    Question,
    Refuses,
    Tally,
)
from argue_bench.stats.averages import Average, macro
from argue_bench.text.statements import stated_sentences


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
