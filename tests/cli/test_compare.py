"""`compare` and `power` as a person at a terminal meets them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from click.testing import Result as Ran
from scipy.stats import binomtest, chi2_contingency

from argue_bench.cli import main
from argue_bench.leaderboard.formats.results import Result, Setting, write_result
from argue_bench.stats.permutation import holm
from tests.analysis.test_compare import loose, run_file
from tests.shared import ROOT

RNG = np.random.default_rng(0)
BASE = RNG.random(60) * 0.6


def run(*args: object) -> Ran:
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
    # The tests against the first of a band are corrected too, for their own number.
    assert "below its first (Holm over the tests against it)" in " ".join(result.stdout.split())
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


PUBLISHED = ROOT / "leaderboard-submissions/published"
FANOUTQA = PUBLISHED / "fanoutqa/results/fanoutqa-published"


def test_published_shares_have_wilson_intervals_and_an_unpaired_test() -> None:
    """FanOutQA's counts read off its files, against scipy's Wilson interval and chi-square."""
    names = ["gpt-4o", "gpt-oss-120b", "gpt-4"]
    files = [FANOUTQA / f"{name}.json" for name in names]
    score = ("--setting", "openbook", "-s", "factuality.accuracy")
    found = json.loads(run("compare", *files, *score, "--format", "json").stdout)
    told = [json.loads(file.read_text("utf-8"))["settings"]["openbook"] for file in files]
    counts = [round(724 * one["scores"]["factuality.accuracy"]["value"]) for one in told]
    count = dict(zip(names, counts, strict=True))
    p = []
    for d in found["differences"]:
        pair = [count[d["first"]], count[d["second"]]]
        for k, ends in zip(pair, d["ends"], strict=True):
            wilson = binomtest(k, 724).proportion_ci(method="wilson")
            assert ends == pytest.approx([wilson.low, wilson.high])
        p.append(chi2_contingency([[k, 724 - k] for k in pair], correction=False).pvalue)
        assert (d["n"], d["won"]) == (724, None)
    assert [d["p_holm"] for d in found["differences"]] == pytest.approx(holm(p).tolist())
    assert [d["winner"] for d in found["differences"]] == [None, "gpt-4o", "gpt-oss-120b"]
    text = run("compare", *files[:2], *score).stdout
    assert "36.5 [33.0 to 40.0]  35.6 [32.2 to 39.2]" in text
    assert "setting=openbook" in text
    assert "Wilson, of differences Newcombe\nunpaired z test" in text
    paper = run("compare", *files[:2], *score, "--format", "latex").stdout
    assert "36.5 {[}33.0 to 40.0]" in paper
    assert "unpaired z test, Holm over 1 tests, 5 \\%; n = 724 questions; Wilson" in paper


def test_a_run_stands_beside_published_shares(tmp_path: Path) -> None:
    """As far as both say how they were scored; graded results of others have no spread to test."""
    board = tmp_path / "board"
    season = {"schema": 1, "season": "toy-1", "set": {"name": "toy", "questions": 40}}
    season |= {"settings": ["openbook"], "metrics": ["accuracy"], "judge": "x", "ranked": ""}
    board.mkdir()
    (board / "season.json").write_text(json.dumps(season))
    bare = {"low": None, "high": None, "n": None, "failed": None}
    scores = {
        "accuracy.strict": {"value": 0.25, **bare},
        "accuracy.loose": {"value": 0.333, **bare},
    }
    setting = Setting({"accuracy": {"metric": "accuracy", "data": "toy@unknown"}}, scores)
    result = write_result(board, Result("toy-1", "theirs", {"openbook": setting}))
    own = run_file(tmp_path / "own.run.jsonl", loose(*[1] * 30, *[0] * 10))
    found = json.loads(run("compare", own, result, "--format", "json").stdout)
    [d] = found["differences"]
    assert (d["score"], d["winner"]) == ("accuracy.strict", "own")
    table = [[30, 10], [10, 30]]
    assert d["p"] == pytest.approx(chi2_contingency(table, correction=False).pvalue)
    other = run_file(tmp_path / "other.run.jsonl", loose(1, 0), data="another@1")
    refused = run("compare", other, result)
    assert refused.exit_code == 1
    assert "accuracy: data: another@1 against toy" in refused.output
    (board / "season.json").unlink()
    assert "expected the season.json of toy-1" in run("compare", own, result).output


def test_graded_results_that_others_published_are_not_tested() -> None:
    folder = PUBLISHED / "trec-dragun/results/dragun-2025"
    result = run("compare", folder / "cru-ablr.json", folder / "garag-rubric.json")
    assert result.exit_code == 2
    assert "only shares of n have a known spread" in result.stderr
