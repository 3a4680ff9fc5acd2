"""Baselines for judges: always the same verdict, and word overlap.

A judge is worth its cost only as far as it is better than these. Token recall is the share of the
distinct words of what should be supported (sentence, answer or nugget) that stand in the text that should
support it; the threshold is one for all, set on WiCE's dev split and Factcheck-GPT. Three levels have a
second one at half of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from argue_bench import records
from argue_bench.records import JudgeRequest

# The best one on WiCE's dev split and Factcheck-GPT.
THRESHOLD = 0.65
_WORD = re.compile(r"\w+")
# The text that should support, and what should be supported, by kind.
_PAIRS: Mapping[type[JudgeRequest], Callable[[Any], tuple[str, str]]] = {
    records.Entails: lambda a: (a.premise_text, a.hypothesis),
    records.SupportLevel: lambda a: (a.premise_text, a.sentence),
    records.Answers: lambda a: (a.sentence, a.answer),
    records.Supports: lambda a: (a.passage, a.nugget),
    records.Relevant: lambda a: (a.document.text, a.answer),
}


def floors(request: JudgeRequest) -> dict[str, str]:
    """The verdict of each baseline by name; empty for kinds whose verdicts are not words."""
    words = request.verdicts
    if not isinstance(words, tuple):
        return {}
    found = {f"always {words[0]}": words[0]}
    if pair := _PAIRS.get(type(request)):
        share = token_recall(*pair(request))
        # With words yes and no the threshold is THRESHOLD; with full, partial and no these are it and half of it.
        levels = [
            THRESHOLD * (len(words) - 1 - n) / (len(words) - 1) for n in range(len(words) - 1)
        ]
        reached = (word for word, least in zip(words, levels, strict=False) if share >= least)
        found["token recall"] = next(reached, words[-1])
    return found


def token_recall(text: str, wanted: str) -> float:
    """The share of the distinct words of ``wanted`` that ``text`` has; 0 where it has none.

    >>> token_recall("The ferry sank in 1912.", "The ferry burned.")
    0.6666666666666666
    """
    words = set(_WORD.findall(wanted.casefold()))
    return len(words & set(_WORD.findall(text.casefold()))) / len(words) if words else 0.0
