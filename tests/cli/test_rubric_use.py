"""A rubric as its user meets it: costs, scores, pages, labels, judges, attempts to steer, comparison."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_compare import run
from tests.shared import write_lines

ANSWER = "The mill closed in 1987. It stands empty."
CRITERIA = ("Says that the mill closed in 1987.", "Says that tin had become cheap.")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of four questions with one rubric, answers to them, and their run under two rules."""
    folder = tmp_path_factory.mktemp("rubric")
    about = {"name": "mills", "version": "1", "split": "dev", "language": "en"}
    (folder / "mills").mkdir()
    (folder / "mills" / "set.json").write_text(json.dumps(about))
    (folder / "mills" / "documents.jsonl").write_text("")
    ids = [f"q{n}" for n in range(4)]
    rubric = [
        {"id": "when", "text": CRITERIA[0], "weight": 4, "axis": "facts"},
        {"id": "why", "text": CRITERIA[1], "weight": 2},
        {"id": "owner", "text": "Names the owner Odile Brane.", "weight": -3},
    ]
    write_lines(
        folder / "mills" / "questions.jsonl", *[{"id": i, "text": "What of it?"} for i in ids]
    )
    gold = [{"id": i, "answerable": True, "rubric": rubric} for i in ids]
    write_lines(folder / "mills" / "gold.jsonl", *gold)
    for name, text in (("good", ANSWER), ("poor", "It stands empty.")):
        write_lines(folder / f"{name}.jsonl", *[{"id": i, "answer": text} for i in ids])
        done = run(*evaluate(folder, name), "--out", folder / f"{name}.run")
        assert done.exit_code == 0, done.output
    return folder


def evaluate(folder: Path, name: str) -> tuple[object, ...]:
    given = ("evaluate", folder / f"{name}.jsonl", "--dataset", folder / "mills")
    return (*given, "-m", "rubric", "-m", "rubric(rules=healthbench)")


def test_a_dry_run_counts_each_criterion_once(place: Path) -> None:
    done = run(*evaluate(place, "good"), "--dry-run")
    assert done.exit_code == 0
    [row] = [line.split() for line in done.stdout.splitlines() if "Meets" in line]
    assert row[2:4] == ["3", "3"], "four questions with one text and answer are judged once"


def test_missed_criteria_are_called_so_and_shown_once(place: Path) -> None:
    done = run(*evaluate(place, "good"), "--show", "9")
    assert "Missed criteria (4)" in done.stdout
    assert "Missed nuggets" not in done.stdout


def test_the_viewer_shows_the_rubric_with_verdicts_and_evidence(
    place: Path, tmp_path: Path
) -> None:
    assert run("view", place / "good.run", "--out", tmp_path / "pages").exit_code == 0
    data = next((tmp_path / "pages" / "data").rglob("*q0.json"))
    criteria = json.loads(data.read_text())["criteria"]
    assert [(one["verdict"], one["good"], one["sentence"]) for one in criteria] == [
        ("met", True, 1),
        ("unmet", False, None),
        ("unmet", True, None),
    ]
    page = next((tmp_path / "pages").rglob("*q0.html")).read_text()
    assert CRITERIA[1] in page
    assert "2 of 3 as they should be" in page


def test_criteria_are_labelled_and_correct_the_judge(place: Path, tmp_path: Path) -> None:
    done = run("view", place / "good.run", "--label", "--out", tmp_path / "pages")
    assert "3 requests to label" in done.stdout
    assert CRITERIA[1] in (tmp_path / "pages" / "label.html").read_text()
    common = {"kind": "Meets", "question": "What of it?", "answer": ANSWER}
    verdicts = dict(zip(CRITERIA, ("met", "partly"), strict=True))
    verdicts["Names the owner Odile Brane."] = "unmet"
    labels = [
        {"ask": {**common, "criterion": text}, "verdict": verdict}
        for text, verdict in verdicts.items()
    ]
    write_lines(tmp_path / "labels.jsonl", *labels)
    checked = run("judge", "check", "lexical", "--labels", tmp_path / "labels.jsonl")
    assert "Meets  3" in checked.stdout
    out = ("--out", tmp_path / "again.run", "--labels", tmp_path / "labels.jsonl")
    corrected = run(*evaluate(place, "good"), *out)
    assert corrected.exit_code == 0, corrected.output
    assert "corrects rubric by 4 questions" in corrected.output


def test_runs_are_compared_by_a_key_that_two_rules_share(place: Path) -> None:
    done = run("compare", place / "good.run", place / "poor.run", "-s", "rubric.score")
    assert done.exit_code == 0, done.output
    assert "rubric.score" in done.stdout
