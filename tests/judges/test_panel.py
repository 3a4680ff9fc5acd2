"""Several judges as one: majorities, ties, medians, members that fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

import pytest

from argue_bench.errors import JudgeError
from argue_bench.judges.base import Counts, Judge, Reply, judge_in_batches
from argue_bench.judges.combined import Panel
from argue_bench.judges.recorded import Recorded
from argue_bench.records import (
    KINDS,
    Answers,
    Failed,
    JudgeRequest,
    NeedsCitation,
    Similar,
    Span,
    Supports,
    Verdict,
)
from tests.judges.test_recorded import ask_all

YES_NO = NeedsCitation("s")
GRADED = Supports("p", "q", "n")
NUMBER = Similar("a", "b")
TEXT = Span("q", "c")


def said(name: str, request: JudgeRequest, value: str | float | None) -> Recorded:
    """A member that gives this verdict; none where ``value`` is None."""
    return Recorded({} if value is None else {request.key: Verdict(value)}, name)


@pytest.mark.parametrize(
    ("asked", "values", "expected"),
    [
        (YES_NO, ["yes", "no"], None),
        (YES_NO, ["yes", "no", "no"], "no"),
        (YES_NO, ["yes", None, "yes"], "yes"),
        (YES_NO, ["yes", None, "no"], None),
        (YES_NO, ["yes", None, None], None),
        (YES_NO, ["yes", "yes", "yes", "no"], "yes"),
        (GRADED, ["full", "partial", "no"], None),
        (GRADED, ["full", "partial", "partial"], "partial"),
        (NUMBER, [0.2, 0.9, 0.4], 0.4),
        (NUMBER, [0.25, 0.75], 0.5),
        (NUMBER, [0.2, None, None], None),
        (TEXT, ["1931", "1931", "in 1931"], "1931"),
        (TEXT, ["", "", "x"], ""),
    ],
)
def test_the_majority_of_those_that_answered(
    asked: JudgeRequest, values: list[str | float | None], expected: str | float | None
) -> None:
    panel = Panel([said(f"j{number}", asked, value) for number, value in enumerate(values)])
    (reply,) = ask_all(panel, [asked])
    if expected is None:
        assert isinstance(reply, Failed)
        assert reply.reason.startswith("no majority")
        assert panel.counts.failed == 1
    else:
        assert isinstance(reply, Verdict)
        assert reply.value == expected
    text = reply.note if isinstance(reply, Verdict) else reply.reason
    assert all(f"j{number}: " in text for number in range(len(values)))
    assert panel.counts.requests == 1


class Broken(Judge):
    """A member that fails altogether after its first reply, and answers two kinds only."""

    name = "broken"
    kinds = frozenset({NeedsCitation, Answers})
    batch = 1

    def __init__(self) -> None:
        self.counts = Counts(calls=3, price=0.5)

    def identity(self) -> Mapping[str, str]:
        return {"model": "b"}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        if self.counts.requests:
            raise JudgeError("the budget is spent")
        self.counts.requests += 1
        yield requests[0], Verdict("no")


def test_a_member_that_breaks_leaves_the_others_to_decide() -> None:
    requests = [NeedsCitation(str(n)) for n in range(5)]
    yes = {request.key: Verdict("yes") for request in requests}
    panel = Panel([Recorded(yes, "a"), Broken(), Recorded(yes, "b")])
    replies = ask_all(panel, requests)
    assert [reply.value for reply in replies if isinstance(reply, Verdict)] == ["yes"] * 5
    assert replies[0] == Verdict("yes", "2 of 3 (a: yes, broken: no, b: yes)")
    assert isinstance(replies[4], Verdict)
    assert "the budget is spent" in replies[4].note
    assert (panel.counts.calls, panel.counts.price) == (3, 0.5)


def test_without_a_quorum_the_panel_breaks_too() -> None:
    requests = [NeedsCitation(str(n)) for n in range(5)]
    yes = {request.key: Verdict("yes") for request in requests}
    with pytest.raises(JudgeError, match="no quorum left: the budget is spent"):
        ask_all(Panel([Recorded(yes, "a"), Broken()]), requests)


def test_kinds_batch_and_identity_come_from_the_members() -> None:
    panel = Panel([Recorded({}, "a"), Broken()])
    assert panel.kinds == {NeedsCitation, Answers}
    assert panel.batch == 1
    assert panel.name == "panel:a+broken"
    assert set(panel.identity()) == {"1.digest", "2.model"}
    assert Panel([Recorded({}, "a"), Recorded({}, "b")]).kinds == set(KINDS.values())


def test_requests_go_out_once_in_batches_of_the_size_that_the_judge_wants() -> None:
    sizes: list[int] = []

    class Small(Recorded):
        batch = 2

        def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
            sizes.append(len(requests))
            return super().judge(requests)

    requests = [NeedsCitation(str(number)) for number in range(5)]
    judge = Small({one.key: Verdict("yes") for one in requests})

    async def run() -> list[Reply]:
        return [reply async for reply in judge_in_batches(judge, [*requests, *requests])]

    assert asyncio.run(run()) == [(request, Verdict("yes")) for request in requests]
    assert sizes == [2, 2, 1]
