"""deepeval: a metric of ours that needs no gold, for `assert_test` and `evaluate` of deepeval.

    assert_test(LLMTestCase(input=..., actual_output=..., retrieval_context=[...]), [ArgueBenchMetric("faithfulness")])

A score that does not apply, or that nobody judged, is None and neither passes nor fails.
"""

from __future__ import annotations

import asyncio
import math
from typing import Any

from argue_bench.adapters.task import macro_scores, score_row
from argue_bench.errors import MissingExtra
from argue_bench.eval.flags import flag_lines
from argue_bench.metrics import parse

try:
    from deepeval.metrics import BaseMetric
except ImportError:
    raise MissingExtra("the adapter for deepeval", "deepeval") from None


class ArgueBenchMetric(BaseMetric):
    """The first headline score of a metric; ``reason`` lists the flagged sentences, the surest first.

    Raises UsageError for a metric without a score that a harness can average; `measure` raises DataError and JudgeError.
    """

    def __init__(
        self, metric: str = "faithfulness", threshold: float = 0.5, judge: str = "lexical"
    ) -> None:
        # deepeval copies a metric for each case, by the attributes that have the names of these parameters.
        self.metric, self.threshold, self.judge = metric, threshold, judge
        self._score = next(iter(macro_scores(parse(metric))))

    @property
    def __name__(self) -> str:
        return f"{self.metric}.{self._score}"

    def measure(self, test_case: Any, *args: Any, **options: Any) -> float | None:
        row = {
            "user_input": test_case.input,
            "response": test_case.actual_output,
            # deepeval's own source of a context stands beside its text.
            "retrieved_contexts": [
                one if isinstance(one, str) else {"text": one.context, "id": one.source}
                for one in test_case.retrieval_context or test_case.context or ()
            ],
            "reference": test_case.expected_output,
        }
        found, report = score_row(row, parse(self.metric), self.judge)
        self.score = None if math.isnan(found[self._score]) else found[self._score]
        self.reason = "\n".join(flag_lines(report))
        self.is_successful()
        return self.score

    def is_successful(self) -> bool | None:
        counted = self.score is not None or self.error is not None
        self.success: bool | None = super().is_successful() if counted else None
        return self.success

    async def a_measure(self, test_case: Any, *args: Any, **options: Any) -> float | None:
        return await asyncio.to_thread(self.measure, test_case)
