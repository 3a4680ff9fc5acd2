"""Groups: resampled, left out and swapped whole, and wide enough with twenty of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm, t

from argue_bench.stats.averages import Column, macro, micro
from argue_bench.stats.bootstrap import (
    applies_to,
    intervals,
    jackknife,
    number_groups,
    standard_error,
    sums_by_group,
    take_groups,
    weights,
    widened_level,
)
from argue_bench.stats.permutation import permutation_test

NAMES = ["a", "b", "", "a", "c", "b", "a", ""]
VALUES = np.array([0.1, 0.5, 0.9, 0.2, 0.4, 0.8, 0.3, 1.0])


def column(values: Sequence[float] | np.ndarray) -> dict[str, Column]:
    return {"x": Column(np.asarray(values, dtype=float), np.ones(len(values)))}


def test_a_question_without_a_name_stands_alone() -> None:
    groups = number_groups(NAMES)
    assert groups is not None
    assert groups.tolist() == [0, 1, 2, 0, 3, 1, 0, 4]
    assert number_groups(["a", "b", ""]) is None


def test_a_resample_draws_whole_groups() -> None:
    groups = number_groups(NAMES)
    assert groups is not None
    rows = np.concatenate(
        [rows @ sums_by_group(np.eye(8), groups) for rows in weights(int(groups.max()) + 1, 500, 1)]
    )
    assert rows.shape == (500, 8)
    assert (rows[:, [0, 0, 1]] == rows[:, [3, 6, 5]]).all()
    # As many groups are drawn as there are; their questions vary in number.
    assert (rows[:, [0, 1, 2, 4, 7]].sum(axis=1) == 5).all()
    assert len(set(rows.sum(axis=1))) > 3


def test_the_standard_error_of_equal_clusters_is_that_of_their_means() -> None:
    rng = np.random.default_rng(3)
    values = rng.random(60)
    groups = np.repeat(np.arange(12), 5)
    means = values.reshape(12, 5).mean(axis=1)
    expected = means.std(ddof=1) / np.sqrt(12)
    found = standard_error(macro("x"), column(values), groups)
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_jackknife_leaves_out_a_cluster_with_all_its_questions() -> None:
    groups = number_groups(NAMES)
    left = jackknife({"x": macro("x")}, column(VALUES), groups)["x"]
    without = [[1, 2, 4, 5, 7], [0, 2, 3, 4, 6, 7], [0, 1, 3, 4, 5, 6, 7]]
    np.testing.assert_allclose(left[:3], [VALUES[kept].mean() for kept in without])
    assert left.shape == (5,)


@pytest.mark.parametrize("average", [macro("x"), micro("x")])
def test_the_test_swaps_whole_groups(average: object) -> None:
    """All swaps of five groups, drawn out by hand."""
    rng = np.random.default_rng(4)
    groups = number_groups(NAMES)
    assert groups is not None
    sizes = rng.integers(1, 5, 8).astype(float)
    sides = [{"x": Column(rng.integers(0, 5, 8).astype(float), sizes)} for _ in "ab"]
    observed, gaps = 0.0, []
    for swap in product((False, True), repeat=5):
        swapped = np.array(swap)[groups]
        one, other = (
            np.where(swapped, sides[1 - k]["x"].numerator, sides[k]["x"].numerator) for k in (0, 1)
        )
        if type(average).__name__ == "Macro":
            gap = (one / sizes).mean() - (other / sizes).mean()
        else:
            gap = (one.sum() - other.sum()) / sizes.sum()
        gaps.append(abs(gap))
        observed = observed if any(swap) else abs(gap)
    expected = np.mean(np.array(gaps) >= observed - 1e-12)
    found = permutation_test(average, *sides, groups=groups)  # type: ignore[arg-type]
    assert float(found) == pytest.approx(expected)


def test_what_one_cluster_alone_shows_is_no_interval() -> None:
    groups = np.zeros(8, dtype=np.intp)
    assert intervals({"x": macro("x")}, column(VALUES), groups=groups)["x"] is None
    assert int(applies_to(macro("x"), column(VALUES), groups)) == 1


def test_clusters_of_some_questions_are_numbered_anew() -> None:
    groups = number_groups(NAMES)
    kept = take_groups(groups, np.array([0, 1, 0, 0, 1, 1, 0, 0], dtype=bool))
    assert kept is not None
    assert kept.tolist() == [0, 1, 0]
    assert take_groups(groups, np.array([1, 1, 0, 0, 0, 0, 0, 0], dtype=bool)) is None


def test_few_clusters_reach_as_far_as_student_does() -> None:
    # Twenty: 2.093 (t's table, 19 degrees of freedom) times sqrt(20 / 19), in a normal's tails.
    assert t.ppf(0.975, 19) == pytest.approx(2.093, abs=5e-4)
    expected = 2 * norm.cdf(2.0930240544 * np.sqrt(20 / 19)) - 1
    assert widened_level(0.95, 20) == pytest.approx(expected, abs=1e-9)
