"""The whole study on planted scores whose true agreement is known, and on awkward ones."""

from __future__ import annotations

import json

import numpy as np
import pytest

from argue_bench.errors import DataError
from argue_bench.lab.agreement import (
    OUTCOMES,
    measure_agreement,
    pair_verdicts,
    score_matrix,
    system_level,
)
from argue_bench.lab.score_table import AgreementStudy, ScoreTable, TopicScore, table_of
from argue_bench.stats.correlation import correlation
from tests.lab.planted_study import MEASURE, planted_study
from tests.lab.test_rankings import table


def test_the_paper_study() -> None:
    study = planted_study()
    found = measure_agreement(AgreementStudy(study.truth, study.judge), ["kendall"], resamples=500)
    [whole] = found
    assert (len(whole.runs), len(whole.pairwise)) == (51, 1275)
    assert len(whole.topics) == 21
    assert set(whole.left_out) == {"topic", "run"}
    assert [len(left) for left in whole.left_out.values()] == [21, 51]
    assert sum(whole.outcomes.values()) == 1275
    # within a topic there is one noisy score a run: always below the order of means
    for one in found:
        system, within = one.systems["kendall"], one.within["kendall"]
        assert system.low is not None
        assert system.high is not None
        assert system.value is not None
        assert within.value is not None
        assert within.value < system.value
        assert system.low < system.value < system.high


def test_intervals_turn_the_pull_of_noise_around() -> None:
    """Noise on topics pulls a correlation of means down and resampling pulls it again: percentiles
    nearly always miss the planted value. The basic interval holds it mostly, not in 95 %: the docs
    say how often."""
    draws, held, by_percentile = 40, 0, 0
    for seed in range(draws):
        study = planted_study(seed)
        aligned = AgreementStudy(study.truth, study.judge).align((MEASURE, MEASURE))
        sides = [
            score_matrix(t, MEASURE, aligned.runs, t.topics) for t in (study.truth, study.judge)
        ]
        value = correlation("kendall", np.array(aligned.truth), np.array(aligned.judge))
        found = system_level(aligned, {"kendall": value}, sides, 300, 0)["kendall"]
        assert found.low is not None
        assert found.high is not None
        planted = study.planted[""]
        held += found.low <= planted <= found.high
        by_percentile += 2 * value - found.high <= planted <= 2 * value - found.low
    assert held >= 0.7 * draws
    assert by_percentile <= 0.2 * draws


def side(means: dict[str, float]) -> ScoreTable:
    """Twelve topics with small fixed noise."""
    noise = np.random.default_rng(0).normal(0, 0.01, (len(means), 12))
    return table_of(
        TopicScore(run, f"t{i}", "m", mean + noise[at, i])
        for at, (run, mean) in enumerate(means.items())
        for i in range(12)
    )


def test_the_four_outcomes_by_construction() -> None:
    truth = side({"a": 0.9, "b": 0.5, "c": 0.5})
    judge = side({"a": 0.5, "b": 0.9, "c": 0.5})
    [found] = pair_verdicts(AgreementStudy(truth, judge)).values()
    outcome = {(one.first, one.second): one.outcome for one in found}
    assert outcome == {("a", "b"): "opposite", ("a", "c"): "missed", ("b", "c"): "false alarm"}
    [same] = pair_verdicts(AgreementStudy(truth, truth)).values()
    assert all(one.outcome == "agree" for one in same)
    assert set(OUTCOMES) == {*outcome.values(), "agree"}


def test_an_interval_that_no_draw_of_topics_moves_is_not_shown_as_a_point() -> None:
    both = side({"a": 0.9, "b": 0.5, "c": 0.1})
    [found] = measure_agreement(AgreementStudy(both, both), ["kendall"], resamples=100)
    estimate = found.systems["kendall"]
    assert (estimate.value, estimate.low, estimate.high) == (1.0, None, None)
    assert "every draw of topics gives the same order" in estimate.note


def test_a_constant_judge_is_undefined_with_words_and_never_nan() -> None:
    truth, judge = table({"a": [1, 2], "b": [2, 3], "c": [3, 5]}), table({r: [1, 1] for r in "abc"})
    [found] = measure_agreement(AgreementStudy(truth, judge), resamples=100)
    assert found.systems["kendall"].value is None
    assert "judge gives all 3 systems the same score" in found.systems["kendall"].note
    assert found.within["kendall"].note == "undefined on 2 of 2 topics"
    assert found.systems["tauap_b"].value == -0.5
    assert "same score" in found.systems["tauap_b"].note
    json.dumps(found.to_dict(), allow_nan=False)


def test_what_is_missing_is_noted() -> None:
    truth = table({"a": [1, 2], "b": [2, 3], "c": [3, 5], "d": [1, 1]})
    judge = table({"a": [1, 2], "b": [2, None], "c": [3, 5]})
    with pytest.raises(DataError):
        measure_agreement(AgreementStudy(truth, judge))
    [found] = measure_agreement(AgreementStudy(truth, judge, on_missing="skip"), resamples=100)
    assert found.runs == ("a", "b", "c")
    assert any("b lacks m on t2" in note for note in found.notes)
    assert any("lacks 1 runs" in note for note in found.notes)
    assert found.per_topic["t2"]["kendall"] is None
