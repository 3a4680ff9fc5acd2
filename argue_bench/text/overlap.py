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

# Porter's stemmer (Porter 1980, "An algorithm for suffix stripping") with the departures of nltk's.
#
# rouge-score stems with nltk's, whose departures from the paper are: a few irregular words; ``ies`` and ``ied``
# in words of four letters; ``y`` after a consonant whether or not a vowel comes before; ``alli``, ``bli``,
# ``fulli`` and ``logi`` in step 2; and words of two letters that end in a vowel and a consonant. It is written
# here because importing nltk takes longer than a small evaluation.

_IRREGULAR = {
    "skies": "sky",
    "sky": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}
# Steps 2 and 3: suffix and what takes its place, where the rest has a measure above 0. Of two suffixes of
# a word the first in the list counts.
_STEP_2 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),
)
_STEP_3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou"),
    *("ism", "ate", "iti", "ous", "ive", "ize"),
)


def porter_stem(word: str) -> str:
    """The stem of a word in lower case.

    >>> porter_stem("relational"), porter_stem("flying"), porter_stem("skies")
    ('relat', 'fli', 'sky')
    """
    if len(word) <= 2:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = _without_y(_without_past(_without_plural(word)))
    return _without_e(_fourth(_replaced(_second(word), _STEP_3)))


def _shape(text: str) -> str:
    """``c`` for each consonant and ``v`` for each vowel; y is a vowel after a consonant."""
    found = ""
    for letter in text:
        vowel = letter in "aeiou" or (letter == "y" and found[-1:] == "c")
        found += "v" if vowel else "c"
    return found


def _measure(text: str) -> int:
    """How often consonants follow vowels: Porter's m."""
    return _shape(text).count("vc")


def _ends_short(text: str) -> bool:
    """Whether the end is consonant, vowel, consonant other than w, x and y; or vowel, consonant alone."""
    shape = _shape(text)
    return (shape[-3:] == "cvc" and text[-1] not in "wxy") or shape == "vc"


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and "v" in _shape(word[: -len(ending)]):
            rest = word[: -len(ending)]
            break
    else:
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest[-1:] == rest[-2:-1] and _shape(rest)[-1:] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _without_y(word: str) -> str:
    ends = word.endswith("y") and len(word) > 2 and _shape(word[:-1])[-1] == "c"
    return word[:-1] + "i" if ends else word


def _second(word: str) -> str:
    # nltk's departure: "alli" becomes "al", and that goes through the step again.
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _second(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, _STEP_2)


def _replaced(word: str, endings: Sequence[tuple[str, str]]) -> str:
    """The word with the first of these endings that it has replaced, where enough stands before it."""
    for ending, other in endings:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + other if _measure(rest) > 0 else word
    return word


def _fourth(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            # "ion" comes off behind s and t alone: "adoption", not "onion".
            stands = _measure(rest) > 1 and (ending != "ion" or rest[-1:] in ("s", "t"))
            return rest if stands else word
    return word


def _without_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


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
    return word if len(word) <= _LEAST else porter_stem(word)


# Letters of the longest words that rouge-score leaves as they are.
_LEAST = 3
