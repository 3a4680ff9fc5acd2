"""UMBRELA's grades of relevance, 0 to 3: read in a model's reply, and open-rag-eval's measures of them.

Sources: castorini/umbrela e2c4e41, the reader of replies; vectara/open-rag-eval dfc4175. UMBRELA tries
one pattern after the other, and the *last* match of the first that matches is the grade, so that a word
that ends in o before a digit beats the final score, and the year 1931 is the grade 1. Our own prompts
ask for a verdict in a form of its own and need none of this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from argue_bench.published.trec.relevance import RELEVANT

_SIGN = r"\s*[:;<=]?\s*"
"""What may stand between a label and its grade; umbrela wrote ``[:-=]``, a range of four characters."""
_LABELS = (
    *(f"{label}{_SIGN}" for label in ('"o"', "'o'", "o")),
    *(f'"{label}"{_SIGN}' for label in ("overall_score", "overall", "overall score")),
    *(f"{label}{_SIGN}" for label in ('"final score"', "final score")),
    "final score is ",
    *(f'"{label}"{_SIGN}' for label in ("final_score", "score", "o_score")),
    "output score is ",
    "score is ",
    r"score of\s+",
    r"score:\s*",
    r"[a-z]+\s+is\s+(?=.\s)",
    f"relevance category{_SIGN}",
    "relevance category is ",
    "it falls into the category ",
    r"category\s*",
    "relevance category for this passage would be ",
    "the relevance category would be ",
    "",
)
"""What stands before a grade, in umbrela's order; its labels that an earlier one always beats are left out."""
_PATTERNS = tuple(re.compile(f"{label}([0-3])", re.IGNORECASE) for label in _LABELS)


def read_grade(reply: str) -> int | None:
    """The grade in a reply, or None, which UMBRELA counts as 0 and marks as not valid."""
    text = reply.strip().lower()
    # The first pattern that matches anywhere wins, wherever a later one matches.
    for pattern in _PATTERNS:
        if found := pattern.findall(text):
            return int(found[-1])
    return None


def ranked_measures(
    grades: Sequence[int], depths: Iterable[int]
) -> dict[str, dict[str, float] | float]:
    """open-rag-eval's ``precision@``, ``AP@`` and ``MRR`` of grades in the order of the ranking.

    A depth beyond the list is left out. AP@k is divided by the relevant passages *among the first k*,
    so that those further down cost nothing. Nothing for an empty ranking.
    """
    if not grades:
        return {}
    relevant = [grade >= RELEVANT for grade in grades]
    kept = [depth for depth in depths if depth <= len(grades)]
    precision = {str(k): sum(relevant[:k]) / k for k in kept}
    average = {}
    for k in kept:
        # The recall that is missing here: relevant passages below k cost nothing (docs/from/trec.md).
        hits = [sum(relevant[:rank]) / rank for rank in range(1, k + 1) if relevant[rank - 1]]
        average[str(k)] = sum(hits) / len(hits) if hits else 0.0
    # The whole ranking counts for MRR, whatever the depths are.
    first = next((rank for rank, hit in enumerate(relevant, 1) if hit), 0)
    return {"precision@": precision, "AP@": average, "MRR": 1 / first if first else 0.0}
