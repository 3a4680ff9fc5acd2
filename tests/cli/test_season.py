"""``argue-bench season`` from the command line, as an organiser types it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from argue_bench.cli.board.season import KEY

SEED = "9d" * 16
OPEN = ("--told", "all")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(KEY, raising=False)
    (tmp_path / "seed").write_text(f"{SEED}\n")
    return tmp_path


def run(*words: str, code: int = 0) -> Result:
    done = CliRunner().invoke(main, ["board", "season", *words])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done


def begin(*more: str) -> str:
    """A small season in season-1; returns its key."""
    return run(
        "new", "--seed-file", "seed", "--size", "3", *OPEN, "--out", "season-1", *more
    ).stdout


def test_the_key_alone_is_printed_and_opens_the_gold(here: Path) -> None:
    key = begin()
    assert key == key.strip() + "\n"
    assert len(key.strip()) == 64
    (here / "key").write_text(key)
    run("gold", "season-1", "--key-file", "key", "--out", "gold.jsonl")
    assert len((here / "gold.jsonl").read_text().splitlines()) == 3
    assert (here / "gold.jsonl").stat().st_mode & 0o077 == 0


def test_the_key_may_go_to_a_file_or_come_from_the_environment(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert begin("--key-out", "key") == ""
    assert (here / "key").stat().st_mode & 0o077 == 0
    monkeypatch.setenv(KEY, (here / "key").read_text())
    assert "it opens" in run("verify", "season-1").stdout


def test_a_failed_season_leaves_no_key(here: Path) -> None:
    run("new", "--seed-file", "seed", "--size", "0", "--out", "s", "--key-out", "key", code=2)
    assert not (here / "key").exists()
    (here / "key").write_text("somebody's")
    done = run("new", "--seed-file", "seed", "--out", "s", "--key-out", "key", code=1)
    assert "never overwritten" in done.stderr
    assert (here / "key").read_text() == "somebody's"
    assert not (here / "s").exists()


def test_nothing_secret_is_read_from_or_written_to_a_repository(here: Path) -> None:
    subprocess.run(["git", "init", "-q", "repo"], check=True)
    (here / "repo" / "seed").write_text(SEED)
    for words in (
        ("new", "--seed-file", "repo/seed", "--out", "s"),
        ("new", "--seed-file", "seed", "--out", "s", "--key-out", "repo/key"),
        ("new", "--seed-file", "seed", "--out", "s", "--patterns", "repo/seed"),
    ):
        assert "git repository" in run(*words, code=2).stderr
    assert not (here / "s").exists()
    begin("--key-out", "key")
    done = run("gold", "season-1", "--key-file", "key", "--out", "repo/gold.jsonl", code=2)
    assert "git repository" in done.stderr
    assert sorted(path.name for path in (here / "repo").iterdir()) == [".git", "seed"]


def test_the_folder_itself_may_lie_in_a_repository(here: Path) -> None:
    subprocess.run(["git", "init", "-q", "repo"], check=True)
    size = ("--size", "2", *OPEN)
    run("new", "--seed-file", "seed", *size, "--out", "repo/board", "--key-out", "key")
    assert (here / "repo" / "board" / "season.json").is_file()


def test_a_season_from_its_first_day_to_its_last(here: Path) -> None:
    begin("--key-out", "key")
    first = run("verify", "season-1")
    assert "promised" in first.stdout
    assert "not over" in first.stderr
    run("reveal", "season-1", "--seed-file", "seed")
    assert "the seed prints every byte of it again" in run("verify", "season-1").stdout
    assert (here / "season-1" / "opened" / "seed.txt").read_text().strip() == SEED


def test_findings_are_printed_and_counted(here: Path) -> None:
    begin()
    (here / "season-1" / "gold.jsonl.sealed").write_bytes(b"")
    done = run("verify", "season-1", code=1)
    assert "season-1/gold.jsonl.sealed: " in done.stderr
    assert "1 finding." in done.stderr


def test_a_wrong_key_is_one_line(here: Path) -> None:
    begin()
    (here / "key").write_text("11" * 32)
    done = run("gold", "season-1", "--key-file", "key", "--out", "g", code=1)
    assert done.stderr.count("\n") == 1
    assert not (here / "g").exists()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("new", "--out", "s"), 2, "--seed-file"),
        (("new", "--rehearsal", "--seed-file", "seed", "--out", "s"), 2, "own seed"),
        (("new", "--seed-file", "none", "--out", "s"), 1, "none: the seed can't be read"),
        (("new", "--seed-file", "seed", "--size", "lots", "--out", "s"), 2, "'lots' is not a size"),
        (("new", "--seed-file", "seed", "--size", "tiny", "--out", "s"), 2, "8 questions: with"),
        (("new", "--seed-file", "seed", "--out", "s", "--ranked", "argue"), 2, "METRIC.SCORE"),
        (("new", "--seed-file", "seed", "--out", "s", "--setting", "best"), 2, "best"),
        (("verify", "nowhere"), 1, "no season"),
        (("gold", "nowhere", "--out", "g"), 2, "--key-file"),
        (("reveal", "nowhere", "--seed-file", "seed"), 1, "no season"),
        (("script", "board", "--seed-file", "seed", "--size", "0"), 2, "'0' is not a size"),
    ],
)
def test_wrong_use_is_said_in_words(
    here: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    assert says in run(*words, code=code).output
    assert not (here / "s").exists()


def test_scripted_systems_are_submissions_that_check_and_score(here: Path) -> None:
    begin("--key-out", "key")
    run("script", "season-1", "--seed-file", "seed", "--size", "3", "--verdicts", "oracle")
    cli = CliRunner()
    checked = cli.invoke(main, ["submission", "check", "season-1"])
    assert checked.exit_code == 0, checked.output
    run("gold", "season-1", "--key-file", "key", "--out", "gold.jsonl")
    scored = cli.invoke(
        main,
        [
            "board",
            "score",
            "season-1",
            "--gold",
            "gold.jsonl",
            "--judge",
            "recorded:oracle",
            "--group",
            "scripted",
            "--system",
            "scripted-perfect",
        ],
    )
    assert scored.exit_code == 0, scored.output
    path = here / "season-1" / "results" / "season-1" / "scripted-perfect.json"
    result = json.loads(path.read_text())
    scores = result["settings"]["evidenceprovided"]["scores"]
    assert (result["group"], scores["argue.f1"]["value"]) == ("scripted", 1.0)
    judged = cli.invoke(main, ["judge", "check", "lexical", "--labels", "oracle"])
    assert judged.exit_code == 0, judged.output
    assert "Entails" in judged.stdout
