"""A tiny data set and metric whose numbers can be worked out in the head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics.base import Metric, Tallies, TallySteps
from argue_bench.records import Answer, Documents, Gold, NeedsCitation, Question, Tally
from argue_bench.stats.averages import Harmonic, lower_is_better, macro, micro, total


@dataclass(frozen=True)
class Letters(Metric):
    """How many of the letters of the gold stand in the answer, and the other way round."""

    name: ClassVar[str] = "letters"
    summary: ClassVar[str] = "a metric of the tests"
    scores: ClassVar = {
        "recall": macro("recall"),
        "recall_micro": micro("recall"),
        "precision": macro("precision"),
        "f1_of_means": Harmonic(macro("recall"), macro("precision")),
        "missed": lower_is_better(total("missed")),
    }

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        assert question.gold is not None
        gold, found = set(str(question.gold.answer or "")), set(answer.text)
        return {
            "recall": Tally(len(gold & found), len(gold)),
            "precision": Tally(len(gold & found), len(found)),
            "missed": Tally(len(gold - found)),
        }


@dataclass(frozen=True)
class Needs(Metric):
    """Whether the answer needs a citation: one ask an answer."""

    judge: str = ""
    name: ClassVar[str] = "needs"
    summary: ClassVar[str] = "a metric of the tests that asks"
    scores: ClassVar = {"yes": macro("yes")}
    requests: ClassVar = (NeedsCitation,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        request = NeedsCitation(answer.text)
        verdicts = yield [request]
        return {"yes": Tally(float(verdicts[request].yes))}


def dataset(gold: Mapping[str, str | None]) -> Dataset:
    """Questions with these ids, and these answers as gold; no gold at all for None."""
    return Dataset(
        "toy",
        "dev",
        tuple(
            Question(id, f"{id}?", gold=None if answer is None else Gold(answer=answer))
            for id, answer in gold.items()
        ),
        metrics=("letters",),
    )
