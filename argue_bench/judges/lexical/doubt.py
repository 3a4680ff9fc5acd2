"""How likely people would find something wrong with a sentence, from what its sources lack of it.

A logistic model on what can be counted: shares of the sentence's words that its likeliest place and all sources
lack, missing names and values, and its length. Its weights were fitted on people's spans in answers to questions
(RAGTruth; ``python -m benchmarks.cascade --fit``), with bad and good sentences counted alike: a half of all
sentences with the probability 0.5 would be bad if a half of all were.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, pairwise

from argue_bench.judges.lexical.compare import has_name, places, unmatched
from argue_bench.judges.lexical.reading import read_sentence, read_sources
from argue_bench.records import Entails, SupportLevel

# place, all, names, values, strange words, the longest run of them, pairs of words, length, and what is always so
WEIGHTS = (0.42, -0.17, 0.41, 0.62, 0.3, 0.01, 1.05, -0.52, -0.74)
# More names or values, and more words, than these say nothing more.
_MANY, _MOST = 3, 8


def features(request: Entails | SupportLevel) -> tuple[float, ...] | None:
    """The features of a sentence beside its sources; None where there is nothing to compare."""
    text = read_sources(request.premise)
    sentence = request.hypothesis if isinstance(request, Entails) else request.sentence
    wanted, asked = read_sentence(sentence), read_sentence(request.question).stems
    if not text.parts or not wanted.stems:
        return None
    near = [_weight(wanted.stems - place.stems) for place in places(wanted, text)]
    missing, total = wanted.stems - text.stems - asked, _weight(wanted.stems)
    words, (known, pairs) = wanted.flat.split(), _words(text.flat)
    said = list(pairwise(words))
    run = longest = 0
    for word in words:
        run = 0 if word in known else run + 1
        longest = max(longest, run)
    return (
        min(near, default=total) / total,
        _weight(missing) / total,
        min(_MANY, sum(not has_name(name, text) for name in wanted.names)),
        min(_MANY, len(unmatched(wanted.values, text, text))),
        min(len(missing), _MOST),
        min(longest, _MOST),
        sum(pair not in pairs for pair in said) / max(1, len(said)),
        math.log1p(len(wanted.stems)),
        1.0,
    )


def _weight(stems: Iterable[str]) -> float:
    """Numbers count twice."""
    return sum(2.0 if stem[0] == "#" else 1.0 for stem in stems)


@lru_cache(maxsize=64)
def _words(flat: str) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """The words of a text, and its pairs of neighbours and of words with one between."""
    words = flat.split()
    after = chain(pairwise(words), zip(words, words[2:], strict=False))
    return frozenset(words), frozenset(after)


def doubt(request: Entails | SupportLevel) -> float | None:
    """The probability that people would find something wrong; None where there is nothing to compare."""
    if (found := features(request)) is None:
        return None
    score = sum(weight * value for weight, value in zip(WEIGHTS, found, strict=True))
    return 1 / (1 + math.exp(-score))
