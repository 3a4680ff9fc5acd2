"""An index that finds the texts that contain the words of a sentence.

A text is found if it holds two thirds of the sentence's rare words, those that few of the texts have.
That is a place to look at and no support: a judge decides.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections import Counter
from collections.abc import Iterable
from zlib import crc32

import numpy as np

COMMON = 500
"""In how many texts a word is no longer rare."""
_WORD = re.compile(r"[^\W_]{4,}|\d+")
_PREFIX = 6


class WordIndex:
    """An index of texts, given with their ids, by the beginnings of their rare words: four bytes for each."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._ids: list[str] = []
        found = array("Q")
        for place, (id, text) in enumerate(texts):
            self._ids.append(id)
            found.extend(word << 32 | place for word in _words(text))
        # Sorted where they lie and read through views: copies would be the peak of a whole evaluation.
        pairs = np.frombuffer(found, dtype=np.uint64)
        pairs.sort()
        halves = pairs.view(np.uint32).reshape(-1, 2)
        places, words = (halves[:, 0], halves[:, 1])[:: 1 if sys.byteorder == "little" else -1]
        firsts = np.flatnonzero(np.concatenate(([True], words[1:] != words[:-1]))[: len(words)])
        held = np.diff(firsts, append=len(words))
        self._common = frozenset(words[firsts[held > COMMON]].tolist())
        rare = held <= COMMON
        self._words = words[firsts[rare]]
        self._ends = np.cumsum(held[rare], dtype=np.uint32)
        self._places = places[np.repeat(rare, held)]

    def nearest(self, sentence: str, own: Iterable[str], most: int) -> list[str]:
        """The ids of at most so many texts that hold most of a sentence, best first, without ``own`` ones."""
        rare = np.array(sorted(_words(sentence) - self._common), dtype=np.uint32)
        held: Counter[int] = Counter()
        for word, at in zip(rare.tolist(), self._words.searchsorted(rare).tolist(), strict=True):
            if at < len(self._words) and self._words[at] == word:
                first = int(self._ends[at - 1]) if at else 0
                held.update(self._places[first : int(self._ends[at])].tolist())
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
