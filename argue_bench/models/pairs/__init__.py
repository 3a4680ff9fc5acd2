"""The interface of models of two texts, and their batches of like length.

Premise and hypothesis, question and context, reference and candidate: each such model turns pairs of
texts into a word, a text or a number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

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
    """A pair, or a part of one, as tokens: the model's inputs for one row, and a note on what was cut from it.

    ``row`` is None where it can't be read at all; the note then says why.
    """

    row: Mapping[str, Any] | None
    note: str = ""

    @property
    def tokens(self) -> int:
        return len(self.row["input_ids"]) if self.row else 0


Part = TypeVar("Part", bound=Encoded)
Out = TypeVar("Out")


def read_batches(
    pairs: Sequence[Sequence[Part]],
    compute: Callable[[Sequence[Part]], Sequence[Out]],
    result: Callable[[int, Sequence[Part], Sequence[Out]], PairResult],
    rows: int,
) -> Iterator[PairResults]:
    """Results of all pairs, each given by its parts, which are computed with others of like length.

    ``result`` makes a pair's result of its parts and what was computed for each of them; a pair with a part that
    can't be read has that part's note for its result.
    """
    unreadable = {
        n: PairResult(None, one.note)
        for n, parts in enumerate(pairs)
        for one in parts
        if not one.row
    }
    if unreadable:
        yield list(unreadable.items())
    places = [(n, k) for n, own in enumerate(pairs) if n not in unreadable for k in range(len(own))]
    left = Counter(n for n, _ in places)
    found: dict[tuple[int, int], Out] = {}
    for batch in batches_by_length([pairs[n][k].tokens for n, k in places], rows):
        chosen = [places[place] for place in batch]
        found |= zip(chosen, compute([pairs[n][k] for n, k in chosen]), strict=True)
        left.subtract(n for n, _ in chosen)
        ended = [n for n in dict.fromkeys(n for n, _ in chosen) if not left[n]]
        outputs = {n: [found.pop((n, k)) for k in range(len(pairs[n]))] for n in ended}
        yield [(n, result(n, pairs[n], outputs[n])) for n in ended]


NOT_A_NUMBER = PairResult(None, "the model gave no number (NaN): try dtype=float32 or bfloat16")
