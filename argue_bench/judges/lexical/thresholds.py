"""Every number that decides a verdict of the lexical judge.

Changing one changes verdicts: raise ``RULES``, which is part of the judge's identity. Those of `FITTED`
can be set to own labels (``judge fit``); `using` puts others in their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Final

from argue_bench.errors import Code, DataError
from argue_bench.records.untrusted import read_json

RULES: Final = "9"

# Letters of a word that count: 'design', 'designed', 'designer' are alike (McNamee 2004).
PREFIX: Final = 5
# Sentences of a source that may support a sentence together; values up to which they may lie apart.
WINDOW, SCATTERED = 4, 6
# Places of a source that are looked at closely, those with most words in common first.
BEST: Final = 6
# How many words a name or value counts for.
TYPED: Final = 3.0
# Share of a sentence that a place in another language must hold.
ENTAILS_ABROAD: Final = 0.2
# Share of what a sentence denies that its likeliest place says, where the two are opposed.
DENIED: Final = 0.34
# Letters from which an answer may be part of a longer word: 'in 19971', 'byRicky Nelsonin'.
LONG_ANSWER: Final = 4
# Share of the question's words that a sentence must hold where the answer alone says little.
TOPIC: Final = 0.15
# Sentences said last that may say the same: the work on a report grows with it, not with its square.
EARLIER: Final = 64
# Share of the question's words in a sentence that helps to answer it.
HELPS: Final = 0.25
# Characters from which a sentence is too long for a nugget; share of the question's words in a vital one.
LONG_NUGGET, VITAL = 300, 0.5
# Content words below which a sentence states nothing.
FEW_WORDS: Final = 2
# Distinct values, and as many names, that are read of one sentence; no honest one has more.
MOST_VALUES: Final = 200
# Findings that a text remembers before it forgets all: more than an answer of the most sentences asks for.
REMEMBERED: Final = 4_000
# Sentences of a text that also remembers which of them share words with what is asked.
SHORT_TEXT: Final = 256
# Characters of a text by which its language is told.
LANGUAGE: Final = 1000

FITTED: Final[Mapping[str, float]] = MappingProxyType(
    {
        # Share of a sentence that a place must hold; the same with a value hardly met by chance.
        "ENTAILS": 0.58,
        "ENTAILS_TELLING": 0.5,
        # Share of an answer's words that a sentence must hold where no value or name is in it.
        "ANSWER_WORDS": 0.6,
        # Share of a nugget that a passage must hold.
        "SUPPORTS_FULL": 0.75,
        "SUPPORTS_PARTIAL": 0.35,
        # Share of the question's words that one sentence of a document must hold for the grade 2.
        "GRADE_PART": 0.6,
        # Share of a sentence's words that one earlier sentence holds where it says nothing new.
        "SAID_BEFORE": 0.6,
        # Share of the question's words in a sentence that says something is unknown.
        "CONFIRMS": 0.25,
    }
)
_IN_USE: ContextVar[Mapping[str, float]] = ContextVar("thresholds", default=FITTED)


def __getattr__(name: str) -> float:
    try:
        return _IN_USE.get()[name]
    except KeyError:
        raise AttributeError(name) from None


@contextmanager
def using(others: Mapping[str, float]) -> Iterator[None]:
    """Puts other values in the place of some fitted thresholds, for what is judged inside."""
    token = _IN_USE.set({**FITTED, **others})
    try:
        yield
    finally:
        _IN_USE.reset(token)


def read_thresholds(path: Path) -> dict[str, float]:
    """The thresholds of a file that `judge fit` wrote. Raises DataError: no such file, other rules, an unknown name, a value that is not a share."""
    value = read_json(path)
    fitted = value.get("lexical") if isinstance(value, dict) else None
    if not isinstance(fitted, dict) or not fitted:
        raise _wrong(path, "the file holds no thresholds of the lexical judge")
    if value.get("rules") != RULES:
        rules = f"{value.get('rules')!r:.20}"
        raise _wrong(path, f"the thresholds are of its rules {rules}, which are now {RULES}")
    for name, share in fitted.items():
        if name not in FITTED:
            raise _wrong(path, f"it has no threshold {name!r:.40}")
        if type(share) not in (int, float) or not 0 <= share <= 1:
            raise _wrong(path, f"{name} is not a share from 0 to 1")
    return {name: float(share) for name, share in fitted.items()}


def _wrong(path: Path, what: str) -> DataError:
    hint = "Make one with: argue-bench judge fit lexical --labels FILE --out THRESHOLDS"
    return DataError.of(Code.THRESHOLDS, what, path, hint=hint)
