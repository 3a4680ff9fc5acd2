"""Unicode's normal forms in a time that grows with the text.

Python puts marks that stand on one letter into their order by moving each past the others, so a text of
100,000 marks takes eight seconds, four times as many two minutes, and no clock interrupts it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

# Some 500 characters, up to one that joins nothing before it in any form, as Latin letters and Chinese ones do;
# 2,000 where there is none, which no writing has.
_PIECES = re.compile("(?s).{500,2000}?(?=[\0-\u02ff\u4e00-\u9fff])|.{1,2000}")


def normalise(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """The text in this normal form: what ``unicodedata.normalize`` gives.

    Where more than 2,000 characters follow each other of which each might join the one before, such as
    marks without end on one letter, each part of as many is ordered for itself.
    """
    # ASCII has one form only, and most texts are ASCII.
    if text.isascii():
        return text
    return "".join(unicodedata.normalize(form, piece) for piece in _PIECES.findall(text))
