"""The notebooks run from the first cell to the last, and show what their cells print today."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.house.outputs import printed_by_cells
from tests.shared import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_shows_what_it_prints(path: Path, tmp_path: Path) -> None:
    cells = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    printed = printed_by_cells(["".join(cell["source"]) for cell in cells], tmp_path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    shown = ["".join(line for out in cell["outputs"] for line in out["text"]) for cell in cells]
    assert shown == printed


def test_there_is_one() -> None:
    assert NOTEBOOKS
