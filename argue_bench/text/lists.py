"""Bare lists: names and numbers in a row, which state nothing.

A sentence says something of what it names by its other words: a verb, a preposition, a noun. Whoever
strings the names and numbers of some documents together holds every answer and gives none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

MOST_BARE: Final = 0.8
"""The share of names and numbers among the words of a sentence, above which it is a bare list."""
LISTED, SPARE = 3, 12
"""How many words the lists of an answer may have for each word that is wanted, and beside these."""
SHORT: Final = 3
"""Letters: of, in, the, was; de, les, est; der, ist, von."""
_WORD = re.compile(r"[^\W_]+(?:[-'’.,][^\W_]+)*")


def is_list(words: Iterable[str]) -> bool:
    """Whether so many of the words are names (begin with a capital) or numbers that they state nothing.

    No words are no list. Tokens that begin with neither a letter nor a digit are no words.

    >>> is_list("Dugrold Vedisk 1991".split()), is_list("Dugrold opened in 1991".split())
    (True, False)
    """
    known = [word for word in words if word[:1].isalnum()]
    bare = sum(word[0].isupper() or word[0].isdigit() for word in known)
    return bare > MOST_BARE * len(known)


def stated(sentences: Sequence[Sequence[str]], wanted: int) -> list[int]:
    """Places of the sentences that count, each given as its words: all, or those that are no lists.

    Lists are here those without small words too: whoever lists writes names in small letters as well.
    They count where they are together, each once, about as long as the ``wanted`` words: a short answer, and a list
    of what was asked for.
    """
    lists = [
        is_list(words) or not any(_is_small(word) for word in (words[0].lower(), *words[1:]))
        for words in sentences
    ]
    distinct = {tuple(words) for words, bare in zip(sentences, lists, strict=True) if bare}
    held = sum(map(len, distinct))
    few = held <= SPARE + LISTED * wanted
    return [place for place, bare in enumerate(lists) if few or not bare]


def _is_small(word: str) -> bool:
    """In small letters, and as short as most words without content; so are words of scripts without case."""
    if not word[:1].isalpha() or word[0].isupper():
        return False
    return len(word) <= SHORT or word[0].upper() == word[0]


def stated_text(sentences: Sequence[str], wanted: Iterable[str]) -> str:
    """The sentences that count, as one text, where the gold's strings are ``wanted``."""
    words = [_WORD.findall(sentence) or [""] for sentence in sentences]
    most = sum(len(_WORD.findall(string)) for string in wanted)
    return " ".join(sentences[place] for place in stated(words, most))
