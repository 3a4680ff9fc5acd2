"""What the pages make of a folder whose set is not there."""

from __future__ import annotations

import json
from pathlib import Path

from argue_bench.leaderboard.commands.site import _dataset
from argue_bench.leaderboard.publishing.published import PublishedFolder


def test_a_season_whose_set_is_gone_shows_no_reports(tmp_path: Path) -> None:
    season = {
        "schema": 1,
        "season": "s1",
        "set": {"name": "mine", "path": "topics"},
        "settings": ["openbook"],
        "metrics": ["argue"],
        "judge": "lexical",
        "ranked": "argue.f1",
    }
    (tmp_path / "season.json").write_text(json.dumps(season))
    run = tmp_path / "runs" / "s1" / "openbook" / "my-system.run"
    run.parent.mkdir(parents=True)
    run.write_text("")
    board = PublishedFolder(tmp_path)
    assert _dataset(board, "s1") is None
    assert [(one.code, one.level) for one in board.findings] == [("no-such-file", "warning")]
