"""``judge check`` with intervals, and with a judge that does not always say the same."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

import pytest

from argue_bench.judges.base import Counts, Reply
from argue_bench.judges.checks.agreement import check_judge
from argue_bench.judges.labels import Label
from argue_bench.records import Failed, JudgeRequest, NeedsCitation, Verdict

LABELS = [Label(NeedsCitation(f"s{n}"), Verdict("yes" if n < 25 else "no"), n) for n in range(50)]


class Fickle:
    """Says what the label says; of every tenth ask something else each second time; fails on one."""

    name, batch = "fickle", 7
    kinds = frozenset({NeedsCitation})

    def __init__(self) -> None:
        self.counts = Counts()
        self.seen: dict[str, int] = {}

    def identity(self) -> Mapping[str, str]:
        return {}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        for request in requests:
            assert isinstance(request, NeedsCitation)
            number = int(request.sentence[1:])
            turn = self.seen[request.key] = self.seen.get(request.key, 0) + 1
            if number == 49:
                yield request, Failed("no reply")
            else:
                yes = (number < 25) != (number % 10 == 0 and turn % 2 == 0)
                yield request, Verdict("yes" if yes else "no")


def test_flips_are_counted_over_repeats_and_the_first_verdict_counts() -> None:
    once, thrice = (
        check_judge(Fickle(), LABELS, repeats).kinds["NeedsCitation"] for repeats in (1, 3)
    )
    assert once.flips is None
    # 5 of the 49 asks that got verdicts say x, other, x: two of three pairs differ
    assert thrice.flips == pytest.approx(5 * (2 / 3) / 49)
    assert once.accuracy == thrice.accuracy == 1.0


def test_kappa_and_alpha_have_intervals() -> None:
    class Wrong(Fickle):
        """Wrong on every fifth."""

        async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
            for request in requests:
                assert isinstance(request, NeedsCitation)
                number = int(request.sentence[1:])
                yield request, Verdict("yes" if (number < 25) != (number % 5 == 0) else "no")

    found = check_judge(Wrong(), LABELS).kinds["NeedsCitation"]
    # 40 of 50 right, margins alike: kappa (0.8 - 0.5) / 0.5; alpha the same but for (n - 1) / n
    assert found.kappa == pytest.approx(0.6)
    assert found.alpha == pytest.approx(1 - 99 * 20 / (2 * 50 * 50))
    for interval, value in ((found.kappa_interval, 0.6), (found.alpha_interval, 0.6)):
        assert interval is not None
        assert interval[0] < value < interval[1] < 0.9
