"""ARGUE: coverage of nuggets and support of sentences (Mayfield et al. 2024, section 4).

Auto-ARGUE (arXiv 2509.26184) is the published program; ``rules=auto-argue`` counts as it does. It is
the counting that is reproduced, not the verdicts of its model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.argue.counting import SCORES, count, not_counted
from argue_bench.metrics.argue.judging import Support, apply_verdicts, plan_judging
from argue_bench.metrics.argue.rules import PRESETS, Preset, Rules
from argue_bench.metrics.base import Bounds, Metric, TallySteps
from argue_bench.records import (
    Answer,
    Answers,
    Confirms,
    Documents,
    Entails,
    FirstInstance,
    JudgeRequest,
    NeedsCitation,
    NegativeAssertion,
    Question,
    Relevant,
    Verdict,
)
from argue_bench.stats.averages import Average


@dataclass(frozen=True)
class Argue(Metric):
    """ARGUE: nugget coverage, sentence support, and their F1, under a preset of rules.

    ``support=joint`` judges whether all documents of a sentence together attest it, which ARGUE does
    not; ``judge`` names the judge.
    """

    rules: Preset = "default"
    support: Support = "each"
    judge: str = ""

    name: ClassVar[str] = "argue"
    summary: ClassVar[str] = "does the report cover the nuggets, each sentence attested?"
    paper: ClassVar[str] = "Mayfield et al. 2024; Auto-ARGUE, arXiv 2509.26184"
    scores: ClassVar[Mapping[str, Average]] = SCORES
    headline: ClassVar[tuple[str, ...]] = (
        "f1",
        "nugget_coverage",
        "sentence_support",
        "citation_support",
    )
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (
        Entails,
        Answers,
        NeedsCitation,
        FirstInstance,
        NegativeAssertion,
        Confirms,
        Relevant,
    )

    @property
    def decided(self) -> Rules:
        """The rules that the preset names."""
        return PRESETS[self.rules]

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        if is_missing(answer) and self.decided.missing == "left-out":
            return not_counted()
        assert question.gold is not None  # noqa: S101  (the driver sees to it)
        plan = plan_judging(question, answer, documents, self.decided, self.support)
        verdicts: dict[JudgeRequest, Verdict] = {}
        if requests := list(dict.fromkeys(plan.first_round())):
            verdicts.update((yield requests))
        if requests := list(dict.fromkeys(plan.second_round(verdicts))):
            verdicts.update((yield requests))
        judged = apply_verdicts(plan, verdicts)
        earned = [index for index, nugget in enumerate(judged.nuggets) if nugget.earned]
        third = dict.fromkeys(plan.third_round(earned))
        if requests := [request for request in third if request not in verdicts]:
            verdicts.update((yield requests))
            judged = apply_verdicts(plan, verdicts)
        return count(judged, self.decided)

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """At most one FirstInstance for each uncited sentence but the first of the report, one
        Confirms for each of them and nugget without answers, one Answers for each sentence and
        wrong answer. None of them is certain."""
        plan = plan_judging(question, answer, documents, self.decided, self.support)
        uncited = [sentence for sentence in plan.sentences if not sentence.citations]
        every = range(len(plan.nuggets))
        texts = {sentence.text for sentence in uncited}
        bounds = {
            "FirstInstance": len({sentence.text for sentence in uncited if sentence.previous}),
            "Confirms": len(texts) * len(plan.unanswerable),
            "Answers": len({one for s in plan.sentences for _, one in plan.wrong(s, every)}),
        }
        return {kind: (0, most) for kind, most in bounds.items() if most}


def is_missing(answer: Answer) -> bool:
    """Whether the topic has no report at all."""
    return answer.empty and not answer.sentences
