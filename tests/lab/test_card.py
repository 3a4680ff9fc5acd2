"""``judge card``: figures worked by hand, as a table and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from argue_bench.cli import main

VERDICTS = ("yes", "yes", "no", "no", "no", "no")


def _labels(path: Path, words: tuple[str, ...]) -> Path:
    lines = [
        {"ask": {"kind": "NeedsCitation", "sentence": f"Fact {n} <b>."}, "verdict": word}
        for n, word in enumerate(words)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_card_has_the_figures_of_each_set_beside_what_needs_no_judge(tmp_path: Path) -> None:
    """Of 2 yes the judge finds 1, of 4 no it finds 3: balanced (1/2 + 3/4) / 2 = .625, accuracy 4/6."""
    judge = _labels(tmp_path / "said.jsonl", ("yes", "no", "yes", "no", "no", "no"))
    people = _labels(tmp_path / "people.jsonl", VERDICTS)
    same = _labels(tmp_path / "same.jsonl", ("yes", "no", "yes", "no", "no", "no"))
    out = tmp_path / "card.json"
    words = ["judge", "card", f"recorded:{judge}", "--labels", str(people), "--labels", str(same)]
    done = CliRunner().invoke(main, [*words, "--out", str(out)])
    assert done.exit_code == 0, done.output
    card = json.loads(out.read_text())
    first, second = card["sets"]
    assert (first["set"], first["kind"], first["n"], first["failed"]) == (
        "people",
        "NeedsCitation",
        6,
        0,
    )
    assert first["measures"]["balanced_accuracy"]["value"] == pytest.approx(0.625)
    assert first["measures"]["accuracy"]["value"] == pytest.approx(4 / 6)
    assert first["measures"]["share"]["value"] == pytest.approx(2 / 6)
    assert first["floors"]["always yes"]["balanced_accuracy"]["value"] == pytest.approx(0.5)
    assert second["measures"]["balanced_accuracy"]["value"] == 1.0
    assert first["each"]["dollars"] == 0
    assert card["summary"] == "agrees with people: .81 balanced accuracy on 2 sets of NeedsCitation"
    assert card["summary"] in done.stdout


def test_a_set_that_cannot_be_had_is_left_out_and_a_bad_report_is_a_finding(tmp_path: Path) -> None:
    people = _labels(tmp_path / "people.jsonl", VERDICTS)
    (tmp_path / "report.json").write_text('{"rate": 2}')
    words = ["judge", "card", "lexical", "--labels", str(people)]
    done = CliRunner().invoke(main, [*words, "--injections", str(tmp_path / "report.json")])
    assert done.exit_code == 1
    assert "wrong-shape" in done.output
    lost = CliRunner().invoke(main, [*words, "--labels", str(tmp_path / "absent.jsonl")])
    assert lost.exit_code == 0
    assert "left out: " in lost.output
