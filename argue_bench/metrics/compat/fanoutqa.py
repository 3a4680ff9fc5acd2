"""FanOutQA's own scorer: whether every gold string is in the answer.

Zhu et al. 2024, section 4.2; the scorer of zhudotexe/fanoutqa at 989f4c4. Frozen: every quirk is
kept. A string is brought to its normal form (`normal`): lower case, mended by ftfy, commas inside
numbers deleted, lemmas of spaCy's tokens joined by blanks, ``, . ? ! : ;`` deleted, white space
folded and not stripped. The answer has a gold leaf if the leaf's normal form occurs, between word
boundaries, in the answer's normal form. A list scores 1 - missing / its own length, where ``missing``
counts leaves at every depth: nested gold can therefore score below 0. Empty gold is refused, because
the scorer divides by zero there.

The answer is normalised once, and not again for each gold string; the results are the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from argue_bench.errors import Code, DataError
from argue_bench.records import Structured
from argue_bench.text.lemmas import lemmas

_COMMAS_IN_NUMBER = re.compile(r"(?<!\d)\d++(?:,\d++)++(?:\.\d+)?")
"""The scorer's pattern ``(\\d+,)+\\d+(\\.\\d+)?``, started only where a run of digits starts: a long one
is read once, not once from each of its digits."""
_DELETED = str.maketrans("", "", ",.?!:;")
_NOTHING_TO_MEND = re.compile(r"[\t\n -%'-~]*")
"""ASCII without ``&``, escapes and control characters: ftfy changes nothing in it."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the scorer returns: whether all was found, the share, and what was missed."""

    found: bool
    score: float
    missing: tuple[str, ...]


def normal(text: object) -> str:
    """The normal form of a text, or of a number as Python writes it.

    >>> normal("1,590,152 people")
    '1590152 people'
    """
    lowered = str(text).lower()
    if not _NOTHING_TO_MEND.fullmatch(lowered):
        from ftfy import fix_text

        lowered = fix_text(lowered)
    lowered = _COMMAS_IN_NUMBER.sub(lambda match: match[0].replace(",", ""), lowered)
    return re.sub(r"\s+", " ", " ".join(lemmas(lowered)).translate(_DELETED))


def answer_in_text(reference: Structured, candidate: str) -> Found:
    """What share of the gold is found in the candidate. Raises DataError for an empty list."""
    return _find(reference, normal(candidate))


def as_text(reference: Structured) -> str:
    """Gold as FanOutQA compares it by ROUGE and BLEURT: lines, ``key - value`` for mappings."""
    if reference is None:
        return ""
    if isinstance(reference, bool):
        return "yes" if reference else "no"
    if isinstance(reference, Mapping):
        return "\n".join(f"{key} - {as_text(value)}" for key, value in reference.items())
    if isinstance(reference, (list, tuple)):
        return "\n".join(map(as_text, reference))
    return str(reference)


def _find(reference: Structured, candidate: str) -> Found:
    if isinstance(reference, Mapping):
        return _find_all((*reference.keys(), *reference.values()), candidate)
    if isinstance(reference, (list, tuple)):
        return _find_all(tuple(reference), candidate)
    wanted = _normal_leaf(as_text(reference) if isinstance(reference, bool) else str(reference))
    if _bounded(wanted, candidate):
        return Found(True, 1, ())
    return Found(False, 0, (wanted,))


def _find_all(references: tuple[Structured, ...], candidate: str) -> Found:
    if not references:
        raise DataError.of(
            Code.EMPTY_GOLD,
            "the gold answer is an empty list or mapping, of which no share can be found",
            hint="Correct the gold, or score with accuracy, to which it does not apply.",
        )
    missing = tuple(m for r in references for m in _find(r, candidate).missing)
    score = (len(references) - len(missing)) / len(references)
    return Found(not missing, score, missing)


_normal_leaf = lru_cache(maxsize=50_000)(normal)


def _bounded(wanted: str, text: str) -> bool:
    """Whether ``\\b`` + wanted + ``\\b`` matches anywhere in the text."""
    if not wanted:
        return any(map(_is_word, text))
    at = text.find(wanted)
    while at >= 0:
        if _boundary(text, at) and _boundary(text, at + len(wanted)):
            return True
        at = text.find(wanted, at + 1)
    return False


def _boundary(text: str, at: int) -> bool:
    before = at > 0 and _is_word(text[at - 1])
    return before != (at < len(text) and _is_word(text[at]))


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
