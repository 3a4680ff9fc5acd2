"""Rank correlations against scipy, by hand, and at their rims."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr

from argue_bench.errors import UnknownName, UsageError
from argue_bench.stats.correlation import correlation, parse_method

GRADES = st.integers(0, 4).map(float)


@given(st.lists(st.tuples(GRADES, GRADES), min_size=3, max_size=12))
def test_kendall_spearman_pearson_are_scipys(pairs: list[tuple[float, float]]) -> None:
    x, y = (np.array(side) for side in zip(*pairs, strict=True))
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        for method in ("kendall", "spearman", "pearson"):
            assert np.isnan(correlation(method, x, y))
        return
    assert correlation("kendall", x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-9)
    assert correlation("spearman", x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-9)
    assert correlation("pearson", x, y) == pytest.approx(pearsonr(x, y).statistic, abs=1e-9)


def test_tauap_b_by_hand() -> None:
    # truth a > b > c > d; judge b > a > c = d
    truth, judge = np.array([4.0, 3, 2, 1]), np.array([3.0, 4, 1, 1])
    # along the judge: a has {b} above, 0 of 1 right; c and d have {b, a}, 2 of 2: (0 + 1 + 1) / 3
    # along the truth: b has {a}, 0; c {a, b}, 1; d {a, b, c}: 2 of 3, for c is tied with it
    one, other = 2 * (2 / 3) - 1, 2 * ((0 + 1 + 2 / 3) / 3) - 1
    assert correlation("tauap_b", truth, judge) == pytest.approx((one + other) / 2)


def test_tau_gap_by_hand() -> None:
    # truth .9 .5 .4; the judge has them b > a > c: a below b is wrong, gap .4 of .4;
    # c below both is right: shares 0 and 1, 2/2 * (0 + 1) - 1 = 0
    assert correlation("tau_gap", np.array([0.9, 0.5, 0.4]), np.array([2.0, 3, 1])) == (
        pytest.approx(0.0)
    )
    # b > c > a: c right with .1 of .1, a wrong with .4 + .5: shares 1 and 0
    assert correlation("tau_gap", np.array([0.9, 0.5, 0.4]), np.array([1.0, 3, 2])) == (
        pytest.approx(0.0)
    )


def test_constant_sides() -> None:
    flat, up = np.ones(4), np.arange(4.0)
    assert np.isnan(correlation("tau_gap", flat, up))
    # the judge's side has nothing above anything and counts 0, the truth's finds nothing: -1
    assert correlation("tauap_b", up, flat) == pytest.approx(-0.5)
    assert correlation("tauap_b", flat, flat) == 0.0


def test_values_apart_by_rounding_are_tied() -> None:
    truth = np.array([0.1 + 0.2, 0.3, 0.5])
    assert correlation("kendall", truth, np.array([1.0, 2, 3])) == pytest.approx(2 / 6**0.5)


@pytest.mark.parametrize("text", ["kendal", "", "kendall@", "kendall@0", "kendall@-1", "kendall@x"])
def test_methods_that_are_none(text: str) -> None:
    with pytest.raises((UnknownName, UsageError)):
        parse_method(text)
