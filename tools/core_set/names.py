"""Names made of syllables, so that no model can know them before it reads the documents.

A stem has an onset, a vowel, a middle, an ending and a coda. The stem of a topic is a permutation of its
index, so that no two topics of a world share one, without any table of names in memory. A stem that is
a real word or name (``stoplist.txt``, ``stopwords.txt``) gains a syllable.
"""

from __future__ import annotations

import math
from functools import cache
from importlib import resources

from tools.core_set.stream import RandomStream
from tools.core_set.wording import WORDS

_SHAPES = [WORDS["stems"][part] for part in ("onset", "vowel", "middle", "end", "coda")]
SPACE = math.prod(map(len, _SHAPES))
"""The number of stems."""
_PRIME = 607_157
"""A prime below SPACE: multiplying by any factor modulo a prime visits every number once."""
assert SPACE >= _PRIME, "the permutation must stay inside the grammar"


@cache
def stop_words() -> frozenset[str]:
    """Real places, people and words that the grammar could hit by accident."""
    folder, names = resources.files(__package__), ("stoplist.txt", "stopwords.txt")
    text = "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(word for line in lines for word in line.split())


def make_stem(index: int) -> str:
    """The name of this number, capitalised."""
    parts = []
    for shape in _SHAPES:
        index, at = divmod(index, len(shape))
        parts.append(shape[at])
    name = "".join(parts)
    return (name + "ovi" if name in stop_words() else name).capitalize()


class WorldNames:
    """The names of one world: topics by permutation, the rest by chance."""

    def __init__(self, stream: RandomStream) -> None:
        draw = stream.child("permutation")
        self._factor = 1 + draw.below(_PRIME - 1)
        self._shift = draw.below(_PRIME)

    def unique(self, index: int) -> str:
        """The stem that belongs to this index alone, as long as the world has room for it."""
        wrapped, index = divmod(index, _PRIME)
        return make_stem((self._factor * index + self._shift) % _PRIME) + "mar" * wrapped


class TopicNames:
    """Names for one topic, none twice and none a part of another."""

    def __init__(self, stream: RandomStream, taken: tuple[str, ...] = ()) -> None:
        self._stream = stream
        self._taken = [name.lower() for name in taken]

    def place(self) -> str:
        """A stem that is new to this topic."""
        while True:
            name = make_stem(self._stream.below(_PRIME))
            low = name.lower()
            if not any(
                low[:4] == other[:4] or low in other or other in low for other in self._taken
            ):
                self._taken.append(low)
                return name

    def person(self) -> tuple[str, str, str]:
        """Given name, surname, and "f" or "m"."""
        gender = "f" if self._stream.chance(50) else "m"
        parts = WORDS["given_names"]
        while True:
            given: str = self._stream.pick(parts[gender]) + self._stream.pick(
                parts[f"{gender}_end"]
            )
            given = given.replace("sss", "ss").replace("ttt", "tt").replace("ll", "l")
            if given.lower() not in stop_words():
                return given, self.place(), gender
