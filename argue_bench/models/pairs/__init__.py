"""The interface of models of two texts, and their batches of like length.

Premise and hypothesis, question and context, reference and candidate: each such model turns pairs of
texts into a word, a text or a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from argue_bench.models.loading import batches_by_length

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairResult:
    """A model's output for a pair: a word, a text or a number; None with the reason in ``note``.

    ``tokens`` is the number of tokens read; ``cut`` whether a text was too long and lost its end.
    """

    value: str | float | None
    note: str = ""
    tokens: int = 0
    cut: bool = False


PairResults = list[tuple[int, PairResult]]
"""Results by the position of their pair."""


class PairModel(Protocol):
    """A model of two texts. Nothing is loaded before the first pair is read."""

    def identity(self) -> Mapping[str, str]:
        """Everything about the model that can change its results."""

    def read(self, pairs: Sequence[Pair]) -> Iterator[PairResults]:
        """A result for each pair, batch by batch, in any order.

        Raises DataError where the model can't be loaded, JudgeError where it can't be run.
        """


@dataclass(frozen=True, slots=True)
class Encoded:
    """A pair as tokens: the model's inputs for one row, and a note on what was cut from it.

    ``row`` is None where the pair can't be read at all; the note then says why.
    """

    row: Mapping[str, Any] | None
    note: str = ""

    @property
    def tokens(self) -> int:
        return len(self.row["input_ids"]) if self.row else 0


def read_batches(
    pairs: Sequence[Pair],
    encode: Callable[[str, str], Encoded],
    compute: Callable[[Sequence[Encoded]], Sequence[PairResult]],
    rows: int,
) -> Iterator[PairResults]:
    """Results of all pairs: each pair is encoded, then computed with others of like length."""
    encoded = [encode(*pair) for pair in pairs]
    if unreadable := [
        (n, PairResult(None, one.note)) for n, one in enumerate(encoded) if not one.row
    ]:
        yield unreadable
    readable = [index for index, one in enumerate(encoded) if one.row]
    for batch in batches_by_length([encoded[index].tokens for index in readable], rows):
        chosen = [readable[place] for place in batch]
        yield list(zip(chosen, compute([encoded[index] for index in chosen]), strict=True))


def cut_note(text: str, kept: int, of: int) -> str:
    """The note on a text that lost its end; empty where nothing is lost."""
    return f"; {text} cut from {of} to {kept} tokens" if kept < of else ""


NOT_A_NUMBER = PairResult(None, "the model gave no number (NaN): try dtype=float32 or bfloat16")
