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

The paper leaves choices, and Auto-ARGUE (arXiv 2509.26184) made some of them: `Rules` decides all of
them. Scores under different rules are different scores, so the preset's name is in the metric's text:
``argue(rules=auto-argue)``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, NamedTuple

Preset = Literal["default", "argue-2024", "auto-argue", "auto-argue-all", "auto-argue-paper"]


@dataclass(frozen=True, slots=True)
class Rules:
    """Every decision, with our own as the default.

    answers      which answers are tried on a cited sentence: ``any`` of them, or only those whose
                 references hold a document that it ``cited`` (a look-up; a pooling bias)
    relevance    a citation is relevant: by ``look-up`` (assessors' labels where there are some, else
                 the references of the nuggets), or ``judged`` for every answer
    unsupported  whether a sentence that a cited document does not attest ``earns`` nuggets
    wrong        an asserted wrong answer ``cancels`` its nugget's credit, or is ``ignored``
    negative     negative assertions are ``judged`` where a topic has an unanswerable nugget, or not
    scored       sentences that support divides by: ``needed`` (cited; uncited that need a citation
                 and say something new; negative assertions), or ``cited`` alone
    unlinked     relevance by look-up where no nugget names a document: ``left-out`` or ``zero``
    context      requests tell a judge that reads it what stands next to a sentence (``neighbours``), or
                 ``none``, as published prompts do
    missing      a topic without a report is ``zero`` on everything, or ``left-out``
    vital, okay  weights of labelled nuggets; where none is labelled every weight is 1
    """

    answers: Literal["any", "cited"] = "any"
    relevance: Literal["look-up", "judged"] = "look-up"
    unsupported: Literal["earns-nothing", "earns"] = "earns-nothing"
    wrong: Literal["cancels", "ignored"] = "cancels"
    negative: Literal["judged", "off"] = "judged"
    scored: Literal["needed", "cited"] = "needed"
    unlinked: Literal["left-out", "zero"] = "left-out"
    context: Literal["neighbours", "none"] = "neighbours"
    missing: Literal["zero", "left-out"] = "zero"
    # Auto-ARGUE's README; its paper (section 3.3) says 1 and 0.5.
    vital: float = 2.0
    okay: float = 1.0


_AUTO_ARGUE = Rules(
    answers="cited",
    unsupported="earns",
    wrong="ignored",
    negative="off",
    unlinked="zero",
    context="none",
    missing="left-out",
)

PRESETS: dict[Preset, Rules] = {
    "default": Rules(),
    "argue-2024": Rules(answers="cited", wrong="ignored", context="none"),
    "auto-argue": _AUTO_ARGUE,
    "auto-argue-all": replace(_AUTO_ARGUE, answers="any", relevance="judged"),
    "auto-argue-paper": replace(_AUTO_ARGUE, scored="cited", vital=1.0, okay=0.5),
}
"""``auto-argue`` counts as its published outputs do; ``-all`` is --always-check-all-nuggets; ``-paper``
words support and weights as the paper does where its README differs; ``argue-2024`` is the tree."""


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
    """By each document that it cites."""
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
    if verdicts.cited:
        if verdicts.attested:
            return Classified(SentenceOutcome.SUPPORTED, verdicts.answers)
        earned = verdicts.answers if rules.unsupported == "earns" else ()
        return Classified(SentenceOutcome.UNSUPPORTED, earned)
    # A denial is no statement that would need a citation: it ends here, confirmed or not.
    if verdicts.negative and rules.negative == "judged":
        if verdicts.confirms:
            return Classified(SentenceOutcome.NEGATIVE_CONFIRMED, confirmed=verdicts.confirms)
        return Classified(SentenceOutcome.NEGATIVE_UNCONFIRMED)
    if not verdicts.needs_citation:
        return Classified(SentenceOutcome.IGNORED)
    return Classified(SentenceOutcome.UNCITED if verdicts.first else SentenceOutcome.REPEATED)
