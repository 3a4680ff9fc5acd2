"""The examples of CONTRIBUTING.md, added to a copy of the package as it says, and run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import ROOT

SECTION = re.compile(r"^## (A .+?)$(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```\w+\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEW = "  # new"
SECTIONS = dict(SECTION.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
SCORE = """
from argue_bench import evaluate, load
sample = load("core", split="sample")
answers = [{"id": question.id, "answer": "It is so [D06]."} for question in sample]
"""
RUN = {
    "A metric": (
        "from argue_bench import Answer, Question\n"
        "from argue_bench.metrics import parse\n"
        "from argue_bench.records import Gold\n"
        "question = Question('q', 'Where?', gold=Gold(answer='Oslo'))\n"
        "print([parse('exact_match').tally(question, Answer('q', text), {})['share'].value\n"
        "       for text in ('Oslo ', 'In Oslo')])",
        "[1.0, 0.0]",
    ),
    "A judge": (
        SCORE + "report = evaluate(sample, answers, ['citations'], judge='agreeing')\n"
        "print(report.signature['citations']['judge'].partition(' ')[0])",
        "function:say_yes",
    ),
    "A data set": (
        "from argue_bench import evaluate, load\n"
        "dataset = load('capitals')\n"
        "report = evaluate(dataset, [{'id': 'peru', 'answer': 'Lima'}], only_answered=True)\n"
        "print(report.scores['accuracy.strict'].value)",
        "1.0",
    ),
    "A page": (
        "import sys\n"
        "from pathlib import Path\n"
        "from argue_bench.cli import main\n"
        f"board = {str(ROOT / 'leaderboard-submissions')!r}\n"
        "main(['site', 'build', board, '--out', 'made'], standalone_mode=False)\n"
        "print('Thanks to everybody' in Path('made/thanks.html').read_text())",
        "True",
    ),
    "A command": (
        "from argue_bench.cli import main\nmain(['hello', 'Ada'], standalone_mode=False)",
        "Hello, Ada.",
    ),
}


def add(block: str, path: Path) -> None:
    """Write a new file, or put each new line after the line above it."""
    if not path.exists():
        path.write_text(block, encoding="utf-8")
        return
    text, above = path.read_text(encoding="utf-8"), ""
    for line in block.splitlines(keepends=True):
        if line.rstrip("\n").endswith(NEW):
            new = line.replace(NEW, "")
            assert text.count(above) == 1, f"{path.name} has not one line {above!r}"
            text, above = text.replace(above, above + new), new
        else:
            above = line
    path.write_text(text, encoding="utf-8")


def test_every_section_is_tried() -> None:
    assert list(SECTIONS) == list(RUN)


@pytest.mark.parametrize("section", RUN)
def test_an_example_works_in_the_files_that_it_names(section: str, tmp_path: Path) -> None:
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "argue_bench", tmp_path / "argue_bench", ignore=without)
    pages = tmp_path / "argue_bench" / "site_files"
    shutil.copytree(ROOT / "site", pages, ignore=without)
    blocks = BLOCK.findall(SECTIONS[section])
    assert len(blocks) == 2
    for name, block in blocks:
        own = pages / name.removeprefix("site/") if name.startswith("site/") else tmp_path / name
        add(block, own)
    code, expected = RUN[section]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == expected
