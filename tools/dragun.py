"""``python -m tools.dragun LABELS BOARD``: TREC 2025 DRAGUN's automatic labels as a board of tallies.

LABELS is ``auto_judge/output/auto_report_assessments.csv`` of github.com/trec-dragun/resources (CC BY 4.0). The
assessors' rubrics are not public there, so every answer that was looked for weighs alike. BOARD holds season.json.
No text of the track is copied: its labels alone are counted, run by run and topic by topic.
"""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.cli.commands import command
from argue_bench.cli.options import PATH

JUDGE = "gpt-oss-120b"
"""The model that gave the labels, as the track says."""


@command()
@click.argument("labels", type=PATH)
@click.argument("board", type=PATH)
def dragun(labels: Path, board: Path) -> None:
    """Count LABELS with equal weights, and put the runs on BOARD.

    Example: python -m tools.dragun labels.csv leaderboard-submissions/published/trec-dragun
    """
    with labels.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    answers: dict[str, dict[str, None]] = {}
    for row in rows:
        answers.setdefault(row["topic_id"], {})[row["answer_id"]] = None
    rubrics = [
        {
            "topic_id": topic,
            "rubrics": [
                # One answer a question, and every question alike: nobody's opinion of what matters.
                {
                    "question_id": f"{topic}-{number}",
                    "question_text": "",
                    "importance": "A: Have to Know",
                    "short_answers": [{"answer_id": answer, "answer_text": ""}],
                }
                for number, answer in enumerate(some, 1)
            ],
        }
        for topic, some in answers.items()
    ]
    with TemporaryDirectory() as name:
        work = Path(name)
        (work / "rubrics.json").write_text(json.dumps(rubrics), "utf-8")
        # The name of the file is the judge's in signatures.
        named = shutil.copy(labels, work / JUDGE)
        _run("import", "dragun", named, "--rubrics", work / "rubrics.json", "--out", work / "out")
        _run("import", "runs", work / "out" / "runs", "--folder", board)


def _run(*words: object) -> None:
    """One command of ``argue-bench board``; raises what it raised."""
    CliRunner().invoke(main, ["board", *map(str, words)], catch_exceptions=False)


if __name__ == "__main__":
    dragun()
