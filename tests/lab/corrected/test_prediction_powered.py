"""Corrected scores: unbiased whatever the judge, as wide as they must be, none where labels say little."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from argue_bench.lab.corrected.prediction_powered import (
    FEW_RARE,
    corrected_mean,
    corrected_score,
    is_mean,
    rarer,
)
from argue_bench.stats.averages import Array, Column, Columns, Harmonic, macro, micro

RNG = np.random.default_rng(11)


def column(values: Array, of: Array | None = None) -> Column:
    values = np.asarray(values, dtype=float)
    return Column(values, np.ones_like(values) if of is None else of)


def test_a_judge_that_is_always_ten_points_too_kind_is_corrected_by_ten_points() -> None:
    people = RNG.random(30)
    found = corrected_mean(people, people + 0.1, RNG.random(400) + 0.1)
    assert float(found.bias) == pytest.approx(0.1)
    # No spread was seen, of which 30 labels are no proof: as if 2 of 32 had a judge that tells nothing.
    reach = t.ppf(0.975, 29) * people.std(ddof=1) / np.sqrt(30) * np.sqrt(2 / 32)
    assert float(found.bias_high - found.bias) == pytest.approx(reach)
    assert float(found.bias - found.bias_low) == pytest.approx(reach)
    everything = np.arange(430) < 30
    judge = np.concatenate([people + 0.1, RNG.random(400) + 0.1])
    by_draws = corrected_score(
        macro("x").values, {"x": column(people)}, {"x": column(judge)}, everything, resamples=4000
    )
    assert float(by_draws.bias_high - by_draws.bias) == pytest.approx(reach, rel=0.1)
    # A judge that is right but for a shift is believed nearly whole.
    assert float(found.tuning) > 0.8


def test_a_judge_that_says_nothing_leaves_students_interval() -> None:
    people = RNG.random(40)
    found = corrected_mean(people, np.full(40, 0.7), np.full(300, 0.7))
    reach = t.ppf(0.975, 39) * people.std(ddof=1) / np.sqrt(40)
    assert float(found.value) == pytest.approx(people.mean())
    assert (float(found.low), float(found.high)) == pytest.approx(
        (people.mean() - reach, people.mean() + reach)
    )


def test_with_every_question_labelled_people_have_the_last_word() -> None:
    people = RNG.random(40)
    found = corrected_mean(people, 1 - people, np.empty(0))
    assert (float(found.value), float(found.tuning)) == (pytest.approx(people.mean()), 0)
    everything = np.ones(40, dtype=bool)
    by_draws = corrected_score(
        macro("x").values,
        {"x": column(people)},
        {"x": column(1 - people)},
        everything,
        resamples=500,
    )
    assert float(by_draws.value) == pytest.approx(people.mean())


@pytest.mark.parametrize("average", [micro("x"), Harmonic(micro("x"), macro("y")), macro("y")])
def test_the_bootstrap_form_finds_what_people_would_say_of_all(average: object) -> None:
    """Over 300 planted studies the mean error is that of chance; the judge's own is ten times it."""
    n, others, studies = 40, 200, 300
    shape = (n + others, studies)
    sizes = RNG.integers(1, 6, shape).astype(float)
    share = RNG.beta(2, 2, shape)
    people = {"x": Column(RNG.binomial(sizes.astype(int), share), sizes), "y": column(share)}
    kind = np.clip(share + 0.15, 0, 1)
    judge = {"x": Column(RNG.binomial(sizes.astype(int), kind), sizes), "y": column(kind)}
    labelled = np.arange(n + others) < n
    given: Columns = {k: Column(c.numerator[:n], c.denominator[:n]) for k, c in people.items()}
    found = corrected_score(average.values, given, judge, labelled, resamples=300)  # type: ignore[attr-defined]
    off = found.value - 0.5
    assert abs(off.mean()) < 4 * off.std() / np.sqrt(studies)
    # 0.15, less what the ends of the scale cut off: the mean of min(0.15, 1 - share) under Beta(2, 2).
    assert found.bias.mean() == pytest.approx(0.147, abs=0.025)
    held = np.mean((found.low <= 0.5) & (found.high >= 0.5))
    assert held > 0.9


def test_clusters_are_drawn_whole_also_where_half_of_one_is_labelled() -> None:
    """Ten questions of each of 30 groups that say the same: as wide as 30 questions are."""
    groups = np.repeat(np.arange(30), 10)
    values = np.repeat(RNG.random(30), 10)
    labelled = np.tile(np.arange(10) < 5, 30)
    people, judge = {"x": column(values[labelled])}, {"x": column(np.full(300, 0.5))}
    found = corrected_score(
        macro("x").values, people, judge, labelled, groups=groups, resamples=4000
    )
    error = values[::10].std() / np.sqrt(30)
    assert float(found.standard_error) == pytest.approx(error, rel=0.05)


def test_few_of_the_rarer_outcome_span_the_labels_alone() -> None:
    people = np.array([1.0] * 6 + [0.0] * 34)
    assert int(rarer(people)) == 6 < FEW_RARE
    judge = people.copy()
    found = corrected_mean(people, judge, np.array([1.0] * 60 + [0.0] * 340))
    reach = t.ppf(0.975, 39) * people.std(ddof=1) / np.sqrt(40)
    assert float(found.low) <= people.mean() - reach + 1e-12
    assert float(found.high) >= people.mean() + reach - 1e-12


def test_the_rarer_outcome_is_counted_without_what_does_not_apply() -> None:
    values = np.array([[1.0, 0.2], [1.0, 0.2], [0.0, np.nan], [np.nan, 0.3], [0.5, 0.4]])
    assert rarer(values).tolist() == [2, 2]


def test_a_mean_is_one_where_people_and_judge_score_the_same_questions() -> None:
    labelled = np.array([True, True, False])
    judge = {"x": Column(np.ones(3), np.array([1.0, 0.0, 1.0]))}
    same = {"x": Column(np.ones(2), np.array([1.0, 0.0]))}
    other = {"x": Column(np.ones(2), np.array([1.0, 1.0]))}
    assert is_mean(macro("x"), same, judge, labelled)
    assert not is_mean(macro("x"), other, judge, labelled)
    assert not is_mean(micro("x"), same, judge, labelled)
