"""Compact storage for the tallies of one answer: a report keeps those of every question.

Answers of one metric have the same columns, and most tallies are one of a few: "1 of 1", "does not
apply". A dictionary of its own tallies takes 3 kB for an answer under argue, a `TallyRow` 400 bytes.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import starmap
from math import copysign
from typing import Any
from zlib import compress, decompress

from argue_bench.records import Miss, Tally

_MOST_COLUMNS = 1_000
_MOST_TALLIES = 100_000
_PLACES: dict[tuple[str, ...], dict[str, int]] = {}
"""By names of columns: the place of each."""
_TALLIES: dict[tuple[object, ...], Tally] = {}
_MOST_ROWS = 10_000
_ROWS: dict[tuple[int, ...], tuple[Tally, ...]] = {}
"""By the places of its tallies in memory, which it keeps: many answers have one row."""


class TallyRow(Mapping[str, Tally]):
    """Tallies by column; rows share equal parts."""

    __slots__ = ("_places", "_said", "_tallies")

    def __init__(self, tallies: Mapping[str, Tally]) -> None:
        if len(_PLACES) > _MOST_COLUMNS:
            _PLACES.clear()
        names = tuple(tallies)
        if names not in _PLACES:
            _PLACES[names] = {name: place for place, name in enumerate(names)}
        self._places = _PLACES[names]
        if len(_ROWS) > _MOST_ROWS:
            _ROWS.clear()
        row = tuple(map(_shared, tallies.values()))
        self._tallies = _ROWS.setdefault(tuple(map(id, row)), row)
        # The words of notes and misses as bytes take a quarter of the room.
        said = [
            (place, one.note, [tuple(miss) for miss in one.misses])
            for place, one in enumerate(tallies.values())
            if one.note or one.misses
        ]
        self._said = compress(pickle.dumps(said, pickle.HIGHEST_PROTOCOL), 1) if said else b""

    def __getitem__(self, column: str) -> Tally:
        place = self._places[column]
        if self._said and (said := _read(self._said).get(place)):
            bare = self._tallies[place]
            return Tally(bare.numerator, bare.denominator, *said)
        return self._tallies[place]

    def __contains__(self, column: object) -> bool:
        return column in self._places

    def bare(self, column: str) -> Tally:
        """Returns the tally without its note and misses."""
        return self._tallies[self._places[column]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        counts = [(one.numerator, one.denominator) for one in self._tallies]
        return _remade, (tuple(self._places), counts, self._said)


def _remade(names: tuple[str, ...], counts: list[tuple[float, float]], said: bytes) -> TallyRow:
    """Returns a row that another process sent."""
    row = TallyRow(dict(zip(names, starmap(Tally, counts), strict=True)))
    row._said = said
    return row


def _shared(tally: Tally) -> Tally:
    """Returns an equal tally, without note and misses, that others use too."""
    if len(_TALLIES) >= _MOST_TALLIES:
        _TALLIES.clear()
    above, below = tally.numerator, tally.denominator
    # 1 and 1.0, or 0.0 and -0.0, are equal and written differently.
    key = (above, below, type(above), type(below), copysign(1, above), copysign(1, below))
    return _TALLIES.setdefault(key, Tally(above, below))


@lru_cache(8)
def _read(said: bytes) -> dict[int, tuple[str, tuple[Miss, ...]]]:
    """Returns notes and misses by place."""
    found: list[tuple[int, str, list[Any]]] = pickle.loads(decompress(said))
    return {place: (note, tuple(Miss(*one) for one in misses)) for place, note, misses in found}
