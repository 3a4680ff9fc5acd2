"""Citations: whether what is cited, or what was provided, supports each sentence."""

from argue_bench.metrics.citations.contexts import (
    ContextPrecision,
    ContextRecall,
    ContextRelevance,
)
from argue_bench.metrics.citations.faithfulness import Faithfulness
from argue_bench.metrics.citations.metric import Citations
from argue_bench.metrics.citations.relevance import Relevance
from argue_bench.metrics.citations.sources import Sources
from argue_bench.metrics.citations.support import Support

__all__ = [
    "Citations",
    "ContextPrecision",
    "ContextRecall",
    "ContextRelevance",
    "Faithfulness",
    "Relevance",
    "Sources",
    "Support",
]
