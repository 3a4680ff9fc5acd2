"""``submission preview``: it says what it was scored on, and claims nothing that did not happen."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize("split", ["sample", "dev", ""])
def test_a_preview_answers_as_the_board_would(
    split: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = preview(tmp_path, monkeypatch, split)
    assert done.exit_code == 0, done.stderr
    assert ("There is no season.json" in done.stderr) is (not split)
    headline = done.stdout.splitlines()[1]
    assert headline.startswith("**A preview on core-sample@")
    assert headline.endswith(": nothing was sent, and no row appears.**")
    assert "Scored" not in done.stdout
    assert "| `openbook` |" in done.stdout
    assert not (tmp_path / "answers/results").exists()


def test_a_preview_of_a_board_with_a_set_of_its_own_wants_a_set_with_gold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preview(tmp_path, monkeypatch, "sample")
    path = tmp_path / "leaderboard-submissions/season.json"
    about = {"name": "ferrow", "split": "spring", "path": "topics"}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"set": about}))
    words = ("submission", "preview", "--folder", "answers", "--system", "mine")
    said = CliRunner().invoke(main, [*words], catch_exceptions=False)
    assert said.exit_code == 2
    assert "this board's set is ferrow; name a set with open gold: --dataset FOLDER" in said.stderr
