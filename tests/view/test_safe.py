"""A stranger's text is shown whole and does nothing; a stranger's link leads where it says."""

from __future__ import annotations

import pytest

from argue_bench.view import safe


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain", "plain"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("nul\u0000", "nul⟨U+0000⟩"),
        ("two\nlines\tand tab", "two lines and tab"),
        ("e\u0301", "é"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        (None, ""),
        (7, ""),
        (["x"], ""),
    ],
)
def test_text(given: object, shown: str) -> None:
    assert safe.text(given) == shown


def test_a_long_text_is_cut_and_says_so() -> None:
    assert safe.text("x" * 10_000, 80) == "x" * 79 + "…"


def test_lines_are_kept_where_they_are_wanted() -> None:
    assert safe.text("a\nb", lines=True) == "a\nb"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        ("https://аррӏе.com/x", "https://xn--80ak6aa92e.com/x"),
        ("https://example.org:8443/", "https://example.org:8443/"),
        ("http://example.org/", ""),
        ("javascript:alert(1)", ""),
        ("JaVaScRiPt://example.org/%0aalert(1)", ""),
        ("data:text/html,x", ""),
        ("//example.org", ""),
        ("https://user@example.org/", ""),
        ("https://user:secret@example.org/", ""),
        ("https://example.org/\u202egpj", ""),
        ('https://example.org/"onclick="x', ""),
        ("https://exa mple.org", ""),
        ("https://", ""),
        ("https://[::1", ""),
        ("https://localhost/", ""),
        ("https://example.org:99999/", ""),
        ("https://example.org/" + "x" * 3000, ""),
        (None, ""),
    ],
)
def test_link(given: object, kept: str) -> None:
    assert safe.link(given) == kept
