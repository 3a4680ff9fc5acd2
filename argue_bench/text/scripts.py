"""The script of a text, where most of its letters are not Latin."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

READ = 1000
"""Characters of a text by which its script is told."""


# A source is given with each sentence that cites it.
@lru_cache(maxsize=1_000)
def foreign_script(text: str) -> str:
    """The script of a text of which most letters are not Latin, by its first letter of it; else empty.

    >>> foreign_script("Мост открыт."), foreign_script("Le pont est ouvert.")
    ('Cyrillic', '')
    """
    if text.isascii():
        return ""
    start = text[:READ]
    foreign = [char for char in start if char > "\u024f" and char.isalpha() and not _is_latin(char)]
    letters = sum(map(str.isalpha, start))
    if not foreign or 2 * len(foreign) <= letters:
        return ""
    return unicodedata.name(foreign[0], "an unknown").split()[0].capitalize()


def _is_latin(char: str) -> bool:
    """Whether a letter is a Latin one in another form, as a ligature or a letter of mathematics is."""
    return "A" <= unicodedata.normalize("NFKD", char)[0] <= "\u024f"
