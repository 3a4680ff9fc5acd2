"""Foreign text is printed short, on one line, with nothing invisible in it."""

from __future__ import annotations

import pytest

from argue_bench.records.display import describe, escape


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("plain  text", "plain  text"),
        ("  an indent stays", "  an indent stays"),
        ("two\n\n  lines\tand tab", "two lines and tab"),
        ("a\u202eb\x1b[2J\u3164", "a⟨U+202E⟩b⟨U+001B⟩[2J⟨U+3164⟩"),
        ("e\u0301", "é"),
        ("\ud800\ue000\U0010ffff", "⟨U+D800⟩⟨U+E000⟩⟨U+10FFFF⟩"),
        ("x" * 100, "x" * 79 + "…"),
        # What a CI runner obeys anywhere in a line.
        ("so ##[error file=a]b", "so ##⟨U+005B⟩error file=a]b"),
        ("##\u200b[error]b", "##⟨U+200B⟩[error]b"),
    ],
)
def test_escape(given: str, safe: str) -> None:
    assert escape(given) == safe


def test_lines_are_kept_where_they_are_wanted() -> None:
    assert escape("a\nb\x00", lines=True) == "a\nb⟨U+0000⟩"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a\n", "'a '"),
        (True, "true"),
        (None, "null"),
        (1.5, "1.5"),
        ([1], "a list"),
        ({}, "an object"),
    ],
)
def test_describe(value: object, words: str) -> None:
    assert describe(value) == words
