"""Scores in every format, and every fault at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_bench.errors import DataError, UnknownName
from argue_bench.lab.score_table import read_scores


def codes(error: pytest.ExceptionInfo[DataError]) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.line) for finding in error.value.findings]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("tot", "runA f1 t1 0.5\nrunA\tf1\tt2\t.25\nrunB f1 t1 1e0\nrunB f1 all 0.9\n"),
        ("ir_measures", "runA t1 f1 0.5\r\nrunA t2 f1 0.25\r\nrunB t1 f1 1.0\nrunB all f1 0.9"),
        (
            "ranking",
            "t1 Q0 runA 2 0.5 f1\nt2 Q0 runA 1 0.25 f1\n\nt1 Q0 runB 1 1 f1\nall Q0 runB 1 0.9 f1",
        ),
        ("rag4reports", "t1 runA f1 0.5\nt2 runA f1 0.25\nt1 runB f1 1.0\nall runB f1 0.9"),
        (
            "jsonl",
            '{"run_id": "runA", "topic_id": "t1", "measure": "f1", "value": 0.5}\n'
            '{"run_id": "runA", "topic_id": "t2", "measure": "f1", "value": "0.25"}\n\n'
            '{"run_id": "runB", "topic_id": "t1", "measure": "f1", "value": 1, "more": []}\n'
            '{"run_id": "runB", "topic_id": "all", "measure": "f1", "value": 0.9}\n',
        ),
    ],
)
def test_formats_written_by_hand(tmp_path: Path, format: str, text: str) -> None:
    table = read_scores(write(tmp_path / "f", text), format)
    assert table.values == {"f1": {"runA": {"t1": 0.5, "t2": 0.25}, "runB": {"t1": 1.0}}}
    assert table.given == {"f1": {"runB": 0.9}}


def test_trec_eval_has_one_file_a_run(tmp_path: Path) -> None:
    write(tmp_path / "runA", "f1 t1 0.5\nf1 t2 0.25\nf1 all 0.375\n")
    write(tmp_path / "runB", "f1 t1 1.0\n")
    write(tmp_path / ".hidden", "not scores")
    table = read_scores(tmp_path, "trec_eval")
    assert table.values["f1"] == {"runA": {"t1": 0.5, "t2": 0.25}, "runB": {"t1": 1.0}}


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    text = "a m t1 nan\na m t1 0.5\na m\na m t2 inf\na m t2 1_0\na m t3 high\n"
    with pytest.raises(DataError) as error:
        read_scores(write(tmp_path / "f", text), "tot")
    assert codes(error) == [
        ("wrong-value", 1),
        ("wrong-shape", 3),
        ("wrong-value", 4),
        ("wrong-value", 5),
        ("wrong-value", 6),
    ]


def test_a_line_of_json_that_is_no_score_is_told(tmp_path: Path) -> None:
    whole = {"run_id": "a", "topic_id": 2, "measure": "m", "value": 1}
    rows = [{}, {**whole, "value": None}, [], 5, {**whole, "value": True}, {"value": 1}, whole]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    with pytest.raises(DataError) as error:
        read_scores(write(tmp_path / "f", text), "jsonl")
    assert [line for _, line in codes(error)] == [1, 2, 3, 4, 5, 6]
    with pytest.raises(DataError, match=r":2: .*JSON"):
        read_scores(write(tmp_path / "f", json.dumps(whole) + "\n{\n"), "jsonl")


def test_a_score_twice_names_both_lines(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read_scores(write(tmp_path / "f", "a m t1 0.5\na m t1 0.5\n"), "tot")
    assert codes(error) == [("duplicate-id", 2)]
    assert str(tmp_path / "f") + ":1" in str(error.value)


def test_columns_must_be_named(tmp_path: Path) -> None:
    path = write(tmp_path / "f", "a m t1 0.5\n")
    with pytest.raises(DataError, match="format must be named"):
        read_scores(path)
    with pytest.raises(UnknownName, match="Did you mean 'tot'"):
        read_scores(path, "tott")


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_nothing_in_it(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match="holds no score"):
        read_scores(write(tmp_path / "f", text), "tot")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no file"):
        read_scores(tmp_path / "empty", "tot")
    with pytest.raises(DataError, match="no such file"):
        read_scores(tmp_path / "absent", "tot")
