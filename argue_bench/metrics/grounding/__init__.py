"""Grounding: does the answer stay on its documents, and refuse where they hold no answer?"""

from argue_bench.metrics.grounding.judged import GroundingJudge
from argue_bench.metrics.grounding.metric import Grounding

__all__ = ["Grounding", "GroundingJudge"]
