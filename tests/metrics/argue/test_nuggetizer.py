"""nuggetizer's four scores; the numbers are those that its own package gave (trec.md 2.1)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

import pytest

from argue_bench.eval.driver import Case, run_metrics
from argue_bench.judges.base import Counts, Judge, Reply
from argue_bench.metrics import parse
from argue_bench.records import (
    Answer,
    Gold,
    Nugget,
    NuggetAnswer,
    Question,
    Supports,
    Tally,
    Verdict,
)


class Reading(Judge):
    """Finds ``nugget=full`` or ``nugget=partial`` in the passage."""

    name = "reading"
    kinds = frozenset({Supports})
    batch = 100
    counts = Counts()

    def identity(self) -> Mapping[str, str]:
        return {}

    async def judge(self, requests: Sequence[Supports]) -> AsyncIterator[Reply]:  # type: ignore[override]
        for request in requests:
            said = dict(part.split("=") for part in request.passage.split())
            yield request, Verdict(said.get(request.nugget, "no"))


def nugget(name: str, weight: str | None, combine: str = "any") -> Nugget:
    answers = tuple(NuggetAnswer(text) for text in name.split("|"))
    return Nugget(name, f"{name}?", answers, combine, weight)  # type: ignore[arg-type]


def tallies(metric: str, text: str, nuggets: Sequence[Nugget]) -> dict[str, Tally]:
    async def run() -> dict[str, Tally]:
        made = parse(metric)
        case = Case(Question("q", "?", gold=Gold(nuggets=tuple(nuggets))), Answer("q", text), {})
        outcomes = [one async for one in run_metrics([case], [made], {"": Reading()})]  # type: ignore[dict-item]
        found = outcomes[0].counted[str(made)].tallies
        assert found is not None
        return dict(found)

    return asyncio.run(run())


def test_the_recorded_check() -> None:
    """vital {support, partial, none}, okay {support, partial, none}: .333 .5 .333 .5"""
    nuggets = [nugget(name, "vital") for name in "abc"] + [nugget(name, "okay") for name in "def"]
    found = tallies("nuggets", "a=full b=partial d=full e=partial", nuggets)
    values = {name: tally.value for name, tally in found.items()}
    assert values == pytest.approx(
        {"strict_vital": 1 / 3, "vital": 1 / 2, "strict_all": 1 / 3, "all": 1 / 2}
    )


def test_no_vital_nugget_does_not_apply_or_is_zero_as_theirs() -> None:
    nuggets = [nugget("a", "okay")]
    ours, theirs = (tallies(m, "a=full", nuggets) for m in ("nuggets", "nuggets(rules=nuggetizer)"))
    assert not ours["vital"].applies
    assert (theirs["vital"].value, theirs["all"].value, ours["all"].value) == (0, 1, 1)
    assert not tallies("nuggets", "", [])["all"].applies
    assert tallies("nuggets(rules=nuggetizer)", "", [])["all"].value == 0


def test_missing_importance_reads_as_vital_only_under_their_rules() -> None:
    assert not tallies("nuggets", "a=full", [nugget("a", None)])["vital"].applies
    assert tallies("nuggets(rules=nuggetizer)", "a=full", [nugget("a", None)])["vital"].value == 1


def test_or_takes_the_best_answer_and_and_the_least() -> None:
    text = "a=full b=partial"
    assert tallies("nuggets", text, [nugget("a|b", "vital")])["vital"].value == 1
    found = tallies("nuggets", text, [nugget("a|b", "vital", "all")])
    assert (found["vital"].value, found["strict_vital"].value) == (0.5, 0)


def test_of_an_empty_answer_nothing_is_asked_and_it_holds_no_nugget() -> None:
    question = Question("q", "?", gold=Gold(nuggets=(nugget("a", "vital"),)))
    for text, requests in (
        ("nuggets", []),
        ("nuggets(rules=nuggetizer)", [Supports(" ", "a?", "a")]),
    ):
        asking = parse(text).tally(question, Answer("q", " "), {})
        assert list(next(asking)) == requests
    assert tallies("nuggets", " ", [nugget("a", "vital")])["vital"] == Tally(0.0, 1)
