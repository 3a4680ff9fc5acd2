"""docs/from/trec.md word for word with DRAGUN's public labels: tables, and a board with bands, of 26 runs."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from tests.agreement.vectors import folders
from tests.house.test_docs import Block, run
from tests.shared import ROOT

PUBLIC = next(
    (p for p in (f / "dragun_public" for f in folders("rubrics_tracks")) if p.is_dir()), None
)
HEADING = "## DRAGUN 2025: a board from labels and rubrics"


@pytest.mark.slow
@pytest.mark.skipif(PUBLIC is None, reason="the public labels are not here")
def test_the_page_makes_the_board_of_the_public_labels(tmp_path: Path) -> None:
    assert PUBLIC is not None
    (tmp_path / "dragun" / "rubrics").mkdir(parents=True)
    shutil.copyfile(PUBLIC / "stand_in_rubrics.json", tmp_path / "dragun" / "rubrics" / "all.json")
    shutil.copyfile(PUBLIC / "assessments.csv", tmp_path / "labels.csv")
    text = (ROOT / "docs" / "from" / "trec.md").read_text(encoding="utf-8")
    section = text.split(HEADING, 1)[1].split("**Between two runs.**")[0]
    commands = re.findall(r"```bash\n(.*?)```", section, re.DOTALL)
    assert len(commands) == 2, "the tables, and the board"
    printed = [run(Block("bash", command, 0), tmp_path) for command in commands]
    with (PUBLIC / "expected_per_run.csv").open(encoding="utf-8") as file:
        expected = {row["run_tag"]: row for row in csv.DictReader(file)}
    with (tmp_path / "tables" / "per_run_results.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for column in ("supportive_score", "contradictory_score"):
                value = float(expected[row["run_tag"]][column])
                assert float(row[column]) == pytest.approx(value, abs=1e-9)
    assert f"leaderboard-submissions: {len(expected)} runs\n" in printed[1]
    with (tmp_path / "site" / "board" / "dragun-2025" / "openbook.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(expected)
    assert all(row["rank_best"] and row["rank_worst"] for row in rows)
    board = tmp_path / "board" / "leaderboard-submissions"
    for path in (board / "results" / "dragun-2025").glob("*.json"):
        score = json.loads(path.read_text())["settings"]["openbook"]["scores"]
        one = score["rubric(rules=dragun).supportive"]
        assert one["low"] <= one["value"] <= one["high"]
        assert path.with_name(f"{path.name}.sig").is_file()
