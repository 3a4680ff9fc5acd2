"""Missing runs and topics, false aggregates, and the traps that are kept only when asked for."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from argue_bench.errors import DataError, UsageError
from argue_bench.lab.score_table import (
    AgreementStudy,
    ScoreTable,
    TopicScore,
    system_scores,
    table_of,
)

PAIR = ("m", "m")


def table(scores: Mapping[str, list[float | None]], given: Mapping[str, float] = {}) -> ScoreTable:
    rows = [
        TopicScore(run, f"t{i}", "m", value)
        for run, values in scores.items()
        for i, value in enumerate(values, 1)
        if value is not None
    ]
    return table_of(
        [*rows, *(TopicScore(run, "all", "m", value) for run, value in given.items())], "x"
    )


TRUTH = table({"a": [0.9, 0.7], "b": [0.6, 0.6], "c": [0.5, 0.3], "d": [0.1, 0.1]})
JUDGE = table({"a": [0.8, 0.8], "b": [0.7, 0.5], "c": [0.2, 0.4]})


def test_a_missing_run_is_an_error_with_both_names() -> None:
    with pytest.raises(DataError) as error:
        AgreementStudy(TRUTH, JUDGE).correlate(["kendall"])
    assert [finding.code for finding in error.value.findings] == ["missing-ids"]
    assert "judge lacks 1 runs that the other side has: d" in str(error.value)


def test_policies_by_hand() -> None:
    for policy, tau in (("skip", 1.0), ("warn", 1.0), ("default", 1.0)):
        study = AgreementStudy(TRUTH, JUDGE, on_missing=policy)  # type: ignore[arg-type]
        assert study.correlate(["kendall"])[PAIR]["kendall"] == tau
    # the judge lacks the best run: counted 0 it stands last, 3 of 6 pairs are wrong
    lacking = table({run: [v * 1.0 for v in JUDGE.values["m"][run].values()] for run in "bc"})
    lacking = table(
        {**{r: list(t.values()) for r, t in lacking.values["m"].items()}, "d": [0.1, 0.1]}
    )
    found = AgreementStudy(TRUTH, lacking, on_missing="default").correlate(["kendall"])
    assert found[PAIR]["kendall"] == pytest.approx(0.0)
    assert (
        AgreementStudy(TRUTH, lacking, on_missing="skip").correlate(["kendall"])[PAIR]["kendall"]
        == 1
    )


def test_missing_topics_are_told_and_then_left_out_of_the_mean() -> None:
    judge = table({"a": [0.8, None], "b": [0.7, 0.5], "c": [0.2, 0.4], "d": [0.1, 0.2]})
    with pytest.raises(DataError) as error:
        AgreementStudy(TRUTH, judge).correlate(["kendall"])
    assert "the judge's run a lacks m on t2" in str(error.value)
    assert system_scores(judge, "m", recompute=True)["a"] == 0.8
    assert (
        AgreementStudy(TRUTH, judge, on_missing="skip").correlate(["kendall"])[PAIR]["kendall"] == 1
    )


def test_a_topic_on_one_side_only() -> None:
    judge = table({run: [0.5, 0.5, 0.5] for run in "abcd"})
    with pytest.raises(DataError, match="the truth lacks the topics t3"):
        AgreementStudy(TRUTH, judge).correlate(["pearson"])
    AgreementStudy(TRUTH, judge, only_shared_topics=True).correlate(["pearson"])


def test_disjoint_topics_and_runs() -> None:
    others = table_of([TopicScore(run, "u1", "m", 0.5) for run in "abcd"])
    with pytest.raises(DataError, match="no topic in common"):
        AgreementStudy(TRUTH, others, only_shared_topics=True).correlate(["kendall"])
    strangers = table({"x": [1, 2], "y": [2, 1], "z": [0, 0]})
    with pytest.raises(UsageError, match="here are 0"):
        AgreementStudy(TRUTH, strangers, on_missing="skip").correlate(["kendall"])


# the given aggregates turn the order of the topics around
FALSE = table({"a": [0.9], "b": [0.5], "c": [0.1]}, {"a": 0.1, "b": 0.5, "c": 0.9})
TRUE = table({"a": [0.9], "b": [0.5], "c": [0.1]})


def test_aggregates_are_recomputed_unless_told_otherwise() -> None:
    def tau(**options: str) -> float:
        return AgreementStudy(FALSE, TRUE, **options).correlate(["kendall"])[PAIR]["kendall"]  # type: ignore[arg-type]

    assert tau() == tau(aggregates="recompute") == tau(aggregates="recompute-truth") == 1.0
    assert tau(aggregates="as-given") == tau(aggregates="recompute-judge") == -1.0
    assert tau(like="autojudge") == -1.0
    assert tau(like="autojudge", aggregates="recompute") == 1.0


def test_aggregates_alone_are_no_topics() -> None:
    alone = table_of([TopicScore(run, "all", "m", 0.1 * i) for i, run in enumerate("abc")])
    with pytest.raises(DataError, match="--compat autojudge"):
        AgreementStudy(alone, alone).correlate(["kendall"])
    found = AgreementStudy(alone, alone, aggregates="as-given").correlate(["kendall"])
    assert found[PAIR]["kendall"] == 1.0


def test_the_trap_of_top_k_is_kept_only_like_autojudge() -> None:
    with pytest.raises(DataError, match="lacks 1 runs"):
        AgreementStudy(TRUTH, JUDGE).correlate(["kendall", "kendall@3"])
    AgreementStudy(TRUTH, JUDGE, like="autojudge").correlate(["kendall", "kendall@3"])


def test_top_k_is_by_truth() -> None:
    judge = table({"a": [0.1, 0.1], "b": [0.2, 0.2], "c": [0.3, 0.3], "d": [0.0, 0.0]})
    found = AgreementStudy(TRUTH, judge).correlate(["kendall@3", "kendall"])[PAIR]
    assert found == {"kendall@3": -1.0, "kendall": 0.0}
    with pytest.raises(UsageError, match="at least 3"):
        AgreementStudy(TRUTH, judge).correlate(["kendall@2"])
