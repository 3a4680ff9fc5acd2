"""What ARGUE leaves open, decided: one frozen record, and the presets that a metric text names.

Mayfield et al. 2024 (SIGIR, "On the Evaluation of Machine-Generated Reports") give a tree and leave
choices; Auto-ARGUE (arXiv 2509.26184) made some of them. Scores under different rules are different
scores, so the preset's name is in the metric's text: ``argue(rules=auto-argue)``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

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
    unanswerable nuggets without answers are ``counted`` in the denominator, or ``left-out``
    negative     negative assertions are ``judged`` where a topic has an unanswerable nugget, or not
    scored       sentences that support divides by: ``needed`` (cited; uncited that need a citation
                 and say something new; negative assertions), or ``cited`` alone
    nothing      a share of nothing (no sentence to score, no citation) is ``zero`` or ``left-out``
    unlinked     relevance by look-up where no nugget names a document: ``left-out`` or ``zero``
    missing      a topic without a report is ``zero`` on everything, or ``left-out``
    vital, okay  weights of labelled nuggets; where none is labelled every weight is 1
    """

    answers: Literal["any", "cited"] = "any"
    relevance: Literal["look-up", "judged"] = "look-up"
    unsupported: Literal["earns-nothing", "earns"] = "earns-nothing"
    wrong: Literal["cancels", "ignored"] = "cancels"
    unanswerable: Literal["counted", "left-out"] = "counted"
    negative: Literal["judged", "off"] = "judged"
    scored: Literal["needed", "cited"] = "needed"
    nothing: Literal["zero", "left-out"] = "zero"
    unlinked: Literal["left-out", "zero"] = "left-out"
    missing: Literal["zero", "left-out"] = "zero"
    vital: float = 2.0
    okay: float = 1.0


_AUTO_ARGUE = Rules(
    answers="cited",
    unsupported="earns",
    wrong="ignored",
    negative="off",
    unlinked="zero",
    missing="left-out",
)

PRESETS: dict[Preset, Rules] = {
    "default": Rules(),
    "argue-2024": Rules(answers="cited", wrong="ignored"),
    "auto-argue": _AUTO_ARGUE,
    "auto-argue-all": replace(_AUTO_ARGUE, answers="any", relevance="judged"),
    "auto-argue-paper": replace(_AUTO_ARGUE, scored="cited", vital=1.0, okay=0.5),
}
"""``auto-argue`` counts as its published outputs do; ``-all`` is --always-check-all-nuggets; ``-paper``
words support and weights as the paper does where its README differs; ``argue-2024`` is the tree."""
