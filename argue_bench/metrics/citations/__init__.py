"""Citations: whether the cited documents support each sentence."""

from argue_bench.metrics.citations.metric import Citations

__all__ = ["Citations"]
