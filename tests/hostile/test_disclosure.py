"""Gold read out of what is told: every way that worked once, and the bound on what is left."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argue_bench.baselines import generate
from argue_bench.eval import signature
from argue_bench.leaderboard.formats.ledger import read_ledger
from argue_bench.leaderboard.formats.season import (
    BITS_A_RUN,
    bits,
    default_step,
    levels,
    told_interval,
    told_value,
)
from argue_bench.leaderboard.scoring import hidden_scoring
from argue_bench.leaderboard.scoring.bridge import make_bridge, suspicion
from argue_bench.leaderboard.scoring.disclosure import RankedScore, climbs, told_bands
from argue_bench.loaders import load
from argue_bench.stats.averages import Column, Macro
from argue_bench.stats.bootstrap import count_units
from tests.hostile.conftest import Start
from tests.leaderboard.repositories import QUOTA, ROOT, SEASON, Repository, git
from tests.leaderboard.steps import codes, command

RESULTS = "leaderboard-results"
SHARE = RankedScore("m.s", "m", Macro("x", better="higher"))


def bits_with_outruns(quota: int, step: float) -> float:
    """The same, where each run may also end by the clock or the budget, which is published too."""
    return math.log2(
        sum(
            math.comb(quota, k) * math.comb(levels(step) + quota - k, quota - k)
            for k in range(quota + 1)
        )
    )


@pytest.fixture(scope="module")
def quoting(pristine: Repository) -> list[str]:
    """The answers of a baseline that knows something, a line each."""
    dataset = load("core", "test", pristine.folder / "topics")
    return [json.dumps(one) for one in generate("bm25-extractive", dataset, "openbook")]


def terms(repository: Repository, **changes: Any) -> None:
    path = repository.folder / "season.json"
    about = json.loads(path.read_text()) | {"step": None, "bits": None, **changes}
    path.write_text(json.dumps(about))


# The bound.


@pytest.mark.parametrize(("quota", "step"), [(20, 1), (10, 2), (5, 3), (3, 5), (2, 5), (1, 10)])
def test_the_step_that_follows_from_the_quota_keeps_a_run_to_four_bits(
    quota: int, step: float
) -> None:
    assert default_step(quota) == step
    assert bits(quota, step) == pytest.approx(
        math.log2(math.comb(100 // int(step) + 1 + quota, quota))
    )
    assert bits(quota, step) <= BITS_A_RUN * quota
    assert bits(quota, step) <= bits_with_outruns(quota, step) <= bits(quota, step) + quota


@pytest.mark.parametrize(("step", "quota"), [(50, 3), (40, 3), (30, 2), (50, 4)])
def test_no_author_can_hear_more_than_the_bound_whatever_is_sent(step: float, quota: int) -> None:
    """Every order of scores, each of them significant or not, undefined or not: all that can be heard."""
    scores = [None, *(place * step / 100 for place in range(levels(step)))]
    heard = set()
    for run in itertools.product(itertools.product(scores, (True, False)), repeat=quota):
        before: list[float] = []
        said: list[float | None] = []
        for value, significant in run:
            told = None
            if value is not None and significant and climbs(value, before, SHARE, step):
                told = told_value(value, step)
                before.append(told)
            said.append(told)
        heard.add(tuple(said))
    assert math.log2(len(heard)) <= bits(quota, step)
    assert len(heard) == math.comb(levels(step) + quota, quota)  # and it is reached


@pytest.mark.parametrize("step", [1, 2, 3, 5, 7, 8, 0.5, 40])
def test_a_told_score_is_a_step_and_as_near_as_steps_go(step: float) -> None:
    told = {told_value(place / 1000, step) for place in range(1001)}
    assert len(told) == levels(step)
    assert all(0 <= one <= 1 for one in told)
    for place in range(1001):
        last = (levels(step) - 1) * step / 100
        near = abs(told_value(place / 1000, step) - place / 1000)
        assert near <= step / 200 + 1e-9 or place / 1000 > last


@pytest.mark.parametrize("step", [1, 2, 3, 5, 10, 40])
def test_a_score_outside_of_0_to_1_is_told_as_the_nearest_step(step: float) -> None:
    """Published rules score below 0: the interval then failed, which told of gold and was no run."""
    there = {told_value(place / 1000, step) for place in range(1001)}
    beyond = [-1e300, -1.0, -0.177, -0.03, -1e-12, 1 + 1e-12, 1.4, 1e300, math.inf, -math.inf]
    for value in [*beyond, *np.random.default_rng(3).normal(0, 2, 200)]:
        told = told_value(float(value), step)
        assert told in there
        for n in (1, 20, 400):
            low, high = told_interval(told, n, step)
            assert 0 <= low <= told <= high + 1e-9 <= 1 + 1e-9
    assert told_value(-0.177, step) == 0
    ones = np.ones(20)
    systems = {"below": Column(np.full(20, -0.2), ones), "above": Column(np.full(20, 0.4), ones)}
    bands = told_bands(SHARE, {name: {"x": one} for name, one in systems.items()}, 20, step)
    assert [row["system"] for row in bands["systems"]] == ["above", "below"]
    assert bands["systems"][1]["value"] == 0


def test_interval_and_bands_are_made_of_what_was_told_and_of_nothing_else() -> None:
    """Two boards of other tallies and the same told scores are one board to whoever reads it."""
    rng = np.random.default_rng(1)
    ones = np.ones(80)

    def board(noise: float) -> dict[str, Any]:
        systems = {}
        for place, mean in enumerate((0.3, 0.36, 0.63, 0.9)):
            values = np.clip(mean + noise * rng.standard_normal(80), 0, 1)
            values += mean - values.mean()
            systems[f"system-{place}"] = {"x": Column(values, ones)}
        return told_bands(SHARE, systems, 80, 3)

    calm, wild = board(0.0), board(0.02)
    assert calm == wild
    rows = calm["systems"]
    assert [row["value"] for row in rows] == [0.9, 0.63, 0.36, 0.3]
    assert [row["band"] for row in rows] == [1, 2, 3, 3]
    assert [(row["rank_low"], row["rank_high"]) for row in rows] == [(1, 1), (2, 2), (3, 4), (3, 4)]
    assert all((r["low"], r["high"]) == told_interval(r["value"], 80, 3) for r in rows)


def test_questions_of_a_cluster_are_told_as_one() -> None:
    """80 questions in 20 conversations that go right or wrong as one are 20 coins, not 80."""
    rng = np.random.default_rng(7)
    groups = np.repeat(np.arange(20), 4)
    assert count_units(80, None) == 80
    assert count_units(80, groups) == 20
    ones, draws = np.ones(80), rng.random(20) < 0.5
    columns = {"x": Column(draws[groups].astype(float), ones)}
    (row,) = told_bands(SHARE, {"one": columns}, 80, 3, count_units(80, groups))["systems"]
    assert (row["low"], row["high"]) == told_interval(row["value"], 20, 3)
    inside = {20: 0, 80: 0}
    for _ in range(1000):
        told = told_value(rng.binomial(20, 0.5) / 20, 3)
        for n in inside:
            low, high = told_interval(told, n, 3)
            inside[n] += low <= 0.5 <= high
    assert inside[20] >= 950 > inside[80]


def test_the_interval_holds_the_score_of_a_coin_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    for share in (0.1, 0.5, 0.93):
        inside = 0
        for _ in range(2000):
            low, high = told_interval(told_value(rng.binomial(80, share) / 80, 3), 80, 3)
            inside += low <= share <= high
        assert inside / 2000 >= 0.95


# What worked: 142 numbers, of which 6 gave 22 bits; scores of one question; beginning low; a release.


def test_nothing_but_the_ranked_score_of_a_setting_leaves(start: Start, quoting: list[str]) -> None:
    one = start(answers="\n".join(quoting) + "\n")
    outcome = one.whole()
    result = json.loads(one.repository.at(RESULTS, f"results/{SEASON}/{outcome['system']}.json"))
    ((key, score),) = result["settings"]["openbook"]["scores"].items()
    assert key == outcome["ranked"] == "argue.f1"
    assert list(result["settings"]["openbook"]["signature"]) == ["argue"]
    assert score["n"] == len(one.repository.ids)
    assert (score["low"], score["high"]) == told_interval(score["value"], score["n"], 5)
    (row,) = json.loads(one.repository.at(RESULTS, f"results/{SEASON}/bands.json"))["settings"][
        "openbook"
    ]["systems"]
    assert {k: row[k] for k in ("value", "low", "high")} == {
        k: score[k] for k in ("value", "low", "high")
    }
    (event,) = read_ledger(one.repository.at(RESULTS, "results/ledger.jsonl"))
    assert event.scores == {"openbook": score["value"]}


def test_where_a_season_declares_it_everything_is_told(start: Start, quoting: list[str]) -> None:
    one = start(answers="\n".join(quoting) + "\n")
    terms(one.repository, told="all")
    outcome = one.whole()
    result = json.loads(one.repository.at(RESULTS, f"results/{SEASON}/{outcome['system']}.json"))
    assert {"argue.f1", "argue.citation_support", "accuracy.loose"} <= set(
        result["settings"]["openbook"]["scores"]
    )
    worse = start("my-second").whole()
    assert worse["state"] == "scored"


@pytest.mark.slow
def test_when_gold_is_revealed_a_rescoring_tells_everything(
    start: Start, quoting: list[str], tmp_path: Path
) -> None:
    one = start("good", answers="\n".join(quoting) + "\n")
    one.whole()
    assert start("weak").whole()["state"] == "unchanged"
    repository = one.repository
    repository.merge(repository.commit(repository.entry("weak"), one.request.sha))
    for name in ("good", "weak"):
        for path in (f"openbook-generations/{name}.jsonl", f"metadata/{name}.json"):
            (repository.folder / path).write_bytes(repository.at("main", path))
    again = ("board", "rescore", repository.folder, "--remote", repository.remote)
    again = (*again, "--reason", "gold revealed", "--out", tmp_path / "again")
    held = command(*again, "--system", "weak")
    assert held.exit_code == 1
    assert 'weak: no score was told, and none is while season.json says "told"' in held.stderr
    assert command(*again, "--system", "nobody").exit_code == 1
    terms(repository, told="all")
    said = command(*again)
    assert (said.exit_code, said.stdout) == (
        0,
        "good: scored\n    openbook: 30.0 -> 28.0\nweak: scored\n    openbook: - -> 0.0\n",
    ), said.stderr
    here = ("--remote", repository.remote, "--folder", repository.folder)
    for name in ("good", "weak"):
        kept = ("board", "ci", "record", "--outcome", tmp_path / "again" / name)
        recorded = command(*kept, *here)
        assert recorded.exit_code == 0, recorded.stderr
    lost = command("board", "ci", "record", "--outcome", tmp_path / "again" / "*", *here)
    assert lost.exit_code == 2
    assert "again/*" in lost.stderr
    shown = ("board", "fetch", repository.folder, "--remote", repository.remote)
    assert command(*shown, "--out", tmp_path / "shown").exit_code == 0
    assert command("board", "verify", tmp_path / "shown").exit_code == 0
    assert (tmp_path / "shown" / "results" / SEASON / "weak.json").is_file()
    result = json.loads(repository.at(RESULTS, f"results/{SEASON}/good.json"))
    scores = result["settings"]["openbook"]["scores"]
    assert {"argue.f1", "argue.citation_support", "accuracy.loose"} <= set(scores)
    exact = scores["argue.f1"]["value"]
    assert told_value(exact, 5) == one.outcome["settings"]["openbook"]["value"] != exact
    bands = json.loads(repository.at(RESULTS, f"results/{SEASON}/bands.json"))
    assert bands["settings"]["openbook"]["test"] == "paired permutation"


@pytest.mark.slow
def test_the_ladder_holds_after_a_release(
    start: Start, quoting: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The red team's: another version string, and worthless answers were told all their numbers."""
    one = start("good", answers="\n".join(quoting) + "\n")
    one.whole()
    repository = one.repository
    repository.merge(one.request.sha)
    for path in ("openbook-generations/good.jsonl", "metadata/good.json"):
        (repository.folder / path).write_bytes(repository.at("main", path))
    for module in (signature, hidden_scoring):
        monkeypatch.setattr(module, "__version__", "9.9.9")
    bad = start("bad")
    bad.score(bad.intake())
    assert (bad.outcome["state"], codes(bad.outcome)) == ("refused", ["tallies-other"])
    assert bad.outcome["settings"] == {}
    said = command(
        *("board", "rescore", repository.folder, "--remote", repository.remote),
        *("--reason", "release 9.9.9", "--out", tmp_path / "again"),
    )
    assert said.exit_code == 0, said.stderr
    recorded = command(
        *("board", "ci", "record", "--outcome", tmp_path / "again" / "good"),
        *("--remote", repository.remote, "--folder", repository.folder),
    )
    assert recorded.exit_code == 0, recorded.stderr
    board = json.loads(repository.at(RESULTS, f"results/{SEASON}/bridges.json"))
    (bridge,) = board["bridges"]
    assert bridge["reason"] == "release 9.9.9"
    assert [one["version"] for one in bridge["from"]] != [bridge["to"]["version"]] == ["9.9.9"]
    (row,) = bridge["settings"]["openbook"]["systems"]
    assert row["system"] == "good"
    assert row["before"] == row["after"] == one.outcome["settings"]["openbook"]["value"]
    fetched = ("board", "fetch", repository.folder, "--remote", repository.remote)
    assert command(*fetched, "--out", tmp_path / "shown").exit_code == 0
    verified = command("board", "verify", tmp_path / "shown")
    assert verified.exit_code == 0, verified.stdout
    assert "bridges.json" in verified.stdout
    later = replace(bad, folder=tmp_path / "later")
    later.score(later.intake())
    assert later.outcome["state"] == "unchanged"
    assert later.outcome["runs"] == QUOTA


@pytest.mark.slow
def test_a_step_is_asked_for_though_the_tallies_are_gone(start: Start, quoting: list[str]) -> None:
    """What a row was told counts though nothing is left of the row: the ladder stands in the ledger."""
    one = start("good", answers="\n".join(quoting) + "\n")
    one.whole()
    repository = one.repository
    sealed = f"{ROOT}/results/{SEASON}/tallies/good.sealed"
    git(
        repository.path,
        "update-ref",
        f"refs/heads/{RESULTS}",
        repository.commit({sealed: None}, RESULTS),
    )
    assert start("worse").whole()["state"] == "unchanged"


def test_a_bridge_says_what_moved_and_how_far() -> None:
    before = {"a": {"openbook": 0.9}, "b": {"openbook": 0.6}, "c": {"openbook": 0.3}}
    after = {"a": {"openbook": 0.6}, "b": {"openbook": 0.66}, "c": {"openbook": 0.27}}
    signed: dict[str, str] = {"judge": "new"}
    bridge = make_bridge(
        before, after, ([{"judge": "old"}], signed), "judge", "2027-01-31T12:00:00Z"
    )
    said = bridge["settings"]["openbook"]
    assert [(s["rank_before"], s["rank_after"]) for s in said["systems"]] == [
        (1, 2),
        (2, 1),
        (3, 3),
    ]
    assert said["rank_changes"] == 2
    assert said["kendall"] == pytest.approx(1 / 3, abs=1e-6)  # one of three pairs is turned round
    assert said["mean_shift"] == pytest.approx(-0.09)
    half = 4.302652729911275 * np.std([-0.3, 0.06, -0.03], ddof=1) / math.sqrt(3)
    assert (said["low"], said["high"]) == (
        pytest.approx(-0.09 - half, abs=1e-6),
        pytest.approx(-0.09 + half, abs=1e-6),
    )


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ([0.5, 0.5, 0.5], "every row would have the score 50.0"),
        ([0.9, 0.85, 0.8], "move the same way by more than 30 points"),
        ([0.6, 0.3, 0.4], ""),
        ([0.9, 0.4, 0.1], ""),
    ],
)
def test_a_judge_that_fails_the_board_is_noticed(after: list[float], says: str) -> None:
    before = {name: {"openbook": value} for name, value in zip("abc", (0.5, 0.4, 0.3), strict=True)}
    made = {name: {"openbook": value} for name, value in zip("abc", after, strict=True)}
    found = suspicion(before, made)
    assert says in found
    assert bool(says) == bool(found)


# Twenty-four weighted probes.
