"""The words that an answer has beside those of the set's documents: which are names, and which nobody else has."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from argue_bench.loaders.dataset import Dataset
from argue_bench.text.language import SYMBOLS, UNSPACED
from argue_bench.text.overlap import porter_stem
from argue_bench.text.typed import fold_text
from argue_bench.text.vocabulary import STOP

# What is longer than words are, of which nothing is kept.
LONGEST_WORD = 64
_WORD = re.compile(r"[^\W_]+(?:[-'.,][^\W_]+)*")
# A word that has a stem; each letter of a script without blanks is one, and each symbol: Braille is read letter by letter.
_SPELT = re.compile(rf"[{UNSPACED}{SYMBOLS}]|[^\W\d_{UNSPACED}]+")
# Words of all documents together that a set is taken to have, beside those of an answer's sources.
MOST_WORDS = 1_000_000
# The share of a question's letters in words that no document has, above which it is in another language.
ANOTHER_LANGUAGE = 0.5


def names_in(text: str, sources: Iterable[str]) -> Iterator[str]:
    """The names and numbers in an answer: words with a digit or a capital at their beginning, here or wherever a source has them."""
    words = _WORD.findall(text)
    known = [*map(_capitals, sources)]
    # Where all letters are capitals, none tells a name.
    told = str.isupper if any(map(str.islower, words)) else str.isdigit
    for word in words:
        if word[0].isdigit() or told(word[0]) or any(word.lower() in each for each in known):
            yield word


@lru_cache(maxsize=2_048)
def _capitals(text: str) -> frozenset[str]:
    """The words, small letters in place of capitals, that a text has with a capital alone."""
    words = {word.group() for word in _WORD.finditer(text)}
    return frozenset(one.lower() for one in words if one[0].isupper()) - words - STOP


class Vocabulary(NamedTuple):
    """The stems of the words of a set's documents, and which share of the letters of every second one stands in words that the
    others lack."""

    stems: frozenset[str]
    usual: float

    @classmethod
    def of(cls, dataset: Dataset) -> Vocabulary:
        """The vocabulary of a set; of long documents what stands at their beginning."""
        most = MOST_WORDS // max(1, len(dataset.documents))
        texts = [stems_of(one.text, most) for one in dataset.documents.values()]
        first = frozenset(chain.from_iterable(texts[::2]))
        half = _foreign([*chain.from_iterable(texts[1::2])], first)
        return cls(first.union(*texts[1::2]), half)

    def foreign(
        self, stems: Sequence[str], asked: Sequence[str], texts: Iterable[str]
    ) -> dict[str, float]:
        """The share of an answer's letters in words that neither the set nor these texts have, beyond what is usual there and in the
        question; nothing where the question is in another language than the documents."""
        known = self.stems, *map(_stems_in, texts)
        usual = _foreign(asked, *known)
        share = max(0.0, _foreign(stems, *known) - max(usual, self.usual))
        return {"foreign": share} if usual <= ANOTHER_LANGUAGE else {}


@lru_cache(maxsize=2_048)
def _stems_in(text: str) -> frozenset[str]:
    return frozenset(stems_of(text))


def stems_of(text: str, most: int | None = None) -> list[str]:
    """The stems of the words of a text, at most of so many, in order."""
    pieces = text.split()[:most]
    return [
        one
        for x in pieces
        for one in (_stems_kept if len(x) < LONGEST_WORD else _stems_in_piece)(x)
    ]


def _stems_in_piece(piece: str) -> tuple[str, ...]:
    return tuple(map(porter_stem, _SPELT.findall(fold_text(piece))))


_stems_kept = lru_cache(1 << 17)(_stems_in_piece)


def _foreign(stems: Sequence[str], *known: Container[str]) -> float:
    """The share of the letters of these stems that stand in unknown ones."""
    unknown = (one for one in stems if not any(one in each for each in known))
    return letters(unknown) / max(1, letters(stems))


def letters(words: Iterable[str]) -> int:
    return sum(map(len, words))
