"""Numbers, dates and measures in a sentence, and whether two of them agree.

A value is read with its scale and unit: '12 million', '1.2 km', 'vingt et un', '3 %', '9 and 10
November 2021'. Units of one dimension are converted; a bare number agrees with any unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from argue_bench.judges.lexical import known_words as words

DIGITS = r"\d{4}-\d\d-\d\d|\d{1,2}[:h][0-5]\d(?!\d)|\d{1,3}(?:[,' ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
_GROUPS = re.compile(r"(?<=\d)[,' ](?=\d{3}(?!\d))")
_NO_NUMBER = re.compile(r"[-:]|[^\W\d]")
CLOCK = "o'clock"


def _one_of(spellings: Iterable[str]) -> str:
    """A pattern of these spellings; a tab ends each word, as in the text that `read_values` looks at."""
    longest_first = sorted(spellings, key=len, reverse=True)
    return "(?:" + "|".join(map(re.escape, longest_first)).replace(r"\ ", r"\t") + r")\t"


_POWERS = {"hundred": 2, "cent": 2, "cents": 2, "thousand": 3, "mille": 3}
# Words with which a number begins.
_SPELLED = (words.NUMBERS.keys() - words.MONTHS.keys()) | {"cent", "mille"}
_MOST_VALUES = 200
"""Values that are read of one sentence; no honest one has more."""
# Words of a number, at most.
_MOST_SPELLED = 12
_MONEY = [spelling for spelling, (unit, _) in words.UNITS.items() if unit in ("$", "€", "£")]
_STARTS = _SPELLED | words.MONTHS.keys() | set(_MONEY)
_ENDING = r"(?:(?:st|nd|rd|th|er|re|s)\t)?"
_DAY = rf"(?:0?[1-9]|[12]\d|3[01])\t{_ENDING}"
_AND = r"(?:(?:and|et|to|au|-|–)\t)?"
_YEAR = r"(?:(?:[,.]\t)?\d{4}\t)?"
_MONTH = _one_of(words.MONTHS)
_DATE = re.compile(
    rf"{_MONTH}(?:\.\t)?(?:(?:(?:of|de|,)\t)?\d{{4}}\t|{_DAY}{_YEAR})"
    rf"|{_DAY}{_AND}(?:{_DAY}{_AND})?(?:(?:of|de)\t)?{_MONTH}{_YEAR}"
)
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)\t")
_SPAN = re.compile(r"((?:1\d|20)\d\d)\t[-–]\t(\d\d)\t")
_TIME = re.compile(r"([01]?\d|2[0-4])[:h]([0-5]\d)\t")
_MONEY_SIGN, _DIGITS = re.compile(_one_of(_MONEY)), re.compile(rf"(\d[^\t]*)\t({_ENDING})")
_SCALES = words.SCALES | words.MONEY_SCALES
_SCALE, _SCALE_OF_MONEY = (re.compile(_one_of(known)) for known in ({*words.SCALES, "k"}, _SCALES))
_UNIT = re.compile(rf"(?:(?:de|d|of|-)\t)?({_one_of(words.UNITS)})")
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
    text = "".join(f"{token}\t" for token in tokens)
    start = end = 0
    for place, token in enumerate(tokens):
        if start >= end and (token in _STARTS or token[0].isdecimal()):
            found, end = _read(text, start)
            values.update(dict.fromkeys(found))
            if len(values) >= _MOST_VALUES:
                break
        if start < end:
            taken.add(place)
        start += len(token) + 1
    return tuple(values), frozenset(taken)


def _read(text: str, start: int) -> tuple[list[Value], int]:
    """The date, time or number that begins at a character, or the two days of '9 and 10 November', and its end."""
    if found := _DATE.match(text, start):
        parts = found[0].split("\t")
        month = next(words.MONTHS[part] for part in parts if part in words.MONTHS)
        numbers = [int(part) for part in parts if part.isdecimal()]
        year = numbers.pop() if len(parts[-2]) == 4 and parts[-2].isdecimal() else 0
        return [Value(date=(year, month, day)) for day in numbers or [0]], found.end()
    if found := _ISO.match(text, start):
        return [Value(date=(int(found[1]), int(found[2]), int(found[3])))], found.end()
    if (found := _SPAN.match(text, start)) and found[2] > found[1][2:]:  # '1951-52'
        years = int(found[1]), int(found[1][:2] + found[2])
        return [Value(date=(year, 0, 0)) for year in years], found.end()
    if found := _TIME.match(text, start):
        return [Value(int(found[1]) + int(found[2]) / 60, CLOCK)], found.end()
    return _number(text, start)


def _number(text: str, start: int) -> tuple[list[Value], int]:
    """The number that begins at a character, with its scale and unit, and where it ends."""
    money = _MONEY_SIGN.match(text, start)
    end = money.end() if money else start
    if digits := _DIGITS.match(text, end):
        amount, end = amount_of(digits[1]), digits.end()
    else:
        said = text[end : end + 200].split("\t")
        amount, length = _spelled(said) if said[0] in _SPELLED else (None, 0)
        end += length
    if amount is None or (digits and digits[2] and amount <= 10):
        return [], end  # 'the 2nd', where the other says 'second'
    if scale := (_SCALE_OF_MONEY if money else _SCALE).match(text, end):
        amount, end = amount * 10.0 ** _SCALES[scale[0][:-1]], scale.end()
    if money:
        return [Value(amount, *words.UNITS[money[0][:-1]])], end
    if unit := _UNIT.match(text, end):
        name = unit[1][:-1].replace("\t", " ")
        return [Value(amount, *words.UNITS[name], said=name)], unit.end()
    if digits and not scale and len(digits[1]) == 4 and _FIRST_YEAR <= amount <= _LAST_YEAR:
        return [Value(date=(int(amount), 0, 0))], end
    # 'One' is as often an article or pronoun as a number.
    return ([Value(amount)], end) if scale or amount != 1 else ([], start)


def _spelled(said: Sequence[str]) -> tuple[float, int]:
    """The number in words, English or French, with which tokens begin, and its length with a tab after each."""
    total, current, length = 0.0, 0.0, 0
    for word, after in pairwise((*said[:_MOST_SPELLED], "")):
        small = words.NUMBERS.get(word)
        if word in _POWERS:
            current = max(current, 1) * 10.0 ** _POWERS[word]
            if _POWERS[word] == 3:
                total, current = total + current, 0.0
        elif word in ("vingt", "vingts") and current % 100 == 4:
            current += 76
        elif small is not None and (not current % 10 or 10 < small < 17):
            current += small
        elif after not in words.NUMBERS or not (
            word == "-"
            or (word == "et" and current > 19)
            or (word == "and" and total + current > 99)
        ):
            break
        length += len(word) + 1
    return total + current, length
