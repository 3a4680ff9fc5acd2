"""What holds of every command: help, options given twice, defaults in a file, formats, explain."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

from argue_bench.cli import main
from argue_bench.errors import Code
from tests.shared import argv

CAREFUL = str(files("argue_bench") / "data" / "core" / "sample-runs" / "careful.jsonl")
EVALUATE = ("evaluate", CAREFUL, "--split", "sample")
DAILY = (
    *argv("evaluate compare view"),
    "submission check",
    "judge check",
    "generate",
    "retrieve",
    "board init",
    "site build",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*words: str) -> Result:
    result = CliRunner().invoke(main, list(words), terminal_width=80)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def leaves(group: click.Group = main, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command, hidden ones too."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from leaves(command, (*above, name))
        else:
            yield (*above, name)


@pytest.mark.parametrize("name", DAILY)
def test_the_help_of_a_daily_command_fits_a_screen(name: str) -> None:
    lines = call(*name.split(), "--help").stdout.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80


def context(words: tuple[str, ...]) -> click.Context:
    """The context of a command, as click makes it."""
    ctx = click.Context(main, info_name="argue-bench")
    for word in words:
        assert isinstance(ctx.command, click.Group)
        command = ctx.command.get_command(ctx, word)
        assert command is not None
        ctx = click.Context(command, parent=ctx, info_name=word)
    return ctx


@pytest.mark.parametrize("words", [*leaves()], ids=" ".join)
def test_every_option_of_every_command_is_explained(words: tuple[str, ...]) -> None:
    ctx = context(words)
    options = [one for one in ctx.command.params if isinstance(one, click.Option)]
    assert not [one.name for one in options if not one.help]
    help = " ".join((ctx.command.help or "").split())
    assert "Example: argue-bench " + " ".join(words) in help
    every = call(*words, "--help-all")
    assert every.exit_code == 0
    assert "--format" in every.stdout


MOST_COMMANDS, MOST_OPTIONS = 50, 280


def test_commands_and_options_stay_few() -> None:
    """Hidden ones too: a new one takes the place of another."""
    commands = [context(words).command for words in leaves()]
    assert len(commands) <= MOST_COMMANDS
    options = [one for own in commands for one in own.params if isinstance(one, click.Option)]
    assert len(options) <= MOST_OPTIONS


def test_advanced_options_are_shown_when_they_are_asked_for() -> None:
    assert "--cluster" not in call("evaluate", "--help").stdout
    every = call("evaluate", "--help-all").stdout
    assert "Advanced:" in every
    assert "--cluster" in every


@pytest.mark.parametrize(
    "words",
    [
        (*EVALUATE, "--split", "sample"),
        ("submission", "check", "--system", "a", "--system", "a"),
        ("judge", "agreement", "--on-missing", "skip", "--on-missing", "error"),
    ],
)
def test_an_option_that_takes_one_value_is_refused_twice(words: tuple[str, ...]) -> None:
    result = call(*words)
    assert result.exit_code == 2
    assert "was given 2 times; it takes one value" in result.stderr


def test_options_that_take_several_values_and_flags_may_be_repeated() -> None:
    words = (*EVALUATE, "-m", "accuracy", "-m", "length", "--all-scores", "--all-scores")
    assert call(*words).exit_code == 0


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("argue-bench.toml", '[evaluate]\nsplit = "sample"\nmetric = "accuracy"\n'),
        (
            "pyproject.toml",
            '[tool.argue-bench.evaluate]\nsplit = "sample"\nmetric = ["accuracy"]\n',
        ),
    ],
)
def test_a_file_sets_defaults_and_the_command_line_comes_first(
    folder: Path, file: str, text: str
) -> None:
    (folder / file).write_text(text)
    result = call("evaluate", CAREFUL)
    assert result.exit_code == 0, result.stderr
    assert "accuracy.loose" in result.stdout
    assert "argue.f1" not in result.stdout
    other = call("evaluate", CAREFUL, "-m", "argue")
    assert "argue.f1" in other.stdout
    assert "accuracy.loose" not in other.stdout


def test_a_group_of_commands_has_tables_of_its_own(folder: Path) -> None:
    (folder / "argue-bench.toml").write_text('[data.check]\ncolumns = ["question=frage"]\n')
    (folder / "rows.jsonl").write_text('{"frage": "Why?", "answer": "So."}')
    assert "question <- frage" in call("data", "check", "rows.jsonl").stdout


def test_our_own_file_comes_before_the_shared_one(folder: Path) -> None:
    (folder / "argue-bench.toml").write_text("")
    (folder / "pyproject.toml").write_text('[tool.argue-bench.list]\nformat = "json"\n')
    assert "[" not in call("list", "metrics").stdout[:1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[evaluate]\njugde = "lexical"\n', "'evaluate.jugde'. Did you mean 'evaluate.judge'?"),
        ('[evalute]\njudge = "lexical"\n', "'evalute'. Did you mean 'evaluate'?"),
        ('[submission.chek]\nsystem = "a"\n', "'submission.chek'. Did you mean 'submission.check'"),
        ('[board.ci.record]\nsha = "a"\n', "'board.ci'"),
        ('judge = "lexical"\n', "judge must be a table"),
        ("[evaluate]\nworkers = 99\n", "evaluate.workers: 99 is not in the range"),
        ('[evaluate]\ndry-run = "yes"\n', "evaluate.dry-run must be true or false"),
        ('[evaluate]\nmetric = "planted:metric"\n', "evaluate.metric: a file cannot name code"),
        ('[evaluate]\ncluster = "tcp://127.0.0.1:9"\n', "cluster: a file cannot name a server"),
        ('[evaluate]\nout = "/tmp/run"\n', "out: a file cannot name a place outside of its folder"),
        ('[evaluate]\nout = "../run"\n', "out: a file cannot name a place outside of its folder"),
        ('[evaluate]\njudge = "mine=planted:judge"\n', "which a file cannot name"),
        ('[evaluate]\nsplit = ["a", "b"]\n', "evaluate.split must be one value"),
        ("[evaluate]\nmetric = [{}]\n", "evaluate.metric must be"),
        ("[evaluate\n", "not valid TOML"),
    ],
)
def test_what_a_file_of_defaults_gets_wrong_is_one_sentence(
    folder: Path, text: str, says: str
) -> None:
    (folder / "argue-bench.toml").write_text(text)
    (folder / "planted.py").write_text("open('ran', 'w')\njudge = metric = print\n")
    result = call(*EVALUATE)
    assert not (folder / "ran").exists()
    assert result.exit_code == 2
    assert result.stderr.startswith("argue-bench: argue-bench.toml")
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        (*EVALUATE, "-m", "accuracy"),
        ("list", "datasets"),
        ("retrieve", "--split", "sample", "--measure"),
    ],
)
def test_every_format_of_a_table(words: tuple[str, ...]) -> None:
    shown = {f: call(*words, "--format", f).stdout for f in ("text", "json", "csv", "md", "latex")}
    assert json.loads(shown["json"])
    rows = shown["csv"].splitlines()
    assert shown["md"].splitlines()[0] == "| " + " | ".join(rows[0].split(",")) + " |"
    assert shown["md"].splitlines()[1].startswith("| ---")
    assert shown["latex"].startswith("\\begin{tabular}")
    # A signature is one more row, across all columns.
    signatures = shown["latex"].count("\\multicolumn")
    assert shown["latex"].count("\\\\\n") == len(rows) + signatures
    assert len(set(shown.values())) == 5


@pytest.mark.parametrize("code", ["unknown-id", "[unknown-id]", "UNKNOWN-ID"])
def test_a_code_is_explained(code: str) -> None:
    assert call("explain", code).stdout == f"unknown-id: {Code.UNKNOWN_ID.text}\n"


@pytest.mark.parametrize(
    ("words", "status", "code", "told"),
    [
        ("evaluate nowhere", 1, "no-such-file", "no such file"),
        ("store show nowhere", 1, "no-such-file", "no such store"),
        ("explain unknown-idd", 2, "unknown-name", "Did you mean 'unknown-id'?"),
        ("board scor", 2, "usage-error", "Did you mean 'score'?"),
        ("view --nope", 2, "usage-error", "No such option '--nope'"),
    ],
)
def test_an_error_is_a_sentence_or_an_object(words: str, status: int, code: str, told: str) -> None:
    plain, read = call(*words.split()), call(*words.split(), "--format=json")
    assert (plain.exit_code, read.exit_code) == (status, status)
    (error,) = json.loads(read.stdout)["errors"]
    assert error["code"] == code
    assert told in error["problem"]
    assert error["fix"]
    assert told in plain.stderr
    assert len(plain.stderr) < 250


def test_a_command_without_formats_gives_its_tables_and_lines_as_json(folder: Path) -> None:
    call(*EVALUATE, "-m", "support(citations=all)", "--out", "run")
    shown = call("store", "show", "run.verdicts")
    (table,) = json.loads(call("store", "show", "run.verdicts", "--format=json").stdout)["tables"]
    head, row = shown.stdout.splitlines()[:2]
    assert [table["columns"], table["rows"][0]] == [head.split(), row.split(maxsplit=3)]
    told = call("data", "check", CAREFUL, "--dataset", "nowhere", "--format", "json")
    assert "errors" in json.loads(told.stdout)
    lines = json.loads(call("explain", "unknown-id", "--format", "json").stdout)["lines"]
    assert lines == call("explain", "unknown-id").stdout.splitlines()


def test_the_shell_completes_commands_and_options() -> None:
    completion = ShellComplete(main, {}, "argue-bench", "_ARGUE_BENCH_COMPLETE")
    assert [one.value for one in completion.get_completions([], "ev")] == ["evaluate"]
    assert "--judge" in [one.value for one in completion.get_completions(["evaluate"], "--judg")]
    assert "ci" not in [one.value for one in completion.get_completions(["board"], "c")]
