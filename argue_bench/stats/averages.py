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
    Youden     a - b of two averages, at least 0
    Pooled     any function of sums of counts (BLEU)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from argue_bench.records import Tally

Array = npt.NDArray[np.float64]
Unit = Literal["share", "count", "rating"]
Better = Literal["higher", "lower", ""]


class Column(NamedTuple):
    """The tallies of all questions: two arrays of shape (n,)."""

    numerator: Array
    denominator: Array


Columns = Mapping[str, Column]


class Sum(NamedTuple):
    """One sum over questions that an average rests on: of what, and of which column."""

    of: Literal["numerator", "denominator", "ratio", "applies", "counted"]
    column: str

    def terms(self, columns: Columns) -> Array:
        """What each question adds to it: the shape of the column."""
        numerator, denominator = columns[self.column]
        applies = denominator != 0
        if self.of == "applies":
            return np.asarray(applies, np.float64)
        if self.of == "ratio":
            return ratio(numerator, denominator, empty=0.0)
        if self.of == "counted":
            return np.asarray(numerator * applies)
        return numerator if self.of == "numerator" else denominator


@dataclass(frozen=True, kw_only=True)
class Average:
    """A fold of columns to a value, made of sums over questions, whatever weight each question has in them."""

    unit: Unit = "share"
    better: Better = "higher"
    resampled: bool = True

    @property
    def columns_read(self) -> tuple[str, ...]:
        """The columns that it folds."""
        return tuple(dict.fromkeys(one.column for one in self.sums))

    @property
    def sums(self) -> tuple[Sum, ...]:
        """The sums that it rests on."""
        raise NotImplementedError

    def fold(self, sums: Sequence[Array]) -> Array:
        """The average, from these sums in their order; all have one shape."""
        raise NotImplementedError

    def values(self, columns: Columns, weights: Array) -> Array:
        """The average under each row of weights (B, n): shape (B,), or (B, systems)."""
        return self.fold([weights @ one.terms(columns) for one in self.sums])


@dataclass(frozen=True)
class _Fold(Average):
    column: str


F = TypeVar("F", bound=Average)


class Macro(_Fold):
    """The mean over questions of numerator / denominator, each question counting alike."""

    @property
    def sums(self) -> tuple[Sum, ...]:
        return Sum("ratio", self.column), Sum("applies", self.column)

    def fold(self, sums: Sequence[Array]) -> Array:
        return ratio(sums[0], sums[1])


class ClippedMacro(Macro):
    """The mean over questions, clipped to 0 and 1 afterwards (HealthBench)."""

    def fold(self, sums: Sequence[Array]) -> Array:
        return np.clip(super().fold(sums), 0.0, 1.0)


class Total(_Fold):
    """The sum of numerators over the questions to which the score applies."""

    @property
    def sums(self) -> tuple[Sum, ...]:
        return Sum("counted", self.column), Sum("applies", self.column)

    def fold(self, sums: Sequence[Array]) -> Array:
        return np.where(sums[1] > 0, sums[0], np.nan)


@dataclass(frozen=True)
class Ratio(Average):
    """The sum of one column's counts over the sum of another's, or over its own denominators.

    ``empty``: the value where the sum below is 0.
    """

    above: str
    below: str = ""
    empty: float = np.nan

    @property
    def sums(self) -> tuple[Sum, ...]:
        below = Sum("numerator", self.below) if self.below else Sum("denominator", self.above)
        return Sum("numerator", self.above), below

    def fold(self, sums: Sequence[Array]) -> Array:
        return ratio(sums[0], sums[1], self.empty)


@dataclass(frozen=True)
class Pooled(Average):
    """A score of all questions together, from the sums of counts that each of them adds.

    ``counts``: its columns; ``of``: scores of shape (...) from sums of shape (..., columns).
    """

    counts: tuple[str, ...]
    of: Callable[[Array], Array]

    @property
    def sums(self) -> tuple[Sum, ...]:
        return Sum("applies", self.counts[0]), *(Sum("counted", c) for c in self.counts)

    def fold(self, sums: Sequence[Array]) -> Array:
        # A sum that is the same in every resample comes as one number.
        return np.where(
            sums[0] > 0, self.of(np.stack(np.broadcast_arrays(*sums[1:]), axis=-1)), np.nan
        )


@dataclass(frozen=True)
class Median(_Fold):
    """The median of numerators over the questions to which the score applies. Not resampled."""

    resampled: bool = field(default=False, kw_only=True)
    _pick: ClassVar[Callable[[Array], Any]] = np.median

    @property
    def columns_read(self) -> tuple[str, ...]:
        return (self.column,)

    def values(self, columns: Columns, weights: Array) -> Array:
        systems = [part.reshape(len(part), -1).T for part in columns[self.column]]
        picked = np.full((len(weights), len(systems[0])), np.nan)
        for row, times in zip(picked, weights.astype(int), strict=True):
            for system, (numerator, denominator) in enumerate(zip(*systems, strict=True)):
                if len(drawn := np.repeat(numerator, np.where(denominator != 0, times, 0))):
                    row[system] = type(self)._pick(drawn)
        return picked.reshape(len(weights), *columns[self.column].numerator.shape[1:])


class Maximum(Median):
    """The greatest numerator. Not resampled."""

    _pick = np.max


@dataclass(frozen=True)
class _Two(Average):
    first: Average
    second: Average

    @property
    def sums(self) -> tuple[Sum, ...]:
        return self.first.sums + self.second.sums

    def fold(self, sums: Sequence[Array]) -> Array:
        first = len(self.first.sums)
        return self._of(self.first.fold(sums[:first]), self.second.fold(sums[first:]))

    def _of(self, a: Array, b: Array) -> Array:
        raise NotImplementedError


class Harmonic(_Two):
    """2ab / (a + b) of two averages; 0 where both are 0."""

    def _of(self, a: Array, b: Array) -> Array:
        both = a + b
        return np.where(both == 0, 0.0, np.divide(2 * a * b, np.where(both == 0, 1.0, both)))


class Mean(_Two):
    """(a + b) / 2 of two averages: balanced accuracy, where they are the recalls of two classes."""

    def _of(self, a: Array, b: Array) -> Array:
        return (a + b) / 2


class Youden(_Two):
    """a - b of two averages, at least 0: Youden's J (1950) of a decision's hits and false alarms, 0 for one by chance."""

    def _of(self, a: Array, b: Array) -> Array:
        return np.maximum(a - b, 0.0)


# As metrics name them: an average of the column of this name.
macro, clipped_macro, micro = Macro, ClippedMacro, Ratio


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
    value = float(average.values(columns, np.ones((1, n)))[0])
    return None if np.isnan(value) else value


def scored_alone(score: Callable[[Columns, Array], Array], columns: Columns) -> Array:
    """The score on each question alone: (n, ...); NaN where it does not apply.

    Each question with each system is a system of its own on a set of one: no n by n weights.
    """
    alone = {
        name: Column(*(part.reshape(1, -1) for part in column)) for name, column in columns.items()
    }
    return score(alone, np.ones((1, 1))).reshape(next(iter(columns.values())).numerator.shape)


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
        tallies = [
            getattr(row, "bare", row.__getitem__)(name) if row and name in row else None
            for row in rows
        ]
        pairs = [(one.numerator, one.denominator) if one else (0, 0) for one in tallies]
        table = np.array(pairs, dtype=np.float64).reshape(-1, 2)
        columns[name] = Column(table[:, 0], table[:, 1])
    return columns


def ratio(above: Array, below: Array, empty: float = np.nan) -> Array:
    """The quotients, ``empty`` where the divisor is 0."""
    known = below != 0
    if known.all():
        return np.asarray(above / below)
    return np.divide(above, below, out=np.full_like(above, empty), where=known)
