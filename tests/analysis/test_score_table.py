"""Scores in every format, and every fault at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.analysis.score_export import FORMATS, export_scores
from argue_bench.analysis.score_table import (
    ScoreTable,
    TopicScore,
    read_groups,
    read_scores,
    table_of,
)
from argue_bench.errors import DataError, UnknownName

ROWS = [
    TopicScore("runA", "t1", "f1", 0.5),
    TopicScore("runA", "t2", "f1", 0.25),
    TopicScore("runB", "t1", "f1", 1.0),
    TopicScore("runB", "t2", "f1", 1 / 3),
]


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
        (
            "jsonl",
            "".join(
                f'{{"run_id": "{r}", "topic_id": "{t}", "measure": "f1", "value": {v}}}\n'
                for r, t, v in [
                    ("runA", "t1", "0.5"),
                    ("runA", "t2", '"0.25"'),
                    ("runB", "t1", "1"),
                    ("runB", "all", "0.9"),
                ]
            ),
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


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_exported_is_read_back_bit_by_bit(tmp_path: Path, format: str) -> None:
    table = table_of([*ROWS, TopicScore("runA", "all", "f1", 0.375)])
    export_scores(table, format, tmp_path / "out", aggregates=True)
    again = read_scores(tmp_path / "out", format)
    assert again.values == table.values
    assert again.given == table.given


def test_exported_ranks_count_within_a_topic(tmp_path: Path) -> None:
    rows = [TopicScore(run, "t", "m", value) for run, value in (("a", 0.1), ("b", 0.9), ("c", 0.9))]
    [path] = export_scores(table_of(rows), "ranking", tmp_path / "out")
    ranks = {line.split()[2]: line.split()[3] for line in path.read_text().splitlines()}
    assert ranks == {"a": "3", "b": "1", "c": "1"}


def test_names_that_cannot_stand_in_columns_are_not_exported(tmp_path: Path) -> None:
    table = table_of([TopicScore("run one", "t", "m", 1.0)])
    with pytest.raises(DataError, match="blanks"):
        export_scores(table, "tot", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    export_scores(table, "jsonl", tmp_path / "out")
    with pytest.raises(DataError, match="name of a file"):
        export_scores(
            table_of([TopicScore("../x", "t", "m", 1.0)]), "trec_eval", tmp_path / "folder"
        )


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    text = "a m t1 nan\na m t1 0.5\na m\na m t2 inf\na m t2 1_0\na m t3 high\n"
    with pytest.raises(DataError) as error:
        read_scores(write(tmp_path / "f", text), "tot")
    assert codes(error) == [
        ("not-a-number", 1),
        ("columns", 3),
        ("not-a-number", 4),
        ("not-a-number", 5),
        ("not-a-number", 6),
    ]


def test_a_score_twice_names_both_lines(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read_scores(write(tmp_path / "f", "a m t1 0.5\na m t1 0.5\n"), "tot")
    assert codes(error) == [("duplicate-score", 2)]
    assert str(tmp_path / "f") + ":1" in str(error.value)


def test_jsonl_faults(tmp_path: Path) -> None:
    lines = [
        '{"run_id": "a"}',
        '{"run_id": "a", "topic_id": 1, "measure": "m", "value": NaN}',
        '{"run_id": "a", "topic_id": 1, "measure": "m", "value": true}',
        '{"run_id": "a", "topic_id": 1, "measure": "m", "value": 1e999}',
        "[1]",
        "{",
    ]
    with pytest.raises(DataError) as error:
        read_scores(write(tmp_path / "f", "\n".join(lines)), "jsonl")
    assert [line for _, line in codes(error)] == [1, 2, 3, 4, 5, 6]


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


def test_results_of_a_board_are_aggregates(tmp_path: Path) -> None:
    path = write(
        tmp_path / "alpha.json",
        '{"system": "alpha", "settings": {"openbook": {"scores": {"argue.f1": {"value": 0.5},'
        ' "argue.x": {"value": null}}}}}',
    )
    table = read_scores(path)
    assert table == ScoreTable({}, {"argue.f1": {"alpha": 0.5}}, str(path))
    with pytest.raises(DataError, match="not a results file"):
        read_scores(write(tmp_path / "other.json", "{}"))


def test_groups(tmp_path: Path) -> None:
    assert read_groups(write(tmp_path / "g", "a x\nb\ty\n")) == {"a": "x", "b": "y"}
    assert read_groups(write(tmp_path / "g.json", '{"a": "x"}')) == {"a": "x"}
    with pytest.raises(DataError) as error:
        read_groups(write(tmp_path / "g", "a x\na y\nb\n"))
    assert codes(error) == [("two-groups", 2), ("columns", 3)]
    with pytest.raises(DataError):
        read_groups(write(tmp_path / "g.json", "[1]"))


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"openbook": 5}, "not-results"),
        ({"openbook": {"scores": [1]}}, "not-results"),
        ({"openbook": {"scores": {"f1": 0.5}}}, "not-results"),
        ({"openbook": {}}, "not-results"),
        ({"openbook": {"scores": {"f1": {"value": "high"}}}}, "not-a-number"),
        ({"openbook": {"scores": {"f1": {"value": True}}}}, "not-a-number"),
    ],
)
def test_results_of_another_shape_are_findings(
    tmp_path: Path, settings: dict[str, Any], code: str
) -> None:
    file = write(tmp_path / "r.json", json.dumps({"system": "s", "settings": settings}))
    with pytest.raises(DataError) as error:
        read_scores(file)
    assert codes(error) == [(code, None)]


def test_a_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    row = {"run_id": "r", "topic_id": 301, "measure": "f1", "value": 1}
    wrong = [{**row, "run_id": None}, {**row, "topic_id": ["t"]}, {**row, "measure": True}]
    lines = "".join(json.dumps(one) + "\n" for one in (row, *wrong))
    with pytest.raises(DataError) as error:
        read_scores(write(tmp_path / "f.jsonl", lines))
    assert codes(error) == [("not-a-name", 2), ("not-a-name", 3), ("not-a-name", 4)]
