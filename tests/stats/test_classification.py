"""Balanced accuracy, F1 and accuracy with intervals, against scikit-learn's definitions by hand."""

from __future__ import annotations

import pytest

from argue_bench.stats.classification import measures_of

# 40 labels yes: 30 said yes; 60 labels no: 12 said yes.
CELLS = {("yes", "yes"): 30, ("yes", "no"): 10, ("no", "yes"): 12, ("no", "no"): 48}


def test_two_verdicts_by_hand() -> None:
    found = measures_of(CELLS, ("yes", "no"))
    assert found["balanced_accuracy"].value == pytest.approx((30 / 40 + 48 / 60) / 2)
    assert found["f1"].value == pytest.approx(2 * 30 / (40 + 42))
    assert found["accuracy"].value == pytest.approx(0.78)
    assert found["share"].value == pytest.approx(0.42)
    for one in found.values():
        assert one.low is not None
        assert one.high is not None
        assert one.low < one.value < one.high
    # The normal interval of a share of 100: 0.78 +- 1.96 sqrt(.78 x .22 / 100)
    assert found["accuracy"].low == pytest.approx(0.78 - 0.081, abs=0.015)
    assert found["accuracy"].high == pytest.approx(0.78 + 0.081, abs=0.015)
    assert measures_of(CELLS, ("yes", "no")) == found


def test_three_verdicts_are_averaged_over_those_of_the_labels() -> None:
    cells = {("full", "full"): 3, ("full", "partial"): 1, ("no", "no"): 1, ("no", "partial"): 1}
    found = measures_of(cells, ("full", "partial", "no"))
    assert found["balanced_accuracy"].value == pytest.approx((3 / 4 + 1 / 2) / 2)
    assert found["f1"].value == pytest.approx((6 / 7 + 2 / 3) / 2)


def test_a_judge_that_always_says_the_same_has_half() -> None:
    found = measures_of({("yes", "yes"): 90, ("no", "yes"): 10}, ("yes", "no"))
    assert (found["balanced_accuracy"].value, found["accuracy"].value) == (0.5, 0.9)


def test_nothing_and_one_label() -> None:
    assert measures_of({}, ("yes", "no")) == {}
    one = measures_of({("yes", "no"): 1}, ("yes", "no"))["accuracy"]
    assert (one.value, one.low, one.high) == (0.0, None, None)


def test_labels_of_one_verdict_tell_accuracy_alone() -> None:
    """Of 30 labels no, 27 came right: nothing is known of what the judge makes of a yes."""
    found = measures_of({("no", "no"): 27, ("no", "yes"): 3}, ("yes", "no"))
    assert found["accuracy"].value == 0.9
    assert found["share"].value == 0.1
    for name in ("balanced_accuracy", "f1"):
        assert (found[name].value, found[name].low, found[name].high) == (None, None, None)
    # Three labels of the rarer verdict: resamples without any of them tell nothing either.
    rare = measures_of({("no", "no"): 27, ("yes", "yes"): 3}, ("yes", "no"))["f1"]
    assert (rare.value, rare.high) == (1.0, 1.0)
    assert rare.low is not None
    assert 0 < rare.low < 1
