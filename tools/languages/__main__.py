"""Prints argue_bench/text/spellings.json: numbers, months and units of languages as Unicode's CLDR has them.

Run it with Babel installed: ``python -m tools.languages > argue_bench/text/spellings.json``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from babel import Locale, UnknownLocaleError, __version__

from argue_bench.text.language import language_names
from argue_bench.text.typed import spelled

UNITS = {
    "%": "concentr-percent",
    "km": "length-kilometer",
    "m": "length-meter",
    "cm": "length-centimeter",
    "mm": "length-millimeter",
    "mi": "length-mile",
    "ft": "length-foot",
    "kg": "mass-kilogram",
    "g": "mass-gram",
    "lb": "mass-pound",
    "km2": "area-square-kilometer",
    "mi2": "area-square-mile",
    "m2": "area-square-meter",
    "ha": "area-hectare",
    "km/h": "speed-kilometer-per-hour",
    "mph": "speed-mile-per-hour",
    "kwh": "energy-kilowatt-hour",
    "hp": "power-horsepower",
    "h": "duration-hour",
    "min": "duration-minute",
    "sec": "duration-second",
}
STYLES = ("long", "short", "narrow")
DOLLARS = ("USD", "CAD", "AUD")
MONEY = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}


def texts(value: Any) -> Iterator[str]:
    """Every text in a mapping of mappings, but what is said of one unit per another."""
    if isinstance(value, str):
        yield value
    elif hasattr(value, "items"):
        for key, inner in value.items():
            if key != "per":
                yield from texts(inner)


def magnitudes(locale: Locale) -> dict[str, int]:
    """Words behind a number, of two letters and more or of one character that is a word, to their zeros."""
    found: dict[str, int] = {}
    for style in ("long", "short"):
        for _, patterns in locale.compact_decimal_formats.get(style, {}).items():
            for size, pattern in patterns.items():
                match = re.fullmatch(r"(0+)[\s\u200f]*([^\W\d]+)['.]*\.?", pattern.pattern)
                word = spelled(match[2]) if match else ""
                if match and (len(word) > 1 or word > "\u2e7f"):
                    found.setdefault(word, len(size) - len(match[1]))
    return {word: zeros for word, zeros in found.items() if zeros and " " not in word}


def spellings(locale: Locale) -> dict[str, Any]:
    """What one language writes differently."""
    data = locale._data
    forms = (("format", "wide"), ("stand-alone", "wide"), ("format", "abbreviated"))
    months = [
        sorted({spelled(locale.months[form][width][month].rstrip(".")) for form, width in forms})
        for month in range(1, 13)
    ]
    units: dict[str, set[str]] = {}
    for unit, name in UNITS.items():
        styles = data["unit_patterns"].get(name, {})
        style: Any = next((styles[style] for style in STYLES if style in styles), {})
        units[unit] = {spelled(text.replace("{0}", " ")) for text in texts(style) if "{0}" in text}
    names = {
        code: {
            spelled(text)
            for text in (
                *texts(data["currency_names_plural"].get(code, {})),
                locale.currencies.get(code, ""),
            )
        }
        for code in (*MONEY.values(), *DOLLARS)
    }
    for sign, code in MONEY.items():
        units[sign] = names[code]
    # A dollar is what the dollars of three countries share in their names.
    shared = [{word for name in names[code] for word in name.split()} for code in DOLLARS]
    units["$"] |= {word for word in set.intersection(*shared) if len(word) > 1}
    return {
        "decimal": locale.number_symbols["latn"]["decimal"]
        if "latn" in locale.number_symbols
        else ".",
        "months": [" / ".join(one for one in names if one.isalpha()) for names in months],
        "magnitudes": magnitudes(locale),
        "units": {
            unit: " / ".join(sorted(words - {""})) for unit, words in units.items() if any(words)
        },
    }


def main() -> None:
    found = {"source": f"Unicode CLDR by Babel {__version__}; Unicode License v3, © Unicode, Inc."}
    rows = []
    for tag in language_names():
        try:
            rows.append(
                f'  "{tag}": {json.dumps(spellings(Locale.parse(tag)), ensure_ascii=False)}'
            )
        except UnknownLocaleError:
            continue
    print(
        "{\n"
        + f'  "source": {json.dumps(found["source"], ensure_ascii=False)},\n'
        + ",\n".join(rows)
        + "\n}"
    )


if __name__ == "__main__":
    main()
