"""Which spellings mean the same unit, magnitude, month or ordinal? Folded forms to one each."""

from __future__ import annotations

MONEY = {
    "$": "$",
    "us$": "$",
    "usd": "$",
    "€": "€",
    "eur": "€",
    "£": "£",
    "gbp": "£",
    "¥": "¥",
    "jpy": "¥",
    "cny": "cny",
    "₹": "₹",
    "inr": "₹",
    "chf": "chf",
}
"""Signs and codes before a number. Others (``a$``) stand for themselves."""

MAGNITUDES = {
    "hundred": 2,
    "thousand": 3,
    "thousands": 3,
    "mille": 3,
    "million": 6,
    "millions": 6,
    "mn": 6,
    "billion": 9,
    "billions": 9,
    "bn": 9,
    "milliard": 9,
    "milliards": 9,
    "trillion": 12,
    "trillions": 12,
    "tn": 12,
}
MONEY_MAGNITUDES = {"k": 3, "m": 6, "b": 9, "t": 12}
"""Letters that are magnitudes only behind an amount of money."""

_SPELLINGS = {
    "%": ("%", "percent", "per cent", "pct", "pour cent"),
    "$": ("usd", "dollar", "dollars", "us dollar", "us dollars", "u s dollars", "dollars us"),
    "€": ("€", "eur", "euro", "euros"),
    "£": ("£", "gbp", "pounds sterling", "british pounds"),
    "¥": ("¥", "jpy", "yen"),
    "₹": ("₹", "inr", "rupees", "indian rupees"),
    "km": ("km", "kms", "kilometer", "kilometers", "kilometre", "kilometres"),
    "m": ("m", "meter", "meters", "metre", "metres"),
    "cm": ("cm", "centimeter", "centimeters", "centimetre", "centimetres"),
    "mm": ("mm", "millimeter", "millimeters", "millimetre", "millimetres"),
    "mi": ("mi", "mile", "miles"),
    "ft": ("ft", "foot", "feet"),
    "kg": ("kg", "kgs", "kilogram", "kilograms", "kilo", "kilos"),
    "g": ("g", "gram", "grams"),
    "lb": ("lb", "lbs"),
    "km2": (
        "km2",
        "km^2",
        "km 2",
        "square kilometers",
        "square kilometres",
        "square km",
        "sq km",
        "sq kilometers",
        "sq kilometres",
    ),
    "mi2": ("mi2", "square miles", "sq mi", "sq miles"),
    "m2": ("m2", "square meters", "square metres", "sq m"),
    "ha": ("ha", "hectare", "hectares"),
    "km/h": ("kmh", "kph", "km h", "kilometers per hour", "kilometres per hour"),
    "mph": ("mph", "miles per hour"),
    "kwh": ("kwh",),
    "mw": ("mw",),
    "gw": ("gw",),
    "hp": ("hp", "horsepower"),
    "gb": ("gb",),
    "mb": ("mb",),
    "tb": ("tb",),
    "h": ("h", "hr", "hrs", "hour", "hours"),
    "min": ("min", "mins", "minute", "minutes"),
    "sec": ("sec", "secs", "second", "seconds"),
}
UNITS = {spelling: unit for unit, spellings in _SPELLINGS.items() for spelling in spellings}

MONTH_NAMES = dict(
    enumerate(
        (
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ),
        start=1,
    )
)
_FRENCH_MONTHS = (
    "janvier",
    "fevrier",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "aout",
    "septembre",
    "octobre",
    "novembre",
    "decembre",
)
MONTHS = {
    **{name: name for name in MONTH_NAMES.values()},
    **{name[:3]: name for name in MONTH_NAMES.values()},
    "sept": "september",
    **dict(zip(_FRENCH_MONTHS, MONTH_NAMES.values(), strict=True)),
}

ORDINALS = {
    word: f"{number}th"
    for number, word in enumerate(
        (
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ),
        start=1,
    )
}

_SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
DIGITS = {word: number for number, word in enumerate(_SMALL, start=1)}
TENS = {word: number for number, word in zip(range(20, 100, 10), _TENS, strict=True)}
NUMBER_WORDS = {
    **{word: number for word, number in DIGITS.items() if word != "one"},
    **{word: number for number, word in enumerate(_TEENS, start=10)},
    **TENS,
}
"""English numbers below a hundred as words; "one" is more often a pronoun."""
