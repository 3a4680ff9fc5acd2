"""Detection of refusals: an answer refuses, answers, does both or neither, in English and French.

By wording: a sentence refuses where the assistant or its sources are said not to know, hold or allow
the answer. A phrase wants such a subject, so "solar panels do not provide power at night" is none.
By behaviour: an answer that refuses and says nothing else of substance is a refusal; one that refuses
and then says something is hedged, whatever word joins the two.
"""

from __future__ import annotations

import re
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Any

from argue_bench.records import Answer
from argue_bench.text.typed import fold_text

_DATA: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8")
)


_PATTERNS = tuple(
    # A pattern names parts, <part>, which are written out here.
    re.compile(re.sub(r"<(\w+)>", lambda name: _DATA["parts"][name[1]], pattern))
    for pattern in (*_DATA["refusals"]["english"], *_DATA["refusals"]["french"])
)
_COURTESY = re.compile(rf"^(?:{'|'.join(_DATA['courtesies']['patterns'])})\W*+$")
_FEWEST_WORDS = 3


class Conduct(StrEnum):
    """What an answer does."""

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
    return any(pattern.search(text) for pattern in _PATTERNS)


def conduct(answer: Answer) -> Conduct:
    """What the answer as a whole does, by what is left when refusals and courtesies are taken away."""
    sentences = [sentence.text for sentence in answer.sentences if sentence.text.strip()]
    if not sentences:
        return Conduct.EMPTY
    other = [sentence for sentence in sentences if not refuses_in_words(sentence)]
    if len(other) == len(sentences):
        return Conduct.ANSWERS
    rest = [sentence for sentence in other if not _COURTESY.match(fold_text(sentence).strip())]
    substance = any(len(sentence.split()) >= _FEWEST_WORDS for sentence in rest)
    return Conduct.HEDGES if substance else Conduct.REFUSES
