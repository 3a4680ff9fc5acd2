"""Factuality (Zhu et al. 2024, section 4.3; OpenAI's evals): a model compares the answer with the gold.

A judge says how the answer, as it was written, compares with the expert's: A a subset of it, B a superset, C the
same, D disagreement, E differences that don't matter, F no answer. B, C and E count. It wants its judge named, as
the default one or as ``factuality(judge=openai/gpt-4o)``, so that nobody spends money by accident.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    Factual,
    JudgeRequest,
    Question,
    Tally,
)
from argue_bench.records.question import as_text
from argue_bench.stats.averages import Average, macro

# The letters that count: a superset, the same, and differences that do not matter (FanOutQA).
RIGHT = frozenset("BCE")


@dataclass(frozen=True)
class Factuality(Metric):
    """Whether a judge finds the answer to agree with the expert's."""

    judge: str = ""

    name: ClassVar[str] = "factuality"
    family: ClassVar[str] = "correctness"
    needs: ClassVar[str] = "a reference answer: --columns reference=NAME"
    summary: ClassVar[str] = "does a judge find the answer to agree with the gold answer?"
    paper: ClassVar[str] = "Zhu et al. 2024 (FanOutQA)"
    scores: ClassVar[Mapping[str, Average]] = {"accuracy": macro("accuracy")}
    ranking: ClassVar[tuple[str, ...]] = ("accuracy",)
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Factual,)
    wants_judge: ClassVar[str] = "PROVIDER/MODEL"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        reference = reference_text(question)
        if not reference:
            return {"accuracy": NOT_APPLICABLE}
        # No money is spent on what is not there.
        if answer.empty:
            return {"accuracy": Tally(0.0, note="no answer")}
        request = Factual(question.text, reference, answer.text)
        letter = str((yield [request])[request].value)
        return {"accuracy": Tally(float(letter in RIGHT), note=letter)}


def reference_text(question: Question) -> str:
    """The gold answer as text; nothing where there is none."""
    return "" if question.gold is None else as_text(question.gold.answer)
