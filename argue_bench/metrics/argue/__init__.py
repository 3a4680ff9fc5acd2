"""ARGUE: nuggets and citations, judged sentence by sentence; and nuggetizer's scores beside it."""

from argue_bench.metrics.argue.judgments import (
    JudgedCitation,
    JudgedNugget,
    JudgedReport,
    JudgedSentence,
    judge_report,
    settle,
)
from argue_bench.metrics.argue.metric import Argue
from argue_bench.metrics.argue.nuggetizer import Nuggets
from argue_bench.metrics.argue.rules import PRESETS, Rules
from argue_bench.metrics.argue.tree import Fate, Leaf, Match, Said, climb

__all__ = [
    "PRESETS",
    "Argue",
    "Fate",
    "JudgedCitation",
    "JudgedNugget",
    "JudgedReport",
    "JudgedSentence",
    "Leaf",
    "Match",
    "Nuggets",
    "Rules",
    "Said",
    "climb",
    "judge_report",
    "settle",
]
