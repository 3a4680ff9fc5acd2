"""Claims, BLEURT and factuality: models compare the answer with the gold.

Claim recall of ALCE (Gao et al. 2023, section 3): claims entailed by the answer without its citations /
claims of the gold. ``rules=alce`` reads the first line of the output, as ALCE's evaluator does, and
``rules=rageval`` all of it with its citations, as rageval's metric does.

BLEURT (Sellam et al. 2020): a learned number for how alike the answer and the gold answer as text are;
an unanswered question is compared as an empty text. Factuality (Zhu et al. 2024, section 4.3; OpenAI's
evals): a judge says how the answer compares with the expert's: A a subset of it, B a superset, C the
same, D disagreement, E differences that don't matter, F no answer. B, C and E count.

BLEURT and factuality read the answer as it was written. Both want their judge named, as the default one or
as ``factuality(judge=openai/gpt-4o)``: BLEURT is one model's number, and nobody spends money by accident.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.metrics.compat import alce
from argue_bench.metrics.compat.fanoutqa import as_text
from argue_bench.metrics.correctness.accuracy import stated_answer
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    Entails,
    Factual,
    JudgeRequest,
    Question,
    Similar,
    Source,
    Tally,
)
from argue_bench.stats.averages import Average, macro


@dataclass(frozen=True)
class Claims(Metric):
    """Share of the gold claims that the answer entails."""

    rules: Literal["default", "alce", "rageval"] = "default"
    judge: str = ""

    name: ClassVar[str] = "claims"
    summary: ClassVar[str] = "which share of the gold claims does the answer make?"
    paper: ClassVar[str] = "Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {"recall": macro("recall")}
    ranking: ClassVar[tuple[str, ...]] = ()
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        claims = () if question.gold is None else question.gold.claims
        if not claims:
            return {"recall": NOT_APPLICABLE}
        if self.rules == "rageval":
            text = answer.text
        else:
            text = (
                alce.plain(answer.text) if self.rules == "alce" else stated_answer(answer, claims)
            )
        if not text.strip():
            return {"recall": Tally(0.0, len(claims), "no answer")}
        requests = [Entails((Source("answer", text),), claim) for claim in claims]
        verdicts = yield requests
        missing = [request.hypothesis for request in requests if not verdicts[request].yes]
        note = f"missing: {'; '.join(missing)}" if missing else ""
        return {"recall": Tally(len(requests) - len(missing), len(requests), note)}


RIGHT = frozenset("BCE")


@dataclass(frozen=True)
class Bleurt(Metric):
    """The similarity of answer and gold answer, by BLEURT."""

    judge: str = ""

    name: ClassVar[str] = "bleurt"
    summary: ClassVar[str] = "how alike are the answer and the gold answer to a model?"
    paper: ClassVar[str] = "Sellam et al. 2020; Zhu et al. 2024 (FanOutQA)"
    scores: ClassVar[Mapping[str, Average]] = {"score": macro("score")}
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Similar,)
    wants_judge: ClassVar[str] = "bleurt:MODEL"

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

    judge: str = ""

    name: ClassVar[str] = "factuality"
    summary: ClassVar[str] = "does a judge find the answer to agree with the gold answer?"
    paper: ClassVar[str] = "Zhu et al. 2024 (FanOutQA)"
    scores: ClassVar[Mapping[str, Average]] = {"accuracy": macro("accuracy")}
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Factual,)
    wants_judge: ClassVar[str] = "PROVIDER/MODEL"

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
