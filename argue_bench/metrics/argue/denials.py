"""Decides which denials of a report count, where they are weighed together.

Of each denial ARGUE's tree asks alone whether a nugget without answers confirms it. A report that
denies whatever is asked, without reading, then earns every such nugget. Here

1.  a denial that speaks of more than half of the nuggets that have answers (of three or more) denies
    everything, and confirms nothing;
2.  a nugget confirms one denial: further ones confirm nothing, and one in the same words is a repeat;
3.  where not more denials confirm something than do not, none does: one right guess of two is a guess;
4.  denials earn nothing in a report that answers fewer than two thirds of the nuggets that have answers (of
    three or more; a list in part is enough): who found less of what is there cannot know what is not, and may have guessed. (Where half
    were enough, a guess added 1.2 points on core beside half of the facts; now 0.8 at most.)

By the last rule such a denial earns no nugget, but stays a rewarded sentence: an honest one costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from argue_bench.metrics.argue.tree import Classified, SentenceOutcome, SentenceVerdicts

FEWEST = 3
"""Nuggets with answers, from which on a denial can be one of everything."""


def denies_everything(denied: int, answerable: int) -> bool:
    """Whether a denial that speaks of so many of the answerable nuggets denies everything."""
    return answerable >= FEWEST and 2 * denied > answerable


def bears_denials(answered: int, answerable: int) -> bool:
    """Whether a report that answers so many of the answerable nuggets can know what is missing."""
    return answerable < FEWEST or 3 * answered >= 2 * answerable


def weigh_denials(
    texts: Sequence[str], verdicts: Sequence[SentenceVerdicts], found: Sequence[Classified]
) -> list[Classified]:
    """The outcomes of the sentences of a report after its denials are weighed together."""
    weighed = list(found)
    denials: dict[int, tuple[int, ...]] = {}
    seen: set[str] = set()
    for place, one in enumerate(found):
        if one.outcome in (
            SentenceOutcome.NEGATIVE_CONFIRMED,
            SentenceOutcome.NEGATIVE_UNCONFIRMED,
        ):
            words = " ".join(texts[place].split()).casefold()
            if words in seen:
                weighed[place] = Classified(SentenceOutcome.REPEATED)
            else:
                seen.add(words)
                denials[place] = () if verdicts[place].blanket else one.confirmed
    right = _matched(denials)
    if 2 * len(right) <= len(denials):
        right = set()
    for place, confirmed in denials.items():
        weighed[place] = (
            Classified(SentenceOutcome.NEGATIVE_CONFIRMED, confirmed=confirmed)
            if place in right
            else Classified(SentenceOutcome.NEGATIVE_UNCONFIRMED)
        )
    return weighed


def _matched(denials: Mapping[int, tuple[int, ...]]) -> set[int]:
    """The denials that have a nugget of their own, as many as there can be."""
    taken: dict[int, int] = {}

    def place(denial: int, tried: set[int]) -> bool:
        for nugget in denials[denial]:
            if nugget not in tried:
                tried.add(nugget)
                if nugget not in taken or place(taken[nugget], tried):
                    taken[nugget] = denial
                    return True
        return False

    for denial in denials:
        place(denial, set())
    return set(taken.values())
