"""Answers made to keep a scorer busy: every metric of core ends, and in a bounded time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from argue_bench import load
from tests.shared import argv

LENGTH = 20_000
SECONDS = 120


PIECES = [
    [",", '"', "(", "&", "1", "[1]"],
    ["a ", "\u00e9", "😀", "1,", "-1 ", "Nine of 12 ferries sank. "],
]


@pytest.mark.slow
@pytest.mark.parametrize("pieces", PIECES)
def test_answers_of_one_piece_each_are_scored_in_time(pieces: list[str], tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    texts = [piece * (LENGTH // len(piece)) for piece in pieces]
    rows = [
        {"id": q.id, "answer": text} for q, text in zip(load("core", "sample"), texts, strict=False)
    ]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    metrics = argv("accuracy accuracy(rules=fanoutqa) rouge argue citations grounding str_em")
    named = [word for metric in metrics for word in ("-m", metric)]
    words = ["evaluate", str(answers), "--split", "sample", "--only-answered", *named]
    done = subprocess.run(
        [sys.executable, "-m", "argue_bench", *words, "--format", "json"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)["n"] == len(pieces)
