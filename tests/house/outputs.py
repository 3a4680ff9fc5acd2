"""Write into documents what their examples print now: ``python -m tests.house.outputs PAGE...``.

A page may be a notebook, whose cells all get what they print. Elsewhere each line of a ```text block becomes
the likest line that the example prints, in order, after those that are printed before it; a line ``...`` stays
and stands for any lines. Read the difference before you commit it: a test only holds that page and program agree.
"""

from __future__ import annotations

import difflib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.house.test_docs import Block, blocks, fits, run, says_whether_words_are_shared
from tests.models.server import ChatServer
from tests.shared import ROOT

CELLS = """
import contextlib, io, json, sys
names, printed = {}, []
for source in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(source, names)
    printed.append(said.getvalue())
print(json.dumps(printed))
"""


def printed_by_cells(sources: list[str], folder: Path) -> list[str]:
    """What each cell of a notebook prints, run one after another in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CELLS],
        cwd=folder,
        capture_output=True,
        text=True,
        input=json.dumps(sources),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed: list[str] = json.loads(done.stdout)
    return printed


def write_notebook(path: Path) -> None:
    """Run a notebook's cells and write what they print into it."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with tempfile.TemporaryDirectory() as name:
        printed = printed_by_cells(["".join(cell["source"]) for cell in cells], Path(name))
    for number, (cell, text) in enumerate(zip(cells, printed, strict=True), 1):
        lines = text.splitlines(keepends=True)
        stream = {"name": "stdout", "output_type": "stream", "text": lines}
        cell |= {"execution_count": number, "outputs": [stream] if lines else []}
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write(page: Path) -> None:
    """Run a page's examples and write their output into it."""
    text = page.read_text(encoding="utf-8")
    with (
        tempfile.TemporaryDirectory() as name,
        ChatServer(model=says_whether_words_are_shared, keep=False) as server,
    ):
        folder = Path(name)
        shutil.copytree(ROOT / "leaderboard-submissions", folder / "leaderboard-submissions")
        printed = None
        for block in blocks(page):
            if block.language in ("bash", "python"):
                printed = run(block, folder, server.url)
            elif block.language == "text" and printed is not None:
                if not fits(block.text, printed):
                    text = text.replace(block.text, _renewed(block, printed))
                printed = None
    page.write_text(text, encoding="utf-8")


def _renewed(block: Block, printed: str) -> str:
    left = [line.rstrip() for line in printed.strip("\n").splitlines()]
    lines: list[str] = []
    for line in block.text.splitlines():
        if line == "...":
            lines.append(line)
            continue
        found = difflib.get_close_matches(line, left, n=1, cutoff=0.3)
        if not found:
            raise SystemExit(f"line {block.line}: nothing printed resembles {line!r}")
        at = left.index(found[0])
        if lines[-1:] != ["..."]:  # what is printed in between is new, and the page shows it
            lines += left[:at]
        lines.append(found[0])
        del left[: at + 1]
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    for given in sys.argv[1:]:
        renew = write_notebook if given.endswith(".ipynb") else write
        renew(ROOT / given)
