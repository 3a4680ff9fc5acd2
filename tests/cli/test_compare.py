"""`compare` and `power` as a person at a terminal meets them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from tests.analysis.test_compare import loose, run_file

RNG = np.random.default_rng(0)
BASE = RNG.random(60) * 0.6


def run(*args: object) -> Result:
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [
        run_file(tmp_path / f"{name}.run.jsonl", loose(*scores))
        for name, scores in (("good", BASE + 0.3), ("bad", BASE), ("same", RNG.permutation(BASE)))
    ]


def test_the_table_says_who_is_better_and_under_what_signature(runs: list[Path]) -> None:
    result = run("compare", *runs, "-s", "accuracy.loose")
    assert result.exit_code == 0
    assert "good against bad, 60 questions" in result.stdout
    assert "good is better on accuracy.loose" in result.stdout
    assert "No difference is significant at 5 %." in result.stdout
    assert "+30.0" in result.stdout
    assert "metric=accuracy | data=toy@1 | n=60 | judge=lexical" in result.stdout
    assert "Holm over 3 tests" in result.stdout
    bands = [line.split() for line in result.stdout.splitlines() if line[:5].strip().isdigit()]
    assert [(row[0], row[2]) for row in bands] == [("1", "good"), ("2", "bad"), ("2", "same")]
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_json_and_bands(runs: list[Path]) -> None:
    result = run("compare", *runs, "--all-scores", "--format", "json")
    found = json.loads(result.stdout)
    assert found["systems"] == ["good", "bad", "same"]
    assert len(found["differences"]) == 6
    assert found["differences"][0]["winner"] == "good"
    assert [row["band"] for row in found["bands"]["systems"]] == [1, 2, 2]


@pytest.mark.parametrize(
    ("order", "code"), [("good bad", 1), ("bad good", 0), ("bad same", 0), ("good bad same", 1)]
)
@pytest.mark.parametrize("format", ["text", "json"])
def test_a_system_that_falls_behind_the_first_fails_the_comparison(
    runs: list[Path], order: str, code: int, format: str
) -> None:
    by_name = {path.name.partition(".")[0]: path for path in runs}
    words = ("-s", "accuracy.loose", "--fail-if-worse", "--format", format)
    done = run("compare", *(by_name[name] for name in order.split()), *words)
    assert done.exit_code == code
    assert ("worse than good: bad (accuracy.loose)" in done.stderr) == bool(code)


def test_unlike_signatures_exit_1(runs: list[Path], tmp_path: Path) -> None:
    other = run_file(tmp_path / "x.run.jsonl", loose(*BASE), judge="nli")
    result = run("compare", runs[0], other)
    assert result.exit_code == 1
    assert "judge: lexical against nli" in result.stderr
    assert not result.stdout


def test_two_runs_of_one_name_need_names(runs: list[Path], tmp_path: Path) -> None:
    assert "name them: NAME=" in run("compare", runs[0], runs[0]).stderr
    assert run("compare", f"one={runs[0]}", f"two={runs[0]}").exit_code == 0
    assert run("compare", runs[0]).exit_code == 2


def test_too_few_questions_for_so_many_tests_is_said(tmp_path: Path) -> None:
    few = [run_file(tmp_path / f"{n}.run.jsonl", loose(*RNG.random(4))) for n in "abc"]
    result = run("compare", *few)
    assert "4 questions give no p below 0.12, and Holm" in result.stderr


@pytest.mark.parametrize("text", ["", "[1]", '{"header": {}}', "answers"])
def test_files_that_are_no_run_files(tmp_path: Path, text: str, runs: list[Path]) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(text)
    result = run("compare", runs[0], path)
    assert result.exit_code == 1
    assert str(path) in result.stderr
    assert run("compare", runs[0], tmp_path / "absent").exit_code == 1


def test_what_core_is_stands_under_every_number_from_it(runs: list[Path]) -> None:
    words = ("compare", *runs, "-s", "accuracy.loose")
    assert "fictional" not in run(*words).stderr
    for path in runs:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('"dataset":"toy@1"', '"dataset":"core-dev@1"'))
    assert run(*words).stderr.count("core is a generated, fictional world") == 1
