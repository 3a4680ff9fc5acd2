"""The stemmer gives what nltk's gives, on 200,000 words."""

from __future__ import annotations

import random
import re

import pytest
from nltk.stem.porter import PorterStemmer

from argue_bench.text.overlap import porter_stem
from tests.shared import ROOT

_ENDS = (
    "ational tional enci anci izer bli alli entli eli ousli ization ation ator alism "
    "iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical "
    "ful ness al ance ence er ic able ible ant ement ment ent sion tion ion ou ism ate iti "
    "ous ive ize e ll ies ied eed ed ing s sses ss y logy ally fully bly"
)
ENDS = _ENDS.split()


def _words() -> set[str]:
    """Every word of the docs and the embedded documents, and made ones with Porter's suffixes."""
    paths = [*ROOT.glob("docs/*.md"), *ROOT.glob("argue_bench/data/core/*/documents.jsonl")]
    words = {
        word
        for path in paths
        for word in re.findall("[a-z0-9]+", path.read_text(encoding="utf-8").lower())
    }
    draw = random.Random(1)
    while len(words) < 200_000:
        start = "".join(draw.choices("abcdefgilmnorstuyz", k=draw.randint(0, 5)))
        words.add(start + "".join(draw.choices(ENDS, k=draw.randint(1, 3))))
    return words


@pytest.mark.slow
def test_equal_to_nltk() -> None:
    theirs = PorterStemmer().stem
    assert not [word for word in _words() if porter_stem(word) != theirs(word)]


def test_irregular_words() -> None:
    words = "sky skies dying lying tying news innings outings cannings howe proceed exceed succeed"
    theirs = PorterStemmer().stem
    for word in words.split():
        assert porter_stem(word) == theirs(word)
    assert [porter_stem(word) for word in ("", "a", "as", "dies", "died", "fly", "by")] == [
        *("", "a", "as", "die", "die", "fli", "by"),
    ]
