"""BLEURT and factuality: models compare the answer with the gold answer.

BLEURT (Sellam et al. 2020): a learned number for how alike the answer and the gold answer as text are;
an unanswered question is compared as an empty text. Factuality (Zhu et al. 2024, section 4.3; OpenAI's
evals): a judge says how the answer compares with the expert's: A a subset of it, B a superset, C the
same, D disagreement, E differences that don't matter, F no answer. B, C and E count.

Both read the answer as it was written. Factuality wants its judge named, ``factuality(judge=NAME)``
with ``--judge NAME=SPEC``: no data set runs it by itself, so that no money is spent by accident.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.metrics.compat.fanoutqa import as_text
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    Factual,
    JudgeRequest,
    Question,
    Similar,
    Tally,
)
from argue_bench.stats.averages import Average, macro

RIGHT = frozenset("BCE")


@dataclass(frozen=True)
class Bleurt(Metric):
    """How alike answer and gold answer are, as BLEURT says."""

    judge: str = ""

    name: ClassVar[str] = "bleurt"
    summary: ClassVar[str] = "how alike are the answer and the gold answer to a model?"
    paper: ClassVar[str] = "Sellam et al. 2020; Zhu et al. 2024 (FanOutQA)"
    scores: ClassVar[Mapping[str, Average]] = {"score": macro("score")}
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Similar,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        reference = _reference(question)
        if not reference:
            return {"score": NOT_APPLICABLE}
        request = Similar(reference, answer.text)
        verdicts = yield [request]
        return {"score": Tally(float(verdicts[request].value))}


@dataclass(frozen=True)
class Factuality(Metric):
    """Whether a judge finds the answer to agree with the expert's."""

    judge: str

    name: ClassVar[str] = "factuality"
    summary: ClassVar[str] = "does a judge find the answer to agree with the gold answer?"
    paper: ClassVar[str] = "Zhu et al. 2024 (FanOutQA)"
    scores: ClassVar[Mapping[str, Average]] = {"accuracy": macro("accuracy")}
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Factual,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        reference = _reference(question)
        if not reference:
            return {"accuracy": NOT_APPLICABLE}
        if answer.empty:
            return {"accuracy": Tally(0.0, note="no answer")}
        request = Factual(question.text, reference, answer.text)
        verdicts = yield [request]
        letter = str(verdicts[request].value)
        return {"accuracy": Tally(float(letter in RIGHT), note=letter)}


def _reference(question: Question) -> str:
    return "" if question.gold is None else as_text(question.gold.answer)
