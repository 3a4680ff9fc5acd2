"""The words that the lexical judge knows: `text.vocabulary`, and what vocabulary.toml adds."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

from argue_bench.text import vocabulary

_DATA: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8")
)


def _pairs(name: str) -> list[list[str]]:
    return [pair.split("/") for pair in _DATA[name].split()]


STOP = vocabulary.STOP
TITLES, NEGATIONS, WEEKDAYS = (
    frozenset(_DATA[name].split()) for name in ("titles", "negations", "weekdays")
)
YES_NO = {word: name == "yes" for name in ("yes", "no") for word in _DATA[name].split()}
MONTHS = {
    spelling: 1 + list(vocabulary.MONTH_NAMES.values()).index(name)
    for spelling, name in vocabulary.MONTHS.items()
}
NUMBERS = {word: float(value) for word, value in vocabulary.NUMBER_WORDS.items()} | {
    word: float(value) for word, value in _pairs("numbers")
}
NO_NAMES = WEEKDAYS | MONTHS.keys() | NUMBERS.keys() | {"i"}
SCALES = vocabulary.MAGNITUDES | {"cent": 2, "cents": 2, "milliers": 3}
MONEY_SCALES = vocabulary.MONEY_MAGNITUDES
_BASES = {unit: (base, float(factor)) for unit, base, factor in _pairs("bases")}
UNITS = {
    **{spelling: _BASES.get(unit, (unit, 1.0)) for spelling, unit in vocabulary.UNITS.items()},
    **{sign: (unit, 1.0) for sign, unit in vocabulary.MONEY.items()},
    **{spelling: (base, float(factor)) for spelling, base, factor in _pairs("spans")},
}
ANTONYMS: dict[str, set[str]] = defaultdict(set)
for one, other in _pairs("opposites"):
    ANTONYMS[one].add(other)
    ANTONYMS[other].add(one)
META = re.compile("".join(line.strip() for line in _DATA["meta"].splitlines()))


def about(name: str) -> re.Pattern[str]:
    """A pattern of how an answer speaks of its sources."""
    pattern = _DATA["about"][name]
    while found := re.search(r"<(\w+)>", pattern):
        pattern = pattern.replace(found[0], _DATA["about"][found[1]])
    return re.compile(pattern, re.IGNORECASE)
