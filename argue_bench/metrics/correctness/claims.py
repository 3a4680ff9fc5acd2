"""Claim recall: the share of the gold claims that the answer makes.

ALCE's claim recall (Gao et al. 2023, section 3): claims entailed by the answer without its citations /
claims of the gold. ``rules=alce`` reads the first line of the output, as ALCE's evaluator does, and
``rules=rageval`` all of it with its citations, as rageval's metric does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.metrics.compat import alce
from argue_bench.metrics.correctness.accuracy import plain_text
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    Entails,
    JudgeRequest,
    Question,
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
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        claims = () if question.gold is None else question.gold.claims
        if not claims:
            return {"recall": NOT_APPLICABLE}
        if self.rules == "rageval":
            text = answer.text
        else:
            text = alce.plain(answer.text) if self.rules == "alce" else plain_text(answer)
        if not text.strip():
            return {"recall": Tally(0.0, len(claims), "no answer")}
        requests = [Entails((Source("answer", text),), claim) for claim in claims]
        verdicts = yield requests
        missing = [request.hypothesis for request in requests if not verdicts[request].yes]
        note = f"missing: {'; '.join(missing)}" if missing else ""
        return {"recall": Tally(len(requests) - len(missing), len(requests), note)}
