"""Holm, Wilcoxon and scores on one question alone: by hand, by scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import wilcoxon

from argue_bench.metrics.argue.argue import SCORES
from argue_bench.stats.averages import Average, Column, Harmonic, Median, macro, micro, total
from argue_bench.stats.permutation import holm, per_question, wilcoxon_p
from argue_bench.stats.proportion import difference_interval, wilson_interval


def test_holm_by_hand() -> None:
    # sorted .01 .02 .03 .04: x4 = .04, x3 = .06, x2 = .06, x1 -> not below .06
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.7]) == pytest.approx([1.0, 1.0])


def test_holm_does_not_count_what_was_not_tested() -> None:
    found = holm([0.03, float("nan"), 0.01])
    assert np.isnan(found[1])
    assert found[[0, 2]] == pytest.approx([0.03, 0.02])


def test_wilcoxon_is_scipys_on_what_is_not_missing() -> None:
    gaps = np.random.default_rng(1).normal(0.2, 1, 20)
    assert wilcoxon_p(np.append(gaps, np.nan)) == pytest.approx(wilcoxon(gaps).pvalue)
    assert wilcoxon_p(np.zeros(5)) == 1.0
    assert wilcoxon_p(np.array([])) == 1.0


def test_a_score_on_each_question_alone() -> None:
    columns = {
        "a": Column(np.array([1.0, 0, 0]), np.array([1.0, 2, 0])),
        "b": Column(np.array([1.0, 1, 1]), np.array([2.0, 1, 1])),
    }
    found = per_question(Harmonic(macro("a"), macro("b")), columns)
    assert found[:2] == pytest.approx([2 / 3, 0.0])
    assert np.isnan(found[2])


@pytest.mark.parametrize(
    "average",
    [
        macro("a"),
        micro("a"),
        total("a"),
        Harmonic(macro("a"), micro("b")),
        Median("a"),
        SCORES["nugget_coverage_micro"],
    ],
)
def test_alone_is_the_score_on_a_set_of_one(average: Average) -> None:
    rng = np.random.default_rng(7)
    got, of = rng.integers(0, 3, (2, 9, 4)).astype(float)
    columns = dict.fromkeys(("a", *average.columns_read), Column(got * of, of))
    columns["b"] = Column(got, np.ones_like(of))
    found = per_question(average, columns)
    assert found.shape == (9, 4)
    for at in range(9):
        for system in range(4):
            one = {
                name: Column(c.numerator[[at], system], c.denominator[[at], system])
                for name, c in columns.items()
            }
            (alone,) = average.values(one, np.ones((1, 1)))
            assert found[at, system] == pytest.approx(alone, nan_ok=True)


def test_a_hundred_thousand_questions_alone_take_no_square_of_memory() -> None:
    n = 100_000  # squared, in numbers of eight bytes, these are 80 GB
    found = per_question(macro("a"), {"a": Column(np.arange(n) * 1.0, np.full(n, 2.0))})
    assert found[-1] == (n - 1) / 2


def test_the_interval_of_a_difference_is_newcombes() -> None:
    """Newcombe 1998, table II, example (a): 56 of 70 against 48 of 80, method 10."""
    first, second = ((k / n, *wilson_interval(k / n, n)) for k, n in ((56, 70), (48, 80)))
    assert difference_interval(first, second) == pytest.approx((0.0524, 0.3339), abs=5e-5)
