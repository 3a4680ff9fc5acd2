"""The passage of a document that shares most words with a sentence, with those words marked.

Words are compared without case, common words are left out, and numbers weigh double, because
readers look for figures first. The passage helps the eye; it is not a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby, islice, takewhile
from operator import itemgetter

WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’\-][^\W\d_]+)*")
COMMON = re.compile(
    r"an?|and|are|as|at|be|been|but|by|des?|du|en|et|for|from|had|has|have|he|her|his|in|is|its?|la|les?"
    r"|not|of|on|or|que|she|that|the|their|they|this|to|une?|was|were|which|who|will|with"
)
# Text, and whether it is one of the shared words.
Piece = tuple[str, bool]


def words_of(text: str) -> set[str]:
    """The words of a text that can be shared: without case, common words and single letters."""
    words = map(str.casefold, WORD.findall(text))
    return {w for w in words if (len(w) > 1 and not COMMON.fullmatch(w)) or w.isdigit()}


def passage(text: str, sentence: str, most: int = 320) -> list[Piece]:
    """The best stretch of at most ``most`` characters, in pieces, shared words marked."""
    shared = words_of(sentence)
    spots = [m for m in WORD.finditer(text) if m[0].casefold() in shared]
    start, end = _window(text, spots, most)
    pieces = list(mark_words(text[start:end], shared))
    if start:
        pieces.insert(0, ("… ", False))
    if end < len(text):
        pieces.append((" …", False))
    return pieces


def mark_words(text: str, words: Iterable[str]) -> list[Piece]:
    """A text in pieces, with each of these words a piece of its own."""
    wanted = set(words)
    parts = re.split(f"({WORD.pattern})", text)
    marked = ((part, part.casefold() in wanted) for part in parts if part)
    return [
        ("".join(part for part, _ in run), shared)
        for shared, run in groupby(marked, key=itemgetter(1))
    ]


def _window(text: str, spots: list[re.Match[str]], most: int) -> tuple[int, int]:
    """Start and end of the stretch whose distinct shared words weigh most."""
    if len(text) <= most or not spots:
        end = text.rfind(" ", 0, most) if len(text) > most else len(text)
        return 0, end if end > 0 else most

    def weight(first: int) -> int:
        # 40 characters are kept for the words before the first shared one.
        end = spots[first].start() + most - 40
        near = takewhile(lambda one: one.end() <= end, islice(spots, first, None))
        # A figure decides more often than a word whether the source says the same.
        return sum(2 if word[0].isdigit() else 1 for word in {one[0].casefold() for one in near})

    start = max(0, spots[max(range(len(spots)), key=weight)].start() - 40)
    start = text.rfind(" ", 0, start) + 1 if start else 0
    end = min(len(text), start + most)
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + 1)
    return start, end
