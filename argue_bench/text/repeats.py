"""Sentences that say again what was said, in the same words or nearly.

A share of sentences would else rise by saying again what is supported, with a word more or less. Of each
sentence the words of content are compared, stemmed, in any order, with those of each earlier one that cites
one of the same documents, or nothing as it does. It says again what the earlier one said if

* it adds nothing: that one has all its words;
* or it adds one word, and has all of that one's;
* or it adds one word in four, and three at most, whatever else that one says.

A name (a capital), a number or a denial that the earlier one lacks is never said again; a capital at the
beginning is a name by the last rule alone ("Truly, it rose").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from argue_bench.text.morphology.porter import porter_stem
from argue_bench.text.typed import fold_text, typed_text
from argue_bench.text.vocabulary import STOP

Said = tuple[str, Iterable[str]]
"""A sentence, and what it cites."""

ONE_IN: Final = 4
"""Of so many words one may be new."""
MOST_NEW: Final = 3
LEAST: Final = 3
"""Words of content of a sentence of which one may be new: "It is half true" says more than "It is true"."""

# Words without content, but for those that say when, where to or how much.
_SMALL = STOP - frozenset(
    [
        "after",
        "avant",
        "apres",
        "before",
        "down",
        "more",
        "most",
        "over",
        "plus",
        "since",
        "under",
        "until",
        "up",
    ]
)
_DENYING = re.compile(
    r"\b(?:not?|never|none|nobody|nothing|neither|nor|without|cannot|ne|jamais|sans|rien|aucune?)\b|n't\b"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff]"
)
"""Letters of scripts that put no space between words."""


def said_before(sentences: Iterable[Said]) -> frozenset[int]:
    """The positions, from 0, of sentences that say again what one before them said.

    >>> sorted(said_before([("The river rose.", "a"), ("Truly, the river rose", "a"), ("The river rose.", "b")]))
    [1]
    """
    said = _Said()
    return frozenset(
        place for place, (text, cited) in enumerate(sentences) if said.again(text, cited)
    )


class _Words(NamedTuple):
    """The words of content of a sentence, or all of them where it has none."""

    firm: frozenset[str]
    """Names and numbers."""
    plain: frozenset[str]
    first: str
    """The word that it begins with, where that has a capital and is plain."""
    denies: bool


class _Said:
    """What was said so far. In a row of bits the n-th stands for the n-th sentence, so that one
    sentence is compared with all before it at once."""

    def __init__(self) -> None:
        self._count = 0
        self._denying = 0
        self._holding: dict[str, int] = {}
        self._citing: dict[str, int] = {}
        self._sizes: dict[int, int] = {}

    def again(self, text: str, cited: Iterable[str]) -> bool:
        """Whether an earlier sentence said so, before this one is remembered, too."""
        words = _read(text)
        if not words.firm and not words.plain:
            return False
        keys = set(cited) or {""}
        found = bool(self._said_by(words, keys))
        bit = 1 << self._count
        self._count += 1
        self._denying |= bit * words.denies
        size = len(words.firm) + len(words.plain)
        for row, names in (
            (self._holding, words.firm | words.plain),
            (self._citing, keys),
        ):
            for name in names:
                row[name] = row.get(name, 0) | bit
        self._sizes[size] = self._sizes.get(size, 0) | bit
        return found

    def _said_by(self, words: _Words, keys: Iterable[str]) -> int:
        """The earlier sentences that said so, as a row of bits."""
        near = 0
        for key in keys:
            near |= self._citing.get(key, 0)
        near &= self._denying if words.denies else ~self._denying
        for word in words.firm:
            near &= self._holding.get(word, 0)
        # By how many plain words they lack, those with all names and numbers.
        lacking = [near, *[0] * MOST_NEW]
        for word in words.plain:
            if not any(lacking):
                return 0
            has = self._holding.get(word, 0)
            lacking = [
                (here & has) | (fewer & ~has)
                for here, fewer in zip(lacking, [0, *lacking], strict=False)
            ]
        size = len(words.firm) + len(words.plain)
        found = lacking[0]
        if size >= LEAST:
            found |= lacking[1] & self._sizes.get(size - 1, 0)
        alike = 0
        for row in lacking[1 : 1 + size // ONE_IN]:
            alike |= row
        if words.first:
            alike &= self._holding.get(words.first, 0)
        return found | alike


# Several metrics ask of one sentence.
@lru_cache(maxsize=1_000)
def _read(text: str) -> _Words:
    every = typed_text(text).canonical.split("\x1f")[1:-1]
    tokens = [word for word in every if word not in _SMALL] or every
    letters = _LETTERS.findall(text)
    named = set(fold_text(" ".join(one for one in letters[1:] if one[0].isupper())).split())
    firm: set[str] = set()
    plain: set[str] = set()
    for word in tokens:
        if _UNSPACED.search(word):
            firm.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif word in named or any(map(str.isdigit, word)) or tokens is every or not word.isalnum():
            firm.add(_stem(word))
        else:
            plain.add(_stem(word))
    first = ""
    if letters and letters[0][0].isupper():
        first = _stem(fold_text(letters[0]))
    plain -= firm
    return _Words(
        frozenset(firm),
        frozenset(plain),
        first if first in plain else "",
        _DENYING.search(fold_text(text)) is not None,
    )


@lru_cache(maxsize=10_000)
def _stem(word: str) -> str:
    return porter_stem(word) if word.isascii() and word.isalpha() else word
