"""Battles: the model against scipy's optimiser, the designs, the command on a loopback model, and the crowd's votes."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from argue_bench import evaluate, load
from argue_bench.analysis.battles import (
    AVERAGE_OPPONENT,
    Battle,
    Design,
    decide_battles,
    expected_points,
    fit_strengths,
    pair_up,
    plan_battles,
    position_bias,
    rank_battles,
)
from argue_bench.lab.votes import agree_on_pairs, people_and_judge
from argue_bench.records import JudgeRequest, Prefers
from benchmarks import battles as crowd
from tests.models.server import ChatServer, data_of, reply
from tests.shared import run_command, shared, write_lines


def test_strengths_are_those_of_the_highest_likelihood() -> None:
    rng = np.random.default_rng(3)
    wins = rng.poisson(1.5, (2, 4, 4)) * (1 - np.eye(4))
    wins[1, 0], wins[1, :, 0] = 5 * (1 - np.eye(4)[0]), 0  # one system won everything
    ties = np.triu(rng.poisson(0.7, (2, 4, 4)), 1).astype(float)
    ties += ties.transpose(0, 2, 1)

    def minus_likelihood(x: Any, won: Any, tied: Any) -> float:
        # Davidson's equations as he writes them, a battle at a time.
        p, nu = [*np.exp(x[:-1]), 1.0], np.exp(x[-1])
        total = 0.0
        for i, j in combinations(range(5), 2):
            a, b, c = (won[i, j], won[j, i], tied[i, j]) if j < 4 else (AVERAGE_OPPONENT,) * 3
            z = p[i] + p[j] + nu * np.sqrt(p[i] * p[j])
            total -= a * np.log(p[i] / z) + b * np.log(p[j] / z)
            total -= c * np.log(nu * np.sqrt(p[i] * p[j]) / z)
        return total

    strengths, weight = fit_strengths(wins, ties)
    for row in range(2):
        best = minimize(minus_likelihood, np.zeros(5), (wins[row], ties[row]), tol=1e-10).x
        assert [*strengths[row], weight[row]] == pytest.approx(list(best), abs=1e-4)
    assert expected_points(strengths, weight).mean() == pytest.approx(0.5)


@pytest.mark.parametrize(("design", "pairs", "each"), [("round-robin", 15, 5), ("sparse", 6, 2)])
def test_each_topic_connects_all_systems(design: Design, pairs: int, each: int) -> None:
    drawn = [sorted(map(sorted, pair_up(topic, "abcdef", design))) for topic in ("1", "2")]
    for met in drawn:
        reached, names = {"a"}, [name for pair in met for name in pair]
        for _ in range(6):
            reached |= {name for pair in met if reached & set(pair) for name in pair}
        assert (len(met), reached) == (pairs, set("abcdef"))
        assert {names.count(name) for name in "abcdef"} == {each}
    assert (drawn[0] == drawn[1]) == (design == "round-robin")


def test_only_two_different_answers_need_a_judge_and_a_failed_order_leaves_the_battle_out() -> None:
    answers = {
        "x": {"1": "yes", "2": "", "3": " ", "4": "no"},
        "y": {"1": "yes", "2": "a", "3": "", "4": "so"},
    }
    plan = plan_battles({t: f"q{t}" for t in "1234"}, answers, "round-robin")
    assert {(one.topic, one.said) for one in plan} == {("1", "tie"), ("2", "B"), ("4", "")}
    pair = Prefers("q4", "no", "so")
    for said, outcome, shown in (
        ({pair: "A", pair.swapped(): "B"}, "A", [("4", "A", "A")]),
        ({pair: "A", pair.swapped(): "A"}, "tie", [("4", "A", "B")]),
        ({pair: "A"}, None, []),
    ):
        battles, seen = decide_battles(plan, said)
        assert [one.said for one in battles if one.topic == "4"] == [outcome] * (
            outcome is not None
        )
        assert seen == shown
    found = position_bias([("1", "A", "B"), ("2", "tie", "B"), ("3", "B", "B")])
    assert (found["decided"], found["first"], found["agreed"]) == (5, 4 / 5, 1 / 3)


def test_ranks_have_ranges_over_topics() -> None:
    close = [Battle(str(n), "b", "c", "AB"[n % 2]) for n in range(30)]
    best = [Battle(str(n), "a", other, "A") for n in range(30) for other in "bc"]
    ranked = rank_battles([*close, *best])["systems"]
    assert [(one["system"], one["rank_low"], one["rank_high"]) for one in ranked[:1]] == [
        ("a", 1, 1)
    ]
    assert {(one["rank"], one["rank_low"], one["rank_high"]) for one in ranked[1:]} == {(2, 2, 3)}
    assert [(one["won"], one["tied"], one["lost"]) for one in ranked] == [
        (60, 0, 0),
        *[(15, 0, 45)] * 2,
    ]
    alone = rank_battles([Battle("1", "a", "b", "A")])["systems"][0]
    assert {alone[end] for end in ("low", "high", "rank_low", "rank_high")} == {None}


def test_kappa_is_of_two_people_and_of_the_judge_with_one() -> None:
    votes = {Prefers(str(n), "a", "b"): words for n, words in enumerate(("AAB", "BB", "A", "AB"))}
    said = dict.fromkeys(votes, "A")
    among, against = agree_on_pairs(votes, said)
    # By hand: 1/3, all and none agree, 144 of 324; A is 7/18 of the words, so by chance 170 of 324 would.
    assert among[:2] == (3, pytest.approx((144 - 170) / (324 - 170)))
    assert against[:2] == (4, pytest.approx(0.0))


def test_people_who_saw_a_pair_in_either_order_are_compared(tmp_path: Path) -> None:
    """The example above, in which every second vote is of the other order, and one person saw both."""
    rows = []
    for n, words in enumerate(("AAB", "BB", "A", "AB")):
        for number, word in enumerate(words):
            pair = Prefers(str(n), "a", "b")
            if number % 2:
                pair, word = pair.swapped(), Prefers.mirrored(word)
            ask = {"kind": "Prefers", "question": pair.question, "a": pair.a, "b": pair.b}
            rows.append({"ask": ask, "verdict": word, "by": f"person {number}"})
    said: dict[JudgeRequest, str] = {Prefers(str(n), "a", "b"): "A" for n in range(4)}
    among, against = people_and_judge([write_lines(tmp_path / "votes.jsonl", *rows)], said)
    assert among[:2] == (3, pytest.approx((144 - 170) / (324 - 170)))
    assert against[:2] == (4, pytest.approx(0.0))
    both = [{**rows[0], "ask": {**rows[0]["ask"], "a": a, "b": b}} for a, b in ("ab", "ba")]
    mind = write_lines(tmp_path / "mind.jsonl", *both, {**rows[0], "verdict": "tie", "by": "other"})
    assert people_and_judge([mind], said)[0] == (1, None, None, None)  # two who say tie


def test_an_interval_over_few_topics_is_as_wide_as_students() -> None:
    """Of 10 topics percentiles as they are held .91 of planted points; t with 9 degrees reaches 2.26 errors."""
    rng = np.random.default_rng(4)
    fought = [
        Battle(str(t), a, b, "AB"[rng.random() < 0.4])
        for t in range(10)
        for a, b in combinations("xyzuvw", 2)
    ]
    left = [
        {one["system"]: one["points"] for one in rank_battles(kept)["systems"]}
        for t in range(10)
        if (kept := [one for one in fought if one.topic != str(t)])
    ]
    reach = []
    for one in rank_battles(fought)["systems"]:
        own = np.array([points[one["system"]] for points in left])
        reach.append(
            (one["high"] - one["low"]) / 2 / np.sqrt(0.9 * np.sum((own - own.mean()) ** 2))
        )
    assert np.mean(reach) == pytest.approx(2.26, rel=0.1)


def test_a_command_ranks_run_files_by_a_judge_that_likes_the_longer_answer(tmp_path: Path) -> None:
    sample = load("core", "sample")
    for number, name in enumerate(("short", "middle", "long"), 1):
        said = {q.id: "Nothing else is known of it. " * number for q in sample}
        evaluate(
            sample,
            [{"id": i, "answer": a} for i, a in said.items()],
            ["str_em"],
            out=tmp_path / f"{name}.run",
        )
    runs = [tmp_path / f"{name}.run" for name in ("short", "middle", "long")]

    def model(body: dict[str, Any]) -> str:
        (data,) = data_of(body)
        a, b = len(data["answer_a"]), len(data["answer_b"])
        # Of two that are nearly of one length it takes the first.
        return reply(body, "A" if a >= b / 1.6 else "B")

    votes = [
        {
            "ask": {
                "kind": "Prefers",
                "question": q.text,
                "a": "Nothing else is known of it. ",
                "b": "Nothing else is known of it. " * 3,
            },
            "verdict": "B",
            "by": by,
        }
        for q in sample
        for by in ("one", "two")
    ]
    labels = write_lines(tmp_path / "votes.jsonl", *votes)
    with ChatServer(model=model) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        words = (
            "compare",
            "--battles",
            *runs,
            "--judge",
            "server/m",
            "--store",
            tmp_path / "store",
        )
        done = run_command(*words, "--format", "json")
        asked = server.count
        again = run_command(*words, "--labels", labels)
    found = json.loads(done.stdout)
    assert [one["system"] for one in found["systems"]] == ["long", "middle", "short"]
    assert (found["battles"], asked, server.count) == (24, 48, 48)
    assert found["position"]["agreed"] == pytest.approx(2 / 3)  # middle and long are near
    assert "judge and person on 8 pairs" in again.stdout
    assert run_command("compare", "--battles", *runs).exit_code == 2
    assert "go with --battles" in run_command("compare", *runs, "--judge", "server/m").stderr


def test_the_crowds_labels_give_the_published_grades(capsys: pytest.CaptureFixture[str]) -> None:
    assert np.mean(crowd.report(shared("data", "crowdrag"))) > crowd.LEAST_TAU
    told = capsys.readouterr().out
    assert "model bullet" in told
    assert "0.999" in told  # the grades' own model gives them again


def test_rows_without_a_known_vote_are_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three answers of one topic; an unknown label, a vote that is none, and a dimension that the grades lack."""
    pairs = [("x", "y", "a"), ("y", "z", "a"), ("x", "z", "n"), ("z", "y", "?")]
    people = [
        {
            "query_id": "t",
            "response_a": a,
            "response_b": b,
            "good_gold": said,
            "good_vote": ["A", "!"],
            "new_gold": "a",
        }
        for a, b, said in pairs
    ]
    write_lines(tmp_path / "people.jsonl", *people)
    grades = [{"response": one, "query_id": "t", "good": n} for n, one in enumerate("zyx")]
    write_lines(tmp_path / "grades.jsonl", *grades, {"response": "w", "query_id": "t"})
    for name in ("models", "responses"):
        (tmp_path / f"{name}.jsonl").write_text("")
    assert crowd.report(tmp_path) == [pytest.approx(1.0)]
    assert "1 pairs and 4 votes left out" in capsys.readouterr().out
