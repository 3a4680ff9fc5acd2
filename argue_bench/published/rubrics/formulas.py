"""Scores of rubrics as published programs compute them, with their faults.

``value`` is what a verdict is worth: 1 for a criterion that is met, 0.5 where the program knows
halves, 0 otherwise; for `dragun` also -1 for one that the answer contradicts. S is the sum of weight
times value, W+ the sum of the weights above 0.

Sources: openai/simple-evals ee3b031 (HealthBench, Arora et al. 2025); scaleapi/researchrubrics 5403ff3
and e0c361f (ResearchRubrics, arXiv 2511.07685); imlrz/DeepResearch-Bench-II 9d365ed; allenai/asta-bench
088dccf (ScholarQA-CS2); DRACO (arXiv 2602.11685, section 4.2); trec-dragun/resources 4b60fb6 (TREC 2025).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from argue_bench.errors import Code, DataError
from argue_bench.records import NOT_APPLICABLE, Criterion, Tally

# Criteria with the value of their verdicts.
Valued = Sequence[tuple[Criterion, float]]
# What makes one score of valued criteria.
Counting = Callable[[Valued], Tally]


def weighted(valued: Valued) -> Tally:
    """S out of W+, below 0 where faults outweigh; does not apply without a weight above 0."""
    above = sum(one.weight for one, _ in valued if one.weight > 0)
    return (
        Tally(sum(one.weight * value for one, value in valued), above) if above else NOT_APPLICABLE
    )


def _or_zero(tally: Tally) -> Tally:
    return tally if tally.applies else Tally(0.0, 1.0)


def _clipped(tally: Tally) -> Tally:
    return Tally(min(max(tally.numerator, 0.0), tally.denominator), tally.denominator)


def by_label(
    valued: Valued,
    labels: Callable[[Criterion], Iterable[str]],
    score: Counting,
) -> dict[str, Tally]:
    """A score over the criteria of each label, by label in the order of the rubric."""
    found: dict[str, list[tuple[Criterion, float]]] = {}
    for one, value in valued:
        for label in labels(one):
            found.setdefault(label, []).append((one, value))
    return {label: score(some) for label, some in found.items()}


def axis_of(criterion: Criterion) -> tuple[str, ...]:
    """The axis as a list of labels, empty where there is none."""
    return (criterion.axis,) if criterion.axis else ()


def healthbench(valued: Valued, tags: Sequence[str] = ()) -> dict[str, Tally]:
    """``overall_score``, one score for each tag of a criterion, and ``tags`` of the question with the overall one.

    Scores are not clipped here: HealthBench clips their means (`healthbench_mean`). Tags whose criteria
    have no weight above 0 are left out. Raises DataError where no criterion has one, or where a
    criterion has a tag twice, which stop the program.
    """
    overall = weighted(valued)
    twice = [one.id for one, _ in valued if len(set(one.tags)) < len(one.tags)]
    twice += ["example"] if len(set(tags)) < len(tags) else []
    # The program divides by zero there, and fails on a tag that it meets twice.
    if not overall.applies or twice:
        why = f"{twice[0]!r} has a tag twice" if twice else "no weight is above 0"
        raise DataError.of(Code.WRONG_SHAPE, f"HealthBench refuses the rubric: {why}", "")
    own = by_label(valued, lambda one: one.tags, weighted)
    return {
        "overall_score": overall,
        **dict.fromkeys(tags, overall),
        **{tag: tally for tag, tally in own.items() if tally.applies},
    }


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


def healthbench_mean(scores: Sequence[float]) -> float:
    """The mean over items, clipped to 0 and 1 afterwards."""
    return min(max(_mean(scores), 0.0), 1.0)


def _mean(scores: Sequence[float]) -> float:
    if not scores:
        raise DataError.of(Code.EMPTY, "there is no score to take the mean of", "")
    return sum(scores) / len(scores)


def researchrubrics(valued: Valued) -> dict[str, Tally]:
    """``ternary``, and ``binary``, in which a half is nothing; without a weight above 0 both are 0."""
    # Binary: a half is nothing.
    whole = [(one, float(value == 1)) for one, value in valued]
    return {"ternary": _or_zero(weighted(valued)), "binary": _or_zero(weighted(whole))}


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


def draco(valued: Valued) -> dict[str, Tally]:
    """One pass of DRACO: ``score`` and one score for each axis, clipped, and ``pass_rate``, the share of
    criteria handled right: met at a weight of 0 or more, unmet below."""
    # A criterion of a negative weight is handled right where it is not met.
    right = sum((value == 1) == (one.weight >= 0) for one, value in valued)
    return {
        "score": _clipped(_or_zero(weighted(valued))),
        "pass_rate": Tally(right, len(valued)) if valued else NOT_APPLICABLE,
        **{
            f"axis_{axis}": tally
            for axis, tally in by_label(
                valued, axis_of, lambda some: _clipped(_or_zero(weighted(some)))
            ).items()
        },
    }


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


def ingredient_recall(valued: Valued) -> Tally:
    """ScholarQA's: weight times value over all weights."""
    return Tally(
        sum(one.weight * value for one, value in valued), sum(one.weight for one, _ in valued)
    )


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


def dragun_report(valued: Valued) -> dict[str, Tally]:
    """``supportive`` and ``contradictory`` of one report, from its judged answers.

    A question's answers share its weight; a contradicted one is worth -1 and counts apart. The
    official program leaves answers without a row out of the divisor of their question (`argue_bench.published.rubrics.dragun`);
    here every criterion has a value.
    """
    groups: dict[str, list[tuple[Criterion, float]]] = {}
    for one, value in valued:
        groups.setdefault(one.group or one.id, []).append((one, value))
    # The weight stands at each answer of a question, and counts once.
    most = sum(some[0][0].weight for some in groups.values())

    def score(part: Callable[[list[float]], float]) -> Tally:
        counted = (
            some[0][0].weight * part([value for _, value in some]) / len(some)
            for some in groups.values()
        )
        return Tally(sum(counted), most)

    return {
        "supportive": score(lambda values: sum(value for value in values if value > 0)),
        "contradictory": score(lambda values: sum(value < 0 for value in values)),
    }
