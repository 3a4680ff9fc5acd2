"""Nuggets: the questions that a good report answers (Mayfield et al. 2024, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Combine = Literal["all", "any"]
Weight = Literal["vital", "okay"]


@dataclass(frozen=True, slots=True)
class NuggetAnswer:
    """One accepted answer, and the ids of the documents that state it."""

    text: str
    """An accepted answer."""
    references: tuple[str, ...] = ()
    """Ids of ALL documents of the set that state this answer."""


@dataclass(frozen=True, slots=True)
class Nugget:
    """A question that a good report answers, with its accepted answers (ARGUE)."""

    id: str
    """Names the nugget, once in the whole set."""
    question: str
    """A question that a good report answers."""
    answers: tuple[NuggetAnswer, ...]
    """The accepted answers. Without any, the documents do not answer the question, and a good report says so."""
    combine: Combine = "any"
    """'any': one of the answers is enough (OR). 'all': every answer is wanted (AND)."""
    weight: Weight | None = None
    """'vital': a report without it is not good. 'okay': nice to have. null: it was not labelled."""
    wrong: tuple[str, ...] = ()
    """Answers that a report must not give: figures since corrected, facts about a namesake, rumours."""

    @property
    def answerable(self) -> bool:
        return bool(self.answers)
