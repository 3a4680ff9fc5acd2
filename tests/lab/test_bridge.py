"""The bridge between judges: intervals that hold, the order of systems, and the command on real run files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from argue_bench import load
from argue_bench.baselines import generate
from argue_bench.errors import UsageError
from argue_bench.eval import evaluate
from argue_bench.judges.lexical import Lexical
from argue_bench.lab.bridge import bridge, draw, worth
from argue_bench.records import (
    Entails,
    Factual,
    JudgeRequest,
    NeedsCitation,
    RelevanceGrade,
    Source,
    Span,
    Supports,
    Verdict,
)
from tests.shared import run_command


def test_intervals_hold_the_new_judges_score_on_all_requests() -> None:
    rng = np.random.default_rng(5)
    sizes = [90, 60, 150]
    old = {str(n): (rng.random(size) < 0.2 + 0.2 * n).astype(float) for n, size in enumerate(sizes)}
    new = {name: np.where(rng.random(len(x)) < 0.15, 1 - x, x) for name, x in old.items()}
    held = []
    for _ in range(600):
        places = draw(sizes, 80, rng)
        known = {name: new[name][at] for name, at in zip(new, places, strict=True)}
        done = bridge(old, known, places)
        held += [one.low <= new[name].mean() <= one.high for name, one in done.systems.items()]
        assert sum(one.drawn for one in done.systems.values()) == done.overall.drawn == 80
    assert 0.92 <= np.mean(held) <= 0.98


def test_a_bridge_of_all_requests_leaves_nothing_to_chance() -> None:
    old = {
        "a": np.array([1.0, 0, 1, 1]),
        "b": np.array([0.0, 0, 1, 0]),
        "c": np.array([0.0, 0, 0, 0]),
    }
    new = {
        "a": np.array([0.0, 0, 1, 0]),
        "b": np.array([1.0, 1, 1, 1]),
        "c": np.array([0.0, 0, 0, 0]),
    }
    done = bridge(old, new, [np.arange(4)] * 3)
    assert [one.new for one in done.systems.values()] == pytest.approx([0.25, 1.0, 0.0])
    assert all(one.low == one.high == pytest.approx(one.new) for one in done.systems.values())
    assert done.systems["b"].new - done.systems["b"].old == pytest.approx(0.75)
    assert done.changed == (("a", "b"),)
    assert done.agreement == pytest.approx(7 / 12)
    with pytest.raises(UsageError, match="two more than there are systems"):
        bridge(old, {name: one[:1] for name, one in new.items()}, [np.arange(1)] * 3)


def test_verdicts_are_worth_shares_where_they_have_an_order() -> None:
    assert worth(NeedsCitation("s"), Verdict("yes")) == 1.0
    assert worth(Supports("p", "q", "n"), Verdict("partial")) == 0.5
    assert worth(RelevanceGrade(Source("d", "t"), "q"), Verdict("2")) == pytest.approx(2 / 3)
    assert worth(Factual("q", "r", "a"), Verdict("C")) is None
    assert worth(Span("q", "c"), Verdict("words")) is None


def stricter(request: JudgeRequest) -> Verdict:
    """The lexical judge's verdict, but no for a half of the supported sentences."""
    if isinstance(request, Entails | Supports) and int(request.key, 16) % 2:
        return Verdict("no")
    return Lexical().decide(request)


def test_the_shift_of_each_score_is_that_of_the_metric_under_the_new_judge(tmp_path: Path) -> None:
    dev = load("core", "dev")
    answers, run = list(generate("bm25-extractive", dev, "openbook"))[:30], tmp_path / "one.jsonl"
    old = evaluate(dev, answers, ["argue", "citations"], out=run).scores
    new = evaluate(dev, answers, ["argue", "citations"], judge=stricter).scores
    name = f"{__name__}:stricter"
    shifts = []
    # All answers leave nothing but the other answers that there might be; a part of them is held by its interval.
    for items in ("40000", "2800"):
        out = tmp_path / f"{items}.json"
        said = run_command(
            *("judge", "bridge", "lexical", name, str(run), "--items", items),
            *("--whole-answers", "--out", str(out)),
        )
        assert said.exit_code == 0, said.output
        shifts.append(json.loads(out.read_text())["scores"])
    everything, part = shifts
    assert {"citations.recall", "argue.f1", "argue.sentence_support_micro"} <= everything.keys()
    for key, (shift, low, high) in everything.items():
        wanted = new[key].value - old[key].value
        assert shift == pytest.approx(wanted, abs=1e-9), key
        assert (
            part[key][0] is None or part[key][1] is None or part[key][1] <= wanted <= part[key][2]
        )
        assert low is None or low <= shift <= high
    assert everything["citations.recall"][0] < -0.15
    assert part["citations.recall"][1] is not None
    assert part["citations.recall"][0] != everything["citations.recall"][0]


def test_whole_answers_count_as_what_was_drawn() -> None:
    """Answers whose requests all have one verdict tell no more than as many single requests."""
    rng = np.random.default_rng(1)
    old = (rng.random(40) < 0.5).astype(float)
    new = np.where(rng.random(40) < 0.3, 1 - old, old)
    at = np.arange(20)
    single = bridge({"a": old}, {"a": new[at]}, [at]).systems["a"]
    fives = bridge(
        {"a": old.repeat(5)}, {"a": new[at].repeat(5)}, [np.arange(100)], [at.repeat(5)]
    ).systems["a"]
    assert (fives.new, fives.low, fives.high) == pytest.approx(
        (single.new, single.low, single.high)
    )


def test_the_command_carries_scores_over_and_writes_the_bridge(tmp_path: Path) -> None:
    sample = load("core", "sample")
    for system in ("one", "two"):
        answers = [
            {"id": q.id, "answer": f"{q.text} It is {system} [{q.documents[0]}]. So be it."}
            for q in sample
            if q.documents
        ]
        evaluate(sample, answers, ["argue"], system=system, out=tmp_path / f"{system}.jsonl")
    runs = (str(tmp_path / "one.jsonl"), str(tmp_path / "two.jsonl"))
    out = tmp_path / "bridge.json"
    done = run_command(
        "judge", "bridge", "lexical", "lexical", *runs, "--items", "40", "--out", str(out)
    )
    assert done.exit_code == 0, done.output
    found = json.loads(out.read_text())
    assert found["agreement"] == 1.0
    assert set(found["systems"]) == {"one", "two"}
    for one in found["systems"].values():
        assert one["old"] == pytest.approx(one["new"])
    assert found["scores"] == {}
    none = run_command("judge", "bridge", "recorded:x", "lexical", *runs)
    assert none.exit_code == 2
    assert "no verdict of recorded:x" in none.output
