"""Length: words between white space, without citation marks (after Gao et al. 2023, ALCE)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.base import Metric, Tallies
from argue_bench.metrics.correctness.accuracy import plain_text
from argue_bench.records import Answer, Documents, Question, Tally
from argue_bench.stats.averages import Average, mean_count


@dataclass(frozen=True)
class Length(Metric):
    """Words per answer."""

    name: ClassVar[str] = "length"
    summary: ClassVar[str] = "how many words does the answer have?"
    paper: ClassVar[str] = "Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {"words": mean_count("words")}

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        return {"words": Tally(len(plain_text(answer).split()))}
