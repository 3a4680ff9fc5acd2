"""`judge leaderboard`: trec-auto-judge's phases and files, on runs over the embedded sample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_bench import evaluate
from argue_bench.baselines import generate
from argue_bench.lab.score_table import read_scores
from argue_bench.loaders import load
from argue_bench.published.trec.topic_files import read_qrels, read_topics
from tests.cli.test_compare import run

ON = ("--dataset", "core", "--split", "sample")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for system in ("bm25-extractive", "lead-sentences"):
        answers = generate(system, load("core", "sample"), "evidenceprovided")
        lines = [json.dumps(one) for one in answers]
        (folder / f"{system}.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def test_a_leaderboard_holds_what_evaluate_counts(runs: Path, tmp_path: Path) -> None:
    done = run("judge", "leaderboard", runs, *ON, "-m", "citations", "--out", tmp_path / "mine")
    assert done.exit_code == 0, done.output
    table = read_scores(tmp_path / "mine.eval.txt", "ir_measures")
    text = (runs / "lead-sentences.jsonl").read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    expected = evaluate(load("core", "sample"), rows, ["citations"])
    value = table.given["citations.recall"]["lead-sentences"]
    assert value == pytest.approx(expected.scores["citations.recall"].value, abs=1e-9)


def test_nuggets_and_grades_are_made_once(runs: Path, tmp_path: Path) -> None:
    given = ("judge", "leaderboard", runs, *ON, "--create-nuggets", "--create-qrels")
    done = run(*given, "--out", tmp_path / "mine")
    assert done.exit_code == 0, done.output
    banks, _ = read_topics(tmp_path / "mine.nuggets.jsonl")
    assert all(topic.nuggets for topic in banks.values())
    grades = read_qrels(tmp_path / "mine.qrels.txt")
    assert {grade for row in grades.values() for grade in row.values()} <= {0, 1, 2, 3}
    before = (tmp_path / "mine.nuggets.jsonl").stat().st_mtime_ns
    again = run(*given, "--out", tmp_path / "mine")
    assert "nuggets that were there" in again.stderr
    assert (tmp_path / "mine.nuggets.jsonl").stat().st_mtime_ns == before


def test_a_topic_without_a_report_is_what_was_said(runs: Path, tmp_path: Path) -> None:
    short = tmp_path / "runs"
    short.mkdir()
    lines = (runs / "lead-sentences.jsonl").read_text().splitlines()
    (short / "short.jsonl").write_text("\n".join(lines[1:]) + "\n")
    lost = json.loads(lines[0])["id"]
    given = ("judge", "leaderboard", short, *ON, "-m", "citations", "--out", tmp_path / "mine")
    refused = run(*given)
    assert refused.exit_code == 1
    assert f"short has no report on the topic {lost}" in refused.stderr
    assert "[missing-topics]" in refused.stderr
    means = []
    for policy in ("zero", "leave"):
        assert run(*given, "--on-missing", policy).exit_code == 0
        table = read_scores(tmp_path / "mine.eval.txt", "ir_measures")
        found = table.values["citations.recall"]["short"]
        assert found.get(lost) == (0.0 if policy == "zero" else None)
        means.append((table.given["citations.recall"]["short"], len(found)))
    (with_zero, n), (without, fewer) = means
    assert n == fewer + 1
    assert with_zero * n == pytest.approx(without * fewer)
