"""What a newcomer meets first: lists that are not cut, and a word where a default surprises."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import COMMANDS, main
from argue_bench.lab.score_table import read_scores
from argue_bench.published.trec.tracks import TRACKS

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
    assert "[other-data]" in result.stderr


def test_another_fault_says_nothing_of_splits(tmp_path: Path) -> None:
    answers = tmp_path / "a.jsonl"
    answers.write_text('{"id": "flood-toll", "answer": 1}\n')
    assert "other-data" not in call("evaluate", str(answers), "--split", "sample").stderr


def test_a_folder_of_run_files_may_hold_their_stores(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "careful.run"
    run.parent.mkdir()
    call("evaluate", CAREFUL, "--split", "sample", "-m", "argue", "--out", str(run))
    assert (run.parent / "careful.run.verdicts").is_file()
    assert read_scores(run.parent).runs == ("careful",)


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


def test_two_judges_of_one_name_cost_what_both_cost() -> None:
    words = ("evaluate", CAREFUL, "--split", "sample", "-m", "argue", "--format", "json")
    one = json.loads(call(*words).stdout)["cost"]["lexical"]["requests"]
    named = ("-m", "claims(judge=other)", "--judge", "other=lexical")
    two = json.loads(call(*words, *named).stdout)["cost"]["lexical"]["requests"]
    alone = json.loads(call(*words[:4], *named, "--format", "json").stdout)["cost"]["lexical"][
        "requests"
    ]
    assert two == one + alone
