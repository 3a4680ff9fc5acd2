"""How much of the gold an answer gives, by typed tokens and by words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from argue_bench.text.typed import fold_text, typed_text

_WORD = re.compile(r"[$€£-]?\w[\w.,'%-]*")


@dataclass(frozen=True)
class GoldMatch:
    """``exact``: all of it is there. ``recall`` and ``f1`` are of words; ``note`` what is missing."""

    exact: bool
    recall: float
    f1: float
    note: str = ""


def match_gold(text: str, wanted: Sequence[tuple[str, ...]], language: str = "en") -> GoldMatch:
    """Compares a text with strings to be found, each in any of its spellings.

    >>> match_gold("It fell in 1985.", [("5",)]).exact
    False
    """
    given, words = typed_text(text, language), _words(text)
    missing = []
    overlap = total = 0
    for spellings in wanted:
        forms = [typed_text(spelling, language) for spelling in spellings]
        if not any(given.holds(form) for form in forms if not form.empty):
            missing.append(spellings[0])
        best = max(
            (sum((words & _words(spelling)).values()), -_count(spelling)) for spelling in spellings
        )
        overlap += best[0]
        total += -best[1]
    recall = overlap / total if total else 0.0
    length = sum(words.values())
    f1 = 2 * min(overlap, length) / (length + total) if length + total else 0.0
    return GoldMatch(not missing, recall, f1, f"missing: {', '.join(missing)}" if missing else "")


def _words(text: str) -> Counter[str]:
    return Counter(word.rstrip(".,'-") for word in _WORD.findall(fold_text(text)))


def _count(text: str) -> int:
    return sum(_words(text).values())
