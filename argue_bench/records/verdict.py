"""What a judge said, or why it could not."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Verdict:
    """One declared verdict of the ask: a word, a number or a text. ``note`` is for a reader.

    ``request`` and ``reply`` are what went over the wire, where a judge asks a model; a verdict
    store keeps them, and hands verdicts on without.
    """

    value: str | float
    note: str = ""
    prompt: str = field(default="", compare=False, repr=False)
    reply: str = field(default="", compare=False, repr=False)

    @property
    def yes(self) -> bool:
        return self.value == "yes"


@dataclass(frozen=True, slots=True)
class Failed:
    """The judge gave no verdict. Never a number, never a no."""

    reason: str
    prompt: str = field(default="", compare=False, repr=False)
    reply: str = field(default="", compare=False, repr=False)
