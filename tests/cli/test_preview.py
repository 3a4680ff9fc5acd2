"""``submission preview``: it says what it was scored on, and claims nothing that did not happen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from tests.leaderboard.boards import add
from tests.shared import ROOT

RUN = ROOT / "argue_bench/data/core/sample-runs/careful.jsonl"
WORDS = ("--folder", "answers", "--system", "mine", "--dataset", "core", "--split", "sample")


def preview(folder: Path, monkeypatch: pytest.MonkeyPatch, split: str = "") -> Result:
    """In a folder with answers to core's sample, and a board's season on ``split`` of core."""
    monkeypatch.chdir(folder)
    add(folder / "answers", "mine", RUN.read_bytes())
    if split:
        season = json.loads((ROOT / "leaderboard-submissions/season.json").read_text("utf-8"))
        season |= {"metrics": ["argue"], "set": {"name": "core", "split": split}, "sealed": None}
        (folder / "leaderboard-submissions").mkdir()
        (folder / "leaderboard-submissions/season.json").write_text(json.dumps(season))
    return CliRunner().invoke(main, ["submission", "preview", *WORDS], catch_exceptions=False)


@pytest.mark.parametrize(
    ("split", "says"),
    [
        ("sample", "The board is scored on this same set.\n"),
        ("dev", "The board is scored on another set: core-dev@e8efed0e.\n"),
        ("", "There is no season.json: it was scored by the set's own metrics.\n"),
    ],
)
def test_a_preview_says_whose_set_it_is(
    split: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = preview(tmp_path, monkeypatch, split)
    assert done.exit_code == 0, done.stderr
    assert done.stderr.endswith(says)
    headline = done.stdout.splitlines()[1]
    assert headline.startswith("**A preview on core-sample@")
    assert headline.endswith(": nothing was sent, and no row appears.**")
    assert "Scored" not in done.stdout
    assert "| `openbook` |" in done.stdout


def test_a_preview_knows_the_boards_own_copy_without_gold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preview(tmp_path, monkeypatch, "sample")
    path = tmp_path / "leaderboard-submissions/season.json"
    about = {"name": "ferrow", "split": "spring", "path": "topics"}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"set": about}))
    whole, bare = tmp_path / "ferrow", path.parent / "topics"
    shutil.copytree(ROOT / "argue_bench/data/core/sample", whole)
    told = json.loads((whole / "set.json").read_text()) | {"name": "ferrow", "split": "spring"}
    del told["digest"]
    (whole / "set.json").write_text(json.dumps(told))
    shutil.copytree(whole, bare, ignore=shutil.ignore_patterns("gold.jsonl"))
    words = ("submission", "preview", "--folder", "answers", "--system", "mine")
    said = CliRunner().invoke(main, [*words, "--dataset", "ferrow"], catch_exceptions=False)
    assert said.stderr.endswith("The board is scored on this same set.\n")
    unnamed = CliRunner().invoke(main, [*words], catch_exceptions=False)
    assert unnamed.exit_code == 2
    why = "this board's set is ferrow; name a set with open gold: --dataset FOLDER"
    assert why in unnamed.stderr


def test_a_preview_shows_the_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = preview(tmp_path, monkeypatch, "dev").stdout
    done = CliRunner().invoke(main, ["submission", "preview", *WORDS, "--pages", "row"])
    assert (done.exit_code, done.stdout) == (0, said)
    board = json.loads((tmp_path / "row/data/v1/board/season-0/openbook.json").read_text("utf-8"))
    (section,) = board["sections"]
    (row,) = section["rows"]
    assert row["system"] == "mine"
    assert board["set"] == {"name": "core", "split": "sample"}
    shown = f"{100 * row['scores']['argue.f1']['value']:.1f}"
    assert f"| `openbook` | {shown} |" in said
    assert not (tmp_path / "answers/results").exists()
