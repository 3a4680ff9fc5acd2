"""ARGUE's decision tree for one sentence (Mayfield et al. 2024, section 4).

A reward adds to both sides of support, a penalty to its denominator
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


class SentenceOutcome(StrEnum):
    """How a sentence counts."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    UNCITED = "uncited"
    REPEATED = "repeated"
    IGNORED = "ignored"
    NEGATIVE_CONFIRMED = "negative-confirmed"
    NEGATIVE_UNCONFIRMED = "negative-unconfirmed"

    @property
    def rewarded(self) -> bool:
        return self in (SentenceOutcome.SUPPORTED, SentenceOutcome.NEGATIVE_CONFIRMED)

    @property
    def cited(self) -> bool:
        return self in (SentenceOutcome.SUPPORTED, SentenceOutcome.UNSUPPORTED)

    def scored(self, rules: Rules) -> bool:
        """Whether support divides by it."""
        if rules.scored == "cited":
            return self.cited
        return self not in (SentenceOutcome.REPEATED, SentenceOutcome.IGNORED)


class NuggetMatch(NamedTuple):
    """An accepted answer of a nugget, both by position."""

    nugget: int
    answer: int


@dataclass(frozen=True, slots=True)
class SentenceVerdicts:
    """The verdicts on one sentence; those that the tree does not reach may keep their defaults."""

    cited: bool
    attested: bool = False
    """By each document that it cites; with ``support=joint`` by all of them read together."""
    answers: tuple[NuggetMatch, ...] = ()
    negative: bool = False
    confirms: tuple[int, ...] = ()
    """Nuggets without answers that it says cannot be answered."""
    needs_citation: bool = True
    first: bool = True


class Classified(NamedTuple):
    """The outcome of a sentence, with the answers and unanswerable nuggets that it earns."""

    outcome: SentenceOutcome
    answers: tuple[NuggetMatch, ...] = ()
    confirmed: tuple[int, ...] = ()


def classify_sentence(verdicts: SentenceVerdicts, rules: Rules) -> Classified:
    """Sends a sentence down the tree."""
    if not verdicts.cited:
        if verdicts.negative and rules.negative == "judged":
            if verdicts.confirms:
                return Classified(SentenceOutcome.NEGATIVE_CONFIRMED, confirmed=verdicts.confirms)
            return Classified(SentenceOutcome.NEGATIVE_UNCONFIRMED)
        if not verdicts.needs_citation:
            return Classified(SentenceOutcome.IGNORED)
        return Classified(SentenceOutcome.UNCITED if verdicts.first else SentenceOutcome.REPEATED)
    if not verdicts.attested:
        return Classified(
            SentenceOutcome.UNSUPPORTED, verdicts.answers if rules.unsupported == "earns" else ()
        )
    return Classified(SentenceOutcome.SUPPORTED, verdicts.answers)
