"""What becomes of a sentence? ARGUE's tree, readable as a tree.

Mayfield et al. 2024, section 4. A reward adds to both sides of support, a penalty to its denominator
only, and nothing is ever subtracted. A nugget is earned by the sentence, and counts once a report.

    sentence
    ├── cites nothing
    │   ├── says that something is unknown (where a nugget has no answer)
    │   │   ├── such a nugget confirms it            NEGATIVE_CONFIRMED    reward, earns the nugget
    │   │   └── none does                            NEGATIVE_UNCONFIRMED  penalty
    │   └── else
    │       ├── needs no citation                    IGNORED
    │       ├── says what was said before            REPEATED              ignored
    │       └── needs one and is new                 UNCITED               penalty
    └── cites
        ├── a cited document does not attest it      UNSUPPORTED           penalty
        └── all do                                   SUPPORTED             reward, earns what it answers
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from argue_bench.metrics.argue.rules import Rules


class Fate(StrEnum):
    """What became of a sentence."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    UNCITED = "uncited"
    REPEATED = "repeated"
    IGNORED = "ignored"
    NEGATIVE_CONFIRMED = "negative-confirmed"
    NEGATIVE_UNCONFIRMED = "negative-unconfirmed"

    @property
    def rewarded(self) -> bool:
        return self in (Fate.SUPPORTED, Fate.NEGATIVE_CONFIRMED)

    @property
    def cited(self) -> bool:
        return self in (Fate.SUPPORTED, Fate.UNSUPPORTED)

    def scored(self, rules: Rules) -> bool:
        """Whether support divides by it."""
        if rules.scored == "cited":
            return self.cited
        return self not in (Fate.REPEATED, Fate.IGNORED)


class Match(NamedTuple):
    """An accepted answer of a nugget, both by position."""

    nugget: int
    answer: int


@dataclass(frozen=True, slots=True)
class Said:
    """What judges said about one sentence; what the tree does not reach may be left as it is."""

    cited: bool
    attested: bool = False
    """By each document that it cites; with ``support=joint`` by all of them read together."""
    answers: tuple[Match, ...] = ()
    negative: bool = False
    confirms: tuple[int, ...] = ()
    """Nuggets without answers that it says cannot be answered."""
    needs_citation: bool = True
    first: bool = True


class Leaf(NamedTuple):
    """The end of a branch: a fate, the answers and the unanswerable nuggets that are earned."""

    fate: Fate
    answers: tuple[Match, ...] = ()
    confirmed: tuple[int, ...] = ()


def climb(said: Said, rules: Rules) -> Leaf:
    """The leaf that a sentence ends on."""
    if not said.cited:
        if said.negative and rules.negative == "judged":
            if said.confirms:
                return Leaf(Fate.NEGATIVE_CONFIRMED, confirmed=said.confirms)
            return Leaf(Fate.NEGATIVE_UNCONFIRMED)
        if not said.needs_citation:
            return Leaf(Fate.IGNORED)
        return Leaf(Fate.UNCITED if said.first else Fate.REPEATED)
    if not said.attested:
        return Leaf(Fate.UNSUPPORTED, said.answers if rules.unsupported == "earns" else ())
    return Leaf(Fate.SUPPORTED, said.answers)
