"""The word lists of the world, and figures and dates in digits or words, in English or French.

Integers only, so that every platform prints the same: 4.7 is 47 tenths. ``\\u202f``, a narrow blank,
parts the thousands in French, as printers do.
"""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

LANGUAGES = ("en", "fr")
WORDS: dict[str, Any] = tomllib.loads(
    (resources.files(__package__) / "words.toml").read_text(encoding="utf-8")
)

_ONES: list[str] = WORDS["numbers"]["ones_en"]
_TENS: list[str] = WORDS["numbers"]["tens_en"]
_UNS: list[str] = WORDS["numbers"]["ones_fr"]
_DIZAINES: list[str] = WORDS["numbers"]["tens_fr"]
MONTHS: dict[str, list[str]] = WORDS["months"]
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

Date = tuple[int, int, int]
"""Year, month, day."""


def in_digits(n: int, language: str) -> str:
    """1243 as "1,243" or "1 243"."""
    return f"{n:,}" if language == "en" else f"{n:,}".replace(",", "\u202f")


def in_tenths(n: int, language: str) -> str:
    """124 as "12.4" or "12,4"; 120 as "12"."""
    whole, rest = divmod(n, 10)
    point = "." if language == "en" else ","
    return in_digits(whole, language) + (f"{point}{rest}" if rest else "")


def in_words(n: int, language: str) -> str:
    """The number in words, up to 100; longer ones are printed in digits."""
    if n == 100:
        return "one hundred" if language == "en" else "cent"
    if n < 20:
        return (_ONES if language == "en" else _UNS)[n]
    ten, one = divmod(n, 10)
    if language == "en":
        return _TENS[ten] + (f"-{_ONES[one]}" if one else "")
    if ten in (7, 9):  # soixante-dix, quatre-vingt-dix
        ten, one = ten - 1, one + 10
    if not one:
        return _DIZAINES[ten] + ("s" if ten == 8 else "")
    return _DIZAINES[ten] + (" et " if one in (1, 11) and ten != 8 else "-") + _UNS[one]


def round_figure(n: int) -> int:
    """To two leading figures: 1243 to 1200, 873 to 870."""
    step = 1
    while n // step >= 100:
        step *= 10
    return (n + step // 2) // step * step


def long_date(day: Date, language: str, style: int = 0) -> str:
    """14 March 1987; style 1 is "March 14, 1987" (English alone)."""
    year, month, number = day
    name = MONTHS[language][month - 1]
    if language == "fr":
        return f"{'1er' if number == 1 else number} {name} {year}"
    return f"{name} {number}, {year}" if style else f"{number} {name} {year}"


def short_date(day: Date, language: str) -> str:
    """Without the year."""
    return long_date(day, language).rsplit(" ", 1)[0]


def iso(day: Date) -> str:
    return f"{day[0]:04d}-{day[1]:02d}-{day[2]:02d}"


def add_days(day: Date, by: int) -> Date:
    """This many days after (leap days do not exist in this world)."""
    year, month, number = day
    number += by
    while number > _DAYS[month - 1]:
        number -= _DAYS[month - 1]
        month += 1
        if month > 12:
            year, month = year + 1, 1
    return year, month, number


def join_words(parts: list[str] | tuple[str, ...], language: str) -> str:
    """A, B and C."""
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + (" and " if language == "en" else " et ") + parts[-1]
