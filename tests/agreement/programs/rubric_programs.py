"""What programs do around a rubric's formula: replies, means over items and passes, and sets without a metric here.

Sources as of `argue_bench.published.rubrics.rubric`; FACTS Grounding: arXiv 2501.03200, section 3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from argue_bench.errors import Code, DataError
from argue_bench.records import Tally


def healthbench_reply(text: str) -> bool | None:
    """Whether the grader's reply says that the criterion is met; None where HealthBench asks again.

    A code fence marked ``json`` around the reply is taken off; ``criteria_met`` must be a Boolean.
    """
    try:
        value = json.loads(re.sub(r"\A```json\s*|\s*```\Z", "", text.strip()))
    except (ValueError, RecursionError):
        return None
    met = value.get("criteria_met") if isinstance(value, dict) else None
    return met if isinstance(met, bool) else None


def healthbench_stops(text: str) -> bool:
    """Whether a reply ends the program: it looks for a key in what is neither an object nor a list."""
    try:
        value = json.loads(re.sub(r"\A```json\s*|\s*```\Z", "", text.strip()))
    except (ValueError, RecursionError):
        return False
    if isinstance(value, str | list):
        return "criteria_met" in value
    return not isinstance(value, dict)


def healthbench_mean(scores: Sequence[float]) -> float:
    """The mean over items, clipped to 0 and 1 afterwards."""
    return min(max(_mean(scores), 0.0), 1.0)


def _mean(scores: Sequence[float]) -> float:
    if not scores:
        raise DataError.of(Code.EMPTY, "there is no score to take the mean of", "")
    return sum(scores) / len(scores)


def compliance(lines: Iterable[tuple[str, float, float]]) -> dict[str, float]:
    """ResearchRubrics' later program: lines (sample, score, weight) to a score for each sample.

    The score is whatever number the judge gave, and a sample without a weight above 0 has 0.
    """
    samples: dict[str, list[tuple[float, float]]] = {}
    for sample, score, weight in lines:
        samples.setdefault(sample, []).append((score, weight))
    found = {}
    for sample, rows in samples.items():
        above = sum(weight for _, weight in rows if weight > 0)
        found[sample] = sum(score * weight for score, weight in rows) / above if above else 0.0
    return found


def draco_passes(scores: Sequence[float]) -> tuple[float, float]:
    """Mean and population standard deviation of a score over the passes of a judge."""
    mean = _mean(scores)
    return mean, sqrt(sum((one - mean) ** 2 for one in scores) / len(scores))


DRB2_DIMENSIONS = {
    "info_recall": "inforecall",
    "analysis": "analysis",
    "presentation": "presentation",
}


def deep_research_bench(scores: Mapping[str, Sequence[object]]) -> dict[str, Tally]:
    """Deep Research Bench II: of each dimension, and of all items (``total``), the share with the score
    1; ``blocked_rate`` the share with -1. What is no number (a text, nothing) drops out; true is 1."""
    kept = {
        name: [float(one) for one in scores.get(name, ()) if isinstance(one, (int, float))]
        for name in DRB2_DIMENSIONS
    }
    whole = [one for some in kept.values() for one in some]
    return {
        **{DRB2_DIMENSIONS[name]: Tally(some.count(1.0), len(some)) for name, some in kept.items()},
        "total": Tally(whole.count(1.0), len(whole)),
        "blocked_rate": Tally(whole.count(-1.0), len(whole)),
    }


@dataclass(frozen=True)
class GroundedResponse:
    """Whether each judge finds a response grounded, and eligible, by the judge's name (FACTS Grounding)."""

    grounded: Mapping[str, bool]
    eligible: Mapping[str, bool]


def facts_grounding(responses: Sequence[GroundedResponse], any_judge: bool = False) -> float:
    """FACTS Grounding (arXiv 2501.03200, section 3): the mean over judges of the share that is grounded.

    A response that every judge finds ineligible (``any_judge``: that any does, as NeMo-Skills has it)
    counts as not grounded for all of them. Without regard to eligibility: `facts_unadjusted`.
    """
    out = any if any_judge else all
    kept = [
        replace(one, grounded=dict.fromkeys(one.grounded, False))
        if out(not good for good in one.eligible.values())
        else one
        for one in responses
    ]
    return facts_unadjusted(kept)


def facts_unadjusted(responses: Sequence[GroundedResponse]) -> float:
    """The mean over judges of the share of responses that they find grounded."""
    judges = list(responses[0].grounded) if responses else []
    shares = [sum(one.grounded[judge] for one in responses) / len(responses) for judge in judges]
    return _mean(shares)
