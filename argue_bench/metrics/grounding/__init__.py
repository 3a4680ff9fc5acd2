"""Grounding: answers that stay on their documents, and refuse where these hold no answer."""

from argue_bench.metrics.grounding.judged import GroundingJudge
from argue_bench.metrics.grounding.metric import Grounding

__all__ = ["Grounding", "GroundingJudge"]
