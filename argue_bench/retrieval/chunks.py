"""Cutting documents into passages that lose no character: joined, they give the document again.

A passage ends after a blank line, else a line break, a sentence, a comma, a blank; only a word longer
than a passage is cut inside. (FanOutQA's chunker drops the characters that it splits at.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# A cut may be made after each of these, the best first.
_CUTS = tuple(
    re.compile(pattern) for pattern in (r"\n\s*\n", r"\n", r"[.!?]\s+", r"[,;:]\s+", r"\s")
)


def cut_passages(text: str, length: int) -> Iterator[tuple[int, str]]:
    """(start, passage) of at most ``length`` characters each. Raises ValueError below 1.

    >>> list(cut_passages("One two. Three four.", 12))
    [(0, 'One two. '), (9, 'Three four.')]
    """
    if length < 1:
        raise ValueError("a passage needs at least one character")
    start = 0
    # The rest, once it fits, is one passage.
    while len(text) - start > length:
        window, end = text[start : start + length], start + length
        for pattern in _CUTS:
            # The last good cut in the second half of the passage.
            if ends := [match.end() for match in pattern.finditer(window, length // 2)]:
                end = start + ends[-1]
                break
        yield start, text[start:end]
        start = end
    if start < len(text):
        yield start, text[start:]
