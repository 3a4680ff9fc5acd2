"""Citations: whether the cited documents support each sentence."""

from argue_bench.metrics.citations.metric import Citations
from argue_bench.metrics.citations.support import Support

__all__ = ["Citations", "Support"]
