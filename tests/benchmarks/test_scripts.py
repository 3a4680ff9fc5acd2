"""Every benchmark says what it measures, by --help and in benchmarks/README.md, and a missed limit fails the run."""

from __future__ import annotations

import ast
import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import __main__ as every
from benchmarks import board
from benchmarks._table import ROWS, Line, at_least, at_most, compared, show

FOLDER = Path(every.__file__).parent


def _doc(name: str) -> str:
    path = FOLDER / f"{name}.py"
    path = path if path.exists() else FOLDER / name / "__main__.py"
    return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""


def test_the_page_says_of_every_script_what_its_docstring_says() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `") and line.count("|") == 3]
    expected = [f"| `{name}` | {_doc(name).splitlines()[0]} |" for name in every.scripts()]
    assert [row for row in rows if row.split("`")[1] in every.scripts()][
        : len(expected)
    ] == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", every.scripts())
def test_help_does_none_of_the_work(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    monkeypatch.delitem(sys.modules, f"benchmarks.{name}", raising=False)  # another test's import
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert told.startswith(f"usage: python -m benchmarks.{name} ")
    assert len(told.splitlines()) > 4


def test_a_number_behind_a_name_is_for_that_script() -> None:
    known = ["chat", "stores"]
    assert every.words(["chat", "100", "--x", "1"], known) == (["chat"], ["100", "--x", "1"])
    assert every.words(["chat", "stores"], known) == (["chat", "stores"], [])
    assert every.words(["chat", "cht"], known) == (["chat", "cht"], [])
    assert every.words(["100"], known) == (["100"], [])


def test_limits_are_kept_or_missed() -> None:
    assert at_most("a", 2.0, 2.0, "s").good
    assert not at_most("a", 2.1, 2.0, "s").good
    assert at_least("a", 2.0, 2.0, "x").good
    assert not at_least("a", 1.9, 2.0, "x").good
    assert at_least("a", 1.9, 2.0, "x", looked_at=False).note == "busy machine"
    assert compared("a", "scipy", theirs=4.0, ours=2.0, limit=2.0).good
    assert not compared("a", "scipy", theirs=3.9, ours=2.0, limit=2.0).good
    assert not compared("a", "scipy", theirs=9.0, ours=1.0, limit=2.0, equal=False).good


def test_lines_are_shown_and_kept_for_the_last_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ROWS, str(tmp_path / "rows"))
    missed = at_most("slow work", 3.0, 2.0, "s")
    assert show([Line("work", "1 s")]) == 0
    assert show([missed]) == 1
    assert every.kept(tmp_path / "rows") == [Line("work", "1 s"), missed]
    assert "slow work" in (told := capsys.readouterr().out)
    assert told.rstrip().endswith("MISSED")


@pytest.mark.slow
def test_a_missed_limit_ends_the_run_with_1(tmp_path: Path) -> None:
    """Two scripts beside the real ones: the last table has the lines of both."""
    package = tmp_path / "benchmarks"
    package.mkdir()
    for name in ("__init__", "__main__", "_table", "_options"):
        (package / f"{name}.py").write_text((FOLDER / f"{name}.py").read_text("utf-8"))
    script = "import sys\nfrom benchmarks._table import at_most, show\nsys.exit(show([at_most({!r}, {}, 2, 's')]))"
    (package / "one.py").write_text(script.format("first", 1))
    (package / "two.py").write_text(script.format("second", 3))
    for words, code in ((["one"], 0), (["two"], 1), ([], 1), (["three"], 2)):
        command = [sys.executable, "-m", "benchmarks", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == code, json.dumps([words, done.stdout, done.stderr])
        if not words:
            *_, last = done.stdout.partition("== every measurement")
            assert "first" in last
            assert "second" in last


@pytest.mark.release
def test_the_boards_next_submission_passes_the_screening(tmp_path: Path) -> None:
    assert board.measure(tmp_path, 2).keys() == {*board.STEPS}
