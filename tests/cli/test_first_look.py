"""What a newcomer meets first: lists that are not cut, and a word where a default surprises."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import COMMANDS, main
from argue_bench.loaders.trec.tracks import TRACKS

CAREFUL = str(files("argue_bench") / "data" / "core" / "sample-runs" / "careful.jsonl")


def call(*words: str) -> Result:
    return CliRunner().invoke(main, list(words), terminal_width=100)


GROUPS = [
    name
    for name in COMMANDS
    if isinstance(main.get_command(click.Context(main), name), click.Group)
]


@pytest.mark.parametrize("words", [(), *((name,) for name in GROUPS)], ids=" ".join)
def test_no_sentence_of_a_list_is_cut(words: tuple[str, ...]) -> None:
    shown = call(*words, "--help").stdout
    assert "Commands:" in shown
    assert "..." not in shown.partition("Commands:")[2]


@pytest.mark.parametrize(
    "name", ["metrics", "judges", "datasets", "formats", "baselines", "prompts"]
)
def test_lists_fit_a_hundred_columns(name: str) -> None:
    assert max(map(len, call("list", name).stdout.splitlines())) <= 100


def test_answers_to_another_split_are_told_which_there_are() -> None:
    result = call("evaluate", CAREFUL)
    assert result.exit_code == 1
    assert "--split test, --split sample" in result.stderr
    assert "[other-split]" in result.stderr


def test_another_fault_says_nothing_of_splits(tmp_path: Path) -> None:
    answers = tmp_path / "a.jsonl"
    answers.write_text('{"id": "flood-toll", "answer": 1}\n')
    assert "other-split" not in call("evaluate", str(answers), "--split", "sample").stderr


def test_power_shows_the_scores_that_a_metric_shows_first(tmp_path: Path) -> None:
    run = str(tmp_path / "run.jsonl")
    assert (
        call("evaluate", CAREFUL, "--split", "sample", "-m", "argue", "--out", run).exit_code == 0
    )
    few = json.loads(call("board", "power", "--scores", run, "--format", "json").stdout)
    assert {one["score"] for one in few} == {
        f"argue.{score}"
        for score in ("f1", "nugget_coverage", "sentence_support", "citation_support")
    }
    every = json.loads(
        call("board", "power", "--scores", run, "--format", "json", "--all-scores").stdout
    )
    assert len(every) > len(few)


def test_score_says_what_it_was_given(tmp_path: Path) -> None:
    result = call("evaluate", "--judgments", CAREFUL)
    assert result.exit_code == 2
    assert "careful.jsonl is not a run file of evaluate" in result.stderr


def test_categories_of_another_set_are_refused(tmp_path: Path) -> None:
    runs = [str(tmp_path / f"{name}.run") for name in ("a", "b")]
    for run in runs:
        call("evaluate", CAREFUL, "--split", "sample", "-m", "accuracy", "--out", run)
    named = [f"{name}={run}" for name, run in zip("ab", runs, strict=True)]
    refused = call("compare", *named, "--dataset", "core")
    assert refused.exit_code == 2
    assert "name its --split or --data" in refused.stderr
    assert call("compare", *named, "--dataset", "core", "--split", "sample").exit_code == 0


def test_a_folder_of_run_files_may_hold_their_stores(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "careful.run"
    run.parent.mkdir()
    call("evaluate", CAREFUL, "--split", "sample", "-m", "argue", "--out", str(run))
    assert (run.parent / "careful.run.verdicts").is_file()
    out = tmp_path / "scores.tot"
    result = call("judge", "agreement", "export", str(run.parent), "--to", "tot", "--out", str(out))
    assert result.exit_code == 0, result.stderr
    assert out.read_text().startswith("careful\t")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("board", "verify", "nowhere"), 1, "nowhere: no such folder"),
        (("submission", "check", CAREFUL), 2, "--track NAME"),
    ],
)
def test_a_wrong_place_is_told(words: tuple[str, ...], code: int, says: str) -> None:
    result = call(*words)
    assert result.exit_code == code
    assert says in result.stderr


def test_every_track_is_named_in_the_help() -> None:
    shown = call("submission", "check", "--help").stdout
    assert all(name in shown for name in TRACKS)


def test_a_short_ranking_is_measured_as_far_as_it_goes() -> None:
    result = call("retrieve", "--split", "sample", "--measure")
    assert [line.split()[0] for line in result.stdout.splitlines()] == [
        "measure",
        "recall@5",
        "mrr",
    ]
    assert "not measured at --top 5: recall@10, recall@100, ndcg@10" in result.stderr


def test_scores_of_one_system_are_called_by_its_file(tmp_path: Path) -> None:
    run, scores = tmp_path / "mine.run.jsonl", tmp_path / "scores.tsv"
    call("evaluate", CAREFUL, "--split", "sample", "-m", "argue", "--out", str(run))
    for rules in ((), ("--rules", "argue-2024", "--dataset", "core", "--split", "sample")):
        result = call("evaluate", "--judgments", str(run), "--scores", str(scores), *rules)
        assert result.exit_code == 0, result.stderr
        assert {line.split("\t")[0] for line in scores.read_text().splitlines()[1:]} == {"mine"}


def test_two_judges_of_one_name_cost_what_both_cost() -> None:
    words = ("evaluate", CAREFUL, "--split", "sample", "-m", "argue", "--format", "json")
    one = json.loads(call(*words).stdout)["cost"]["lexical"]["requests"]
    named = ("-m", "claims(judge=other)", "--judge", "other=lexical")
    two = json.loads(call(*words, *named).stdout)["cost"]["lexical"]["requests"]
    alone = json.loads(call(*words[:4], *named, "--format", "json").stdout)["cost"]["lexical"][
        "requests"
    ]
    assert two == one + alone
