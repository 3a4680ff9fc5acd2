"""What a metric counts on one question and one answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    """``got`` out of ``of``. Where ``of`` is 0 the score does not apply to this question.

    ``note`` says in words what was found or missed, for a reader to check by eye.
    """

    got: float
    of: float = 1.0
    note: str = ""

    @property
    def applies(self) -> bool:
        return self.of != 0

    @property
    def value(self) -> float | None:
        return self.got / self.of if self.of else None


NOT_APPLICABLE = Tally(0.0, 0.0)
