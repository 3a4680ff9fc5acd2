"""What a metric counts on one question and one answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple


class Miss(NamedTuple):
    """A sentence or nugget that a tally did not count, and the reason in words.

    ``id`` is the number of the sentence in the answer, from 1, or the id of the nugget; ``text`` is
    the sentence, or the nugget's question.
    """

    kind: Literal["sentence", "nugget"]
    id: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Tally:
    """``numerator`` out of ``denominator``. Where the latter is 0 the score does not apply to this question.

    ``note`` says in words what was found or missed, for a reader to check by eye.
    """

    numerator: float
    denominator: float = 1.0
    note: str = ""
    misses: tuple[Miss, ...] = field(default=(), compare=False, repr=False)
    """The sentences or nuggets behind the difference between the two numbers, where it has some."""

    @property
    def applies(self) -> bool:
        return self.denominator != 0

    @property
    def value(self) -> float | None:
        return self.numerator / self.denominator if self.denominator else None


NOT_APPLICABLE = Tally(0.0, 0.0)
