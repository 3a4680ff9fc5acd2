"""Luciole in its later version (f372020): one citation tag, canonical refusals, rows made
unanswerable.

``grounding(rules=luciole-head)``, literal and pure, like `v1`, from which it takes what did not change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from argue_bench.published.luciole.v1 import Scores, V1Grounding, scores_of

_REF = re.compile(r"""<ref\s+name\s*=\s*["']([^"']*)["']\s*>""", re.IGNORECASE)
_THINK = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_REFUSALS = tuple(
    f"{no} allow {me}to answer"
    for no in ("does not", "do not", "doesn't", "don't")
    for me in ("", "me ")
) + tuple(
    f"ne {me}{verb} pas de répondre" for verb in ("permettent", "permet") for me in ("", "me ")
)


class HeadGrounding(V1Grounding):
    """A row as the later version scores it."""

    rules: ClassVar[str] = "luciole-head"

    def row(self, response: str, gold: str, supporting: Sequence[str], answerable: bool) -> Scores:
        return head_row_scores(response, gold, supporting, answerable)


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
    # Blanks and line breaks in a phrase do not matter.
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
