"""ROUGE-1, ROUGE-2, ROUGE-L and ROUGE-Lsum (Lin 2004): the words that two texts share.

The same numbers as rouge-score, bit for bit, with stemming on: precision = shared / candidate's,
recall = shared / reference's, fscore = 2pr / (p + r). `porter` stems each word of
more than three letters, once. rapidfuzz measures longest common subsequences; ROUGE-Lsum, which needs to know the
common words of a reference sentence, finds them by rows of bits (Hyyrö 2004).
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
    return _overlap(shared, wanted.total(), given.total())


def rouge_l(reference: Sequence[str], candidate: Sequence[str]) -> Overlap:
    """The longest common subsequence of two sequences of stems."""
    if not reference or not candidate:
        return NONE
    # Here, since a run without ROUGE need not load it.
    from rapidfuzz.distance import LCSseq

    return _overlap(LCSseq.similarity(reference, candidate), len(reference), len(candidate))


def rouge_l_summary(reference: Sequence[str], candidate: Sequence[str]) -> Overlap:
    """ROUGE-Lsum of two lists of sentences.

    Counts the words of each reference sentence that any candidate sentence has in the same order; a word
    counts at most as often as it is in either text.
    """
    wanted = [porter_stems(sentence) for sentence in reference]
    given = [porter_stems(sentence) for sentence in candidate]
    left = Counter(stem for sentence in given for stem in sentence)
    wanted_total, given_total = sum(map(len, wanted)), left.total()
    if not wanted_total or not given_total:
        return NONE
    places = [_places(sentence) for sentence in given]
    hits = 0
    for sentence in wanted:
        common: set[int] = set()
        for where, tokens in zip(places, given, strict=True):
            common |= _common(sentence, tokens, where)
        for at in sorted(common):
            stem = sentence[at]
            if left[stem] > 0:
                hits += 1
                left[stem] -= 1
    return _overlap(hits, wanted_total, given_total)


def _overlap(shared: int, wanted: int, given: int) -> Overlap:
    precision, recall = shared / max(given, 1), shared / max(wanted, 1)
    if precision + recall <= 0:
        return Overlap(precision, recall, 0.0)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


def _places(tokens: Sequence[str]) -> dict[str, int]:
    """By stem: its places, as bits of a number; the first word is bit 0."""
    places: dict[str, int] = {}
    bit = 1
    for token in tokens:
        places[token] = places.get(token, 0) | bit
        bit <<= 1
    return places


def _common(reference: list[str], candidate: list[str], places: dict[str, int]) -> set[int]:
    """Places of the reference that are in its longest common subsequence with the candidate.

    Of several such, the one that rouge-score finds: going back from both ends, a word that is the
    same is taken; else the candidate's is dropped if that alone keeps the length, else the reference's.
    Row i holds a bit where the length for the first i words grows; words that the candidate lacks
    change no row and are never taken.
    """
    kept = [at for at, token in enumerate(reference) if token in places]
    if not kept:
        return set()
    # Hyyrö 2004: one row of bits for each word of the reference, a bit for each word of the candidate.
    full = (1 << len(candidate)) - 1
    rows = [0]
    falling = full
    for at in kept:
        both = falling & places[reference[at]]
        falling = ((falling + both) | (falling - both)) & full
        rows.append(~falling & full)
    common: set[int] = set()
    # Back through the rows from both ends, as rouge-score goes back through its table.
    i, j = len(kept), len(candidate)
    while i > 0 and j > 0:
        at = kept[i - 1]
        if reference[at] == candidate[j - 1]:
            common.add(at)
            i -= 1
            j -= 1
            continue
        before = (1 << (j - 1)) - 1
        above = rows[i - 1] & (before << 1 | 1)
        if (rows[i] & before).bit_count() > above.bit_count():
            j -= 1
        else:
            i -= 1
    return common


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    """The stem of one word, as rouge-score gives it."""
    if len(word) <= _LEAST or (word[-1] not in "seyi" and word[-2:] not in _STEMMED):
        return word
    return porter_stem(word)


_LEAST = 3
"""Letters of the longest words that rouge-score leaves as they are."""
_STEMMED = frozenset(("ed", "ng", "er", "or", "sm", "on", "nt", "ic", "al", "ul", "ll", "ou"))
"""Ends of the suffixes that Porter's steps look for, but those in s, e, y and i: a word that ends in
none of them is its own stem."""
