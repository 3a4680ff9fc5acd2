"""Does what is cited support each sentence?"""

from argue_bench.metrics.citations.metric import Citations

__all__ = ["Citations"]
