"""Verdicts, failures to give one, and the tallies that metrics make of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Never

from argue_bench.records.question import Sentence

SURE = frozenset(("contradicted", "value", "name"))
"""Classes of flags that a reader can check at once: something is said that the sources lack or contradict."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One declared verdict of the request: a word, a number or a text. ``note`` is for a reader.

    ``prompt`` and ``reply`` are what was sent to a model and what came back; a verdict store keeps
    them, and returns verdicts without. Of a verdict that is less than full support, ``probability`` is
    the share of such verdicts that people's labels call right, None where nobody measured it, and
    ``flag`` the class of what is wrong: "contradicted", "value" or "name" (that the sources lack),
    "nothing" (little of it is there) or "partly".
    """

    value: str | float
    note: str = ""
    prompt: str = field(default="", compare=False, repr=False)
    reply: str = field(default="", compare=False, repr=False)
    probability: float | None = None
    flag: str = ""

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
    the sentence as it stands in the answer from ``start`` to ``end``, or the nugget's question. ``lack``
    is the class of a sentence without support, where the metric tells classes apart, and ``source`` the
    document that supports it all the same. ``flag`` and ``probability`` are those of the judge's verdict.
    """

    kind: Literal["sentence", "nugget"]
    id: str
    text: str
    reason: str
    lack: str = ""
    source: str = ""
    start: int = 0
    end: int = 0
    flag: str = ""
    probability: float | None = None

    @classmethod
    def of(
        cls,
        number: int,
        sentence: Sentence,
        reason: str,
        lack: str = "",
        source: str = "",
        verdict: Verdict | None = None,
    ) -> Miss:
        """The sentence with this number, as it stands in its answer, with what was judged of it."""
        told = (verdict.flag, verdict.probability) if verdict else ("", None)
        place = (sentence.start, sentence.end)
        return cls("sentence", str(number), sentence.text, reason, lack, source, *place, *told)


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


@dataclass(frozen=True)
class NotJudged(Mapping[str, Tally]):
    """Nobody judged it, since the judge or the metric cannot read its language or form, and ``reason`` says so.

    A judge gives it as a reply in place of a verdict, a metric returns it in place of tallies, of which it
    holds none: an average leaves the question out, and says so. Not a failure: asking again changes nothing.
    """

    reason: str

    def __getitem__(self, name: str) -> Never:
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


# Out of nothing: such a question is left out of an average, and is no 0.
NOT_APPLICABLE = Tally(0.0, 0.0)
