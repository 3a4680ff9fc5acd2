"""Run files: read back as they were written, and nothing believed that is not one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench import load
from argue_bench.errors import Code, DataError
from argue_bench.eval import evaluate
from argue_bench.eval.run import read_entries, read_header, read_reports
from tests.leaderboard.steps import command

CITED = "The wall was finished in 1931 [1]. So it stands."


@pytest.fixture
def written(tmp_path: Path) -> Path:
    sample = load("core", split="sample")
    answers = [{"id": question.id, "answer": CITED} for question in sample]
    evaluate(sample, answers, ["argue"], out=tmp_path / "a.run")
    return tmp_path / "a.run"


def changed(path: Path, line: int, *keys: str | int, to: Any) -> Path:
    rows = [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
    place = rows[line]
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = to
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("keys", "to"),
    [
        (("answer", "id"), ["q"]),
        (("answer", "run"), {}),
        (("answer", "sentences"), "x"),
        (("answer", "sentences", 0), [5]),
        (("answer", "sentences", 0, 0), None),
        (("answer", "sentences", 0, 1), -1),
        (("answer", "sentences", 0, 1), 10**9),
        (("metrics",), []),
        (("metrics",), {}),
        (("metrics", "argue", "requests"), {"a": 1}),
        (("metrics", "argue", "requests"), [None]),
        (("metrics", "argue", "tallies", "f1"), ["1", 1.0]),
        (("metrics", "argue", "tallies", "f1"), None),
        (("metrics", "argue", "tallies", "f1"), [1.0]),
        (("metrics", "argue", "tallies", "f1"), [1.0, 1.0, "", ""]),
        (("metrics", "argue", "tallies", "f1"), [1.0, 1.0, 5]),
        (("metrics", "argue", "failures"), "failed"),
    ],
)
def test_a_line_of_another_shape_is_told(written: Path, keys: tuple[Any, ...], to: Any) -> None:
    changed(written, 2, *keys, to=to)
    with pytest.raises(DataError, match="not of a run file") as error:
        list(read_entries(written))
    assert error.value.findings[0].line == 3


@pytest.mark.parametrize(
    ("key", "to"),
    [
        ("metrics", "argue"),
        ("metrics", [1]),
        ("signature", []),
        ("signature", {"argue": "x"}),
        ("signature", {"argue": {"n": 8}}),
        ("dataset", None),
        ("store", 5),
        ("unknown", "x"),
    ],
)
def test_a_header_of_another_shape_is_told(written: Path, key: str, to: Any) -> None:
    with pytest.raises(DataError) as raised:
        read_header(changed(written, 0, "header", key, to=to))
    (finding,) = raised.value.findings
    assert (finding.code, finding.line) == (Code.NOT_A_RUN_FILE, 1)
    assert (finding.path or "").startswith(f"$.{key}")


@pytest.mark.parametrize(
    "source",
    [
        {"rows": []},
        {"rows": ["a.run"], "columns": ["question"]},
        {"dataset": ["core"], "split": []},
        {"folders": ["core"]},
        {"dataset": ["core"], "split": ["sample"], "sources": ["."], "passages": ["x"]},
    ],
)
def test_a_run_that_does_not_say_what_it_was_loaded_from_is_told(
    written: Path, source: dict[str, list[str]]
) -> None:
    said = command("view", changed(written, 0, "header", "source", to=source), out="out")
    assert (said.exit_code, said.stdout) == (1, "")
    assert f"{written}:1: the header does not say what the data" in said.stderr


@pytest.mark.parametrize("words", ["compare", "view"])
def test_a_run_of_a_header_alone_is_told(written: Path, words: str) -> None:
    written.write_text(written.read_text("utf-8").split("\n")[0] + "\n", encoding="utf-8")
    said = command(words, written, written)
    assert (said.exit_code, said.stdout) == (1, "")
    assert f"{written}:1: this run file holds no answers" in said.stderr


def test_a_case_that_stands_twice_is_told(written: Path) -> None:
    lines = written.read_text(encoding="utf-8").splitlines(keepends=True)
    written.write_text("".join([*lines, lines[1]]), encoding="utf-8")
    with pytest.raises(DataError, match="occurs twice") as error:
        read_reports(written)
    assert error.value.findings[0].line == len(lines) + 1


def test_a_whole_number_however_long_is_read_as_a_number(written: Path) -> None:
    changed(written, 1, "metrics", "argue", "tallies", "f1", to=[10**30, 1])
    tallies = next(iter(read_entries(written))).tallies["argue"]
    assert tallies is not None
    assert isinstance(tallies["f1"].numerator, float)
