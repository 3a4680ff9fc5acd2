"""Drafted nuggets compared with gold ones: which gold facts they contain, and how many repeat a fact.

    recall       gold answers that a draft holds / gold answers (an OR nugget is one, however it is worded)
    redundancy   drafts that hold only gold facts which an earlier draft holds / drafts that hold any
    beside       drafts that hold no gold fact / drafts

Whether a draft holds a fact is judged (`Supports`, full); the lexical judge will do on core, whose
facts are names, numbers and dates.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from argue_bench.drafting.steps import Draft
from argue_bench.eval.driver import Asking, run_steps
from argue_bench.judges import Judge, JudgeFunction, as_judge
from argue_bench.records import Failed, Nugget, NuggetAnswer, Question, Supports


@dataclass(frozen=True)
class DraftRecall:
    """Counts over all topics; ``missed`` are the gold facts that no draft holds."""

    facts: int = 0
    found: int = 0
    drafts: int = 0
    holding: int = 0
    repeating: int = 0
    missed: tuple[str, ...] = ()

    @property
    def recall(self) -> float | None:
        return self.found / self.facts if self.facts else None

    @property
    def redundancy(self) -> float | None:
        return self.repeating / self.holding if self.holding else None

    @property
    def beside(self) -> float | None:
        return 1 - self.holding / self.drafts if self.drafts else None


def compare_with_gold(
    drafts: Iterable[Draft],
    questions: Iterable[Question],
    judge: str | Judge | JudgeFunction = "lexical",
) -> DraftRecall:
    """Compares drafts with the gold nuggets of their questions. Raises JudgeError."""
    by_id = {draft.topic: draft for draft in drafts}
    steps = [
        _compare(by_id[question.id], question.gold.nuggets)
        for question in questions
        if question.gold is not None and question.id in by_id
    ]
    found = asyncio.run(run_steps(steps, as_judge(judge)))
    return DraftRecall(
        sum(one.facts for one in found),
        sum(one.found for one in found),
        sum(one.drafts for one in found),
        sum(one.holding for one in found),
        sum(one.repeating for one in found),
        tuple(fact for one in found for fact in one.missed),
    )


def _compare(draft: Draft, gold: Sequence[Nugget]) -> Asking[DraftRecall]:
    """Facts of a topic: each answer of an AND nugget, any answer of an OR nugget."""
    facts: list[tuple[Nugget, tuple[NuggetAnswer, ...]]] = []
    for nugget in gold:
        if nugget.combine == "all":
            facts += [(nugget, (answer,)) for answer in nugget.answers]
        elif nugget.answers:
            facts.append((nugget, nugget.answers))
    requests = {
        (place, number): [
            Supports(one.statement, nugget.question, answer.text) for answer in answers
        ]
        for place, one in enumerate(draft.nuggets)
        for number, (nugget, answers) in enumerate(facts)
    }
    replies = yield list({request: None for some in requests.values() for request in some})
    held: set[int] = set()
    holding = repeating = 0
    for place in range(len(draft.nuggets)):
        own = {
            number
            for number in range(len(facts))
            for reply in [[replies[request] for request in requests[place, number]]]
            if any(not isinstance(one, Failed) and one.value == "full" for one in reply)
        }
        holding += bool(own)
        repeating += bool(own) and own <= held
        held |= own
    missed = tuple(
        f"{nugget.question} {answers[0].text}"
        for number, (nugget, answers) in enumerate(facts)
        if number not in held
    )
    return DraftRecall(len(facts), len(held), len(draft.nuggets), holding, repeating, missed)
