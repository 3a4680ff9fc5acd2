"""Holm, Wilcoxon, effect sizes and what can be resolved: by hand, scipy, simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel, wilcoxon

from argue_bench.stats.averages import Column, Harmonic, macro
from argue_bench.stats.significance import (
    effect_size,
    holm,
    per_question,
    questions_needed,
    resolvable,
    wilcoxon_p,
)


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


def test_effect_size_by_hand() -> None:
    assert effect_size(np.array([1.0, 2.0, 3.0, np.nan])) == pytest.approx(2.0)
    assert effect_size(np.array([1.0, 1.0])) is None
    assert effect_size(np.array([1.0])) is None


def test_a_score_on_each_question_alone() -> None:
    columns = {"a": Column(np.array([1.0, 0, 0]), np.array([1.0, 2, 0])),
               "b": Column(np.array([1.0, 1, 1]), np.array([2.0, 1, 1]))}  # fmt: skip
    found = per_question(Harmonic(macro("a"), macro("b")), columns)
    assert found[:2] == pytest.approx([2 / 3, 0.0])
    assert np.isnan(found[2])


def test_a_resolvable_difference_is_found_in_four_of_five_sets() -> None:
    rng = np.random.default_rng(2)
    n, spread = 40, 0.3
    seen = resolvable(spread / n**0.5, n)
    assert seen is not None
    found = [ttest_rel(rng.normal(seen, spread, n), np.zeros(n)).pvalue < 0.05 for _ in range(2000)]
    assert np.mean(found) == pytest.approx(0.8, abs=0.03)


def test_questions_needed_turns_resolvable_around() -> None:
    n = questions_needed(0.05, 100, 0.02)
    assert resolvable(0.05 * (100 / n) ** 0.5, n) == pytest.approx(0.02, rel=0.001)
    # twice the difference takes a quarter of the questions
    assert questions_needed(0.05, 100, 0.04) == pytest.approx(n / 4, rel=0.01)


def test_what_has_no_spread_resolves_nothing_known() -> None:
    assert resolvable(0.1, 1) is None
    assert resolvable(0.0, 50) is None
