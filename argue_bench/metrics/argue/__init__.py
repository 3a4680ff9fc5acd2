"""ARGUE: nuggets and citations, judged sentence by sentence; nuggetizer's scores and rubrics beside it."""

from argue_bench.metrics.argue.judging import JudgedReport, judge_report
from argue_bench.metrics.argue.metric import Argue
from argue_bench.metrics.argue.nuggetizer import Nuggets
from argue_bench.metrics.argue.rubric import Rubric
from argue_bench.metrics.argue.tree import PRESETS, Rules, SentenceOutcome

__all__ = [
    "PRESETS",
    "Argue",
    "JudgedReport",
    "Nuggets",
    "Rubric",
    "Rules",
    "SentenceOutcome",
    "judge_report",
]
