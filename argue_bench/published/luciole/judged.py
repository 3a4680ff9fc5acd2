"""Luciole's judge metrics: a rating from 1 to 5 of answerable questions (`Grounded`), and whether a response
declines in whatever words (`Refuses`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.metrics.grounding import accepted
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    Grounded,
    JudgeRequest,
    Question,
    Refuses,
    Source,
    Tally,
)
from argue_bench.stats.averages import Average, Macro, lower_is_better, macro
from argue_bench.text import strip_reasoning


@dataclass(frozen=True)
class GroundingJudge(Metric):
    """Ratings of correctness and faithfulness; refusals as a judge sees them."""

    judge: str = ""

    name: ClassVar[str] = "grounding_judge"
    family: ClassVar[str] = "grounding"
    summary: ClassVar[str] = (
        "does a judge find the response right, faithful, and refusing when it should?"
    )
    paper: ClassVar[str] = "Luciole RAG benchmark (OpenLLM-France)"
    scores: ClassVar[Mapping[str, Average]] = {
        "rating": Macro("rating", unit="rating"),
        "at_least_4": macro("at_least_4"),
        "at_least_5": macro("at_least_5"),
        "refusal_recall": macro("refusal_recall"),
        "false_refusal_rate": lower_is_better(macro("false_refusal_rate")),
    }
    ranking: ClassVar[tuple[str, ...]] = ("rating", "at_least_4", "at_least_5")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Grounded, Refuses)
    wants_judge: ClassVar[str] = "PROVIDER/MODEL"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        gold = question.gold
        assert gold is not None  # noqa: S101  (the driver refuses sealed questions)
        response = strip_reasoning(answer.text).strip()
        refuses = Refuses(question.text, response)
        grounded = Grounded(
            question.text,
            "; ".join(spellings[0] for spellings in accepted(gold)),
            tuple(documents[id].title if id in documents else id for id in gold.supporting),
            tuple(
                Source(id, f"{documents[id].title}\n{documents[id].text}")
                for id in question.documents or gold.supporting
                if id in documents
            ),
            response,
        )
        requests: list[JudgeRequest] = [refuses] if response else []
        if gold.answerable and response:
            requests.append(grounded)
        verdicts = yield requests
        refused = refuses in verdicts and verdicts[refuses].yes
        tallies = dict.fromkeys(self.scores, NOT_APPLICABLE)
        if not gold.answerable:
            return tallies | {"refusal_recall": Tally(float(refused))}
        # An empty answer has the lowest rating, without asking.
        rating = float(verdicts[grounded].value) if grounded in verdicts else 1.0
        return tallies | {
            "rating": Tally(rating, note="" if response else "empty"),
            "at_least_4": Tally(float(rating >= 4)),
            "at_least_5": Tally(float(rating >= 5)),
            "false_refusal_rate": Tally(float(refused)),
        }
