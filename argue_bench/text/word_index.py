"""An index that finds the texts that contain the words of a sentence.

A text is found if it holds two thirds of the sentence's rare words, those that few of the texts have.
That is a place to look at and no support: a judge decides.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable

from argue_bench.text.language import words

COMMON = 500
"""In how many texts a word is no longer rare: more would be too many places to look at."""
_PREFIX, _LEAST = 6, 4
"""Letters by which two words are one, so that endings do not matter; and letters of the shortest words."""


class WordIndex:
    """An index of texts, given with their ids, by the beginnings of their rare words."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._ids: list[str] = []
        holding: dict[str, array[int]] = {}
        for place, (id, text) in enumerate(texts):
            self._ids.append(id)
            for word in _words(text):
                holding.setdefault(word, array("I")).append(place)
        self._rare = {word: places for word, places in holding.items() if len(places) <= COMMON}
        self._common = frozenset(holding.keys() - self._rare.keys())

    def nearest(self, sentence: str, own: Iterable[str], most: int) -> list[str]:
        """The ids of at most so many texts that hold most of a sentence, best first, without ``own`` ones."""
        wanted = _words(sentence) - self._common
        held = Counter(place for word in wanted for place in self._rare.get(word, ()))
        out = set(own)
        ranked = sorted(
            (-count, place)
            for place, count in held.items()
            if 3 * count >= 2 * len(wanted) and self._ids[place] not in out
        )
        return [self._ids[place] for _, place in ranked[:most]]


def _words(text: str) -> set[str]:
    """The beginnings of the words of a text."""
    found = words(text.lower())
    return {
        one[:_PREFIX] for one in found if len(one) >= _LEAST or one[0].isdigit() or one > "\u2e7f"
    }
