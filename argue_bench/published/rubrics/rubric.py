"""Rubrics: criteria with weights, each of which the judge compares with the whole answer.

Under our own rules a criterion that is met counts its weight, one that is met partly half of it, and
the sum over the positive weights, not below 0, is the score. Criteria of one group share the weight of
the group (`Criterion`). A fault (a weight below 0) can only cost what merits earn; an empty answer
meets nothing, and no request is made about it.

The classes behind it count as published programs do, with their faults: the functions at the end hold their formulas.
``value`` is what a verdict is worth: 1 for a criterion that is met, 0.5 where the program knows
halves, 0 otherwise; for `dragun` also -1 for one that the answer contradicts. S is the sum of weight
times value, W+ the sum of the weights above 0.

Sources: openai/simple-evals ee3b031 (HealthBench, Arora et al. 2025); scaleapi/researchrubrics 5403ff3
and e0c361f (ResearchRubrics, arXiv 2511.07685); imlrz/DeepResearch-Bench-II 9d365ed; allenai/asta-bench
088dccf (ScholarQA-CS2); DRACO (arXiv 2602.11685, section 4.2); trec-dragun/resources 4b60fb6 (TREC 2025).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from argue_bench.errors import Code, DataError
from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Criterion,
    Documents,
    JudgeRequest,
    Meets,
    Miss,
    Question,
    Tally,
)
from argue_bench.records.grouping import grouped
from argue_bench.stats.averages import Average, clipped_macro, lower_is_better, macro

T = TypeVar("T")
# Criteria with the value of their verdicts.
Valued = Sequence[tuple[Criterion, float]]
# What makes one score of valued criteria.
Counting = Callable[[Valued], Tally]
# The criteria of a question with their verdicts.
Judged = list[tuple[Criterion, str]]

_VALUES = {"met": 1.0, "partly": 0.5}
_WHOLE = {"met": 1.0}
_REASONS = {
    "partly": "the answer does a part of it",
    "unmet": "the answer does not do it",
    "contradicts": "the answer says the opposite",
}


@dataclass(frozen=True)
class Rubric(Metric):
    """How much of its rubric does the answer fulfil, criterion by criterion?"""

    judge: str = ""

    name: ClassVar[str] = "rubric"
    family: ClassVar[str] = "argue"
    summary: ClassVar[str] = "how much of its rubric does the answer fulfil?"
    paper: ClassVar[str] = "Arora et al. 2025 (HealthBench)"
    scores: ClassVar[Mapping[str, Average]] = {
        "score": macro("score"),
        "strict": macro("strict"),
        "contradicted": lower_is_better(macro("contradicted")),
        "faults": lower_is_better(macro("faults")),
    }
    headline: ClassVar[tuple[str, ...]] = ("score", "strict")
    ranking: ClassVar[tuple[str, ...]] = ("score", "strict")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Meets,)

    def averages(self, columns: Iterable[str]) -> Mapping[str, Average]:
        """The scores, then one for each axis or tag that the rubrics have."""
        labels = [name for name in columns if name.startswith(("axis_", "tag_"))]
        return {**self.scores, **{name: macro(name) for name in labels}}

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        assert question.gold is not None  # noqa: S101  (the driver sees to it)
        rubric = question.gold.rubric
        text = answer.plain or answer.text
        # A published program asks of an empty answer too.
        asks = self.frozen or bool(text.strip())
        requests = {one: Meets(one.text, question.text, text) for one in rubric if asks}
        verdicts = (yield list(dict.fromkeys(requests.values()))) if requests else {}
        said = {one: str(verdicts[request].value) for one, request in requests.items()}
        judged = [(one, said.get(one, "unmet")) for one in rubric]
        if not judged:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        tallies = self.count(judged, question)
        first = next(iter(tallies))
        misses = tuple(
            Miss("nugget", one.id, one.text, _REASONS[verdict])
            for one, verdict in judged
            if one.weight > 0 and verdict != "met"
        )
        return {**tallies, first: replace(tallies[first], misses=misses)}

    def count(self, judged: Judged, question: Question) -> dict[str, Tally]:
        """The tallies of the verdicts, with the weight of each group shared by its criteria."""
        # The criteria of one group share its weight, so that more of them do not weigh more.
        sizes = Counter(one.group for one, _ in judged if one.group)
        shared = [
            (replace(one, weight=one.weight / sizes[one.group]) if one.group else one, verdict)
            for one, verdict in judged
        ]
        merits = [(one, verdict) for one, verdict in shared if one.weight > 0]
        faults = [(one, verdict) for one, verdict in shared if one.weight < 0]
        valued = valued_by(shared, _VALUES)
        # A fault counts in part even where merits must be met in full.
        strict = [
            (one, float(verdict == "met") if one.weight > 0 else value)
            for (one, verdict), (_, value) in zip(shared, valued, strict=True)
        ]
        return {
            "score": _not_below_zero(valued),
            "strict": _not_below_zero(strict),
            "contradicted": _weight_of(merits, {"contradicts": 1.0}),
            "faults": _weight_of(faults, _VALUES),
            **_by_axis(valued, _not_below_zero),
        }


class HealthBench(Rubric):
    """HealthBench (Arora et al. 2025): means are clipped to 0 and 1; one score for each tag."""

    rules: ClassVar[str] = "healthbench"
    scores: ClassVar[Mapping[str, Average]] = {"score": clipped_macro("score")}

    def averages(self, columns: Iterable[str]) -> Mapping[str, Average]:
        labels = [name for name in columns if name.startswith("tag_")]
        return {**self.scores, **{name: clipped_macro(name) for name in labels}}

    def count(self, judged: Judged, question: Question) -> dict[str, Tally]:
        found = healthbench(valued_by(judged, _WHOLE), question.categories)
        overall = found.pop("overall_score")
        return {"score": overall, **{_clean(f"tag_{tag}"): tally for tag, tally in found.items()}}


class ResearchRubrics(Rubric):
    """ResearchRubrics (arXiv 2511.07685): halves count, and in ``binary`` they do not."""

    rules: ClassVar[str] = "researchrubrics"
    scores: ClassVar[Mapping[str, Average]] = {"score": macro("score"), "binary": macro("binary")}

    def count(self, judged: Judged, question: Question) -> dict[str, Tally]:
        both = researchrubrics(valued_by(judged, _VALUES))
        return {"score": both["ternary"], "binary": both["binary"]}


class Draco(Rubric):
    """DRACO (arXiv 2602.11685, section 4.2)."""

    rules: ClassVar[str] = "draco"
    scores: ClassVar[Mapping[str, Average]] = {
        "score": macro("score"),
        "pass_rate": macro("pass_rate"),
    }

    def count(self, judged: Judged, question: Question) -> dict[str, Tally]:
        return {_clean(name): tally for name, tally in draco(valued_by(judged, _WHOLE)).items()}


class DeepResearchBench(Rubric):
    """Deep Research Bench II: the share of criteria that are met, of all and of each axis."""

    rules: ClassVar[str] = "drb2"
    scores: ClassVar[Mapping[str, Average]] = {"score": macro("score")}

    def count(self, judged: Judged, question: Question) -> dict[str, Tally]:
        valued = valued_by(judged, _WHOLE)
        return {"score": _share(valued), **_by_axis(valued, _share)}


class ScholarQA(Rubric):
    """ScholarQA-CS2 (Asta): weight times value over all weights."""

    rules: ClassVar[str] = "scholarqa"
    scores: ClassVar[Mapping[str, Average]] = {"score": macro("score")}

    def count(self, judged: Judged, question: Question) -> dict[str, Tally]:
        return {"score": ingredient_recall(valued_by(judged, _VALUES))}


class Dragun(Rubric):
    """TREC 2025's DRAGUN track: what a report supports, and what it contradicts."""

    rules: ClassVar[str] = "dragun"
    scores: ClassVar[Mapping[str, Average]] = {
        "supportive": macro("supportive"),
        "contradictory": lower_is_better(macro("contradictory")),
    }
    headline: ClassVar[tuple[str, ...]] = ("supportive", "contradictory")

    def count(self, judged: Judged, question: Question) -> dict[str, Tally]:
        return dragun_report(valued_by(judged, {**_VALUES, "contradicts": -1.0}))


def valued_by(judged: Judged, values: Mapping[str, float]) -> list[tuple[Criterion, float]]:
    """The criteria with what their verdicts are worth; one that is not listed is worth nothing."""
    return [(one, values.get(verdict, 0.0)) for one, verdict in judged]


def _not_below_zero(valued: Valued) -> Tally:
    tally = weighted(valued)
    return replace(tally, numerator=max(tally.numerator, 0.0)) if tally.applies else tally


def _weight_of(judged: Judged, values: Mapping[str, float]) -> Tally:
    """The share of the weight of these criteria that has such verdicts."""
    whole = sum(abs(one.weight) for one, _ in judged)
    return Tally(sum(abs(one.weight) * values.get(verdict, 0.0) for one, verdict in judged), whole)


def _share(valued: Valued) -> Tally:
    return Tally(sum(value == 1 for _, value in valued), len(valued))


def _by_axis(valued: Valued, score: Counting) -> dict[str, Tally]:
    return {
        _clean(f"axis_{axis}"): tally for axis, tally in by_label(valued, axis_of, score).items()
    }


def _clean(name: str) -> str:
    """A name of a score: full stops would end it."""
    return name.replace(".", "_")


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
    score: Callable[[Valued], T],
) -> dict[str, T]:
    """A score over the criteria of each label, by label in the order of the rubric."""
    return {
        label: score(some)
        for label, some in grouped(
            (label, (one, value)) for one, value in valued for label in labels(one)
        ).items()
    }


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
    return {
        "ternary": _or_zero(weighted(valued)),
        "binary": _or_zero(weighted([(one, float(value == 1)) for one, value in valued])),
    }


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
    groups = by_label(valued, lambda one: (one.group or one.id,), list)
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
