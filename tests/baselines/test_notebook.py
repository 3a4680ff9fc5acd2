"""The notebooks run from the first cell to the last, and show what their cells print today."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
RUN = """
import contextlib, io, json, sys
names, printed = {}, []
for source in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(source, names)
    printed.append(said.getvalue())
print(json.dumps(printed))
"""


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_shows_what_it_prints(path: Path, tmp_path: Path) -> None:
    cells = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        input=json.dumps(["".join(cell["source"]) for cell in cells]),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for cell, printed in zip(cells, json.loads(done.stdout), strict=True):
        assert "".join(line for out in cell["outputs"] for line in out["text"]) == printed


def test_there_is_one() -> None:
    assert NOTEBOOKS
