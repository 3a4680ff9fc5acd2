"""What a sentence states, without its talk about the sources: "Passage 2 states that", "(source 1)"."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from argue_bench.judges.lexical import known_words as words
from argue_bench.judges.lexical.reading import fold
from argue_bench.text.refusals import refuses_in_words
from argue_bench.text.statements import states_nothing

_LEADING = tuple(map(words.about, ("joins", "notes", "leads", "subject")))
_MARK, _BRACKET, _NUMBERED, _SUBJECT, _DENIAL, _UNSAID = map(
    words.about, ("mark", "bracket", "numbered", "subject", "denial", "unsaid")
)
_LONGEST = 1_000
"""Characters of a sentence that is looked at for talk about sources; a longer one is compared as it is."""
_LEAST = 3
"""Characters that must be left of it."""


class Stated(NamedTuple):
    """What a sentence states: its words, and whether it does so at all.

    ``leads``: it announces what follows; ``asks``: it is a question or an offer; ``denies``: it says
    that the sources do not say something.
    """

    text: str
    leads: bool = False
    asks: bool = False
    denies: bool = False


@lru_cache(maxsize=4096)
def stated(sentence: str) -> Stated:
    """What a sentence of an answer states.

    >>> stated("Based on the given passages, the bridge (passage 1) opened in 1931.").text
    'The bridge opened in 1931.'
    """
    plain = sentence.rstrip(" *_\n")
    leads, asks = plain.endswith(":"), plain.endswith("?")
    if len(sentence) > _LONGEST:
        return Stated(sentence, leads, asks)
    text = _MARK.sub("", fold(sentence).replace("**", "").replace("__", ""))
    denies = bool(_DENIAL.search(text)) or refuses_in_words(sentence)
    text = _BRACKET.sub("", text)
    for pattern in (*_LEADING, *_LEADING):
        rest = pattern.sub("", text, count=1)
        if len(rest) > _LEAST and rest != text:
            text = rest[0].upper() + rest[1:]
    text = _UNSAID.sub("", text) or text
    for pattern in (_NUMBERED, _SUBJECT):
        rest = pattern.sub(" ", text).strip()
        text = rest if len(rest) > _LEAST else text
    text = " ".join(text.replace(" .", ".").split())
    return Stated(text or sentence, leads, asks or states_nothing(sentence), denies)
