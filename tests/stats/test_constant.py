"""Scores without spread: their interval is what the number of questions allows, wherever it is shown."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

from argue_bench.analysis.bands import rank_bands
from argue_bench.lab.label_agreement import kappa_interval
from argue_bench.stats.averages import Column, Harmonic, macro, mean_count
from argue_bench.stats.bootstrap import intervals, number_groups
from argue_bench.stats.classification import measures_of


def column(value: float, n: int) -> dict[str, Column]:
    return {"x": Column(np.full(n, value), np.ones(n))}


@pytest.mark.parametrize("n", [2, 8, 20, 100])
def test_a_constant_share_at_the_rim_is_clopper_and_pearsons(n: int) -> None:
    found = intervals({"x": macro("x"), "f": Harmonic(macro("x"), macro("x"))}, column(1.0, n))
    assert found["x"] == pytest.approx((beta.ppf(0.025, n, 1), 1.0))
    assert found["f"] == found["x"]
    none = intervals({"x": macro("x")}, column(0.0, n))["x"]
    assert none == pytest.approx((0.0, beta.ppf(0.975, 1, n)))


def test_a_constant_count_has_no_interval() -> None:
    assert intervals({"x": mean_count("x")}, column(12.0, 20))["x"] is None


def test_a_constant_that_no_share_can_be_has_no_interval() -> None:
    assert intervals({"x": macro("x")}, column(7.0, 20))["x"] is None


def test_clusters_are_what_is_counted() -> None:
    groups = number_groups(str(at // 5) for at in range(20))
    found = intervals({"x": macro("x")}, column(1.0, 20), groups=groups)["x"]
    assert found == pytest.approx((0.025 ** (1 / 4), 1.0))


def test_bands_show_it_too() -> None:
    rng = np.random.default_rng(0)
    systems = {"all": column(1.0, 20), "some": {"x": Column(rng.random(20), np.ones(20))}}
    rows = rank_bands("x", macro("x"), systems, resamples=200, permutations=200)["systems"]
    assert rows[0]["low"] == pytest.approx(0.025 ** (1 / 20))


def test_a_judge_without_fault_is_not_proved_perfect() -> None:
    cells = {("yes", "yes"): 12, ("no", "no"): 30}
    found = measures_of(cells, ("yes", "no"))
    assert found["accuracy"].low == pytest.approx(0.025 ** (1 / 42))
    # The rarer class decides.
    assert found["balanced_accuracy"].low == pytest.approx(0.025 ** (1 / 12))
    kappa = kappa_interval(cells)
    assert kappa is not None
    assert kappa == pytest.approx((2 * 0.025 ** (1 / 42) - 1, 1.0))
