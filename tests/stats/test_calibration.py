"""Shares corrected by sensitivity and specificity: worked by hand, and held to planted studies."""

from __future__ import annotations

import numpy as np
import pytest

from argue_bench.stats.classification import ErrorRates, corrected_share


def test_a_share_is_corrected_as_rogan_and_gladen_do() -> None:
    # 60 % seen, sensitivity .9, specificity .8: (.6 + .8 - 1) / .7 = 4/7.
    value, low, high = corrected_share(0.6, 200, ErrorRates(0.9, 50, 0.8, 50))
    assert value == pytest.approx(4 / 7)
    assert low < 4 / 7 < high
    # Nearly exact rates and many verdicts: the interval closes around the value.
    value, low, high = corrected_share(0.6, 1e9, ErrorRates(0.9, 10**9, 0.8, 10**9))
    assert (low, high) == pytest.approx((4 / 7, 4 / 7), abs=1e-3)


def test_the_interval_is_the_published_formula() -> None:
    """Worked through by hand for n = 100, p = .5 and 18 of 18 and 18 of 18 right, z = 1.96."""
    _, low, high = corrected_share(0.5, 100, ErrorRates(1.0, 18, 1.0, 18))
    q, noise, z = 0.95, 0.95 * 0.05 / 20, 1.959964
    variance = 0.25 / (100 + z**2) + 2 * 0.25 * noise
    assert high - low == pytest.approx(2 * z * variance**0.5 / (2 * q - 1), rel=1e-6)
    assert (low + high) / 2 == pytest.approx(0.5)


def test_it_holds_the_truth_where_the_uncorrected_share_hardly_ever_does() -> None:
    rng = np.random.default_rng(5)
    held = naive = 0
    for _ in range(2000):
        truth, n = rng.random(300) < 0.3, 40
        seen = np.where(truth, rng.random(300) < 0.9, rng.random(300) < 0.25).mean()
        rates = ErrorRates(rng.binomial(n, 0.9) / n, n, rng.binomial(n, 0.75) / n, n)
        _, low, high = corrected_share(float(seen), 300, rates)
        held += low <= 0.3 <= high
        reach = 1.96 * (seen * (1 - seen) / 300) ** 0.5
        naive += abs(seen - 0.3) <= reach
    assert 0.93 <= held / 2000 <= 0.985
    assert naive / 2000 < 0.2


def test_a_judge_that_does_not_tell_apart_corrects_nothing() -> None:
    with pytest.raises(ValueError, match="chance"):
        corrected_share(0.5, 100, ErrorRates(0.4, 50, 0.5, 50))


def test_a_share_beyond_what_the_error_rates_allow_is_no_certainty() -> None:
    """All of 80 verdicts are yes, of a judge that missed 20 of 100 on other texts: not surely all."""
    value, low, high = corrected_share(1.0, 80, ErrorRates(0.8, 100, 0.95, 100))
    assert (value, high) == (1.0, 1.0)
    assert low == pytest.approx(0.025 ** (1 / 80))
    value, low, high = corrected_share(0.0, 80, ErrorRates(0.95, 100, 0.8, 100))
    assert (value, low) == (0.0, 0.0)
    assert high == pytest.approx(1 - 0.025 ** (1 / 80))
