"""From no answers to a board: generate in all settings, check, score and show, by the commands alone.

The model-free systems and a model behind a real server answer core's sample.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from argue_bench.baselines import BASELINES, SETTINGS
from argue_bench.eval import evaluate
from argue_bench.loaders import load
from tests.models.server import ChatServer
from tests.shared import argv

SAMPLE = load("core", "sample")
SEASON = {
    "schema": 1,
    "season": "rehearsal",
    "title": "Rehearsal",
    "group": "rehearsal",
    "set": {"name": "core", "split": "sample"},
    "settings": list(SETTINGS),
    "metrics": ["argue", "accuracy"],
    "judge": "lexical",
    "judges": {},
    "ranked": "argue.f1",
}
MODEL = "served-model"


def says(body: Mapping[str, Any]) -> str:
    """A model that repeats how its first document begins, or knows nothing."""
    prompt = body["messages"][-1]["content"]
    if "Document [1]" not in prompt:
        return "Nothing is known of this."
    text = prompt.split("Document [1]", 1)[1].split("\n", 1)[1]
    return f"{text.strip().split('. ')[0].rstrip('.')} [1]."


pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("generated-board")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone's folder in which everything was done, once."""
    here = tmp_path_factory.mktemp("clone")
    board = here / "leaderboard-submissions"
    board.mkdir()
    (board / "season.json").write_text(json.dumps(SEASON))

    def run(*words: str, **more: str) -> str:
        environment = {**os.environ, "ARGUE_BENCH_CACHE": str(here / "cache"), **more}
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "argue_bench", *words],
            cwd=here,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    with ChatServer(model=says) as server:
        for setting in SETTINGS:
            answers = board / f"{setting}-generations"
            chosen = ["generate", "--dataset", "core", "--split", "sample", "--setting", setting]
            for system in BASELINES:
                run(*chosen, "--system", system, "--out", str(answers / f"{system}.jsonl"))
            out = here / f"{setting}.jsonl"
            run(*chosen, "--model", "server/m", "--out", str(out), ARGUE_BENCH_BASE_URL=server.url)
            shutil.copy(out, answers / f"{MODEL}.jsonl")
        assert server.count == len(SETTINGS) * len(SAMPLE)
    for system in (*BASELINES, MODEL):
        run(
            *argv("submission init --system"),
            system,
            "--name",
            system,
            "--authors",
            "A. Example",
            "--citation",
            "Example, 2026",
            *argv("--type OTHER --context 0 --url https://example.org"),
        )
    (here / "check.txt").write_text(run("submission", "check"))
    run("board", "score", str(board))
    run("site", "build", str(board), "--out", "site", "--strict")
    return here


def test_every_submission_is_ready(folder: Path) -> None:
    said = (folder / "check.txt").read_text()
    rows = [line.split() for line in said.splitlines() if line.endswith("8 of 8")]
    assert sorted((system, setting) for system, setting, *_ in rows) == sorted(
        (system, setting) for system in (*BASELINES, MODEL) for setting in SETTINGS
    )


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_board_shows_each_with_its_scores(folder: Path, setting: str) -> None:
    board = json.loads((folder / f"site/data/v1/board/rehearsal/{setting}.json").read_text())
    rows = {row["system"]: row for section in board["sections"] for row in section["rows"]}
    assert set(rows) == {*BASELINES, MODEL}
    answers = folder / "leaderboard-submissions" / f"{setting}-generations"
    for system, row in rows.items():
        lines = (answers / f"{system}.jsonl").read_text(encoding="utf-8").splitlines()
        given = [json.loads(line) for line in lines]
        expected = evaluate(SAMPLE, given, ["argue"]).scores["argue.f1"].value
        assert row["scores"]["argue.f1"]["value"] == pytest.approx(expected, abs=1e-9)


def test_reading_pays_and_citing_at_random_does_not(folder: Path) -> None:
    def score(setting: str, system: str, key: str = "argue.sentence_support") -> float:
        path = folder / "leaderboard-submissions" / "results" / "rehearsal" / f"{system}.json"
        result = json.loads(path.read_text())
        return float(result["settings"][setting]["scores"][key]["value"] or 0.0)

    assert score("openbook", "bm25-extractive") > score("openbook", "random-citations")
    assert score("evidenceprovided", MODEL) > score("closedbook", MODEL)


def test_pages_are_there(folder: Path) -> None:
    boards = "".join(page.read_text() for page in (folder / "site" / "board").rglob("*.html"))
    for system in (*BASELINES, MODEL):
        assert system in boards
        assert list((folder / "site").rglob(f"*{system}*"))
