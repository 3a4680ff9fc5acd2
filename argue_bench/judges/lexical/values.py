"""Numbers, dates and measures in a sentence, and whether two of them agree.

They are read by `text.typed`, as the language of the text writes them. Units of one dimension are converted;
a bare number agrees with any unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from argue_bench.text import vocabulary
from argue_bench.text.typed import Token, typed_tokens

CLOCK = "o'clock"
_FRENCH = dict(
    zip(
        [
            "deux",
            "trois",
            "quatre",
            "cinq",
            "six",
            "sept",
            "huit",
            "neuf",
            "dix",
            "onze",
            "douze",
            "treize",
            "quatorze",
            "quinze",
            "seize",
        ],
        range(2, 17),
        strict=True,
    )
)
NUMBERS = _FRENCH | vocabulary.NUMBER_WORDS
"""Numbers in words, English and French."""
_FRENCH_WORD = re.compile(rf"\b(?:{'|'.join(_FRENCH)})\b")
_TIME = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)\Z")
_BASES = {
    "km": ("m", 1000.0),
    "cm": ("m", 0.01),
    "mm": ("m", 0.001),
    "g": ("kg", 0.001),
    "h": ("sec", 3600.0),
    "min": ("sec", 60.0),
    "km2": ("m2", 1e6),
    "ha": ("m2", 1e4),
}
# Spans of time have no sign; a month is no number of days.
_SPANS = {
    "day days jour jours": ("sec", 86400.0),
    "week weeks semaine semaines": ("sec", 604800.0),
    "month months mois": ("month", 1.0),
    "year years ans": ("month", 12.0),
}
_UNITS = {
    **{unit: (unit, 1.0) for unit in (*vocabulary.UNITS.values(), *vocabulary.MONEY.values())},
    **_BASES,
    **{word: span for words, span in _SPANS.items() for word in words.split()},
}
_MONTHS = {name: number for number, name in vocabulary.MONTH_NAMES.items()}
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_MOST = 200
"""Values that are read of one sentence; no honest one has more."""


class Value(NamedTuple):
    """A number, measure or date."""

    amount: float = 0.0
    unit: str = ""
    """The base of its dimension; empty for a bare number."""
    factor: float = 1.0
    """From its unit to the base."""
    date: tuple[int, int, int] = (0, 0, 0)
    """Year, month, day; 0 where not given; a number has none of them."""
    said: str = ""
    """The unit as the text writes it, for what people read."""

    @property
    def telling(self) -> bool:
        """Whether it is hardly met by chance: no small bare number."""
        return any(self.date) or bool(self.unit or self.amount >= 100 or self.amount % 1)

    def __str__(self) -> str:
        if any(self.date):
            return "-".join(str(part) for part in self.date if part)
        if self.unit == CLOCK:
            return f"{int(self.amount)}:{round(self.amount % 1 * 60):02}"
        return f"{self.amount:g} {self.said}".strip()


def agree(wanted: Value, found: Value) -> bool:
    """Whether the value found states the value wanted."""
    if any(wanted.date) and any(found.date):
        # The parts that both give are the same, and they share one; a day is not stated by its month or year.
        shared = [pair for pair in zip(wanted.date, found.date, strict=True) if all(pair)]
        same = bool(shared) and all(one == other for one, other in shared)
        return same and not (wanted.date[2] and not found.date[2])
    if any(wanted.date) or any(found.date):
        dated, number = (wanted, found) if any(wanted.date) else (found, wanted)
        return dated.date == (number.amount, 0, 0) and not number.unit
    one, other = wanted.amount, found.amount
    if wanted.unit and found.unit:
        if wanted.unit != found.unit:
            return False
        one, other = one * wanted.factor, other * found.factor
    if CLOCK in (wanted.unit, found.unit):
        return abs(one - other) % 12 < 1e-9  # '9:15' may be 21:15
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))


def is_among(values: Iterable[Value], wanted: Value) -> bool:
    """Whether one of the values states the value wanted."""
    return any(agree(wanted, found) for found in values)


def read_values(text: str, language: str = "en") -> tuple[Value, ...]:
    """The values of a sentence in their order.

    >>> [str(one) for one in read_values("On 3 May 1931 it cost 1.2 million crowns, or 5 km at 9:15.")]
    ['1931-5-3', '1.2e+06', '5 km', '9:15']
    >>> [str(one) for one in read_values("3.500 Einwohner", "de")]
    ['3500']
    """
    text = _FRENCH_WORD.sub(lambda word: str(_FRENCH[word[0]]), text)
    values: list[Value] = []
    tokens = [token for token in typed_tokens(text, language) if token.text]
    date: list[int] = []
    for token, after in pairwise((*tokens, Token("other", ""))):
        if token.text in _MONTHS and after.kind == "number":
            date = [0, _MONTHS[token.text], 0]
        elif token.kind == "number" and (found := _part_of_date(date, token.text)):
            date = found
            if not (found[2] and _is_year(after.text) and not found[0]):
                values.append(Value(date=(date[0], date[1], date[2])))
                date = []
        elif token.kind == "number":
            date = []
            values += _number(token.text, after)
        elif time := _TIME.match(token.text):
            values.append(Value(int(time[1]) + int(time[2]) / 60, CLOCK))
    return tuple(dict.fromkeys(values[:_MOST]))


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdecimal() and _FIRST_YEAR <= int(text) <= _LAST_YEAR


def _part_of_date(date: list[int], said: str) -> list[int]:
    """The date with its day or year; empty where the number is neither."""
    if date and _is_year(said):
        return [int(said), *date[1:]]
    return (
        [0, date[1], int(said)]
        if date and not date[2] and said.isdecimal() and int(said) <= 31
        else []
    )


def _number(said: str, after: Token) -> list[Value]:
    """The number, with the unit behind it; none for a bare 1, which is as often a mark."""
    amount, written = float(said), after.raw or after.text
    if (unit := _UNITS.get(after.text)) and written != "in":
        return [Value(amount, *unit, said=written)]
    if _is_year(said):
        return [Value(date=(int(said), 0, 0))]
    return [Value(amount)] if amount != 1 else []
