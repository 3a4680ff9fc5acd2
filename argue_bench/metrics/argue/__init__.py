"""ARGUE: nuggets and citations, judged sentence by sentence; and nuggetizer's scores beside it."""

from argue_bench.metrics.argue.judging import JudgedReport, judge_report
from argue_bench.metrics.argue.metric import Argue
from argue_bench.metrics.argue.nuggetizer import Nuggets
from argue_bench.metrics.argue.tree import PRESETS, Rules, SentenceOutcome

__all__ = [
    "PRESETS",
    "Argue",
    "JudgedReport",
    "Nuggets",
    "Rules",
    "SentenceOutcome",
    "judge_report",
]
