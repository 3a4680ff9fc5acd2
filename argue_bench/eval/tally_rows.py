"""Compact storage for the tallies of one answer: a report keeps those of every question.

Answers of one metric have the same columns, and most tallies are one of a few: "1 of 1", "does not
apply". A dictionary of its own tallies takes 3 kB for an answer under argue, a `TallyRow` 400 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import copysign

from argue_bench.records import Tally

_MOST_COLUMNS = 1_000
_MOST_TALLIES = 100_000
_PLACES: dict[tuple[str, ...], dict[str, int]] = {}
"""By names of columns: the place of each."""
_TALLIES: dict[tuple[object, ...], Tally] = {}


class TallyRow(Mapping[str, Tally]):
    """Tallies by column; rows share equal parts."""

    __slots__ = ("_places", "_tallies")

    def __init__(self, tallies: Mapping[str, Tally]) -> None:
        if len(_PLACES) > _MOST_COLUMNS:
            _PLACES.clear()
        names = tuple(tallies)
        if names not in _PLACES:
            _PLACES[names] = {name: place for place, name in enumerate(names)}
        self._places = _PLACES[names]
        self._tallies = tuple(map(_shared, tallies.values()))

    def __getitem__(self, column: str) -> Tally:
        return self._tallies[self._places[column]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[type[TallyRow], tuple[dict[str, Tally]]]:
        return TallyRow, (dict(self),)


def _shared(tally: Tally) -> Tally:
    """An equal tally that other rows share; a tally with a note or misses is not shared."""
    if tally.note or tally.misses:
        return tally
    if len(_TALLIES) >= _MOST_TALLIES:
        _TALLIES.clear()
    above, below = tally.numerator, tally.denominator
    # 1 and 1.0, or 0.0 and -0.0, are equal and written differently.
    key = (above, below, type(above), type(below), copysign(1, above), copysign(1, below))
    return _TALLIES.setdefault(key, tally)
