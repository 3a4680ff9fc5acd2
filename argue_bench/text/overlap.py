"""ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004): the words that two texts share.

The same numbers as rouge-score, bit for bit, with stemming on: precision = shared / candidate's,
recall = shared / reference's, fscore = 2pr / (p + r). `porter` stems each word of
more than three letters, once. rapidfuzz measures longest common subsequences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from argue_bench.text.porter import porter_stem

_WORD = re.compile(r"[a-z0-9]+")


class Overlap(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    fscore: float


NONE = Overlap(0.0, 0.0, 0.0)


def porter_stems(text: str) -> list[str]:
    """The stemmed words of a text: lower case, letters a-z and digits only."""
    return [stem for word in _WORD.findall(text.lower()) if (stem := _stem(word))]


def stems_read(text: str) -> bool:
    """Whether `porter_stems` has most letters of a text: those without marks, and no other script."""
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(map(str.isascii, letters)) >= len(letters)


def rouge_n(reference: Sequence[str], candidate: Sequence[str], n: int) -> Overlap:
    """Shared n-grams of two sequences of stems, repeats counted as often as in both."""
    wanted, given = (
        Counter(zip(*(stems[at:] for at in range(n)), strict=False))
        for stems in (reference, candidate)
    )
    shared = sum(min(count, given[gram]) for gram, count in wanted.items() if gram in given)
    return overlap_of(shared, wanted.total(), given.total())


def rouge_l(reference: Sequence[str], candidate: Sequence[str]) -> Overlap:
    """The longest common subsequence of two sequences of stems."""
    if not reference or not candidate:
        return NONE
    # Here, since a run without ROUGE need not load it.
    from rapidfuzz.distance import LCSseq

    return overlap_of(LCSseq.similarity(reference, candidate), len(reference), len(candidate))


def overlap_of(shared: int, wanted: int, given: int) -> Overlap:
    """Precision, recall and F1 of so many shared words."""
    precision, recall = shared / max(given, 1), shared / max(wanted, 1)
    if precision + recall <= 0:
        return Overlap(precision, recall, 0.0)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    """The stem of one word, as rouge-score gives it."""
    if len(word) <= _LEAST or (word[-1] not in "seyi" and word[-2:] not in _STEMMED):
        return word
    return porter_stem(word)


# Letters of the longest words that rouge-score leaves as they are.
_LEAST = 3
# Ends of the suffixes that Porter's steps look for, but those in s, e, y and i: a word that ends in none of them is
# its own stem.
_STEMMED = frozenset(("ed", "ng", "er", "or", "sm", "on", "nt", "ic", "al", "ul", "ll", "ou"))
