"""Write into documents what their examples print now: ``python -m tests.house.outputs PAGE...``.

Each line of a ```text block becomes the likest line that the example prints, in order, after those that
are printed before it; a line ``...`` stays and stands for any lines. Read the difference before you commit it: a test only holds that page and program agree.
"""

from __future__ import annotations

import difflib
import shutil
import sys
import tempfile
from pathlib import Path

from tests.house.test_docs import Block, blocks, fits, run, says_whether_words_are_shared
from tests.models.server import ChatServer
from tests.shared import ROOT


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
        write(ROOT / given)
