"""What a metric counts on one question and one answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    """``numerator`` out of ``denominator``. Where the latter is 0 the score does not apply to this question.

    ``note`` says in words what was found or missed, for a reader to check by eye.
    """

    numerator: float
    denominator: float = 1.0
    note: str = ""

    @property
    def applies(self) -> bool:
        return self.denominator != 0

    @property
    def value(self) -> float | None:
        return self.numerator / self.denominator if self.denominator else None


NOT_APPLICABLE = Tally(0.0, 0.0)
