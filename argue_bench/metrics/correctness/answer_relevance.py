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

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.metrics.compat import ragas
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
from argue_bench.text.overlap import stems
from argue_bench.text.statements import stated_sentences

GUESSES = 3
"""Questions guessed from an answer, ragas' strictness."""


@dataclass(frozen=True)
class AnswerRelevance(Metric):
    """The share of an answer's sentences that help to answer the question."""

    rules: Literal["default", "ragas"] = "default"
    judge: str = ""

    name: ClassVar[str] = "answer_relevance"
    summary: ClassVar[str] = "is the answer about the question?"
    paper: ClassVar[str] = "Es et al. 2024 (ragas)"
    scores: ClassVar[Mapping[str, Average]] = {
        "relevant": macro("relevant"),
        "answered": macro("answered"),
    }
    headline: ClassVar[tuple[str, ...]] = ("relevant",)
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Refuses, HelpsAnswer, GuessQuestion)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        worded = any(map(str.isalnum, answer.plain))
        stated = [one.text for one in stated_sentences(question, answer)]
        nothing = Tally(0.0) if self.rules == "ragas" else NOT_APPLICABLE
        if not worded or (not stated and self.rules == "default"):
            why = "it states nothing" if worded else "empty"
            return {"relevant": nothing, "answered": Tally(0.0, note=why)}
        refuses = Refuses(question.text, answer.plain)
        if (yield [refuses])[refuses].yes:
            return {"relevant": nothing, "answered": Tally(0.0, note="declines")}
        if self.rules == "ragas":
            guesses = [GuessQuestion(answer.plain, str(n + 1)) for n in range(GUESSES)]
            verdicts = yield guesses
            guessed = [str(verdicts[one].value) for one in guesses]
            alike = [ragas.cosine(stems(question.text), stems(one)) for one in guessed]
            note = " | ".join(one[:200] for one in guessed)
            value = Tally(ragas.answer_relevance(alike), 1.0, note)
            return {"relevant": value, "answered": Tally(1.0)}
        requests = [HelpsAnswer(text, question.text) for text in stated]
        verdicts = yield list(dict.fromkeys(requests))
        beside = [str(n) for n, one in enumerate(requests, 1) if not verdicts[one].yes]
        note = f"not about the question: {', '.join(beside)}" if beside else ""
        helping = len(stated) - len(beside)
        return {"relevant": Tally(helping, len(stated), note), "answered": Tally(1.0)}

    def later_requests(
        self, question: Question, answer: Answer, documents: Documents
    ) -> Mapping[str, tuple[int, int]]:
        """A guess three times, or a verdict on each sentence, where the answer does not decline."""
        if self.rules == "ragas":
            return {"GuessQuestion": (0, GUESSES)} if answer.sentences else {}
        return {"HelpsAnswer": (0, len(answer.sentences))} if answer.sentences else {}
