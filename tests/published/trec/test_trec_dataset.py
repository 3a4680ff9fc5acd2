"""The topics of a track as a data set, and its run files as answers, from file to score."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import DataError, UsageError
from argue_bench.loaders import load, read_answers
from argue_bench.loaders.answers import read_answer_file, report_files
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer, Question, Request, Sentence
from tests.published.trec.test_check import GOOD
from tests.published.trec.test_nuggets import bank

WALL = "The wall was finished in 1931."


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("DOC_LOOKUP", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "track"
    write(root / "nuggets" / "nuggets_300.v3.json", [bank()])
    write(
        root / "requests.jsonl",
        [
            {"request_id": "300", "title": "Wall", "problem_statement": "When?", "limit": 2000},
            {"request_id": "301", "title": "Other"},
        ],
    )
    write(
        root / "collection" / "docs.jsonl", [{"id": "d1", "text": WALL}, {"id": "d2", "text": "x"}]
    )
    (root / "qrels.txt").write_text("300 0 d1 2\n300 0 d2 0\n")
    return root


def write(path: Path, rows: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def report(run: str = "r", topic: str = "300") -> dict[str, Any]:
    return {
        "metadata": {"team_id": "t", "run_id": run, "topic_id": topic},
        "responses": [{"text": WALL, "citations": ["d1"]}],
        "references": ["d1"],
    }


def test_the_folder_becomes_a_data_set(folder: Path) -> None:
    dataset = load("trec", path=folder)
    (question,) = dataset
    assert question.request == Request("Wall", "When?", "", 2000)
    assert question.gold is not None
    assert next(nugget.id for nugget in question.gold.nuggets) == "w"
    assert question.gold.relevance == {"d1": 2, "d2": 0}
    assert dataset.documents["d1"].text == WALL
    assert dataset.metrics == ("argue",)
    assert dataset.title.startswith("trec-dev@")
    assert dataset.note == ""


def test_the_digest_tells_collections_apart(folder: Path) -> None:
    before = load("trec", path=folder).digest
    assert load("trec", path=folder).digest == before
    write(folder / "collection" / "docs.jsonl", [{"id": "d1", "text": "It fell in 1931."}])
    assert load("trec", path=folder).digest != before


def test_the_test_split_has_requests_and_no_gold(folder: Path) -> None:
    dataset = load("trec", "test", folder)
    assert [question.id for question in dataset] == ["300", "301"]
    assert dataset.sealed


def test_the_collection_may_lie_elsewhere(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "collection").rename(tmp_path / "elsewhere")
    without = load("trec", path=folder)
    assert not without.documents
    assert "No collection" in without.note
    monkeypatch.setenv("DOC_LOOKUP", str(tmp_path / "elsewhere"))
    assert load("trec", path=folder).documents["d1"].text == WALL


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--data DIR"):
        load("trec")
    with pytest.raises(UsageError, match="No such folder"):
        load("trec", path=tmp_path / "none")
    with pytest.raises(DataError, match="empty"):
        load("trec", path=tmp_path)
    with pytest.raises(DataError, match="empty"):
        load("trec", "test", tmp_path)


def test_a_run_is_scored_from_the_command_line(folder: Path, tmp_path: Path) -> None:
    run = write(tmp_path / "run.jsonl", [report()])
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "argue_bench",
            "evaluate",
            str(run),
            "--dataset",
            "trec",
            "--data",
            str(folder),
            "--format",
            "json",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)["scores"]
    support = scores["argue.sentence_support"]
    assert support["value"] == 1.0  # the one sentence is what its document says


CITED = {
    "plain": "d1",
    "rag24": "msmarco_v2.1_doc_00_1000#0_5000",
    "biogen25": "31452104",
    "ikat25": "clueweb22-en0001-02-00003:4",
}


@pytest.mark.parametrize("track", GOOD)
def test_a_report_of_every_track_is_read(tmp_path: Path, track: str) -> None:
    dataset = Dataset("trec", "test", (Question("1", "?"),))
    read = read_answers(write(tmp_path / "run.jsonl", [GOOD[track]]), dataset)["1"]
    assert (read.id, read.run) == ("1", "r")
    first = read.sentences[0]
    assert first.text == WALL
    assert len(first.citations) == 1
    assert first.citations[0] == CITED.get(track, first.citations[0])
    assert not first.citations[0].startswith("references[")


def test_what_is_wrong_with_reports_is_found_line_by_line(tmp_path: Path) -> None:
    dataset = Dataset("trec", "test", (Question("300", "?"), Question("301", "?")))
    lines = [report("a"), report("b", "301"), {"metadata": {}}, "x", {**report(), "responses": 5}]
    good, findings = read_answer_file(write(tmp_path / "run.jsonl", lines), dataset)
    assert [(answer.run, answer.id) for answer in good.values()] == [("a", "300"), ("b", "301")]
    assert [(one.line, one.code) for one in findings] == [
        (3, "key-missing"),
        (3, "key-missing"),
        (4, "wrong-shape"),
        (5, "answer-not-text"),
    ]


def test_runs_of_a_folder_one_after_another(tmp_path: Path) -> None:
    for name in ("second", "first.jsonl", "notes.md", ".hidden"):
        write(tmp_path / "runs" / name, [report()])
    assert [file.name for file in report_files(tmp_path / "runs")] == ["first.jsonl", "second"]
    with pytest.raises(DataError, match="empty"):
        report_files(_empty(tmp_path))


def _empty(tmp_path: Path) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def test_a_report_becomes_an_answer(folder: Path, tmp_path: Path) -> None:
    run = write(tmp_path / "run.jsonl", [report()])
    answer = Answer("300", WALL, (Sentence(WALL, ("d1",)),), "r")
    assert read_answers(run, load("trec", path=folder)) == {"300": answer}
