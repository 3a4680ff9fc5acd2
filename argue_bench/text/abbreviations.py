"""Words that carry a full stop of their own, so that it may not end a sentence, by language.

``abbreviations.json`` beside this file holds them. Forms are exact, capitals included: "Mar." is a month,
"mar." is not. Every word is written without its last full stop.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "fr")
"""The languages with rules of their own; the others share "xx"."""


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """The abbreviations of one language.

    ``titles`` never end a sentence: a name or the rest of a phrase follows. ``numbered`` do not
    where a number follows. ``words`` are both an abbreviation and a word ("No."): they end one
    except before a number. ``others`` end one only where ``starters`` follow, words that
    are seldom part of a name; ``after_initial`` are never part of one. ``kinds`` are nouns that a
    single letter classifies: "vitamin C." may end a sentence.
    """

    titles: frozenset[str]
    numbered: frozenset[str]
    words: frozenset[str]
    others: frozenset[str]
    starters: frozenset[str]
    after_initial: frozenset[str]
    kinds: frozenset[str]

    def __or__(self, other: Abbreviations) -> Abbreviations:
        return Abbreviations(
            *(getattr(self, name) | getattr(other, name) for name in self.__slots__)
        )


def rules_for(language: str) -> str:
    """ "en", "fr" or, for every other language, "xx". Regions do not matter: "fr-CA" is "fr"."""
    primary = language.replace("_", "-").split("-")[0].casefold()
    return primary if primary in LANGUAGES else "xx"


@cache
def abbreviations(rules: str) -> Abbreviations:
    """The abbreviations of "en" or "fr"; for "xx" both together."""
    if rules not in LANGUAGES:
        return abbreviations("en") | abbreviations("fr")
    table = json.loads(Path(__file__).with_name("abbreviations.json").read_text("utf-8"))[rules]
    return Abbreviations(**{name: frozenset(words.split()) for name, words in table.items()})
