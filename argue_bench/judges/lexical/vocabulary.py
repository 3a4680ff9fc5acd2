"""The words that the lexical judge knows, read from vocabulary.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

_DATA: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8")
)


def _words(*names: str) -> frozenset[str]:
    return frozenset(word for name in names for word in _DATA[name].split())


def _numbers(name: str, start: int, step: int = 1) -> dict[str, int]:
    return {word: start + step * place for place, word in enumerate(_DATA[name].split())}


STOP = _words("stop_en", "stop_fr")
TELLS_EN, TELLS_FR = _words("english"), _words("french")
TITLES, GENERIC, OPENERS = _words("titles"), _words("generic"), _words("openers")
WEEKDAYS, NEGATIONS, HEDGES = _words("weekdays"), _words("negations"), _words("hedges")
SHORT_UNITS = _words("short_units")
ANTONYMS: dict[str, str] = {
    word: other for pair in _DATA["opposites"] for word, other in (pair, pair[::-1])
}
SYNONYMS = [group.split() for group in _DATA["synonyms"]]
NUMBERS = {
    **_numbers("units_en", 0),
    **_numbers("tens_en", 20, 10),
    **_numbers("units_fr", 1),
    **_numbers("tens_fr", 20, 10),
    "une": 1,
}
SCALES: dict[str, float] = _DATA["scales"]
MONTHS = {
    name: number for names in _DATA["months"] for number, name in enumerate(names.split(), start=1)
}
MEASURES: dict[str, tuple[str, float]] = {
    form: (dimension, factor)
    for dimension, factor, forms in _DATA["measures"]
    for form in forms.split()
}
