"""Claims and factuality: models compare the answer with the gold.

Claim recall of ALCE (Gao et al. 2023, section 3): claims entailed by the answer without its citations /
claims of the gold.

Factuality (Zhu et al. 2024, section 4.3; OpenAI's evals): a judge says how the answer, as it was written,
compares with the expert's: A a subset of it, B a superset, C the same, D disagreement, E differences that
don't matter, F no answer. B, C and E count. It wants its judge named, as the default one or as
``factuality(judge=openai/gpt-4o)``, so that nobody spends money by accident.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.metrics.correctness.accuracy import plain_text
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    Entails,
    Factual,
    JudgeRequest,
    Question,
    Source,
    Tally,
)
from argue_bench.records.question import as_text
from argue_bench.stats.averages import Average, macro


@dataclass(frozen=True)
class Claims(Metric):
    """Share of the gold claims that the answer entails."""

    judge: str = ""

    name: ClassVar[str] = "claims"
    needs: ClassVar[str] = "claims in its gold"
    summary: ClassVar[str] = "which share of the gold claims does the answer make?"
    paper: ClassVar[str] = "Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {"recall": macro("recall")}
    ranking: ClassVar[tuple[str, ...]] = ()
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        claims = () if question.gold is None else question.gold.claims
        if not claims:
            return {"recall": NOT_APPLICABLE}
        text = self.read(answer)
        # Nothing is asked of an empty text, and no claim is entailed by it.
        if not text.strip():
            return {"recall": Tally(0.0, len(claims), "no answer")}
        # The answer is the premise here, and the gold the hypothesis.
        requests = [Entails((Source("answer", text),), claim) for claim in claims]
        verdicts = yield requests
        missing = [request.hypothesis for request in requests if not verdicts[request].yes]
        note = f"missing: {'; '.join(missing)}" if missing else ""
        return {"recall": Tally(len(requests) - len(missing), len(requests), note)}

    def read(self, answer: Answer) -> str:
        """The words of an answer that may entail claims."""
        return plain_text(answer)


RIGHT = frozenset("BCE")
"""The letters that count: a superset, the same, and differences that do not matter (FanOutQA)."""


@dataclass(frozen=True)
class Factuality(Metric):
    """Whether a judge finds the answer to agree with the expert's."""

    judge: str = ""

    name: ClassVar[str] = "factuality"
    needs: ClassVar[str] = "a reference answer: --columns reference=NAME"
    summary: ClassVar[str] = "does a judge find the answer to agree with the gold answer?"
    paper: ClassVar[str] = "Zhu et al. 2024 (FanOutQA)"
    scores: ClassVar[Mapping[str, Average]] = {"accuracy": macro("accuracy")}
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
        verdicts = yield [request]
        letter = str(verdicts[request].value)
        return {"accuracy": Tally(float(letter in RIGHT), note=letter)}


def reference_text(question: Question) -> str:
    """The gold answer as text; nothing where there is none."""
    return "" if question.gold is None else as_text(question.gold.answer)
