"""Is the answer right? Strings, words, spans, claims and lists compared with the gold answer."""

from argue_bench.metrics.correctness.accuracy import Accuracy
from argue_bench.metrics.correctness.rouge import Rouge, RougeLsum

__all__ = ["Accuracy", "Rouge", "RougeLsum"]
