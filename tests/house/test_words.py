"""Plain words: a short list of our own worst habits, which no page, message or help text may have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.shared import ROOT

HABITS = {
    r"\b(?:that|those) of (?:the|a|an|its|their|our|your|one|this|each)\b": "name the thing again",
    r"(?<!there )\b(?:is|are) no (?!longer\b|more\b|less\b|better\b)": "write 'is not a', 'are not'",
    r"\bdearest\b": "write 'most expensive'",
    r"\bmend(?:s|ed|ing)?\b": "write 'fix' or 'correct'",
    r"\bis sought\b": "say who searches, and how",
    r"\bwhat (?:is|was) told\b": "say who reports what",
}
TEXTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "site" / "strings.en.json",
    ROOT / "argue_bench" / "cli" / "help.toml",
    *sorted((ROOT / "docs").rglob("*.md")),
]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_a_text_has_none_of_our_habits(path: Path) -> None:
    found = [
        f"{path.name}:{number}: {match[0]!r}: {advice}"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for habit, advice in HABITS.items()
        for match in re.finditer(habit, line, re.IGNORECASE)
    ]
    assert not found


def test_the_list_finds_a_habit() -> None:
    sentence = "The dearest outcome is that of the last call, which is no verdict."
    assert sum(bool(re.search(habit, sentence)) for habit in HABITS) == 3
