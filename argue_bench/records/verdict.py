"""What a judge said, or why it could not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """One declared verdict of the ask: a word, a number or a text. ``note`` is for a reader."""

    value: str | float
    note: str = ""

    @property
    def yes(self) -> bool:
        return self.value == "yes"


@dataclass(frozen=True, slots=True)
class Failed:
    """The judge gave no verdict. Never a number, never a no."""

    reason: str
