"""Differences of many systems by people's labels: those of two alone, at a small part of the cost."""

from __future__ import annotations

import time

import pytest

from argue_bench.analysis.aligned import ComparedScore
from argue_bench.eval.people.differences import (
    MOST_SETS,
    CorrectedDifference,
    corrected_differences,
    corrected_scores,
)
from argue_bench.eval.report import Report
from argue_bench.stats.averages import Average, Column, macro
from tests.eval.labelled_systems import F1, planted


def differences(
    one: ComparedScore, reports: dict[str, Report], resamples: int = 500
) -> dict[tuple[str, str], CorrectedDifference]:
    found = corrected_differences([one], reports, resamples)
    return {(difference.first, difference.second): difference for difference in found}


def pair_of(one: ComparedScore, *at: int) -> ComparedScore:
    """The score of two of the systems alone."""
    columns = {
        name: Column(part.numerator[:, at], part.denominator[:, at])
        for name, part in one.columns.items()
    }
    values = tuple(one.values[place] for place in at)
    return ComparedScore(one.key, one.average, columns, one.questions, values, one.clusters)


@pytest.mark.parametrize(
    ("average", "clusters"), [(F1, False), (macro("y"), False), (macro("y"), True)]
)
def test_a_difference_is_the_same_in_company_and_alone(average: Average, clusters: bool) -> None:
    """Also where one system has more labels than others, or none for the half of them."""
    most = range(60)
    one, reports = planted([most, range(40), most, range(45, 75)], average, clusters)
    together = differences(one, reports)
    assert len(together) == 6
    names = list(reports)
    for (first, second), found in together.items():
        at = names.index(first), names.index(second)
        [alone] = differences(
            pair_of(one, *at), {name: reports[name] for name in (first, second)}
        ).values()
        assert alone.judged == pytest.approx(found.judged)
        assert vars(alone.correction) == pytest.approx(vars(found.correction), abs=1e-9)
    assert together["s0", "s2"].correction.labelled == 60
    assert together["s0", "s1"].correction.labelled == 40
    apart = together["s1", "s3"].correction
    assert (apart.labelled, apart.value) == (0, None)
    assert "0 labelled questions say too little" in apart.reason
    own = corrected_scores(one, reports, 500)
    assert [found.labelled for found in own.values()] == [60, 40, 60, 30]
    few = together["s0", "s3"].correction
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


def test_systems_with_labels_of_their_own_share_what_all_have() -> None:
    """Pairs beyond the commonest sets of questions are compared on the questions labelled for every system."""
    sets = [[*range(25), *range(25 + 5 * at, 30 + 5 * at)] for at in range(12)]
    found = differences(*planted(sets), resamples=200)
    assert len(found) == 66 > MOST_SETS
    # No two systems share more than the first 25.
    assert {one.correction.labelled for one in found.values()} == {25}
    nested = [range(60 - at) for at in range(MOST_SETS + 3)]
    found = differences(*planted(nested), resamples=200)
    counts = [one.correction.labelled for one in found.values()]
    fewest = 60 - (MOST_SETS + 2)
    # The set of a pair is that of the one with fewer labels, which is the commonest for the last ones.
    assert len(set(counts)) == MOST_SETS
    assert min(counts) == fewest
    assert found["s0", "s1"].correction.labelled == fewest


def test_a_pair_among_many_costs_a_small_part_of_a_pair_alone() -> None:
    """Resamples are drawn once for all systems with the same labelled questions, not for each pair."""

    def cost(systems: int) -> float:
        one, reports = planted([range(60)] * systems)
        start = time.process_time()
        found = differences(one, reports, 5000)
        spent = time.process_time() - start
        assert len(found) == systems * (systems - 1) // 2
        return spent / len(found)

    alone = min(cost(2) for _ in range(3))
    assert min(cost(30) for _ in range(2)) < alone / 8
