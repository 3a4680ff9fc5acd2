"""`init`, `data check`, `view` without a place, thresholds: the first minutes with own rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.shared import run_command

pytest_plugins = ("pytester",)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert run_command("init", str(tmp_path / "mine")).exit_code == 0
    monkeypatch.chdir(tmp_path / "mine")
    return tmp_path / "mine"


def test_the_folder_of_init_works_without_an_option(folder: Path) -> None:
    result = run_command("evaluate")
    assert result.exit_code == 0, result.output
    assert "sentence 2: It was painted red in 1990." in result.stdout
    assert "question <- question, answer <- answer, contexts <- contexts" in result.stderr
    assert "contains a citation" not in result.output  # its configuration names faithfulness
    assert run_command("evaluate", "--out", "run").exit_code == 0
    shown = run_command("view", "run")
    assert shown.exit_code == 0, shown.output
    pages = Path(shown.stdout.partition("/index.html")[0])
    assert "painted red" in "".join(p.read_text() for p in pages.rglob("*.html"))


def test_init_keeps_what_is_there(folder: Path) -> None:
    (folder / "rows.jsonl").write_text("mine")
    result = run_command("init", str(folder))
    assert (result.exit_code, (folder / "rows.jsonl").read_text()) == (1, "mine")
    assert "Name a new folder" in result.stderr


def test_data_check_says_what_is_there_and_what_can_be_measured(folder: Path) -> None:
    result = run_command("data", "check", "rows.jsonl")
    assert result.exit_code == 0, result.output
    lines = [line.partition(":") for line in result.stdout.splitlines()]
    told = {heading: text for heading, _, text in lines}
    lacking = [text.strip() for heading, _, text in lines if heading == "not"]
    assert told["questions"].strip() == "3"
    assert told["citations"].strip() == "0 of 3 answers cite"
    assert told["refusals"].strip() == "1 of 3 answers decline"
    measurable = "faithfulness, context_relevance, answer_relevance"
    assert told["measurable"].strip() == measurable
    assert "support, citations: no answer cites" in lacking
    assert "context_precision, context_recall: no reference answers" in lacking


def test_data_check_of_a_set_and_of_bad_rows(folder: Path) -> None:
    (folder / "bad.csv").write_text("question,answer\nq,a\nq2\n")
    result = run_command("data", "check", "bad.csv")
    assert result.exit_code == 1
    assert "bad.csv:3: the row has 1 cells, the head has 2" in result.stdout


@pytest.mark.parametrize(
    ("bound", "code", "told"),
    [
        ("faithfulness < 0.7", 0, ""),
        ("faithfulness<0.8", 1, "faithfulness.supported is 75.0, below 80.0"),
        ("faithfulness.answered <= 0.9", 1, "faithfulness.answered is 66.7, not above 90.0"),
        ("nothing > 0", 1, "sentences supported by nothing: 1, above 0"),
        ("accuracy < 0.5", 2, "no score is called 'accuracy'"),
        ("faithfulness < 90", 2, "a share from 0 to 1"),
        ("faithfulness = 0.9", 2, "write a bound as 'faithfulness < 0.9'"),
    ],
)
def test_a_score_out_of_its_bounds_fails_the_command(
    folder: Path, bound: str, code: int, told: str
) -> None:
    result = run_command("evaluate", "rows.jsonl", "--fail-if", bound)
    assert (result.exit_code, told in result.stderr) == (code, True), result.output


def test_rows_without_contexts_say_why_there_is_no_faithfulness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare.csv").write_text("question,answer,expected_output\nWhy?,It is so.,\n")
    result = run_command("evaluate", "bare.csv")
    assert (result.exit_code, "No row has contexts" in result.stderr) == (0, True)
    assert "not run: faithfulness: no row has contexts" in result.stdout
    result = run_command("evaluate", "bare.csv", "--fail-if", "faithfulness < 0.5")
    assert result.exit_code == 2
    assert "faithfulness could not be computed: no row has contexts" in result.stderr
    assert "gold:             0 with an answer" in run_command("data", "check", "bare.csv").stdout


def test_citations_are_asked_for_only_where_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    row = {"question": "B?", "contexts": ["It has 8 rooms."], "answer": "It has 9 rooms."}
    (tmp_path / "two.jsonl").write_text(2 * f"{json.dumps(row)}\n")
    said = "None of 2 answers contains a citation"
    assert said not in run_command("evaluate", "two.jsonl", "-m", "faithfulness").stderr
    assert said in run_command("evaluate", "two.jsonl", "-m", "support").stderr


def test_the_pytest_fixture_lists_the_sentences_that_fail(
    folder: Path, pytester: pytest.Pytester
) -> None:
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    pytester.makepyfile(
        f"""
        rows = {rows!r}

        def test_high_enough(assert_scores):
            report = assert_scores(rows, "faithfulness>=0.7")
            assert report.scores["faithfulness.supported"].n == 2

        def test_too_low(assert_scores):
            assert_scores(rows, "faithfulness>=0.8", all_flags=True)
        """
    )
    done = pytester.runpytest_subprocess("-p", "argue_bench.adapters.pytest_fixture", "-q")
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["*faithfulness.supported is 75.0, below 80.0*"])
    done.stdout.fnmatch_lines(
        ["*It was painted red in 1990.", "*nothing in the contexts supports it: 1990 is not there"]
    )
