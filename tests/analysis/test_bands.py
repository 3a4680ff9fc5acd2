"""Bands and ranks of systems whose order is known by construction."""

from __future__ import annotations

import json

import numpy as np
import pytest

from argue_bench.analysis.bands import rank_bands
from argue_bench.errors import UsageError
from argue_bench.stats.averages import (
    Average,
    Column,
    Harmonic,
    Macro,
    lower_is_better,
    macro,
    mean_count,
    micro,
)

N = 80


def systems(*means: float, spread: float = 0.1) -> dict[str, dict[str, Column]]:
    rng = np.random.default_rng(0)
    return {
        f"s{i}": {
            name: Column(5 * np.clip(rng.normal(mean, spread, N), 0, 1), np.full(N, 5.0))
            for name in "ab"
        }
        for i, mean in enumerate(means)
    }


@pytest.mark.parametrize("average", [macro("a"), micro("a"), Harmonic(macro("a"), micro("b"))])
def test_systems_far_apart_have_bands_of_their_own_and_near_ones_share(average: Average) -> None:
    found = rank_bands("x", average, systems(0.5, 0.9, 0.505, 0.1))
    rows = {row["system"]: row for row in found["systems"]}
    assert found["systems"][0]["system"] == "s1"
    assert {name: row["band"] for name, row in rows.items()} == {"s1": 1, "s0": 2, "s2": 2, "s3": 3}
    assert (rows["s1"]["rank_low"], rows["s1"]["rank_high"]) == (1, 1)
    assert (rows["s0"]["rank_low"], rows["s0"]["rank_high"]) == (2, 3)
    assert rows["s3"]["rank"] == rows["s3"]["rank_low"] == 4
    assert found["n"] == N
    assert 0 < found["resolvable"] < 0.1
    json.dumps(found, allow_nan=False)


def test_a_system_not_below_the_leader_shares_its_band_wherever_it_stands() -> None:
    rng = np.random.default_rng(1)
    ones = np.ones(N)
    leader = np.full(N, 0.8)
    steady = leader - 0.02 + rng.normal(0, 0.001, N)
    erratic = np.where(np.arange(N) % 2, 0.8 + 0.5, 0.8 - 0.55)  # on average 0.775, far from steady
    found = rank_bands(
        "x",
        macro("a"),
        {
            k: {"a": Column(v, ones)}
            for k, v in {"leader": leader, "steady": steady, "erratic": erratic}.items()
        },
    )
    bands = {row["system"]: row["band"] for row in found["systems"]}
    assert [row["system"] for row in found["systems"]] == ["leader", "steady", "erratic"]
    assert bands == {"leader": 1, "steady": 2, "erratic": 1}


def test_of_a_fault_less_is_better() -> None:
    found = rank_bands("x", lower_is_better(macro("a")), systems(0.1, 0.9))
    assert [(row["system"], row["rank"]) for row in found["systems"]] == [("s0", 1), ("s1", 2)]
    with pytest.raises(UsageError, match="no better end"):
        rank_bands("x", mean_count("a"), systems(0.1, 0.9))


def test_equals_share_rank_and_band() -> None:
    [one] = systems(0.5).values()
    found = rank_bands("x", macro("a"), {"p": one, "q": one, "r": one})
    assert {
        (row["rank"], row["rank_low"], row["rank_high"], row["band"]) for row in found["systems"]
    } == {(1, 1, 1, 1)}


def test_a_system_without_the_score_stands_apart() -> None:
    given = systems(0.5, 0.6)
    given["none"] = {"a": Column(np.zeros(N), np.zeros(N))}
    rows = rank_bands("x", macro("a"), given)["systems"]
    assert rows[-1] == {
        "system": "none",
        **dict.fromkeys(
            ["value", "low", "high", "rank", "rank_low", "rank_high", "band", "p_below_leader"]
        ),
    }
    assert rank_bands("x", macro("a"), {"none": given["none"]})["systems"] == [rows[-1]]
    assert rank_bands("x", macro("a"), {})["systems"] == []


def test_one_system_and_one_question() -> None:
    [alone] = rank_bands("x", macro("a"), systems(0.5))["systems"]
    assert (alone["rank"], alone["band"], alone["rank_high"]) == (1, 1, 1)
    one = {name: {"a": Column(np.array([v]), np.ones(1))} for name, v in (("p", 1.0), ("q", 0.0))}
    found = rank_bands("x", macro("a"), one)
    assert [row["band"] for row in found["systems"]] == [1, 1]
    assert [row["low"] for row in found["systems"]] == [None, None]
    json.dumps(found, allow_nan=False)


def test_systems_of_unlike_size_are_refused() -> None:
    given = systems(0.5, 0.6)
    given["short"] = {"a": Column(np.ones(3), np.ones(3))}
    with pytest.raises(UsageError, match="unlike numbers"):
        rank_bands("x", Macro("a"), given)
