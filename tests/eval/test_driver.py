"""The driver: each ask once, failures never numbers, slow judges hold up nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from argue_bench.errors import JudgeError, NoGold
from argue_bench.eval import driver
from argue_bench.eval.driver import WINDOW, Case, OnFailure, Outcome, run_metrics
from argue_bench.judges import Counts, Judge, Reply
from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.records import (
    Answer,
    Answers,
    Documents,
    Failed,
    FirstInstance,
    Gold,
    JudgeRequest,
    NeedsCitation,
    Question,
    Tally,
    Verdict,
)
from argue_bench.stats.averages import macro


@dataclass
class Scripted(Judge):
    """A judge that is a function of the ask; unscripted asks fail."""

    verdicts: Mapping[JudgeRequest, str] = field(default_factory=dict)
    delay: float = 0.0
    name: str = "scripted"
    batch: int = 100
    kinds: frozenset[type[JudgeRequest]] = frozenset({NeedsCitation, FirstInstance})
    seen: list[JudgeRequest] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)

    def identity(self) -> Mapping[str, str]:
        return {}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        self.batches.append(len(requests))
        for request in reversed(requests):
            self.seen.append(request)
            await asyncio.sleep(self.delay)
            if request in self.verdicts:
                yield request, Verdict(self.verdicts[request])
            elif "silent" not in str(request):
                yield request, Failed("unscripted")


@dataclass(frozen=True)
class TwoRounds(Metric):
    """Asks whether the text needs a citation, and if so whether it is new."""

    judge: str = ""
    name: ClassVar[str] = "two-rounds"
    summary: ClassVar[str] = "a metric of the tests"
    scores: ClassVar = {"new": macro("new")}
    requests: ClassVar = (NeedsCitation, FirstInstance)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        needs = NeedsCitation(answer.text)
        verdicts = yield [needs, needs]
        if not verdicts[needs].yes:
            return {"new": Tally(0, 0)}
        first = FirstInstance(answer.text, ())
        verdicts = yield [first]
        return {"new": Tally(float(verdicts[first].yes))}


GOLD = Gold()


def case(text: str, gold: Gold | None = GOLD) -> Case:
    return Case(Question(f"q-{text}", "?", gold=gold), Answer(f"q-{text}", text), {})


def run(
    cases: Sequence[Case],
    judges: Mapping[str, Scripted],
    metrics: Sequence[Metric] = (TwoRounds(),),
    on_failure: OnFailure = "refuse",
) -> list[Outcome]:
    async def work() -> list[Outcome]:
        return [outcome async for outcome in run_metrics(cases, metrics, judges, on_failure)]

    return asyncio.run(work())


YES = {NeedsCitation("a"): "yes", FirstInstance("a", ()): "yes", NeedsCitation("b"): "no"}


def test_rounds_depend_on_verdicts() -> None:
    judge = Scripted(YES)
    a, b = run([case("a"), case("b")], {"": judge})
    assert a.counted["two-rounds"].tallies == {"new": Tally(1.0)}
    assert b.counted["two-rounds"].tallies == {"new": Tally(0, 0)}
    assert a.counted["two-rounds"].requests == (NeedsCitation("a"), FirstInstance("a", ()))


def test_alike_asks_are_sent_once_across_cases_and_metrics() -> None:
    judge = Scripted(YES)
    run([case("a")] * 700, {"": judge}, [TwoRounds(), TwoRounds()])
    assert sorted(map(str, judge.seen)) == sorted(
        map(str, [NeedsCitation("a"), FirstInstance("a", ())])
    )


@pytest.mark.parametrize(("count", "batch", "sent"), [(50, 100, [50]), (25, 10, [5, 10, 10])])
def test_asks_of_many_cases_travel_in_batches_of_the_judges_size(
    count: int, batch: int, sent: list[int]
) -> None:
    texts = [f"t{i}" for i in range(count)]
    judge = Scripted({NeedsCitation(text): "no" for text in texts}, batch=batch)
    run([case(text) for text in texts], {"": judge})
    assert sorted(judge.batches) == sent


def test_outcomes_come_in_the_order_of_the_cases() -> None:
    texts = [f"t{i}" for i in range(WINDOW + 40)]
    judge = Scripted({NeedsCitation(text): "no" for text in texts}, batch=7)
    assert [o.case.answer.text for o in run([case(t) for t in texts], {"": judge})] == texts


@pytest.mark.parametrize(
    ("text", "judge", "failure"),
    [
        ("unknown", Scripted(YES), "unscripted"),
        ("silent", Scripted(), "scripted gave no reply"),
        (
            "a",
            Scripted({NeedsCitation("a"): "perhaps"}),
            "scripted returned 'perhaps' for NeedsCitation, not yes or no",
        ),
        ("a", Scripted(YES, kinds=frozenset({Answers})), "scripted can't answer NeedsCitation"),
    ],
)
def test_a_failed_ask_leaves_no_tallies_and_says_why(
    text: str, judge: Scripted, failure: str
) -> None:
    (outcome,) = run([case(text)], {"": judge})
    counted = outcome.counted["two-rounds"]
    assert counted.tallies is None
    assert counted.failures == (f"NeedsCitation: {failure}",)
    assert bool(judge.seen) == (Answers not in judge.kinds)


def test_defaults_stand_in_when_asked_for_and_are_counted() -> None:
    (outcome,) = run([case("unknown")], {"": Scripted()}, on_failure="default")
    counted = outcome.counted["two-rounds"]
    assert counted.tallies == {"new": Tally(1.0)}  # ARGUE: needs a citation, and is new
    assert counted.defaults == {
        NeedsCitation("unknown").key: "yes",
        FirstInstance("unknown", ()).key: "yes",
    }


def test_a_slow_judge_does_not_hold_up_a_quick_one() -> None:
    texts = [f"t{i}" for i in range(5)]
    verdicts = {NeedsCitation(text): "no" for text in texts}
    finished: list[str] = []

    @dataclass
    class Timed(Scripted):
        async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
            async for reply in super().judge(requests):
                yield reply
            finished.append(self.name)

    slow = Timed(verdicts, delay=0.02, name="slow", batch=5)
    quick = Timed(verdicts, name="quick", batch=1)
    run(
        [case(t) for t in texts],
        {"slow": slow, "quick": quick},
        [TwoRounds(judge="slow"), TwoRounds(judge="quick")],
    )
    assert finished == ["quick"] * 5 + ["slow"]


def test_a_judge_that_breaks_ends_the_run_with_its_error() -> None:
    @dataclass
    class Broken(Scripted):
        async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
            raise JudgeError("the key was refused")
            yield  # makes it a generator

    with pytest.raises(JudgeError, match="the key was refused"):
        run([case(f"t{i}") for i in range(30)], {"": Broken(batch=3)})


def test_a_missing_judge_is_named() -> None:
    with pytest.raises(JudgeError, match="--judge nli"):
        run([case("a")], {"": Scripted()}, [TwoRounds(judge="nli")])


def test_a_sealed_question_is_refused() -> None:
    with pytest.raises(NoGold, match="'q-a' has no gold"):
        run([case("a", gold=None)], {"": Scripted(YES)})


def test_only_so_many_verdicts_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "REMEMBERED", 2)
    monkeypatch.setattr(driver, "WINDOW", 1)
    texts = ["t0", "t1", "t2", "t3", "t3", "t0"]
    judge = Scripted({NeedsCitation(text): "no" for text in texts}, batch=1)
    run([case(text) for text in texts], {"": judge})
    assert [request.sentence for request in judge.seen] == ["t0", "t1", "t2", "t3", "t0"]  # type: ignore[union-attr]


def test_stopping_early_leaves_no_task_behind() -> None:
    async def work() -> int:
        judge = Scripted({NeedsCitation(f"t{i}"): "no" for i in range(50)}, delay=0.001)
        outcomes = run_metrics([case(f"t{i}") for i in range(50)], [TwoRounds()], {"": judge})
        await anext(outcomes)
        await outcomes.aclose()
        return len(asyncio.all_tasks())

    assert asyncio.run(work()) == 1
