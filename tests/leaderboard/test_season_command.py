"""``argue-bench board season`` from the command line, as an organiser types it."""

from __future__ import annotations

import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from argue_bench.leaderboard.commands.board.job import open_gold
from argue_bench.leaderboard.commands.board.options import ANSWERS_KEY as KEY
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.seasons.sealing import Terms
from argue_bench.loaders.core import load_folder
from tests.leaderboard.repositories import seal_world


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small season in season-1 and its key in ``key``."""
    monkeypatch.chdir(tmp_path)
    key = seal_world(tmp_path / "season-1", "9d" * 16, 3, Terms(told="all"))
    (tmp_path / "key").write_text(f"{key}\n")
    monkeypatch.setenv(KEY, key)
    return tmp_path


def run(*words: str, code: int = 0) -> Result:
    done = CliRunner().invoke(main, ["board", "season", *words])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done


def test_the_key_opens_the_gold_for_its_owner_alone(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("open", "season-1", "--out", "gold.jsonl")
    assert len((here / "gold.jsonl").read_text().splitlines()) == 3
    assert (here / "gold.jsonl").stat().st_mode & 0o077 == 0
    assert "opens" in run("verify", "season-1").stdout
    monkeypatch.delenv(KEY)
    assert "opens" not in run("verify", "season-1").stdout


def test_gold_is_not_written_to_a_repository_nor_over_a_file(here: Path) -> None:
    subprocess.run(["git", "init", "-q", "repo"], check=True)
    for out, code, says in (("repo/gold", 2, "git repository"), ("key", 1, "never overwritten")):
        done = run("open", "season-1", "--out", out, code=code)
        assert says in done.stderr
    assert [path.name for path in (here / "repo").iterdir()] == [".git"]


def test_findings_are_printed_and_counted(here: Path) -> None:
    (here / "season-1" / "topics" / "set.json").unlink()
    done = run("verify", "season-1", code=1)
    assert "season-1/topics/set.json: " in done.stderr
    assert "1 finding." in done.stderr


def test_a_wrong_key_is_one_line(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "11" * 32)
    done = run("open", "season-1", "--out", "g", code=1)
    assert done.stderr.count("\n") == 1
    assert not (here / "g").exists()


def test_the_last_day_publishes_gold_that_anybody_holds_against_the_first_days(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A board of own data: its gold opens, is published, and has the digest that everybody's copy has at home.

    While it is hidden the digest is keyed: at home anybody could hold guesses against it.
    """
    dev = Path(str(files("argue_bench") / "data" / "core" / "dev"))
    words = ("board", "init", tmp_path / "b", "--data", dev, "--secrets", tmp_path / "k")
    made = CliRunner().invoke(main, list(map(str, words)))
    assert made.exit_code == 0, made.output
    board = tmp_path / "b" / "leaderboard-submissions"
    key = (tmp_path / "k" / "board.env").read_text().splitlines()[0].partition("=")[2]
    assert open_gold(board, read_season(board), key).title != load_folder(dev).title
    monkeypatch.setenv(KEY, key)
    run("open", str(board), "--out", str(tmp_path / "gold.jsonl"))
    assert (tmp_path / "gold.jsonl").read_bytes() == (dev / "gold.jsonl").read_bytes()
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "r.git"], check=True)
    remote = ("--remote", f"file://{tmp_path}/r.git")
    assert "is open" in run("reveal", str(board), *remote, code=2).stderr
    assert not (board / "topics" / "gold.jsonl").exists()
    closed = ("--season", read_season(board).season, "--add", "season closed", "--reason", "x")
    done = CliRunner().invoke(main, ["board", "ledger", *remote, *closed])
    assert done.exit_code == 0, done.output
    run("reveal", str(board), *remote)
    monkeypatch.delenv(KEY)
    assert "opens" in run("verify", str(board)).stdout
    season = read_season(board)
    assert (season.told, season.step) == ("all", None)
    home = shutil.copytree(board / "topics", tmp_path / "home")
    assert season.load().title == load_folder(home).title
    # The documents of the organiser's own folder, in another order.
    own, shown = (load_folder(folder).documents for folder in (dev, home))
    assert own == shown
    assert [*own] != [*shown]
    gold = board / "topics" / "gold.jsonl"
    gold.write_bytes(gold.read_bytes().replace(b"1", b"2", 1))
    assert run("verify", str(board), code=1)
