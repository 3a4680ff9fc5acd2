"""Bare lists: names and numbers in a row that make no statement.

A sentence says something of what it names by its words of content: verbs, nouns. Whoever strings the
names and numbers of some documents together, be it with "of the" and "was in it" between them, holds
every answer and gives none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from argue_bench.text.vocabulary import STOP

MOST_BARE: Final = 0.8
"""The share of names and numbers among the words of a sentence, above which it is a bare list."""
NAMED: Final = 5
"""How many names and numbers one word of content may speak of."""
FEW: Final = 0.2
"""The share of a report's sentences that may name things and say nothing of them."""
LISTED, SPARE = 3, 12
"""How many words the lists of an answer may have for each word that is wanted, and beside these."""
SMALL, FEWEST = 3, 3
"""How many names and words of content one small word may tie, where a sentence has so many at least."""
SHORT: Final = 3
"""Letters: of, in, the, was; de, les, est; der, ist, von."""
STEM: Final = 5
"""Letters by which two words of content are one."""
_WORD = re.compile(r"[^\W_]+(?:[-'’.,][^\W_]+)*")


def is_list(words: Iterable[str]) -> bool:
    """Whether the words are nearly all names (begin with a capital) and numbers, or say too little of them.

    Several names are tied by a word of content, such as a verb; words like "of the" tie nothing. No
    words are no list. Tokens that begin with neither a letter nor a digit are no words.

    >>> is_list("Dugrold Vedisk 1991".split()), is_list("Dugrold opened in 1991".split())
    (True, False)
    >>> is_list("Dugrold of the Vedisk of the 1991 was in it".split())
    True
    """
    found = _counted(tuple(words))
    return found.bare or (found.runs > 1 and found.runs > NAMED * found.said)


def names_alone(words: Iterable[str]) -> bool:
    """Whether the words are a list, or name something of which nothing is said ("It was Dugrold")."""
    found = _counted(tuple(words))
    return found.bare or found.runs > NAMED * found.said


def says_nothing(words: Iterable[str]) -> bool:
    """Whether the words are names alone, or keywords: words of content with few small ones between them."""
    found = _counted(tuple(words))
    keywords = found.told >= FEWEST and SMALL * found.small < found.told
    return found.bare or found.runs > NAMED * found.said or keywords


class _Counts(NamedTuple):
    """Counts of the kinds of words in a sentence."""

    bare: bool
    """Nearly all are names and numbers."""
    runs: int
    """Runs of names and numbers."""
    said: int
    """Distinct words of content."""
    small: int
    told: int
    """Runs, and words that are not small."""


# A sentence is looked at for each answer that is sought in it.
@lru_cache(maxsize=20_000)
def _counted(words: tuple[str, ...]) -> _Counts:
    known = [word for word in words if word[:1].isalnum()]
    runs = bare = small = told = 0
    said: set[str] = set()
    running, second = False, known[1][0] if len(known) > 1 else ""
    for place, word in enumerate(known):
        plain = word.lower()
        if _is_small(word if place else plain):
            small += 1
        elif word[0].islower():
            told += 1
        if not place and word[0].isupper() and not second.isupper():
            continue  # any word begins a sentence with a capital
        before, running = running, word[0].isdigit() or (word[0].isupper() and plain not in STOP)
        if running:
            bare += 1
            runs += not before
        elif plain not in STOP:
            said.add(plain[:STEM])
    return _Counts(bare > MOST_BARE * len(known), runs, len(said), small, runs + told)


def states(sentence: str) -> bool:
    """Whether a sentence is more than names or keywords."""
    return not says_nothing(_WORD.findall(sentence))


def naming(sentences: Sequence[str]) -> frozenset[int]:
    """Places of the sentences of a report that name things and say nothing of them, if they are many.

    Among others that say something one is understood ("It was Dugrold."): so none where they are at
    most a fifth of the report, or one.
    """
    places = [at for at, one in enumerate(sentences) if names_alone(_WORD.findall(one))]
    return frozenset(places if len(places) > max(1, len(sentences) * FEW) else ())


def stated(sentences: Sequence[Sequence[str]], wanted: int) -> list[int]:
    """Places of the sentences that count, each given as its words: all, or those that are no lists.

    Keywords are lists here too: whoever lists writes names in small letters as well.
    They count where they are together, each once, about as long as the ``wanted`` words: a short answer, and a list
    of what was asked for.
    """
    lists = [says_nothing(words) for words in sentences]
    distinct = {tuple(words) for words, bare in zip(sentences, lists, strict=True) if bare}
    held = sum(map(len, distinct))
    few = held <= SPARE + LISTED * wanted
    return [place for place, bare in enumerate(lists) if few or not bare]


def _is_small(word: str) -> bool:
    """In small letters, and as short as most words without content; so are words of scripts without case."""
    if not word[:1].isalpha() or word[0].isupper():
        return False
    return word in STOP or len(word) <= SHORT or word[0].upper() == word[0]


def stated_text(sentences: Sequence[str], wanted: Iterable[str]) -> str:
    """The sentences that count, as one text, where the gold's strings are ``wanted``."""
    words = [_WORD.findall(sentence) or [""] for sentence in sentences]
    most = sum(len(_WORD.findall(string)) for string in wanted)
    return " ".join(sentences[place] for place in stated(words, most))
