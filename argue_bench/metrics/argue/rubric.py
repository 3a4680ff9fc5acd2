"""Rubrics: criteria with weights, each of which the judge compares with the whole answer.

Under our own rules a criterion that is met counts its weight, one that is met partly half of it, and
the sum over the positive weights, not below 0, is the score. Criteria of one group share the weight of
the group (`Criterion`). A fault (a weight below 0) can only cost what merits earn; an empty answer
meets nothing, and no request is made about it. ``rules=`` counts as a published program does
(`argue_bench.metrics.compat.rubrics`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.metrics.compat import rubrics
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

RubricRules = Literal[
    "default", "healthbench", "researchrubrics", "draco", "drb2", "scholarqa", "dragun"
]
Judged = list[tuple[Criterion, str]]
"""The criteria of a question with their verdicts."""

_VALUES = {"met": 1.0, "partly": 0.5}
_WHOLE = {"met": 1.0}
_REASONS = {
    "partly": "the answer does a part of it",
    "unmet": "the answer does not do it",
    "contradicts": "the answer says the opposite",
}
_SCORES: dict[str, tuple[str, ...]] = {
    "default": ("score", "strict", "contradicted", "faults"),
    "healthbench": ("score",),
    "researchrubrics": ("score", "binary"),
    "draco": ("score", "pass_rate"),
    "drb2": ("score",),
    "scholarqa": ("score",),
    "dragun": ("supportive", "contradictory"),
}


@dataclass(frozen=True)
class Rubric(Metric):
    """How much of its rubric does the answer fulfil, criterion by criterion?"""

    rules: RubricRules = "default"
    judge: str = ""

    name: ClassVar[str] = "rubric"
    summary: ClassVar[str] = "how much of its rubric does the answer fulfil?"
    paper: ClassVar[str] = "Arora et al. 2025 (HealthBench)"
    scores: ClassVar[Mapping[str, Average]] = {
        "score": macro("score"),
        "strict": macro("strict"),
        "contradicted": lower_is_better(macro("contradicted")),
        "faults": lower_is_better(macro("faults")),
        "binary": macro("binary"),
        "pass_rate": macro("pass_rate"),
        "supportive": macro("supportive"),
        "contradictory": lower_is_better(macro("contradictory")),
    }
    headline: ClassVar[tuple[str, ...]] = ("score", "strict", "supportive", "contradictory")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Meets,)

    def averages(self, columns: Iterable[str]) -> Mapping[str, Average]:
        """The preset's scores, then one for each axis or tag that the rubrics have."""
        own = {name: self.scores[name] for name in _SCORES[self.rules]}
        mean = clipped_macro if self.rules == "healthbench" else macro
        if self.rules == "healthbench":
            own["score"] = clipped_macro("score")
        labels = [name for name in columns if name.startswith(("axis_", "tag_"))]
        return {**own, **{name: mean(name) for name in labels}}

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        assert question.gold is not None  # noqa: S101  (the driver sees to it)
        rubric = question.gold.rubric
        text = answer.plain or answer.text
        asks = self.rules != "default" or bool(text.strip())
        requests = {one: Meets(one.text, question.text, text) for one in rubric if asks}
        verdicts: Mapping[JudgeRequest, Verdict] = {}
        if requests:
            verdicts = yield list(dict.fromkeys(requests.values()))
        said = {one: str(verdicts[request].value) for one, request in requests.items()}
        judged = [(one, said.get(one, "unmet")) for one in rubric]
        if not judged:
            return dict.fromkeys(_SCORES[self.rules], NOT_APPLICABLE)
        tallies = self._count(judged, question)
        first = next(iter(tallies))
        misses = tuple(
            Miss("nugget", one.id, one.text, _REASONS[verdict])
            for one, verdict in judged
            if one.weight > 0 and verdict != "met"
        )
        return {**tallies, first: replace(tallies[first], misses=misses)}

    def _count(self, judged: Judged, question: Question) -> dict[str, Tally]:
        values = _WHOLE if self.rules in ("healthbench", "draco", "drb2") else _VALUES
        valued = [(one, values.get(verdict, 0.0)) for one, verdict in judged]
        if self.rules == "healthbench":
            found = rubrics.healthbench(valued, question.categories)
            overall = found.pop("overall_score")
            return {"score": overall, **{_label("tag", t): tally for t, tally in found.items()}}
        if self.rules == "researchrubrics":
            both = rubrics.researchrubrics(valued)
            return {"score": both["ternary"], "binary": both["binary"]}
        if self.rules == "draco":
            return {_clean(name): tally for name, tally in rubrics.draco(valued).items()}
        if self.rules == "drb2":
            return {"score": _share(valued), **_by_axis(valued, _share)}
        if self.rules == "scholarqa":
            return {"score": rubrics.ingredient_recall(valued)}
        if self.rules == "dragun":
            return rubrics.dragun_report(
                [
                    (one, -1.0 if verdict == "contradicts" else _VALUES.get(verdict, 0.0))
                    for one, verdict in judged
                ]
            )
        return _by_default(judged)


def _by_default(judged: Judged) -> dict[str, Tally]:
    """Our own counting, with the weight of each group shared by its criteria."""
    sizes = Counter(one.group for one, _ in judged if one.group)
    shared = [
        (replace(one, weight=one.weight / sizes[one.group]) if one.group else one, verdict)
        for one, verdict in judged
    ]
    merits = [(one, verdict) for one, verdict in shared if one.weight > 0]
    faults = [(one, verdict) for one, verdict in shared if one.weight < 0]
    valued = [(one, _VALUES.get(verdict, 0.0)) for one, verdict in shared]
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
