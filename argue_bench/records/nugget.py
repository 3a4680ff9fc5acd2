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
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Nugget:
    """A question with its accepted answers.

    ``combine``: "any" one answer suffices (OR), or "all" are wanted (AND). No answers at all means
    that the question has none, and that a report should say so. ``wrong`` holds answers that a
    report must not give. ``weight`` is None where nobody labelled the nugget.
    """

    id: str
    question: str
    answers: tuple[NuggetAnswer, ...] = ()
    combine: Combine = "any"
    weight: Weight | None = None
    wrong: tuple[str, ...] = ()

    @property
    def answerable(self) -> bool:
        return bool(self.answers)
