"""Intervals: equal to scipy's from the same resamples, to the literal loop, and honest at the rim."""

from __future__ import annotations

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom, bootstrap

from argue_bench.stats.averages import (
    Array,
    Average,
    Column,
    Harmonic,
    lower_is_better,
    macro,
    micro,
)
from argue_bench.stats.bootstrap import (
    SEED,
    bounds,
    intervals,
    intervals_together,
    jackknife,
    replicates,
    weights,
)

RNG = np.random.default_rng(5)
N = 40
OF = RNG.integers(1, 6, N).astype(float)
COLUMNS = {
    "recall": Column(RNG.binomial(OF.astype(int), 0.4).astype(float), OF),
    "precision": Column(RNG.random(N), np.ones(N)),
}
F1 = Harmonic(micro("recall"), macro("precision"))


def literal(average: Average, rows: Array) -> Array:
    """Every resample drawn out question by question."""
    values = []
    for row in rows:
        drawn = np.repeat(np.arange(N), row.astype(int))
        columns = {k: Column(c.numerator[drawn], c.denominator[drawn]) for k, c in COLUMNS.items()}
        values.append(average.values(columns, np.ones((1, len(drawn))))[0])
    return np.array(values)


@pytest.mark.parametrize("average", [macro("recall"), micro("recall"), F1])
def test_resampled_values_are_those_of_the_literal_loop(average: Average) -> None:
    [rows] = weights(N, 200, seed=1)
    found = replicates({"x": average}, COLUMNS, resamples=200, seed=1)["x"]
    np.testing.assert_allclose(found, literal(average, rows), atol=1e-12)


@pytest.mark.parametrize("average", [macro("recall"), micro("recall"), F1])
def test_bounds_are_scipys_from_the_same_resamples(average: Average) -> None:
    # rounded, for scipy takes 0.4 and 0.4 + 1e-17 for two values when it looks for ties
    drawn = replicates({"x": average}, COLUMNS, resamples=2_000)["x"].round(12)

    def statistic(index: Array) -> Array:
        rows = np.atleast_2d(index).astype(int)
        counted = np.stack([np.bincount(row, minlength=N) for row in rows]).astype(float)
        values = average.values(COLUMNS, counted).round(12)
        return values if index.ndim > 1 else values[0]

    given = SimpleNamespace(bootstrap_distribution=drawn)
    theirs = bootstrap(
        (np.arange(N),),
        statistic,
        n_resamples=0,
        method="BCa",
        bootstrap_result=given,
        vectorized=False,
        rng=1,
    ).confidence_interval
    ours = intervals({"x": average}, COLUMNS, resamples=2_000)["x"]
    assert ours == pytest.approx(tuple(theirs), abs=1e-9)


def test_all_scores_and_systems_meet_the_same_resamples() -> None:
    twice = {k: Column(*(np.stack([p, p], axis=1) for p in c)) for k, c in COLUMNS.items()}
    both = replicates({"a": F1, "b": macro("recall")}, twice, resamples=100)
    alone = replicates({"a": F1}, COLUMNS, resamples=100)["a"]
    assert (both["a"][:, 0] == both["a"][:, 1]).all()
    np.testing.assert_allclose(both["a"][:, 0], alone, atol=1e-12)


def test_left_out_questions() -> None:
    values = COLUMNS["precision"].numerator
    expected = [np.delete(values, i).mean() for i in range(N)]
    found = jackknife({"x": macro("precision")}, COLUMNS)["x"]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_many_questions_are_resampled_in_blocks_that_stay_small() -> None:
    values = np.random.default_rng(3).random(3_000)
    columns = {"x": Column(values, np.ones(3_000))}
    tracemalloc.start()
    drawn = replicates({"x": macro("x")}, columns, resamples=3_000)["x"]
    left_out = jackknife({"x": macro("x")}, columns)["x"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 << 20  # all as bytes, 9 MB; as numbers 72 MB, and the jackknife's as much
    again = [rows.copy() for rows in weights(3_000, 3_000, SEED)]
    assert len(again) == 143  # 21 rows of 3,000 fit into a block
    counts = np.concatenate(again)
    assert (counts.sum(axis=1) == 3_000).all()
    np.testing.assert_allclose(drawn, counts @ values / 3_000, atol=1e-12)
    np.testing.assert_allclose(left_out, (values.sum() - values) / 2_999, atol=1e-12)


def test_one_question_has_no_interval() -> None:
    columns = {"x": Column(np.array([1.0, 0.0]), np.array([1.0, 0.0]))}
    assert intervals({"x": macro("x")}, columns) == {"x": None}


def test_resamples_without_a_question_to_which_it_applies_are_left_out() -> None:
    columns = {"x": Column(np.array([1.0, 0.0, 0, 0]), np.array([1.0, 1.0, 0, 0]))}
    assert np.isnan(replicates({"x": macro("x")}, columns, resamples=500)["x"]).any()
    assert intervals({"x": macro("x")}, columns)["x"] is not None


def test_a_fault_has_the_same_interval_as_a_merit() -> None:
    found = intervals({"x": micro("recall"), "y": lower_is_better(micro("recall"))}, COLUMNS)
    assert found["x"] == found["y"]


SIZE, DRAWS = 120, 300


def draw(rng: np.random.Generator) -> dict[str, Column]:
    """Continuous scores: a share, and a ratio whose size varies and pulls on it."""
    of = rng.gamma(4.0, 1.0, SIZE)
    got = of * rng.beta(2 + of / 4, 3, SIZE)
    return {"a": Column(rng.beta(2, 5, SIZE), np.ones(SIZE)), "b": Column(got, of)}


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    averages = {"mean": macro("a"), "ratio": micro("b"), "f1": Harmonic(macro("a"), micro("b"))}
    rng = np.random.default_rng(11)
    many = [draw(rng) for _ in range(4_000)]
    whole = {
        name: Column(*(np.concatenate([one[name][i] for one in many]) for i in (0, 1)))
        for name in ("a", "b")
    }
    every = np.ones((1, len(whole["a"].numerator)))
    truth = {key: average.values(whole, every)[0] for key, average in averages.items()}
    assert truth["mean"] == pytest.approx(2 / 7, abs=0.002)
    held = dict.fromkeys(averages, 0)
    for _ in range(DRAWS):
        for key, found in intervals(averages, draw(rng), resamples=1_000).items():
            assert found is not None
            held[key] += found[0] <= truth[key] <= found[1]
    # 95 % intervals that hold it in 93 to 97 %, give or take 300 draws
    least, most = binom.ppf(0.001, DRAWS, 0.93), binom.ppf(0.999, DRAWS, 0.97)
    for key, count in held.items():
        assert least <= count <= most, (key, count / DRAWS)


def test_scores_of_one_report_share_one_draw() -> None:
    groups = [({"r": micro("recall")}, COLUMNS), ({}, COLUMNS), ({"f": F1}, COLUMNS)]
    first, nothing, last = intervals_together(groups, resamples=500)
    assert nothing == {}
    assert first == intervals({"r": micro("recall")}, COLUMNS, resamples=500)
    assert last == intervals({"f": F1}, COLUMNS, resamples=500)


@pytest.mark.parametrize("kind", ["spread", "tied", "few", "missing"])
def test_percentiles_are_those_of_all_values_in_order(kind: str) -> None:
    values = np.random.default_rng(6).normal(size=(5_000, 11))
    if kind == "tied":
        values = values.round(1)
    elif kind == "few":
        values = values[:30]
    elif kind == "missing":
        values[values > 1] = np.nan
    found = np.stack(bounds(values, np.zeros(11)))
    expected = np.nanquantile(values, [0.025, 0.975], axis=0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_two_clusters_have_an_interval() -> None:
    groups = np.repeat([0, 1], N // 2)
    found = intervals({"x": F1}, COLUMNS, groups=groups, resamples=500)["x"]
    assert found is not None
    assert found[0] < found[1]
