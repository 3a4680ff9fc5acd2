"""The permutation test against scipy, against every swap written out, and on systems alike."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom
from scipy.stats import permutation_test as scipys

from argue_bench.stats.averages import Average, Column, Harmonic, macro, micro, value_of
from argue_bench.stats.permutation import is_exact, permutation_test, smallest_p

RNG = np.random.default_rng(3)


def system(n: int, shift: float = 0.0) -> dict[str, Column]:
    of = RNG.integers(1, 5, n).astype(float)
    return {
        "a": Column(RNG.random(n) + shift, np.ones(n)),
        "b": Column(RNG.binomial(of.astype(int), 0.5).astype(float), of),
    }


@pytest.mark.parametrize("shift", [0.0, 0.2, 0.6])
def test_a_mean_is_tested_as_scipy_tests_it(shift: float) -> None:
    first, second = system(9, shift), system(9)
    theirs = scipys(
        (first["a"].numerator, second["a"].numerator),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    ).pvalue
    assert permutation_test(macro("a"), first, second) == pytest.approx(theirs)


F1 = Harmonic(macro("a"), micro("b"))


@pytest.mark.parametrize("average", [macro("a"), micro("b"), F1])
def test_every_swap_of_tallies_written_out(average: Average) -> None:
    n = 7
    first, second = system(n), system(n)

    def gap(swapped: tuple[bool, ...]) -> float:
        at = np.array(swapped)
        x, y = (
            {
                k: Column(*(np.where(at, q, p) for p, q in zip(c, d, strict=True)))
                for (k, c), d in zip(one.items(), other.values(), strict=True)
            }
            for one, other in ((first, second), (second, first))
        )
        return abs((value_of(average, x) or 0) - (value_of(average, y) or 0))

    gaps = [gap(swapped) for swapped in product((False, True), repeat=n)]
    expected = np.mean([one >= gaps[0] - 1e-12 for one in gaps])
    assert permutation_test(average, first, second) == pytest.approx(expected)


def test_where_a_score_does_not_apply_on_one_side_the_swap_takes_that_along() -> None:
    first = {"a": Column(np.array([1.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0]))}
    second = {"a": Column(np.array([0.0, 0.0, 0.0]), np.array([1.0, 1.0, 1.0]))}
    # |1 - 0|; one swap of the first two gives |1/2 - 1/3| or |1/2 - 1/2|, both give |0 - 2/3|,
    # the third question's swap |2/3 - 0|: only no swap and all swaps reach 1
    assert permutation_test(macro("a"), first, second) == pytest.approx(2 / 8)


def test_sampled_p_is_near_the_exact_one_and_never_0() -> None:
    first, second = system(12, 0.15), system(12)
    exact = float(permutation_test(macro("a"), first, second, permutations=4096))
    sampled = float(permutation_test(macro("a"), first, second, permutations=4095))
    assert is_exact(12, 4096)
    assert not is_exact(12, 4095)
    assert sampled == pytest.approx(exact, abs=0.03)
    far = permutation_test(macro("a"), system(60, 9.0), system(60), permutations=500)
    assert float(far) == pytest.approx(1 / 501) == smallest_p(60, 500)


def test_many_pairs_at_once_are_each_pair_alone() -> None:
    pairs = [(system(30), system(30)) for _ in range(5)]
    wide = [
        {k: Column(*(np.stack([p[i][k][j] for p in pairs], axis=1) for j in (0, 1))) for k in "ab"}
        for i in (0, 1)
    ]
    for average in (macro("a"), micro("b"), F1):
        together = permutation_test(average, wide[0], wide[1], permutations=300)
        alone = [float(permutation_test(average, x, y, permutations=300)) for x, y in pairs]
        assert together == pytest.approx(alone)


def test_systems_alike_are_called_different_as_often_as_alpha_says() -> None:
    draws, n = 400, 120
    difficulty = RNG.random((2, n, draws))
    of = RNG.integers(1, 5, (n, draws)).astype(float)

    def system() -> dict[str, Column]:
        a, b = np.clip(difficulty + RNG.normal(0, 0.2, difficulty.shape), 0, 1)
        return {"a": Column(a, np.ones((n, draws))), "b": Column(of * b, of)}

    sides = system(), system()
    for average in (macro("a"), F1):
        p = permutation_test(average, *sides, permutations=1_000)
        alarms = np.count_nonzero(p < 0.05)
        assert binom.ppf(0.001, draws, 0.04) <= alarms <= binom.ppf(0.999, draws, 0.06)
