"""Spellings of units, magnitudes, months and numbers in words, each mapped to one form.

``vocabulary.json`` beside this file holds them, folded as `typed.fold_text` folds a text; ``spellings.json``
has those of other languages, from Unicode's CLDR (`tools/languages`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from argue_bench.text.language import UNKNOWN, primary

_TABLE: dict[str, Any] = json.loads(Path(__file__).with_name("vocabulary.json").read_text("utf-8"))

# Signs and codes before a number. Others (``a$``) are their own form.
MONEY: dict[str, str] = _TABLE["money"]
# Words behind a number that multiply it, with the zeros that they add.
MAGNITUDES: dict[str, int] = _TABLE["magnitudes"]
# Letters that are magnitudes only behind an amount of money.
MONEY_MAGNITUDES: dict[str, int] = _TABLE["money_magnitudes"]
UNITS: dict[str, str] = {
    spelling: unit for unit, spellings in _TABLE["units"].items() for spelling in spellings
}
MONTH_NAMES: dict[int, str] = dict(enumerate(_TABLE["months"], start=1))
MONTHS: dict[str, str] = {
    **{name: name for name in MONTH_NAMES.values()},
    **{name[:3]: name for name in MONTH_NAMES.values()},
    "sept": "september",
    **dict(zip(_TABLE["french_months"], MONTH_NAMES.values(), strict=True)),
}
ORDINALS: dict[str, str] = {
    word: f"{number}th" for number, word in enumerate(_TABLE["ordinals"], start=1)
}
DIGITS: dict[str, int] = {word: number for number, word in enumerate(_TABLE["digits"], start=1)}
TENS: dict[str, int] = {
    word: number for number, word in zip(range(20, 100, 10), _TABLE["tens"], strict=True)
}
# English numbers below a hundred as words; "one" is more often a pronoun.
NUMBER_WORDS: dict[str, int] = {
    **{word: number for word, number in DIGITS.items() if word != "one"},
    **{word: number for number, word in enumerate(_TABLE["teens"], start=10)},
    **TENS,
}
# English and French words that carry no content of their own, without accents.
STOP: frozenset[str] = frozenset(_TABLE["stop"])


class Spellings(NamedTuple):
    """How one language writes numbers, months and units; English spellings hold in all of them."""

    # Whether ``3,5`` is a decimal and ``3.500`` are three thousand five hundred.
    comma: bool
    months: Mapping[str, str]
    magnitudes: Mapping[str, int]
    units: Mapping[str, str]


@cache
def spellings(language: str) -> Spellings:
    """The spellings of a language, those of English where it has none here."""
    one = primary(language)
    table: dict[str, Any] = {}
    if one not in ("en", UNKNOWN):
        table = json.loads(Path(__file__).with_name("spellings.json").read_text("utf-8")).get(
            one, {}
        )
    months = zip(table.get("months", ()), MONTH_NAMES.values(), strict=False)
    units = table.get("units", {}).items()
    return Spellings(
        table.get("decimal", ".") != ".",
        MONTHS | {name: month for names, month in months for name in names.split(" / ") if name},
        MAGNITUDES | table.get("magnitudes", {}),
        UNITS | {name: unit for unit, names in units for name in names.split(" / ")},
    )
