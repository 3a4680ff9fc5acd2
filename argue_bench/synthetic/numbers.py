"""How are figures and dates written? In digits or words, in English or French, exactly.

Integers only: 4.7 is 47 tenths. ``\\u202f`` parts the thousands in French, as printers do.
"""

from __future__ import annotations

_ONES_TEXT = """zero one two three four five six seven eight nine ten eleven twelve thirteen
fourteen fifteen sixteen seventeen eighteen nineteen"""
_ONES = tuple(_ONES_TEXT.split())
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNS_TEXT = """zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze
quinze seize dix-sept dix-huit dix-neuf"""
_UNS = tuple(_UNS_TEXT.split())
_DIZAINES = ("", "", "vingt", "trente", "quarante", "cinquante", "soixante", "", "quatre-vingt", "")
_MONTHS_EN = """January February March April May June July August September October November
December"""
_MONTHS_FR = """janvier février mars avril mai juin juillet août septembre octobre novembre
décembre"""
MONTHS = {"en": tuple(_MONTHS_EN.split()), "fr": tuple(_MONTHS_FR.split())}
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

Date = tuple[int, int, int]
"""Year, month, day."""


def in_digits(n: int, language: str) -> str:
    """1243 as "1,243" or "1 243"."""
    return f"{n:,}" if language == "en" else f"{n:,}".replace(",", "\u202f")


def in_tenths(n: int, language: str) -> str:
    """124 as "12.4" or "12,4"; 120 as "12"."""
    whole, rest = divmod(n, 10)
    text = in_digits(whole, language)
    return text if not rest else f"{text}{'.' if language == 'en' else ','}{rest}"


def in_words(n: int, language: str) -> str:
    """The number in words, up to 999,999."""
    return _english(n) if language == "en" else _french(n)


def _english(n: int) -> str:
    if n < 20:
        return _ONES[n]
    if n < 100:
        ten, one = divmod(n, 10)
        return _TENS[ten] + (f"-{_ONES[one]}" if one else "")
    if n < 1000:
        hundred, rest = divmod(n, 100)
        return f"{_ONES[hundred]} hundred" + (f" and {_english(rest)}" if rest else "")
    thousand, rest = divmod(n, 1000)
    joint = " and " if 0 < rest < 100 else " "
    return f"{_english(thousand)} thousand" + (joint + _english(rest) if rest else "")


def _french(n: int) -> str:
    if n < 20:
        return _UNS[n]
    if n < 100:
        ten, one = divmod(n, 10)
        if ten in (7, 9):
            ten, one = ten - 1, one + 10
        head = _DIZAINES[ten]
        if not one:
            return head + ("s" if ten == 8 else "")
        joint = " et " if one in (1, 11) and ten != 8 else "-"
        return head + joint + _UNS[one]
    if n < 1000:
        hundred, rest = divmod(n, 100)
        head = "cent" if hundred == 1 else f"{_UNS[hundred]} cent"
        return f"{head} {_french(rest)}" if rest else head + ("s" if hundred > 1 else "")
    thousand, rest = divmod(n, 1000)
    many = _french(thousand)
    if many.endswith(("cents", "vingts")):
        many = many[:-1]
    head = "mille" if thousand == 1 else f"{many} mille"
    return f"{head} {_french(rest)}" if rest else head


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
