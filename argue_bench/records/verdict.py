"""Verdicts, failures to give one, and the tallies that metrics make of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple


@dataclass(frozen=True, slots=True)
class Verdict:
    """One declared verdict of the request: a word, a number or a text. ``note`` is for a reader.

    ``prompt`` and ``reply`` are what was sent to a model and what came back; a verdict store keeps
    them, and returns verdicts without.
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
    """The judge gave no verdict. A failure never counts as a number or as a no."""

    reason: str
    prompt: str = field(default="", compare=False, repr=False)
    reply: str = field(default="", compare=False, repr=False)


class Miss(NamedTuple):
    """A sentence or nugget that a tally did not count, and the reason in words.

    ``id`` is the number of the sentence in the answer, from 1, or the id of the nugget; ``text`` is
    the sentence, or the nugget's question. ``lack`` is the class of a sentence without support, where
    the metric tells classes apart, and ``source`` the document that supports it all the same.
    """

    kind: Literal["sentence", "nugget"]
    id: str
    text: str
    reason: str
    lack: str = ""
    source: str = ""


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
