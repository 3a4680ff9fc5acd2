"""Comparison of a sentence with a text: which of its words, values and names the text has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical import vocabulary as words
from argue_bench.judges.lexical.reading import Name, Reading, ReadText, stem
from argue_bench.judges.lexical.values import Value, agree


@dataclass(frozen=True, slots=True)
class Place:
    """One to three sentences of a text that stand together."""

    sentences: tuple[Reading, ...]
    values: tuple[Value, ...]
    words: frozenset[str]
    stems: frozenset[str]

    @classmethod
    def of(cls, sentences: Sequence[Reading]) -> Place:
        """The sentences as one."""
        if len(sentences) == 1:
            only = sentences[0]
            return cls((only,), only.values, only.words, only.stems)
        return cls(
            tuple(sentences),
            tuple(value for sentence in sentences for value in sentence.values),
            frozenset().union(*(sentence.words for sentence in sentences)),
            frozenset().union(*(sentence.stems for sentence in sentences)),
        )


def places(wanted: Reading, text: ReadText, most: int = at.WINDOW) -> list[Place]:
    """The places of a text that are likest to the sentence wanted, likest first."""
    count = len(text.sentences)
    overlap = [
        len(wanted.stems & sentence.stems) + 2 * len(wanted.keys & sentence.keys)
        for sentence in text.sentences
    ]
    spans = [
        (sum(overlap[start : start + size]) / size**0.5, start, size)
        for size in range(1, min(most, count) + 1)
        for start in range(count - size + 1)
    ]
    spans.sort(key=lambda span: (-span[0], span[2], span[1]))
    return [
        Place.of(text.sentences[start : start + size])
        for score, start, size in spans[: at.BEST]
        if score or count == 1
    ]


def scattered(wanted: Reading, text: ReadText) -> Iterator[Place]:
    """The likeliest sentence for each value, together: for sentences that join several facts.

    One place or none, for there must be two values to lie apart; each may be in another source.
    """
    chosen: dict[int, Reading] = {}
    values = [value for value in wanted.values if not value.weak]
    for value in values if 1 < len(values) <= at.SCATTERED else ():
        holding = [
            (len(wanted.stems & one.stems), -number)
            for number, one in enumerate(text.sentences)
            if any(agree(value, found) for found in one.values)
        ]
        if not holding:
            return
        number = -max(holding)[1]
        chosen[number] = text.sentences[number]
    if len(chosen) > 1:
        yield Place.of([chosen[number] for number in sorted(chosen)])


def stem_share(part: frozenset[str], whole: frozenset[str]) -> float:
    """The share of stems that the other holds; 1 where there are none to hold."""
    return len(part & whole) / len(part) if part else 1.0


def unmatched(
    wanted: Iterable[Value], place: Place, text: ReadText | None = None, outdated: bool = False
) -> list[Value]:
    """Values that the place does not state. A year may stand anywhere in the text.

    A figure that the place calls outdated states nothing, unless it is wanted as ``outdated``.
    """
    missing: list[Value] = []
    for value in wanted:
        if value.weak:
            continue
        found = [one for one in place.values if agree(value, one)]
        if any(outdated or value.old or not one.old for one in found):
            continue
        if (
            text is not None
            and value.kind == "date"
            and value.date[1:] == (0, 0)
            and (value.date[0] in text.years)
        ):
            continue
        missing.append(value)
    return missing


def has_name(
    name: Name, held: frozenset[str], names: Iterable[Name] = (), abroad: bool = False
) -> bool:
    """Whether a name is there: all its words, its initials, or its last word without a rival.

    'Mr Teldrake' is Ruvan Teldrake; 'Anselme Crozenec' is not Sabelin Crozenec. Words such as
    'river' or 'office' may be missing as long as one that is the name's own is there; ``abroad``,
    where the text is in another language, any word of five letters will do for the others.
    """
    parts = name.parts
    own = [part for part in parts if part not in words.GENERIC]
    missing = [part for part in own if part not in held]
    if not own:
        return all(part in held for part in parts) or any(
            stem(part) in {stem(word) for word in held} for part in parts
        )
    if not missing or (abroad and any(len(part) > 4 and part in held for part in own)):
        return True
    if len(parts) >= 2:
        initials = "".join(part[0] for part in parts)
        short = "".join(part[0] for part in own)
        if initials in held or (len(short) >= 2 and short in held):
            return True
    if (
        len(parts) == 1
        and 2 <= len(parts[0]) <= 6
        and any(
            len(other.parts) >= 2
            and parts[0]
            in (
                "".join(p[0] for p in other.parts),
                "".join(p[0] for p in other.parts if p not in words.STOP),
            )
            for other in names
        )
    ):
        return True
    last = own[-1]
    if len(own) >= 2 and last in held:
        rivals = [
            other.parts
            for other in names
            if last in other.parts
            and len(other.parts) > 1
            and other.parts[-1] == last
            and not set(own) & (set(other.parts) - {last})
        ]
        # 'R. Teldrake' is no rival of Ruvan Teldrake.
        return all(len(first) == 1 and own[0].startswith(first) for first, *_ in rivals)
    return False


def opposed(wanted: Reading, place: Place) -> bool:
    """Whether one says what the other denies, as far as negations and opposites show it."""
    nearest = max(place.sentences, key=lambda one: len(wanted.stems & one.stems))
    if wanted.unknown != any(one.unknown for one in place.sentences):
        return wanted.unknown or (
            nearest.unknown and stem_share(wanted.stems, nearest.stems) >= 0.5
        )
    negative = any(one.negative for one in place.sentences)
    here = wanted.negated & place.stems
    if here and not negative and 2 * len(here) >= len(wanted.negated):
        return True
    denied = frozenset().union(*(one.negated for one in place.sentences))
    plain = denied & wanted.stems
    if plain and not wanted.negative:
        # Denied wherever it is said, and more than a word in passing.
        said = [one for one in place.sentences if plain & one.stems]
        if len(plain) >= 2 and all(plain <= one.negated | (plain - one.stems) for one in said):
            return True
    return any(
        (other := words.ANTONYMS.get(word)) is not None
        and other in place.words
        and word not in place.words
        and other not in wanted.words
        for word in wanted.words
    )
