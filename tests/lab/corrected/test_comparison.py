"""Differences of many systems by people's labels: those of two alone, at a small part of the cost."""

from __future__ import annotations

import pytest

from argue_bench.analysis.aligned import ComparedScore
from argue_bench.eval.report import Report
from argue_bench.lab.corrected.comparison import CorrectedDifference, corrected_differences
from argue_bench.stats.averages import Average, macro
from tests.lab.labelled_systems import F1, planted


def differences(
    one: ComparedScore, reports: dict[str, Report], resamples: int = 500
) -> dict[tuple[str, str], CorrectedDifference]:
    found = corrected_differences([one], reports, resamples)
    return {(difference.first, difference.second): difference for difference in found}


@pytest.mark.parametrize(
    ("average", "groups"), [(F1, False), (macro("y"), False), (macro("y"), True)]
)
def test_a_pair_is_compared_on_the_questions_labelled_for_both(
    average: Average, groups: bool
) -> None:
    most = range(60)
    found = differences(*planted([most, range(40), most, range(45, 75)], average, groups))
    assert len(found) == 6
    assert found["s0", "s2"].correction.labelled == 60
    assert found["s0", "s1"].correction.labelled == 40
    apart = found["s1", "s3"].correction
    assert (apart.labelled, apart.value) == (0, None)
    assert "0 labelled questions say too little" in apart.reason
    few = found["s0", "s3"].correction
    assert few.labelled == 15
    assert few.low is None


def test_people_tell_apart_what_a_kind_judge_makes_equal() -> None:
    one, reports = planted([range(60)] * 5)
    found = differences(one, reports)["s0", "s4"].correction
    truth = differences(*planted([range(150)] * 5))["s0", "s4"].correction
    assert found.low is not None
    assert found.high is not None
    assert truth.value is not None
    assert found.low < truth.value < found.high < 0
