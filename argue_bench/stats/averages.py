"""Averages that turn the tallies of all questions into one score, also for thousands of resamples
at once.

A column holds the tallies of one metric under one name: ``numerator`` and ``denominator``, arrays over
n questions; the denominator is 0 where the score does not apply. ``weights`` is a matrix of B resamples by n questions (how
often each question was drawn); every average is matrix work and gives B values, NaN where a
resample holds no question to which the score applies.

    macro      mean over questions of numerator / denominator
    micro      sum of numerators / sum of denominators
    total      sum of numerators
    Harmonic   2ab / (a + b) of two averages
    Mean       (a + b) / 2 of two averages
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from argue_bench.records import Tally

Array = npt.NDArray[np.float64]
Unit = Literal["share", "count", "rating"]
Better = Literal["higher", "lower", ""]
_AT_ONCE = 1 << 16
"""Sums made at once: with what averages make of them they fit into a cache of 1 MB."""


class Column(NamedTuple):
    """The tallies of all questions: two arrays of shape (n,)."""

    numerator: Array
    denominator: Array


Columns = Mapping[str, Column]


class Weights(Protocol):
    """The weight of each of n questions in each of B resamples: an array (B, n), or an object
    that multiplies like one."""

    def __matmul__(self, values: Array, /) -> Array: ...


class AllButOne:
    """The weights that leave out each question in turn, (n, n), of which only products are made."""

    def __matmul__(self, values: Array, /) -> Array:
        """For each question the sum of the others: the shape stays."""
        return np.asarray(values.sum(axis=0) - values)


class Sums:
    """The sums that averages ask of weights: noted first, then made of many rows in one pass.

    Asked before, it gives each sum over the questions as they are, shape (1, ...), and notes it. While
    ``over`` goes through the rows, it gives the sums of the rows at hand, (rows, ...), not to be
    written to. What several scores ask for, or one average twice, is made once.
    """

    def __init__(self) -> None:
        self._noted: dict[tuple[object, ...], Array] = {}
        self._made: dict[tuple[object, ...], Array] | None = None

    def __matmul__(self, values: Array, /) -> Array:
        # With its strides, for a product can differ in its last bit where numbers lie otherwise.
        key = (values.shape, values.strides, values.dtype.str, values.tobytes())
        if self._made is not None:
            made = self._made[key]
            return np.broadcast_to(made, (len(made), *values.shape[1:]))
        # Most scores apply to every question of every system: one column of ones stands for all.
        alike = values.ndim > 1 and bool((values == 1).all())
        self._noted[key] = np.ones((len(values), 1)) if alike else values
        return np.asarray(values.sum(axis=0, keepdims=True))

    def over(self, blocks: Iterable[Array]) -> Iterator[int]:
        """Makes the sums of all blocks, of as many rows at a time as fit a cache; gives their number."""
        width = sum(values[0].size for values in self._noted.values())
        rooms: dict[tuple[object, ...], Array] = {}
        rows = most = 0
        for block in blocks:
            if rows and rows + len(block) > most:
                yield self._give(rooms, rows)
                rows = 0
            if not rooms:
                # One room for all parts: fetching memory from the system costs more than filling it.
                most = len(block) * max(1, _AT_ONCE // max(1, len(block) * width))
                rooms = {
                    key: np.empty((most, *values.shape[1:])) for key, values in self._noted.items()
                }
            for key, values in self._noted.items():
                np.matmul(block, values, out=rooms[key][rows : rows + len(block)])
            rows += len(block)
        if rows:
            yield self._give(rooms, rows)

    def _give(self, rooms: dict[tuple[object, ...], Array], rows: int) -> int:
        self._made = {key: room[:rows] for key, room in rooms.items()}
        return rows


class Average(Protocol):
    """A fold of columns to a value; ``columns_read`` names what it folds."""

    @property
    def columns_read(self) -> tuple[str, ...]: ...
    @property
    def unit(self) -> Unit: ...
    @property
    def better(self) -> Better: ...
    @property
    def resampled(self) -> bool: ...
    def values(self, columns: Columns, weights: Weights) -> Array: ...


@dataclass(frozen=True)
class _Fold:
    column: str
    unit: Unit = "share"
    better: Better = "higher"
    resampled: bool = True

    @property
    def columns_read(self) -> tuple[str, ...]:
        return (self.column,)

    def values(self, columns: Columns, weights: Weights) -> Array:
        raise NotImplementedError


F = TypeVar("F", bound="_Fold | Ratio")


class Macro(_Fold):
    """The mean over questions of numerator / denominator, each question counting alike."""

    def values(self, columns: Columns, weights: Weights) -> Array:
        numerator, denominator = columns[self.column]
        applies = denominator != 0
        ratio = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=applies)
        return _ratio(weights @ ratio, weights @ applies.astype(np.float64))


class ClippedMacro(Macro):
    """The mean over questions, clipped to 0 and 1 afterwards (HealthBench)."""

    def values(self, columns: Columns, weights: Weights) -> Array:
        return np.clip(super().values(columns, weights), 0.0, 1.0)


class Total(_Fold):
    """The sum of numerators over the questions to which the score applies."""

    def values(self, columns: Columns, weights: Weights) -> Array:
        numerator, denominator = columns[self.column]
        applies = (denominator != 0).astype(np.float64)
        return np.where(weights @ applies > 0, weights @ (numerator * applies), np.nan)


@dataclass(frozen=True)
class Ratio:
    """The sum of one column's counts over the sum of another's, or over its own denominators.

    ``empty``: the value where the sum below is 0.
    """

    above: str
    below: str = ""
    empty: float = np.nan
    unit: Unit = "share"
    better: Better = "higher"
    resampled: bool = True

    @property
    def columns_read(self) -> tuple[str, ...]:
        return (self.above, self.below) if self.below else (self.above,)

    def values(self, columns: Columns, weights: Weights) -> Array:
        numerator, denominator = columns[self.above]
        if self.below:
            denominator = columns[self.below].numerator
        return _ratio(weights @ numerator, weights @ denominator, self.empty)


@dataclass(frozen=True)
class _Order(_Fold):
    resampled: bool = False


class Median(_Order):
    """The median of numerators over the questions to which the score applies. Not resampled."""

    def values(self, columns: Columns, weights: Weights) -> Array:
        return _order(columns[self.column], weights, _median)


class Maximum(_Order):
    """The greatest numerator. Not resampled."""

    def values(self, columns: Columns, weights: Weights) -> Array:
        return _order(columns[self.column], weights, np.max)


@dataclass(frozen=True)
class _Two:
    first: Average
    second: Average
    unit: Unit = "share"
    better: Better = "higher"
    resampled: bool = True

    @property
    def columns_read(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.first.columns_read + self.second.columns_read))


class Harmonic(_Two):
    """2ab / (a + b) of two averages; 0 where both are 0."""

    def values(self, columns: Columns, weights: Weights) -> Array:
        a, b = self.first.values(columns, weights), self.second.values(columns, weights)
        both = a + b
        return np.where(both == 0, 0.0, np.divide(2 * a * b, np.where(both == 0, 1.0, both)))


class Mean(_Two):
    """(a + b) / 2 of two averages: balanced accuracy, where they are the recalls of two classes."""

    def values(self, columns: Columns, weights: Weights) -> Array:
        return (self.first.values(columns, weights) + self.second.values(columns, weights)) / 2


def macro(column: str) -> Macro:
    return Macro(column)


def clipped_macro(column: str) -> ClippedMacro:
    return ClippedMacro(column)


def micro(column: str) -> Ratio:
    return Ratio(column)


def total(column: str) -> Total:
    return Total(column, unit="count", better="")


def mean_count(column: str) -> Macro:
    """The mean of a count per question, such as words."""
    return Macro(column, unit="count", better="")


def lower_is_better(average: F) -> F:
    """The same average, marked as one where lower values are better."""
    return replace(average, better="lower")


def value_of(average: Average, columns: Columns) -> float | None:
    """The score over the questions as they are; None where it applies to none of them."""
    n = len(columns[average.columns_read[0]].numerator)
    if n == 0:
        return None
    value = float(average.values(columns, np.ones((1, n)))[0])
    return None if np.isnan(value) else value


def take(columns: Columns, at: Any) -> dict[str, Column]:
    """The columns at some places: ``at`` indexes every array, as in ``take(columns, np.s_[:, 3])``."""
    return {name: Column(c.numerator[at], c.denominator[at]) for name, c in columns.items()}


def stack(columns: Sequence[Columns], names: Iterable[str]) -> dict[str, Column]:
    """Several systems' columns of shape (n,) as columns of shape (n, systems)."""
    return {
        name: Column(
            *(np.stack(parts, axis=1) for parts in zip(*(c[name] for c in columns), strict=True))
        )
        for name in names
    }


def columns_of(rows: Iterable[Mapping[str, Tally] | None]) -> dict[str, Column]:
    """Tallies of n questions as columns; a failed question does not apply."""
    rows = list(rows)
    names = dict.fromkeys(name for row in rows if row is not None for name in row)
    columns = {}
    for name in names:
        # A row that can leave out the notes of its tallies is faster read so.
        tallies = [
            getattr(row, "bare", row.__getitem__)(name) if row and name in row else None
            for row in rows
        ]
        pairs = [(one.numerator, one.denominator) if one else (0, 0) for one in tallies]
        table = np.array(pairs, dtype=np.float64).reshape(-1, 2)
        columns[name] = Column(table[:, 0], table[:, 1])
    return columns


def _ratio(above: Array, below: Array, empty: float = np.nan) -> Array:
    known = below != 0
    if known.all():
        return np.asarray(above / below)
    return np.divide(above, below, out=np.full_like(above, empty), where=known)


def _median(values: Array) -> float:
    """The median, without what `numpy.median` imports: masked arrays, at 20 ms."""
    ordered = np.sort(values)
    return float(ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2


def _order(column: Column, weights: Weights, pick: Callable[[Array], float]) -> Array:
    """An order statistic of each resample and system: shape (B,) or (B, systems)."""
    if not isinstance(weights, np.ndarray):
        raise TypeError("an order statistic needs the weights themselves")
    systems = [part.reshape(len(part), -1).T for part in column]
    picked = np.full((len(weights), len(systems[0])), np.nan)
    for row, times in zip(picked, weights.astype(int), strict=True):
        for system, (numerator, denominator) in enumerate(zip(*systems, strict=True)):
            if len(drawn := np.repeat(numerator, np.where(denominator != 0, times, 0))):
                row[system] = pick(drawn)
    return picked.reshape(len(weights), *column.numerator.shape[1:])
