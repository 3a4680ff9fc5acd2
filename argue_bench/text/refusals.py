"""Detection of refusals: an answer refuses, answers, does both or neither, in English and French.

By wording: a sentence refuses where the assistant or its sources are said not to know, hold or allow
the answer. A phrase wants such a subject, so "solar panels do not provide power at night" is none.
By behaviour: an answer that refuses and says nothing else of substance is a refusal; one that refuses
and then says something is hedged, whatever word joins the two.

All metrics and the lexical judge ask here; ``rules=`` of published programs keep their own lists.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from argue_bench.text.reading import strip_reasoning
from argue_bench.text.sentences import sentences
from argue_bench.text.typed import fold_text

LANGUAGES = ("en", "fr")
"""The languages in which refusals are read."""
_WORD = re.compile(r"\w+|[,;:()]")
_FEWEST_WORDS = 3
"""Words that make a statement of substance: "Paris." beside a refusal is none."""


class _Beginnings(NamedTuple):
    unavailable: re.Pattern[str]
    turned: re.Pattern[str]
    instead: re.Pattern[str]


# Each group is compiled on its first use: most runs ask for one or none, and compiling takes longer than
# reading the answers of a small run.
@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8"))


@cache
def _refusals() -> tuple[re.Pattern[str], ...]:
    data = _table()
    return tuple(
        # A pattern names parts, <part>, which are written out here.
        re.compile(re.sub(r"<(\w+)>", lambda name: data["parts"][name[1]], pattern))
        for pattern in (*data["refusals"]["english"], *data["refusals"]["french"])
    )


@cache
def _unknown() -> re.Pattern[str]:
    return re.compile("|".join(_table()["unknown"]["patterns"]))


@cache
def _beginnings() -> _Beginnings:
    data = _table()["beginnings"]
    return _Beginnings(*(re.compile(data[name]) for name in _Beginnings._fields))


@cache
def _courtesy() -> re.Pattern[str]:
    return re.compile(rf"^(?:{'|'.join(_table()['courtesies']['patterns'])})\W*+$")


class Conduct(StrEnum):
    """The conduct of an answer: whether it refuses and whether it answers."""

    ANSWERS = "answers"
    REFUSES = "refuses"
    HEDGES = "hedges"
    """It refuses and answers all the same."""
    EMPTY = "empty"

    @property
    def refuses(self) -> bool:
        return self is Conduct.REFUSES


def refuses_in_words(sentence: str) -> bool:
    """Whether a sentence says that the question can't be answered from what was given.

    >>> refuses_in_words("I can’t answer."), refuses_in_words("Wood does not contain iron.")
    (True, False)
    """
    text = fold_text(sentence).strip()
    return any(pattern.search(text) for pattern in _refusals())


def says_unknown(sentence: str) -> bool:
    """Whether a sentence says that something is not known, not stated or not found.

    >>> says_unknown("The cause is not known."), says_unknown("The vote was not close.")
    (True, False)
    """
    text = sentence.lower() if sentence.isascii() else fold_text(sentence)
    words = " ".join(_WORD.findall(text.replace("n't", " not")))
    return _unknown().search(words) is not None


def conduct(said: Sequence[str]) -> Conduct:
    """The conduct of the sentences together, judged by the text that is left without refusals
    and courtesies."""
    said = [sentence for sentence in said if sentence.strip()]
    if not said:
        return Conduct.EMPTY
    # What is left beside refusals and courtesies decides.
    other = [sentence for sentence in said if not refuses_in_words(sentence)]
    if len(other) == len(said):
        return Conduct.ANSWERS
    rest = [sentence for sentence in other if not _is_courtesy(sentence)]
    substance = any(len(sentence.split()) >= _FEWEST_WORDS for sentence in rest)
    return Conduct.HEDGES if substance else Conduct.REFUSES


def declines(response: str) -> bool:
    """Whether a response declines the question, as a whole or before it says something beside.

    A response of which every sentence calls something unknown declines, too, and one that begins by calling
    what is asked unavailable and offers nothing in its place. What explains a refusal
    ("I cannot provide that. It is important to ...") does not undo it; a gap
    that is named further down does not make one.
    """
    said = [one for one in sentences(strip_reasoning(response)) if not _is_courtesy(one)]
    return bool(said) and (
        refuses_in_words(said[0])
        or all(refuses_in_words(one) or says_unknown(one) for one in said)
        or _begins_unavailable(said)
    )


def _begins_unavailable(said: Sequence[str]) -> bool:
    """Whether the first sentence calls what is asked unavailable, and no later one offers something instead."""
    first, *rest = (fold_text(one).strip() for one in said)
    known = _beginnings()
    return (
        known.unavailable.search(first) is not None
        and known.turned.search(first) is None
        and not any(known.instead.search(one) or any(map(str.isdigit, one)) for one in rest)
    )


def _is_courtesy(sentence: str) -> bool:
    return _courtesy().match(fold_text(sentence).strip()) is not None
