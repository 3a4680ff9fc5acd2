"""How many questions: against simulation, and what cannot be told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from argue_bench.analysis.power import power_of_files, score_power
from argue_bench.errors import DataError, UnknownName, UsageError
from argue_bench.stats.averages import Column, macro
from tests.analysis.test_compare import loose, run_file

N = 200
RNG = np.random.default_rng(6)
BASE = RNG.random((N, 1)) * 0.6


def columns(systems: int) -> dict[str, Column]:
    return {"a": Column(BASE + RNG.normal(0, 0.1, (N, systems)), np.ones((N, systems)))}


def test_that_many_questions_find_the_difference_four_times_in_five() -> None:
    found = score_power("a", macro("a"), columns(2), difference=0.03)
    assert found.needed is not None
    gaps = RNG.normal(0.03, 0.1 * 2**0.5, (3000, found.needed))
    share = np.mean(ttest_rel(gaps, np.zeros_like(gaps), axis=1).pvalue < 0.05)
    assert share == pytest.approx(0.8, abs=0.1)
    # worked out: (1.97 + 0.84)^2 x 2 x 0.1^2 / 0.03^2 is 176
    assert found.needed == pytest.approx(176, rel=0.25)


def test_one_system_is_guessed_and_asks_for_more() -> None:
    pair = score_power("a", macro("a"), columns(2))
    alone = score_power("a", macro("a"), columns(1))
    related = score_power("a", macro("a"), columns(1), correlation=0.7)
    assert (pair.pairs, alone.pairs) == (1, 0)
    assert (pair.needed or 0) < (related.needed or 0) < (alone.needed or 0)


def test_the_worst_pair_needs_most() -> None:
    found = score_power("a", macro("a"), columns(5))
    assert found.pairs == 10
    assert (found.needed or 0) <= (found.needed_worst or 0)


def test_no_spread_no_answer() -> None:
    same = {"a": Column(np.full((9, 2), 0.5), np.ones((9, 2)))}
    found = score_power("a", macro("a"), same)
    assert (found.needed, found.resolvable) == (None, None)


def test_what_adding_up_in_another_order_leaves_is_no_spread() -> None:
    same = {"a": Column(np.full((7, 2), [0.1, 0.3]), np.ones((7, 2)))}
    found = score_power("a", macro("a"), same)
    assert 0 < found.standard_error < 1e-15  # else this shows nothing
    assert (found.needed, found.needed_worst, found.resolvable) == (None, None, None)


@pytest.mark.parametrize(
    "options",
    [
        {"difference": 0.0},
        {"difference": -1.0},
        {"difference": 1e-200},
        {"power": 1.0},
        {"power": 0.01},
        {"correlation": 1.0},
    ],
)
def test_what_cannot_be_asked(options: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        score_power("a", macro("a"), columns(2), **options)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="at least two"):
        score_power("a", macro("a"), {"a": Column(np.ones((1, 2)), np.ones((1, 2)))})


def test_files(tmp_path: Path) -> None:
    first = run_file(tmp_path / "a.run.jsonl", loose(*(BASE[:, 0] + 0.1)))
    second = run_file(tmp_path / "b.run.jsonl", loose(*RNG.random(N)))
    both = power_of_files([first, second], "", ["accuracy.loose"], 2.0)
    assert [(one.score, one.n, one.pairs) for one in both] == [("accuracy.loose", N, 1)]
    [alone] = power_of_files([first], "", ["accuracy.loose"], 2.0)
    assert alone.pairs == 0
    table = tmp_path / "scores.tot"
    table.write_text("".join(f"{r} m t{i} {RNG.random()}\n" for r in "ab" for i in range(20)))
    [found] = power_of_files([table], "tot", [], 2.0)
    assert (found.score, found.n) == ("m", 20)
    with pytest.raises(UnknownName):
        power_of_files([table], "tot", ["x"], 2.0)
    with pytest.raises(DataError, match="format must be named"):
        power_of_files([table], "", [], 2.0)
