"""The section of each metric in the documents names its question, its options and every score."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.metrics import METRICS, PUBLISHED
from tests.shared import ROOT

SECTIONS = dict(
    re.findall(
        r"^### `(\w+)`\n(.*?)(?=^##|\Z)",
        (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)
LISTED = {
    row["name"]: row
    for row in json.loads(CliRunner().invoke(main, ["list", "metrics", "--format", "json"]).stdout)
}


def test_every_metric_has_a_section() -> None:
    assert sorted(SECTIONS) == sorted(METRICS)
    assert sorted(LISTED) == sorted([*METRICS, *PUBLISHED])


@pytest.mark.parametrize("name", LISTED)
def test_a_section_says_what_the_command_says(name: str) -> None:
    section = SECTIONS[name.partition("(")[0]]
    words = set(re.findall("`([^`]+)`", section))
    assert {*LISTED[name]["options"], *LISTED[name]["scores"]} <= words
    assert name in METRICS or name in words
    assert METRICS[name.partition("(")[0]].summary.lower() in section.lower()
