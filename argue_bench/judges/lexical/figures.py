"""Which sentences of a long text may state a value, told by their numbers before any of them is read.

A sentence names a number by digits or in words, at a scale and in a unit; reading all of that takes
most of the time that a long text takes. What is chosen here holds every sentence that agrees with
the value, and some that do not: whoever asks reads these.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain

from argue_bench.judges.lexical import vocabulary as words
from argue_bench.judges.lexical.stems import STEMS, StemIndex
from argue_bench.judges.lexical.values import CLOCK, Value, agree, read_values

_SCALES = sorted({0, *words.SCALES.values(), *words.MONEY_SCALES.values()})
_NEAR = 1e-5
"""How far a number may lie from its key, which keeps six digits of it."""
_HUGE = 1e200
"""From here on a number and its scale may pass what a float holds, and infinity agrees with anything."""


class Figures:
    """The numbers of a text in order of size, with the sentences that hold them."""

    def __init__(self, index: StemIndex) -> None:
        self._index = index
        self._single: list[tuple[Value, str]] = []  # times and dates that are one token
        amounts: list[tuple[float, str]] = []
        for key in {key for key in chain(index.stems, index.spelled) if key[0] == "#"}:
            try:
                amounts.append((float(key[1:]), key))
            except ValueError:
                self._single += ((value, key) for value in read_values([key[1:]])[0])
        amounts.sort()
        self._amounts = [amount for amount, _ in amounts]
        self._keys = [key for _, key in amounts]

    def all(self) -> list[int]:
        """The sentences that hold a number, in their order."""
        return sorted(
            {n for key in self._index.stems if key[0] == "#" for n in self._index.places(key)}
        )

    def near(self, value: Value) -> list[int]:
        """The sentences that may state a value, in their order."""
        found = self._places(key for one, key in self._single if agree(value, one))
        year, month, day = value.date
        if month:
            spellings = (word for word, number in words.MONTHS.items() if number == month)
            named = self._places(map(STEMS.__getitem__, spellings))
            found |= named & self._at([day]) if day else named | self._at([year])
        elif day:
            found |= self._at([day])
        elif year:
            found |= self._at(_scaled(year)) | self._at([year % 100])  # as in '1951-52'
        elif value.unit == CLOCK:
            found |= self._places(self._keys)  # any number may be an hour
        else:
            found |= self._at(_as_written(value))
        return sorted(found)

    def _at(self, amounts: Iterable[float]) -> set[int]:
        return self._places(chain.from_iterable(map(self._between, amounts)))

    def _between(self, amount: float) -> Iterator[str]:
        """The keys of a number, and of those too large to compare."""
        if not amount < _HUGE:
            yield from self._keys
            return
        start = bisect_left(self._amounts, amount * (1 - _NEAR) - 1 / _HUGE)
        yield from self._keys[start : bisect_right(self._amounts, amount * (1 + _NEAR) + 1 / _HUGE)]
        yield from self._keys[bisect_left(self._amounts, _HUGE) :]

    def _places(self, keys: Iterable[str]) -> set[int]:
        places, spelled = self._index.places, self._index.spelled
        return {n for key in set(keys) for n in chain(places(key), spelled.get(key, ()))}


def _as_written(value: Value) -> Iterator[float]:
    """The numbers by which a text may state an amount, at any scale and in any unit of its dimension."""
    yield from _scaled(value.amount)
    for unit, factor in set(words.UNITS.values()):
        if unit == value.unit:
            yield from _scaled(value.amount * value.factor / factor)


def _scaled(amount: float) -> Iterator[float]:
    return (amount / 10.0**scale for scale in _SCALES)
