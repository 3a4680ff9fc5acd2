"""Scores of rubrics as published programs compute them, with their faults.

``value`` is what a verdict is worth: 1 for a criterion that is met, 0.5 where the program knows
halves, 0 otherwise; for `dragun` also -1 for one that the answer contradicts. S is the sum of weight
times value, W+ the sum of the weights above 0.

Sources: openai/simple-evals ee3b031 (HealthBench, Arora et al. 2025); scaleapi/researchrubrics 5403ff3
and e0c361f (ResearchRubrics, arXiv 2511.07685); imlrz/DeepResearch-Bench-II 9d365ed; allenai/asta-bench
088dccf (ScholarQA-CS2); DRACO (arXiv 2602.11685, section 4.2); trec-dragun/resources 4b60fb6 (TREC 2025).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

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

    Scores are not clipped here: HealthBench clips their means. Tags whose criteria
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


def researchrubrics(valued: Valued) -> dict[str, Tally]:
    """``ternary``, and ``binary``, in which a half is nothing; without a weight above 0 both are 0."""
    # Binary: a half is nothing.
    whole = [(one, float(value == 1)) for one, value in valued]
    return {"ternary": _or_zero(weighted(valued)), "binary": _or_zero(weighted(whole))}


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


def ingredient_recall(valued: Valued) -> Tally:
    """ScholarQA's: weight times value over all weights."""
    return Tally(
        sum(one.weight * value for one, value in valued), sum(one.weight for one, _ in valued)
    )


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
