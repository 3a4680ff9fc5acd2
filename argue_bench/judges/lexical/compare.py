"""Comparison of a sentence with a text: which of its words, values and names the text has."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping

from argue_bench.judges.lexical import known_words as words
from argue_bench.judges.lexical.reading import Name, Reading, initials, join
from argue_bench.judges.lexical.values import Value

WINDOW, SCATTERED = 4, 6
"""Sentences of a source that may support a sentence together; values up to which they may lie apart."""
BEST = 6
"""Places of a source that are looked at closely, those with most words in common first."""
_DENIED = 0.34
"""Share of what a sentence denies that its likeliest place says, where the two are opposed."""
_ACRONYM = 6
"""Letters of an acronym, at most."""


def places(wanted: Reading, text: Reading, most: int = WINDOW) -> Iterator[Reading]:
    """The places of a text that are likest to the sentence wanted, likest first; each read as one.

    A place is some sentences that stand together, up to ``most``.
    """
    spans = _spans(text.shared_with(wanted.stems), len(text.parts), most)
    for _, size, start in heapq.nsmallest(BEST, spans):
        yield join(text.parts[start : start + size])


def _spans(shared: Mapping[int, int], parts: int, most: int) -> Iterator[tuple[float, int, int]]:
    """The spans of up to ``most`` parts that share a stem: how much they share, negative, size and start."""
    if parts == 1:
        yield -float(shared.get(0, 0)), 1, 0
        return
    held = dict(shared)
    for size in range(1, min(most, parts) + 1):
        if size > 1:
            held.pop(parts - size + 1, None)
            for last, found in shared.items():
                if (start := last - size + 1) >= 0:
                    held[start] = held.get(start, 0) + found
        # Of one size those that share less than the best few are not among the best of all.
        least, root = min(heapq.nlargest(BEST, held.values()), default=0), size**0.5
        yield from ((-found / root, size, start) for start, found in held.items() if found >= least)


def scattered(wanted: Reading, text: Reading) -> Iterator[Reading]:
    """The likeliest sentence for each value, together: for sentences that join several facts.

    One place or none, for there must be two values to lie apart; each may be in another source.
    """
    chosen: set[int] = set()
    shared = text.shared_with(wanted.stems) if len(wanted.values) > 1 else {}
    for value in wanted.values if 1 < len(wanted.values) <= SCATTERED else ():
        holding = [(shared.get(number, 0), -number) for number in text.stating(value)]
        if not holding:
            return
        chosen.add(-max(holding)[1])
    if len(chosen) > 1:
        yield join(tuple(text.parts[number] for number in sorted(chosen)))


def share(part: frozenset[str], whole: frozenset[str]) -> float:
    """The share of stems that the other holds; 1 where there are none to hold."""
    return len(part & whole) / len(part) if part else 1.0


def unmatched(wanted: Iterable[Value], place: Reading, text: Reading | None = None) -> list[Value]:
    """Values that the place does not state; a bare year may stand anywhere in the text."""
    return [
        value
        for value in wanted
        if not place.states(value)
        and not (text and value.date[1:] == (0, 0) and f"#{value.date[0] or '-'}" in text.stems)
    ]


def has_name(name: Name, held: Reading) -> bool:
    """Whether a text has a name: most of its words, or its last word without a rival.

    'Mr Teldrake' is Ruvan Teldrake; 'Anselme Crozenec' is not Sabelin Crozenec.
    """
    missing = [part for part in name if not (part in words.TITLES or held.says(part))]
    if not missing or (len(name) > 2 and 2 * len(missing) < len(name)):
        return True
    *given, last = name
    if len(name) == 1:
        return 1 < len(last) <= _ACRONYM and last in held.initials
    if last in missing:
        return held.says(initials(name))
    # 'R. Teldrake' and 'Mr Teldrake' are no rivals of Ruvan Teldrake.
    rivals = (other for other in held.names_on(last) if not set(given) & set(other))
    return all(
        given[0].startswith(first) or first.startswith(given[0]) or first in words.TITLES
        for first, *others in rivals
        if others
    )


def opposed(wanted: Reading, place: Reading) -> bool:
    """Whether one says what the other denies, as far as negations and opposites show it."""
    nearest = max(place.parts, key=lambda one: len(wanted.stems & one.stems))
    both = wanted.negated & nearest.negated - {""}
    if wanted.unknown:
        return not (place.unknown or both)
    # What the sentence denies, its likeliest place says and does not deny.
    told = (wanted.negated & nearest.stems) - nearest.negated
    enough = _DENIED * len(wanted.negated - {""}) <= len(told) > 0
    if enough and not (nearest.unknown or both):
        return True
    # Denied wherever it is said, and more than a word in passing.
    denied = place.negated & wanted.stems
    everywhere = all(denied & one.stems <= one.negated for one in place.parts)
    if everywhere and len(denied) > 1 and not wanted.negated:
        return True
    return any(
        f" {other} " in place.flat and f" {other} " not in wanted.flat
        for word in words.ANTONYMS.keys() & wanted.flat.split()
        if f" {word} " not in place.flat
        for other in words.ANTONYMS[word]
    )
