"""`argue-bench evaluate` and the lists, as a person at a terminal meets them."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from argue_bench import load
from argue_bench.cli import COMMANDS
from argue_bench.errors import MissingExtra
from argue_bench.judges import list_judges
from argue_bench.loaders import DATASETS, FORMATS
from argue_bench.metrics import METRICS, PUBLISHED
from argue_bench.metrics.correctness.rouge import Rouge
from tests.shared import run_command

RUNS = Path(str(files("argue_bench") / "data" / "core" / "sample-runs"))
CAREFUL = str(RUNS / "careful.jsonl")
SAMPLE = ("--dataset", "core", "--split", "sample")


def test_a_table_with_the_signature_under_it() -> None:
    result = run_command("evaluate", CAREFUL, *SAMPLE, "-m", "argue", "--show", "0")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("careful on core-sample@")
    assert any(line.startswith("argue.f1 ") for line in lines)
    assert lines[-1].startswith("metric=argue | data=core-sample@")
    assert "judge=lexical" in lines[-1]
    assert "far too small to rank systems" in result.stderr


@pytest.mark.parametrize(("metric", "graded"), [("rouge", True), ("str_em", False)])
def test_of_few_questions_intervals_of_graded_scores_are_called_too_narrow(
    metric: str, graded: bool, tmp_path: Path
) -> None:
    out = str(tmp_path / "run.jsonl")
    alone = run_command("evaluate", CAREFUL, *SAMPLE, "-m", metric, "--out", out)
    compared = run_command("compare", f"a={out}", f"b={out}")
    said = "Intervals are too narrow: 8 questions, and graded scores need 20."
    assert [said in one.stderr for one in (alone, compared)] == [graded, graded]


def test_where_there_is_no_interval_none_is_called_too_narrow(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"question": "Who?", "answer": "Ada did. So she said.", "contexts": ["Ada did."]}'
    )
    result = run_command("evaluate", str(rows), "-m", "faithfulness")
    assert result.exit_code == 0, result.stderr
    assert "50.0" in result.stdout
    assert "too narrow" not in result.stderr


def test_a_metric_of_the_set_that_cannot_run_exits_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    def require(self: Rouge) -> None:
        raise MissingExtra("rouge", "fanoutqa")

    monkeypatch.setattr(Rouge, "require", require)
    result = run_command("evaluate", CAREFUL, *SAMPLE)
    assert result.exit_code == 3
    assert "not run: rouge: " in result.stdout
    # Who names metrics has chosen.
    assert run_command("evaluate", CAREFUL, *SAMPLE, "-m", "accuracy").exit_code == 0


def test_json_holds_every_question_and_goes_alone_to_stdout() -> None:
    result = run_command("evaluate", CAREFUL, *SAMPLE, "-m", "argue", "--format", "json")
    report = json.loads(result.stdout)
    assert len(report["per_question"]) == 8
    assert 0 <= report["scores"]["argue.f1"]["value"] <= 1


def test_a_dry_run_asks_nothing_and_bounds_what_would_be_asked(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    bounds = run_command("evaluate", CAREFUL, *SAMPLE, "-m", "argue", "--dry-run").stdout
    run_command("evaluate", CAREFUL, *SAMPLE, "-m", "argue", "--out", str(out))
    asked = {
        key
        for line in out.read_text().splitlines()[1:]
        for key in json.loads(line)["metrics"]["argue"]["requests"]
    }
    rows = [line.split() for line in bounds.splitlines()[1:]]
    fewest = sum(int(row[2].replace(",", "")) for row in rows)
    most = sum(int(row[3].replace(",", "")) for row in rows)
    assert fewest <= len(asked) <= most


def test_a_dry_run_is_of_the_answered_questions_where_the_run_is(tmp_path: Path) -> None:
    answers = tmp_path / "one.jsonl"
    answers.write_text(Path(CAREFUL).read_text().splitlines(keepends=True)[0])
    words = ("evaluate", str(answers), *SAMPLE, "-m", "bleurt(judge=lexical)", "--dry-run")
    for more, requests in ((("--only-answered",), "1"), ((), "7")):
        (row,) = run_command(*words, *more).stdout.splitlines()[1:]
        assert row.split() == ["lexical", "Similar", requests, requests, "bleurt(judge=lexical)"]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ([CAREFUL, *SAMPLE, "-m", "accuracy"], 0, "These metrics ask nothing"),
        ([CAREFUL, *SAMPLE, "-m", "length", "-m", "mauve"], (0, 2), "ask nothing|pip install"),
        (["SEALED", "--dataset", "core", "--split", "test"], 1, "has no gold: its split is sealed"),
    ],
)
def test_a_dry_run_of_what_asks_nothing_or_cannot_be_scored(
    tmp_path: Path, words: list[str], code: int | tuple[int, ...], says: str
) -> None:
    sealed = tmp_path / "sealed.jsonl"
    sealed.write_text(json.dumps({"id": load("core", "test")[0].id, "answer": "It stands."}))
    told = [str(sealed) if word == "SEALED" else word for word in words]
    result = run_command("evaluate", *told, "--only-answered", "--dry-run")
    assert result.exit_code in ((code,) if isinstance(code, int) else code)
    assert re.search(says, result.output)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["evaluate", "nowhere.jsonl", *SAMPLE], 1, "no such file"),
        (["evaluate", CAREFUL, "--dataset", "cores"], 2, "Did you mean 'core'"),
        (["evaluate", CAREFUL, "--dataset", "core", "--split", "train"], 2, "has no split 'train'"),
        (["evaluate", CAREFUL, *SAMPLE, "-m", "arguee"], 2, "Did you mean 'argue'"),
        (["evaluate", CAREFUL, *SAMPLE, "--judge", "lexicals"], 2, "Did you mean 'lexical'"),
        (["evaluate", CAREFUL, *SAMPLE, "--answers-format", "xml"], 2, "no format is called"),
        (
            [
                "evaluate",
                CAREFUL,
                *SAMPLE,
                "-m",
                "support(citations=all)",
                "--fail-if",
                "suport < 0.9",
            ],
            2,
            "Did you mean 'support'",
        ),
        (["evaluate"], 2, "Missing argument"),
        (["evalate"], 2, "Did you mean 'evaluate'"),
        (
            ["evaluate", CAREFUL, *SAMPLE, "--judge", "a=lexical", "--judge", "a=lexical"],
            2,
            "twice",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_exit_code(words: list[str], code: int, says: str) -> None:
    result = run_command(*words)
    assert result.exit_code == code
    assert says in result.stderr
    assert "Traceback" not in result.output


def test_findings_are_listed_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(
        '{"id": "flood-toll", "answer": "ten"}\n{"id": "flood-toll", "answer": 3}\nnot\n'
    )
    result = run_command("evaluate", str(path), *SAMPLE)
    assert result.exit_code == 1
    assert f"{path}:2: " in result.stderr
    assert f"{path}:3: " in result.stderr


def test_a_judge_that_fails_ends_with_three(tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text('{"ask": {"kind": "NeedsCitation", "sentence": "x"}, "verdict": "yes"}\n')
    result = run_command(
        "evaluate", CAREFUL, *SAMPLE, "-m", "argue", "--judge", f"recorded:{labels}"
    )
    assert result.exit_code == 3
    assert "not recorded" in result.stderr


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("metrics", [*METRICS, *PUBLISHED]),
        ("judges", list_judges()),
        ("datasets", DATASETS),
        ("formats", FORMATS),
    ],
)
def test_lists_name_all_there_is(command: str, names: dict[str, object]) -> None:
    text = run_command("list", command).stdout
    listed = json.loads(run_command("list", command, "--format", "json").stdout)
    assert all(name in text for name in names)
    assert len(listed) == len(names)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_ends_with_an_example(name: str) -> None:
    result = run_command(name, "--help")
    assert result.exit_code == 0
    if "Commands:" not in result.stdout:
        assert "Example: argue-bench " in " ".join(result.stdout.split())
