"""Is the answer right? Strings, words, spans, claims and lists compared with the gold answer."""

from argue_bench.metrics.correctness.accuracy import Accuracy
from argue_bench.metrics.correctness.claims import Claims
from argue_bench.metrics.correctness.judged import Bleurt, Factuality
from argue_bench.metrics.correctness.length import Length
from argue_bench.metrics.correctness.mauve import Mauve
from argue_bench.metrics.correctness.rouge import Rouge, RougeLsum
from argue_bench.metrics.correctness.short_answers import QA, Qampari, StrEM

__all__ = [
    "QA",
    "Accuracy",
    "Bleurt",
    "Claims",
    "Factuality",
    "Length",
    "Mauve",
    "Qampari",
    "Rouge",
    "RougeLsum",
    "StrEM",
]
