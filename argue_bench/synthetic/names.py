"""What are things called in a world where nothing may be known beforehand? By a syllable grammar.

A stem is (onset, vowel, onset, vowel, coda). The stem of a topic is a permutation of its index,
so that no two topics of a world share one, without any table of names in memory. A stem that is
a real word or name (``stoplist.txt``, ``stopwords.txt``) gains a syllable.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from argue_bench.synthetic.stream import RandomStream

_ONSET = (
    "b",
    "br",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "j",
    "k",
    "kl",
    "kr",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "sk",
    "st",
    "t",
    "tr",
    "v",
    "vr",
    "z",
    "zel",
    "mor",
    "tel",
    "var",
    "sol",
    "kes",
    "rin",
    "dol",
)
_VOWEL = ("a", "e", "i", "o", "u", "ae", "ei", "ou")
_MIDDLE = (
    "l",
    "r",
    "n",
    "v",
    "k",
    "m",
    "st",
    "rd",
    "lv",
    "nd",
    "rk",
    "ss",
    "t",
    "d",
    "rn",
    "lm",
    "sk",
    "gr",
    "b",
    "zh",
    "vr",
    "nt",
    "ld",
    "p",
    "x",
)
_END = ("a", "e", "i", "o")
_CODA = (
    "n",
    "r",
    "l",
    "sk",
    "th",
    "m",
    "v",
    "x",
    "rn",
    "ld",
    "t",
    "k",
    "nd",
    "ss",
    "z",
    "q",
    "lk",
    "st",
    "rm",
    "s",
    "b",
    "nt",
    "d",
)
_SHAPES = (_ONSET, _VOWEL, _MIDDLE, _END, _CODA)
SPACE = len(_ONSET) * len(_VOWEL) * len(_MIDDLE) * len(_END) * len(_CODA)
_PRIME = 607_157
assert SPACE >= _PRIME, "the permutation must stay inside the grammar"  # noqa: S101

_FEMALE = (
    "Ada",
    "Bri",
    "Cor",
    "Dae",
    "Eli",
    "Fen",
    "Gri",
    "Ila",
    "Jo",
    "Kal",
    "Lis",
    "Mir",
    "Nel",
    "Or",
    "Pet",
    "Ros",
    "Sel",
    "Tav",
    "Ul",
    "Vel",
    "Wen",
    "Zor",
)
_FEMALE_END = ("da", "la", "nea", "ssa", "ve", "vie", "na", "ka", "ra", "wen", "lia", "tte")
_MALE = (
    "Al",
    "Bor",
    "Cas",
    "Dar",
    "Ed",
    "Fer",
    "Gor",
    "Iv",
    "Jor",
    "Kel",
    "Lor",
    "Mat",
    "Nor",
    "Os",
    "Pel",
    "Rad",
    "Sev",
    "Tor",
    "Ul",
    "Vas",
    "Wil",
    "Zan",
)
_MALE_END = ("ek", "an", "ric", "mund", "ov", "en", "is", "ard", "os", "in", "ulf", "ot")


@cache
def stop_words() -> frozenset[str]:
    """Real places, people and words that the grammar could hit by accident."""
    lines = [
        line
        for name in ("stoplist.txt", "stopwords.txt")
        for line in (resources.files(__package__) / name).read_text(encoding="utf-8").splitlines()
    ]
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


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
        name = make_stem((self._factor * index + self._shift) % _PRIME)
        return name + "mar" * wrapped


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
        starts, ends = (_FEMALE, _FEMALE_END) if gender == "f" else (_MALE, _MALE_END)
        while True:
            given = self._stream.pick(starts) + self._stream.pick(ends)
            given = given.replace("sss", "ss").replace("ttt", "tt").replace("ll", "l")
            if given.lower() not in stop_words():
                return given, self.place(), gender
