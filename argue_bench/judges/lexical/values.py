"""Numbers, dates and measures in a sentence, and whether two of them agree.

A value is read with its scale and unit: '12 million', '1.2 km', 'vingt et un', '3 %', '9 and 10
November 2021'. Units of one dimension are converted; a bare number agrees with any unit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical import vocabulary as words

DIGITS = (
    r"\d{4}-\d\d-\d\d|\d{1,2}[:h][0-5]\d\b|\d{1,3}(?:[,' ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
)
_GROUPS = re.compile(r"(?<=\d)[,' ](?=\d{3}(?!\d))")
_NO_NUMBER = re.compile(r"[-:h]")
_TIME = re.compile(r"([01]?\d|2[0-4])[:h]([0-5]\d)")
CLOCK = "o'clock"
_SPELLED = words.NUMBERS.keys() | {"cent", "mille"}
"""Words with which a number begins."""
_MOST_SPELLED = 50
_STARTS = _SPELLED | words.MONTHS.keys()
_SUFFIXES = frozenset(("st", "nd", "rd", "th", "er", "re", "s"))
_JOINS = frozenset(("and", "et", "to", "au", "-", "–"))
_FIRST_YEAR, _LAST_YEAR = 1000, 2100


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
        """Whether it is hardly met by chance: no small bare number, no bare year."""
        if any(self.date):
            return bool(self.date[2] or (self.date[1] and self.date[0]))
        return bool(self.unit or self.amount >= 100 or self.amount % 1)

    def __str__(self) -> str:
        if any(self.date):
            return "-".join(str(part) for part in self.date if part)
        if self.unit == CLOCK:
            return f"{int(self.amount)}:{round(self.amount % 1 * 60):02}"
        return f"{self.amount:g} {self.said or self.unit}".strip()


def agree(wanted: Value, found: Value) -> bool:
    """Whether the value found states the value wanted."""
    if any(wanted.date) and any(found.date):
        # The parts that both give are the same, and they share one at least.
        shared = [pair for pair in zip(wanted.date, found.date, strict=True) if all(pair)]
        same = bool(shared) and all(one == other for one, other in shared)
        # A day is not stated by its month or year.
        return same and not (wanted.date[2] and not found.date[2])
    if any(wanted.date) or any(found.date):
        dated, number = (wanted, found) if any(wanted.date) else (found, wanted)
        return dated.date == (number.amount, 0, 0) and not number.unit
    one, other = wanted.amount, found.amount
    if CLOCK in (wanted.unit, found.unit):
        # '9:15' may be 21:15; 'at 9' and '9 hours' stay apart.
        bare = not (wanted.unit and found.unit)
        return (bare or wanted.unit == found.unit) and abs(one - other) % 12 < 1e-9
    if wanted.unit and found.unit:
        if wanted.unit != found.unit:
            return False
        one, other = one * wanted.factor, other * found.factor
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))


def is_among(values: Iterable[Value], wanted: Value) -> bool:
    """Whether one of the values states the value wanted."""
    return any(agree(wanted, found) for found in values)


@lru_cache(maxsize=50_000)
def amount_of(word: str) -> float | None:
    """The number that one token says: '1,260', '5,2', 'eleven'; None where it says none."""
    if not word[0].isdecimal():
        return words.NUMBERS.get(word)
    return None if _NO_NUMBER.search(word) else float(_GROUPS.sub("", word).replace(",", "."))


def read_values(tokens: Sequence[str]) -> tuple[tuple[Value, ...], frozenset[int]]:
    """The values of a sentence's tokens, in lower case, and the places of the tokens read as values."""
    values: dict[Value, None] = {}
    taken: set[int] = set()
    end = 0
    for place, token in enumerate(tokens):
        if place < end or not (token in _STARTS or token[0].isdigit()):
            continue
        found, end = _date(tokens, place)
        if time := _TIME.fullmatch(token):
            found, end = [Value(int(time[1]) + int(time[2]) / 60, CLOCK)], place + 1
        elif not found and token not in words.MONTHS:
            value, end = _number(tokens, place)
            found = [value] if value is not None else []
        values.update(dict.fromkeys(found))
        taken.update(range(place, end))
        if len(values) >= at.MOST_VALUES:
            break
    return tuple(values), frozenset(taken)


def spelled_amounts(tokens: Sequence[str]) -> set[float]:
    """The numbers in words that begin at any of the tokens; infinity where too many could begin."""
    if _SPELLED.isdisjoint(map(str.lower, tokens)):
        return set()
    said = [token.lower() for token in tokens]
    starts = [place for place, token in enumerate(said) if token in _SPELLED]
    if len(starts) > _MOST_SPELLED:  # each may reach to the sentence's end
        return {float("inf")}
    return {amount for place in starts if (amount := _spelled(said, place)[0]) is not None}


def _date(tokens: Sequence[str], place: int) -> tuple[list[Value], int]:
    """The date that begins at a token, or the two days of '9 and 10 November', and its end."""
    token, days = tokens[place], []
    if len(token) == 10 and token[4] == "-":
        year, month, day = map(int, token.split("-"))
        return [Value(date=(year, month, day))], place + 1
    if token in words.MONTHS:
        month, end = words.MONTHS[token], _skip(tokens, place + 1, ".")
        after = _skip(tokens, end, ("of", "de", ","))
        if year := _year(tokens, after):
            return [Value(date=(year, month, 0))], after + 1
        if day := _day(tokens, end):
            days, end = [day], _skip(tokens, end + 1, _SUFFIXES)
    else:
        end = place
        while len(days) < 2 and (day := _day(tokens, end)):
            days.append(day)
            after = _skip(tokens, end + 1, _SUFFIXES)
            end = _skip(tokens, after, _JOINS)
        end = _skip(tokens, end, ("of", "de"))
        month = words.MONTHS.get(tokens[end], 0) if end < len(tokens) else 0
        end += 1
    if not days or not month:
        return [], place
    after = _skip(tokens, end, (",", "."))
    year = _year(tokens, after)
    return [Value(date=(year, month, day)) for day in days], after + 1 if year else end


def _skip(tokens: Sequence[str], place: int, these: Collection[str]) -> int:
    return place + (place < len(tokens) and tokens[place] in these)


def _day(tokens: Sequence[str], place: int) -> int:
    found = tokens[place] if place < len(tokens) else ""
    return int(found) if found.isdecimal() and len(found) < 3 and 0 < int(found) < 32 else 0


def _year(tokens: Sequence[str], place: int) -> int:
    found = tokens[place] if place < len(tokens) else ""
    return int(found) if len(found) == 4 and found.isdecimal() else 0


def _number(tokens: Sequence[str], place: int) -> tuple[Value | None, int]:
    """The number that begins at a token with its unit, and where it ends."""
    digits = tokens[place][0].isdigit()
    amount, end = (amount_of(tokens[place]), place + 1) if digits else _spelled(tokens, place)
    if amount is None:
        return None, end
    if digits and _skip(tokens, end, _SUFFIXES) > end:
        end += 1
        if amount <= 10:  # 'the 2nd', where the other says 'second'
            return None, end
    unit, factor = words.UNITS.get(tokens[place - 1] if place else "", ("", 1.0))
    money = unit in ("$", "€", "£")
    scales = words.SCALES | (words.MONEY_SCALES if money or tokens[end : end + 1] == ["k"] else {})
    scaled = digits and end < len(tokens) and tokens[end] in scales
    if scaled or (end < len(tokens) and tokens[end] in words.SCALES):
        amount, end = amount * 10.0 ** scales[tokens[end]], end + 1
        scaled = True
    said = ""
    if not money:
        unit, factor, after = _unit(tokens, end)
        said, end = tokens[after - 1] if unit else "", after
    if not unit and not scaled:
        if digits and _FIRST_YEAR <= _year(tokens, place) <= _LAST_YEAR:
            return Value(date=(int(amount), 0, 0)), end
        if amount == 1:
            return None, place  # as often an article or pronoun as a number
    return Value(amount, unit, factor, said=said), end


def _unit(tokens: Sequence[str], place: int) -> tuple[str, float, int]:
    """The unit that stands at a token, its factor, and where it ends."""
    start = _skip(tokens, place, ("de", "d", "of", "-"))
    for length in (2, 1):
        found = words.UNITS.get(" ".join(tokens[start : start + length]))
        if found is not None:
            return *found, min(start + length, len(tokens))
    return "", 1.0, place


def _spelled(tokens: Sequence[str], place: int) -> tuple[float | None, int]:
    """A number in words, English or French, and where it ends."""
    total, current, end = 0.0, words.NUMBERS.get(tokens[place], 0.0), place + 1
    if tokens[place] not in words.NUMBERS:  # 'cent' and 'mille' begin a number, 'thousand' does not
        current = 10.0 ** words.SCALES[tokens[place]]
    while end < len(tokens):
        word = tokens[end]
        small = words.NUMBERS.get(word)
        if word in ("hundred", "cent", "cents", "thousand", "mille"):
            current = max(current, 1) * 10.0 ** words.SCALES[word]
            if word in ("thousand", "mille"):
                total, current = total + current, 0.0
        elif word == "vingt" and current % 100 == 4:
            current += 76  # quatre-vingt
        elif small is not None and (not current % 10 or 10 < small < 17) and small < 100:
            current += small
        elif not (
            tokens[end + 1 : end + 2]
            and tokens[end + 1] in words.NUMBERS
            and (
                word == "-"
                or (word == "et" and current > 19)
                or (word == "and" and total + current > 99)
            )
        ):
            break
        end += 1
    return total + current, end
