"""Luciole in its later version (f372020): one citation tag, canonical refusals, rows made
unanswerable.

Literal and pure, like `luciole_v1`, from which it takes what did not change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from argue_bench.metrics.compat.luciole_v1 import Scores, scores_of

_REF = re.compile(r"""<ref\s+name\s*=\s*["']([^"']*)["']\s*>""", re.IGNORECASE)
_THINK = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_REFUSALS = tuple(
    f"{no} allow {me}to answer"
    for no in ("does not", "do not", "doesn't", "don't")
    for me in ("", "me ")
) + tuple(
    f"ne {me}{verb} pas de répondre" for verb in ("permettent", "permet") for me in ("", "me ")
)


def without_reasoning(text: str) -> str:
    """The text without ``<think>`` traces, closed or not."""
    return _THINK.sub(" ", text).strip()


def tagged_titles(response: str) -> list[str]:
    """Titles of opening ``ref`` tags, first spelling kept."""
    found: dict[str, str] = {}
    for title in map(str.strip, _REF.findall(response)):
        if title:
            found.setdefault(title.lower(), title)
    return list(found.values())


def refuses_canonically(response: str) -> bool:
    """Whether it has one of the canonical phrases."""
    text = " ".join(response.lower().split())
    return any(phrase in text for phrase in _REFUSALS)


def head_row_scores(
    response: str, gold: str, supporting: Sequence[str], answerable: bool
) -> Scores:
    """Every model-free metric of one row, under v1's names."""
    text = without_reasoning(response)
    return scores_of(
        text, gold.strip(), supporting, answerable, tagged_titles(text), refuses_canonically(text)
    )
