"""Every example in the documents is run, in the order in which a reader would run it.

In README.md and docs/*.md a ```bash block is run by bash, a ```python block by Python, all of one
document in one folder that holds what a clone has beside the package. A ```text block says what the
block before it prints, where a line ``...`` stands for any lines. A block that can't be run here says
why in a comment before it: ``<!-- not run: it needs a key -->``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.shared import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: .+ -->\s*\Z")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int


def blocks(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        before = text[: match.start()]
        if not NOT_RUN.search(before):
            found.append(Block(match[1], match[2], before.count("\n") + 1))
    return found


def run(block: Block, folder: Path) -> str:
    bin = Path(sys.executable).parent
    environment = {
        **os.environ, "PATH": f"{bin}{os.pathsep}{os.environ['PATH']}", "HF_HUB_OFFLINE": "1",
        "COLUMNS": "100",
    }  # fmt: skip
    command = (
        ["bash", "-euo", "pipefail", "-c", block.text]
        if block.language == "bash"
        else [sys.executable, "-c", block.text]
    )
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"line {block.line}:\n{block.text}\n{done.stdout}{done.stderr}"
    return done.stdout


def fits(expected: str, printed: str) -> bool:
    """Whether the lines printed are those expected, ``...`` standing for any number of them."""
    parts = [re.escape(line.rstrip()) for line in expected.strip("\n").splitlines()]
    pattern = r"\n".join("(?:.*\n)*?.*" if part == r"\.\.\." else part for part in parts)
    text = "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())
    return re.fullmatch(pattern, text) is not None


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_examples_run_and_print_what_is_said(path: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "leaderboard-submissions", tmp_path / "leaderboard-submissions")
    printed = None
    for block in blocks(path):
        if block.language in ("bash", "python"):
            printed = run(block, tmp_path)
        elif block.language == "text" and printed is not None:
            assert fits(block.text, printed), f"{path.name}:{block.line} prints:\n{printed}"
            printed = None


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    targets = [t.partition("#")[0] for t in LINK.findall(path.read_text(encoding="utf-8"))]
    local = [target for target in targets if target and not re.match(r"[a-z]+:", target)]
    assert not [target for target in local if not (path.parent / target).exists()]


def test_the_reader_of_examples_can_fail() -> None:
    assert fits("a\n...\nd", "a\nb\nc\nd")
    assert fits("a\n...", "a\nb")
    assert not fits("a\n...\nd", "a\nb\nc")
    assert not fits("a", "b")
