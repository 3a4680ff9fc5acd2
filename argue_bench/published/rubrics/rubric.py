"""Rubrics: criteria with weights, each of which the judge compares with the whole answer.

Under our own rules a criterion that is met counts its weight, one that is met partly half of it, and
the sum over the positive weights, not below 0, is the score. Criteria of one group share the weight of
the group (`Criterion`). A fault (a weight below 0) can only cost what merits earn; an empty answer
meets nothing, and no request is made about it.

The classes behind it count as published programs do (`argue_bench.published.rubrics.formulas`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.published.rubrics import formulas as rubrics
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
    Verdict,
)
from argue_bench.stats.averages import Average, clipped_macro, lower_is_better, macro

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
        verdicts: Mapping[JudgeRequest, Verdict] = {}
        if requests:
            verdicts = yield list(dict.fromkeys(requests.values()))
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
        found = rubrics.healthbench(valued_by(judged, _WHOLE), question.categories)
        overall = found.pop("overall_score")
        return {"score": overall, **{_label("tag", tag): tally for tag, tally in found.items()}}


class ResearchRubrics(Rubric):
    """ResearchRubrics (arXiv 2511.07685): halves count, and in ``binary`` they do not."""

    rules: ClassVar[str] = "researchrubrics"
    scores: ClassVar[Mapping[str, Average]] = {"score": macro("score"), "binary": macro("binary")}

    def count(self, judged: Judged, question: Question) -> dict[str, Tally]:
        both = rubrics.researchrubrics(valued_by(judged, _VALUES))
        return {"score": both["ternary"], "binary": both["binary"]}


class Draco(Rubric):
    """DRACO (arXiv 2602.11685, section 4.2)."""

    rules: ClassVar[str] = "draco"
    scores: ClassVar[Mapping[str, Average]] = {
        "score": macro("score"),
        "pass_rate": macro("pass_rate"),
    }

    def count(self, judged: Judged, question: Question) -> dict[str, Tally]:
        found = rubrics.draco(valued_by(judged, _WHOLE))
        return {_clean(name): tally for name, tally in found.items()}


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
        return {"score": rubrics.ingredient_recall(valued_by(judged, _VALUES))}


class Dragun(Rubric):
    """TREC 2025's DRAGUN track: what a report supports, and what it contradicts."""

    rules: ClassVar[str] = "dragun"
    scores: ClassVar[Mapping[str, Average]] = {
        "supportive": macro("supportive"),
        "contradictory": lower_is_better(macro("contradictory")),
    }
    headline: ClassVar[tuple[str, ...]] = ("supportive", "contradictory")

    def count(self, judged: Judged, question: Question) -> dict[str, Tally]:
        return rubrics.dragun_report(valued_by(judged, {**_VALUES, "contradicts": -1.0}))


def valued_by(judged: Judged, values: Mapping[str, float]) -> list[tuple[Criterion, float]]:
    """The criteria with what their verdicts are worth; one that is not listed is worth nothing."""
    return [(one, values.get(verdict, 0.0)) for one, verdict in judged]


def _not_below_zero(valued: rubrics.Valued) -> Tally:
    tally = rubrics.weighted(valued)
    return replace(tally, numerator=max(tally.numerator, 0.0)) if tally.applies else tally


def _weight_of(judged: Judged, values: Mapping[str, float]) -> Tally:
    """The share of the weight of these criteria that has such verdicts."""
    whole = sum(abs(one.weight) for one, _ in judged)
    return Tally(sum(abs(one.weight) * values.get(verdict, 0.0) for one, verdict in judged), whole)


def _share(valued: rubrics.Valued) -> Tally:
    return Tally(sum(value == 1 for _, value in valued), len(valued))


def _by_axis(valued: rubrics.Valued, score: rubrics.Counting) -> dict[str, Tally]:
    found = rubrics.by_label(valued, rubrics.axis_of, score)
    return {_label("axis", axis): tally for axis, tally in found.items()}


def _label(kind: str, name: str) -> str:
    return _clean(f"{kind}_{name}")


def _clean(name: str) -> str:
    """A name of a score: full stops would end it."""
    return name.replace(".", "_")
