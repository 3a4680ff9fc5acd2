"""``evaluate FOLDER --labels``: the scores of several runs corrected by what people said of their reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import argue_bench as ab
from argue_bench.cli import main
from argue_bench.eval.run import read_entries, read_reports
from argue_bench.judges.labels import read_store
from argue_bench.records import request_to_json

SET = ("--dataset", "core", "--split", "sample")


def run(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two runs, judged; people say no to one supported sentence of each run's first report."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    sample = ab.load("core", "sample")
    for name, most in (("long", 2), ("short", 1)):
        answers = [
            {
                "id": question.id,
                "answer": " ".join(
                    f"{sample.documents[id].text.split('. ')[0]}. [{id}]"
                    for id in question.documents[:most]
                ),
            }
            for question in sample
        ]
        lines = "".join(json.dumps(one) + "\n" for one in answers)
        (tmp_path / "reports" / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    assert run("evaluate", "reports", *SET, "--out", "judged.jsonl").exit_code == 0
    return tmp_path


def label(place: Path, questions: set[str]) -> None:
    """Labels every request of these questions; the first that was supported is not, in people's eyes."""
    asked = {
        key: entry.answer.id
        for entry in read_entries(place / "judged.jsonl")
        if entry.answer.id in questions
        for keys in entry.requests.values()
        for key in keys
    }
    turned = False
    with (place / "anna.jsonl").open("w", encoding="utf-8") as file:
        for one in read_store(place / "judged.jsonl.verdicts"):
            if one.request.key in asked:
                value = one.verdict.value
                if not turned and type(one.request).__name__ == "Entails" and value == "yes":
                    value, turned = "no", True
                about = {"question": asked[one.request.key], "ask": request_to_json(one.request)}
                file.write(json.dumps({**about, "verdict": value}) + "\n")
    assert turned


def test_each_run_is_corrected_by_the_labels_of_its_reports(place: Path) -> None:
    questions = {one.id for one in ab.load("core", "sample")}
    label(place, questions)
    found = run("evaluate", "reports", *SET, "--labels", "anna.jsonl", "--out", "judged.jsonl")
    assert found.exit_code == 0, found.output
    shown = found.stdout.split("\nlong\n")[1]
    assert "argue.sentence_support" in shown
    assert f"{len(questions)} of {len(questions)}" in shown
    assert "\nshort\n" in shown
    reports = read_reports(place / "judged.jsonl", 100)
    biases = {
        name: one.scores["argue.sentence_support"].value
        != one.corrected[one.scores.full("argue.sentence_support")].value
        for name, one in reports.items()
    }
    assert any(biases.values())
    signed = next(iter(reports["long"].signature.values()))
    assert signed["labels"].endswith(f", {len(questions)} questions")


def test_values_of_whole_questions_are_refused_where_several_runs_answer_them(place: Path) -> None:
    first = ab.load("core", "sample")[0].id
    grade = {"question": first, "score": "argue.f1", "value": 0.5}
    (place / "grades.jsonl").write_text(json.dumps(grade) + "\n", encoding="utf-8")
    found = run("evaluate", "reports", *SET, "--labels", "grades.jsonl", "--out", "judged.jsonl")
    assert found.exit_code == 2
    assert "2 runs answer each" in found.output
