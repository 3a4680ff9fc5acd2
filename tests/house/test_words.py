"""Plain words: a short list of our own worst habits, which no page, message, help text or shown docstring may have."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shared import ROOT

HABITS = {
    r"\b(?:that|those) of (?:the|a|an|its|their|our|your|one|this|each)\b": "name the thing again",
    r"(?<!there )\b(?:is|are) no (?!longer\b|more\b|less\b|better\b)": "write 'is not a', 'are not'",
    r"\bdearest\b": "write 'most expensive'",
    r"\bmend(?:s|ed|ing)?\b": "write 'fix' or 'correct'",
    r"\bis sought\b": "say who searches, and how",
    r"\bstands? (?:in|on|at|beside) (?!for\b)": "write 'is', or say who put it there",
    r"\bwhat (?:is|was) told\b": "say who reports what",
}
TEXTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "site" / "strings.en.json",
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


def documented() -> Iterator[tuple[str, object]]:
    """What docs/python.md shows: each name, and the public names of its class or module."""
    for name in re.findall(r"^::: (\S+)", (ROOT / "docs" / "python.md").read_text("utf-8"), re.M):
        shown = pkgutil.resolve_name(name)
        yield name, shown
        if inspect.isclass(shown) or inspect.ismodule(shown):
            for inner, value in vars(shown).items():
                if not inner.startswith("_"):
                    yield f"{name}.{inner}", value


@pytest.mark.parametrize(("name", "shown"), [pytest.param(*one, id=one[0]) for one in documented()])
def test_a_docstring_that_the_site_shows_has_none_of_our_habits(name: str, shown: object) -> None:
    text = " ".join((inspect.getdoc(shown) or "").split())
    found = {habit: re.findall(habit, text, re.IGNORECASE) for habit in HABITS}
    assert not {HABITS[habit]: words for habit, words in found.items() if words}, name


def test_the_list_finds_a_habit() -> None:
    sentence = "The dearest outcome is that of the last call, which is no verdict."
    assert sum(bool(re.search(habit, sentence)) for habit in HABITS) == 3
