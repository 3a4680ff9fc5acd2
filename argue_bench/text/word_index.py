"""An index that finds the texts that contain the words of a sentence.

A text is found if it holds two thirds of the sentence's rare words, those that few of the texts have.
That is a place to look at and no support: a judge decides.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable
from zlib import crc32

import numpy as np

COMMON = 500
"""In how many texts a word is no longer rare."""
_WORD = re.compile(r"[^\W_]{4,}|\d+")
_PREFIX = 6
_PLACE_BITS, _LAST = np.uint64(32), np.uint64(0xFFFFFFFF)


class WordIndex:
    """An index of texts, given with their ids, by the beginnings of their rare words: eight bytes for each."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._ids: list[str] = []
        found = array("Q")
        for place, (id, text) in enumerate(texts):
            self._ids.append(id)
            found.extend(word << 32 | place for word in _words(text))
        pairs = np.array(found, dtype=np.uint64)
        pairs.sort()
        each, held = np.unique(pairs >> _PLACE_BITS, return_counts=True)
        self._common = frozenset(each[held > COMMON].tolist())
        self._pairs = pairs[np.repeat(held <= COMMON, held)]

    def nearest(self, sentence: str, own: Iterable[str], most: int) -> list[str]:
        """The ids of at most so many texts that hold most of a sentence, best first, without ``own`` ones."""
        rare = np.array(sorted(_words(sentence) - self._common), dtype=np.uint64) << _PLACE_BITS
        firsts = self._pairs.searchsorted(rare).tolist()
        lasts = self._pairs.searchsorted(rare | _LAST).tolist()
        held: Counter[int] = Counter()
        for first, last in zip(firsts, lasts, strict=True):
            if first < last:
                held.update((self._pairs[first:last] & _LAST).tolist())
        out = set(own)
        ranked = sorted(
            (-count, place)
            for place, count in held.items()
            if 3 * count >= 2 * len(rare) and self._ids[place] not in out
        )
        return [self._ids[place] for _, place in ranked[:most]]


def _words(text: str) -> set[int]:
    """The beginnings of the words of a text, as numbers below 2**32; two words may share one."""
    return {crc32(word[:_PREFIX].encode()) for word in _WORD.findall(text.lower())}
