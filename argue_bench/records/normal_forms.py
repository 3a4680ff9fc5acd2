"""Unicode's normal forms in a time that grows with the text.

Python puts marks that stand on one letter into their order by moving each past the others, so a text of
100,000 marks takes eight seconds, four times as many two minutes, and no clock interrupts it.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

_PIECE = 500
"""Characters after which a long text is parted, where it can be."""
_MOST = 4 * _PIECE
"""Characters after which it is parted wherever that is: no writing has so many without a place to part."""


def normalise(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """The text in this normal form: what ``unicodedata.normalize`` gives.

    Where more than `_MOST` characters follow each other of which each might join the one before, such as
    marks without end on one letter, each part of `_MOST` of them is ordered for itself.
    """
    # ASCII has one form only, and most texts are ASCII.
    if text.isascii():
        return text
    if len(text) <= _MOST:
        return unicodedata.normalize(form, text)
    pieces = []
    start = 0
    while start < len(text):
        end = start + _PIECE
        last = min(start + _MOST, len(text))
        while end < last and not _stands_alone(text[end]):
            end += 1
        pieces.append(unicodedata.normalize(form, text[start:end]))
        start = end
    return "".join(pieces)


def _stands_alone(char: str) -> bool:
    """Whether a character joins nothing before it in any form: Latin letters, and Chinese ones, are such."""
    return char < "\u0300" or "\u4e00" <= char <= "\u9fff"
