"""The bridge between judges: intervals that hold, the order of systems, and the command on real run files."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from argue_bench import load
from argue_bench.baselines import generate
from argue_bench.errors import Code, UsageError
from argue_bench.eval import evaluate
from argue_bench.eval.run import read_entries
from argue_bench.judges.lexical import Lexical
from argue_bench.judges.recorded import Recorded, read_labels
from argue_bench.lab.bridge import JudgeBridge, bridge, draw, worth
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
    request_to_json,
)
from argue_bench.records.validation import validate
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


@pytest.mark.parametrize(
    ("yes", "answers", "apart"),
    [
        # By hand, t of 47 degrees of freedom: p .0245 of a and b, .0137 of a and c; three tests, then two.
        ((29, 19, 18), 40, (("a", "b"), ("a", "c"))),
        # p .0258 twice: each alone would be significant.
        ((28, 18, 18), 40, ()),
        # Verdicts on eight answers of five requests each, all alike, tell less.
        ((29, 19, 18), 8, ()),
    ],
)
def test_a_system_is_ahead_where_other_answers_would_show_it_after_holms_correction(
    yes: tuple[int, ...], answers: int, apart: tuple[tuple[str, str], ...]
) -> None:
    worths = {name: np.repeat([1.0, 0.0], [n, 40 - n]) for name, n in zip("abc", yes, strict=True)}
    of = [np.arange(answers).repeat(40 // answers)] * 3
    assert bridge(worths, worths, [np.arange(40)] * 3, of).apart == apart


def test_verdicts_are_worth_shares_where_they_have_an_order() -> None:
    assert worth(NeedsCitation("s"), Verdict("yes")) == 1.0
    assert worth(Supports("p", "q", "n"), Verdict("partial")) == 0.5
    assert worth(RelevanceGrade(Source("d", "t"), "q"), Verdict("2")) == pytest.approx(2 / 3)
    assert worth(Factual("q", "r", "a"), Verdict("C")) is None
    assert worth(Span("q", "c"), Verdict("words")) is None


def test_estimates_and_their_ends_stay_shares() -> None:
    """System a has a drawn request that only the old judge denies: the mean of the others would lead above 1."""
    rng = np.random.default_rng(2)
    old = {
        "a": np.array([0.0, *[1.0] * 50]),
        "b": (rng.random(50) < 0.5).astype(float),
    }
    new = {"a": np.ones(30), "b": old["b"]}
    done = bridge(old, new, [np.arange(30), np.arange(50)])
    assert done.systems["a"].new == done.systems["a"].high == 1
    assert validate(JudgeBridge, asdict(done), Code.WRONG_VALUE, "bridge.json") == done


def test_a_larger_draw_holds_the_smaller_one() -> None:
    few, more = (draw([90, 61, 150, 3], n, np.random.default_rng(0)) for n in (80, 121))
    assert all({*one} < {*other} for one, other in zip(few[:3], more[:3], strict=True))


def stricter(request: JudgeRequest) -> Verdict:
    """The lexical judge's verdict, but no for a half of the supported sentences; for others yes where it says no.

    So a metric that asks further after a yes asks this judge what it did not ask the lexical one.
    """
    said = Lexical().decide(request)
    if int(request.key, 16) % 2 == 0:
        return said
    if isinstance(request, Entails | Supports):
        return Verdict("no")
    return Verdict("yes") if said.value == "no" else said


def test_each_score_is_that_of_the_metric_under_the_new_judge_and_people_correct_both(
    tmp_path: Path,
) -> None:
    dev = load("core", "dev")
    answers, run = list(generate("bm25-extractive", dev, "openbook"))[:30], tmp_path / "one.jsonl"
    old = evaluate(dev, answers, ["argue", "citations"], out=run).scores
    report = evaluate(
        dev, answers, ["argue", "citations"], judge=stricter, out=tmp_path / "new.jsonl"
    )
    new, labels = report.scores, tmp_path / "people.jsonl"
    # People say of the first 22 answers what the new judge says.
    told = list(read_entries(tmp_path / "new.jsonl"))[:22]
    keys = {key for entry in told for asked in entry.requests.values() for key in asked}
    said = read_labels(tmp_path / "new.jsonl.verdicts")
    lines = [
        {"ask": request_to_json(one.request), "verdict": one.verdict.value}
        for one in said
        if one.request.key in keys
    ]
    labels.write_text("".join(json.dumps(one) + "\n" for one in lines))
    name = f"{__name__}:stricter"
    found = []
    # All answers leave nothing to chance; of a part the interval holds it.
    for items, more in (("40000", ()), ("10", ("--labels", str(labels)))):
        out = tmp_path / f"{items}.json"
        done = run_command(
            *("judge", "bridge", "lexical", name, str(run), "--items", items),
            *("--whole-answers", "--out", str(out), *more),
        )
        assert done.exit_code == 0, done.output
        found.append(json.loads(out.read_text()))
    everything, part = (one["scores"] for one in found)
    assert {"citations.recall", "argue.f1", "argue.sentence_support_micro"} <= everything.keys()
    assert part["argue.f1"] is not None
    for key, whole in everything.items():
        one = whole["systems"]["one"]
        assert (one["old"], one["new"]) == pytest.approx((old[key].value, new[key].value)), key
        if part[key] is not None:
            some = part[key]["systems"]["one"]
            assert some["low"] <= new[key].value <= some["high"], key
    one = part["citations.recall"]["systems"]["one"]
    assert 22 <= one["drawn"] < one["n"] == 80
    assert one["new"] < one["old"] - 0.1
    under_old, under_new = found[1]["corrected"]["citations.recall"]
    # People never contradict the new judge, and find the old one too mild.
    assert under_new["bias"] == 0
    assert under_old["bias"] > 0.1
    for side in (under_old, under_new):
        assert side["low"] < new["citations.recall"].value < side["high"]
    assert "corrected by people" in done.output


def test_a_score_that_is_not_known_says_what_it_lacks(tmp_path: Path) -> None:
    dev = load("core", "dev")
    answers, run = list(generate("bm25-extractive", dev, "openbook"))[:24], tmp_path / "one.jsonl"
    evaluate(dev, answers, ["citations"], out=run)
    asked = ("judge", "bridge", "lexical", f"{__name__}:stricter", str(run), "--whole-answers")
    few = run_command(*asked, "--items", "10").output
    assert re.search(r"\b\d+ answers with it were drawn, of 20 that it needs", few)
    of = re.search(r"--items ([\d,]+) draws every answer", few)
    assert of
    every = run_command(*asked, "--items", of[1].replace(",", "")).output
    assert "that it needs" not in every
    assert "draws every answer" not in every


def test_whole_answers_count_as_what_was_drawn() -> None:
    """Answers whose requests all have one verdict tell no more than as many single requests."""
    rng = np.random.default_rng(1)
    old = (rng.random(40) < 0.5).astype(float)
    new = np.where(rng.random(40) < 0.3, 1 - old, old)
    at = np.arange(20)
    single = bridge({"a": old}, {"a": new[at]}, [at]).systems["a"]
    fives = bridge(
        *({"a": old.repeat(5)}, {"a": new[at].repeat(5)}, [np.arange(100)]),
        answers=[np.arange(40).repeat(5)],
        whole=True,
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


def recorded(tmp_path: Path, system: str, flip: int, leave: int = 0) -> Path:
    """A run of a judge "recorded:x" with the lexical verdicts, of which so many are another or left out."""
    sample = load("core", "sample")
    answers = [{"id": q.id, "answer": f"Of {q.id} one thing is known. So be it."} for q in sample]
    evaluate(sample, answers, ["argue"], out=tmp_path / "first.jsonl")
    said = {one.request.key: one.verdict for one in read_labels(tmp_path / "first.jsonl.verdicts")}
    keys = sorted(key for key, one in said.items() if one.value == "no")
    said |= dict.fromkeys(keys[:flip], Verdict("yes"))
    run = tmp_path / f"{system}.jsonl"
    judge = Recorded(said, "recorded:x")
    evaluate(sample, answers, ["argue"], judge=judge, system=system, out=run)
    return run


def test_runs_of_two_judges_of_one_name_are_refused(tmp_path: Path) -> None:
    runs = [str(recorded(tmp_path, system, flip)) for system, flip in (("one", 0), ("two", 1))]
    said = run_command("judge", "bridge", "recorded:x", "lexical", *runs)
    assert said.exit_code == 2
    assert "bridge the runs of one judge" in said.output
    said = run_command("judge", "bridge", "recorded:x", "lexical", runs[0])
    assert said.exit_code == 0, said.output


def test_a_new_judge_without_a_verdict_on_a_drawn_request_makes_no_bridge(tmp_path: Path) -> None:
    run, few, out = recorded(tmp_path, "one", 0), tmp_path / "few.jsonl", tmp_path / "b.json"
    label = {"ask": {"kind": "NeedsCitation", "sentence": "Other."}, "verdict": "yes"}
    few.write_text(json.dumps(label) + "\n")
    said = run_command(
        "judge", "bridge", "recorded:x", f"recorded:{few}", str(run), "--out", str(out)
    )
    assert said.exit_code == 2
    assert "recorded:few.jsonl gave no verdict on" in said.output
    assert not out.exists()
