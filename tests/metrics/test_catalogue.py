"""The table of the documents names every metric, option and score that there is, and no other."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.metrics import METRICS
from tests.shared import ROOT

ROWS = {
    cells[1].strip(" `"): cells
    for line in (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| `")
    for cells in [re.split(r"(?<!\\)\|", line)]
    if len(cells) == 7
}
LISTED = {
    row["name"]: row
    for row in json.loads(CliRunner().invoke(main, ["list", "metrics", "--format", "json"]).stdout)
}


def test_every_metric_has_a_row() -> None:
    assert list(ROWS) == list(METRICS) == list(LISTED)


@pytest.mark.parametrize("name", METRICS)
def test_a_row_says_what_the_command_says(name: str) -> None:
    _, _, question, options, scores, _, _ = ROWS[name]
    assert question.strip() == METRICS[name].summary
    assert [text.replace("\\", "") for text in re.findall("`([^`]+)`", options)] == LISTED[name][
        "options"
    ]
    assert re.findall("`([^`]+)`", scores) == list(METRICS[name].scores)
