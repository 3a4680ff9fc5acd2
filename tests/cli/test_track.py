"""``submission check RUN --track NAME`` as a participant runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from tests.published.trec.test_check import GOOD, changed


def check(*arguments: Any) -> Result:
    return CliRunner().invoke(main, ["submission", "check", *map(str, arguments)])


def write(path: Path, *reports: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(report) + "\n" for report in reports), encoding="utf-8")
    return path


@pytest.mark.parametrize("track", sorted(GOOD.keys() - {"biogen25"}))  # it knows its topics
def test_a_good_run(tmp_path: Path, track: str) -> None:
    done = check(write(tmp_path / "run.jsonl", GOOD[track]), "--track", track)
    assert done.exit_code == 0, done.output
    assert "no findings" in done.output


def test_warnings_pass_and_fail_when_strict(tmp_path: Path) -> None:
    run = write(
        tmp_path / "run.jsonl", changed("rag26", answer=[{"text": "x " * 9, "citations": [0]}])
    )
    assert check(run, "--track", "rag26").exit_code == 0
    strict = check(run, "--track", "rag26", "--strict")
    assert strict.exit_code == 1
    assert "[references-uncited]" in strict.output


def test_a_folder_of_runs_as_json(tmp_path: Path) -> None:
    write(tmp_path / "runs" / "a.jsonl", GOOD["ragtime26"])
    write(tmp_path / "runs" / "b", changed("ragtime26", metadata={"run_id": "r" * 30}))
    done = check(tmp_path / "runs", "--track", "ragtime26", "--format", "json")
    assert done.exit_code == 1
    first, second = json.loads(done.output)
    assert (first["ok"], first["runs"]) == (True, [{"team": "t", "run": "r", "topics": ["1"]}])
    assert [one["code"] for one in second["findings"]] == ["run-id-length"]


def test_topics_and_collection(tmp_path: Path) -> None:
    run = write(tmp_path / "run.jsonl", GOOD["plain"])
    topics = write(tmp_path / "topics.jsonl", {"topic_id": "1"}, {"request_id": "2"})
    documents = write(tmp_path / "docs.jsonl", {"id": "d2", "text": "x"})
    done = check(run, "--track", "plain", "--topics", topics, "--collection", documents)
    assert done.exit_code == 1
    assert "no report on 1 topic: 2." in done.output
    assert "[not-in-collection]" in done.output


def test_what_was_asked_wrongly(tmp_path: Path) -> None:
    run = write(tmp_path / "run.jsonl", GOOD["plain"])
    assert "--strict goes with --track" in check(run, "--strict").output
    assert check(run, "--track", "rag27").exit_code == 2
    assert "no such file" in check(tmp_path / "none", "--track", "plain").output
    broken = check(run, "--track", "plain", "--topics", tmp_path / "none")
    assert broken.exit_code == 1
