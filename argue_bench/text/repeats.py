"""Sentences that say again what was said, word for word."""

from __future__ import annotations

from collections.abc import Iterable

Said = tuple[str, Iterable[str]]
"""A sentence, and what it cites."""


def said_before(sentences: Iterable[Said]) -> frozenset[int]:
    """The positions, from 0, of sentences that stood before in the same words with the same citations.

    Case, spaces and the mark at the end are no difference. A share of sentences would else rise by saying
    again what is supported.

    >>> sorted(said_before([("It rose.", "a"), ("it rose", "a"), ("It rose.", "b")]))
    [1]
    """
    seen: set[tuple[str, frozenset[str]]] = set()
    again = []
    for place, (text, cited) in enumerate(sentences):
        words = " ".join(text.split()).casefold().rstrip(".!?。！？ ")
        said = words, frozenset(cited)
        if words and said in seen:
            again.append(place)
        seen.add(said)
    return frozenset(again)
