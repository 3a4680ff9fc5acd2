"""Whether words are a sentence, which a heading, a label and the title of a source are not; the signs that readers put in
place of marks; and the parts of wordings that are written in files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

# Noncharacters: in place of each character of a citation mark, or of a sign that is none of Markdown; and of a tag that
# opens what it encloses.
HIDDEN, OPENING = "\ufdd0", "\ufdd1"

_VERBS = """
is are was were am has have had does did do will would can could should may might must isn't aren't wasn't
weren't hasn't haven't doesn't didn't don't won't can't est sont était étaient ont avait sera peut ist sind
war waren hat haben hatte wird werden wurde wurden kann können es son fue fueron era eran ha han está están
puede sono è furono hanno foi são tem foram
"""
# What a heading, a label or an answer in a few words lacks: the auxiliary verbs of six languages, or a past
# tense beside a figure.
_FINITE = re.compile(rf"\b(?:{'|'.join(_VERBS.split())})\b(?!['’])")
_PAST = re.compile(r"\b[a-z]{2,}ed\b")
_DIGIT = re.compile(r"\d")
# Characters of scripts without blanks, and none that stands in place of a mark.
_DENSE = re.compile(r"[\u2e80-\ufdcf\ufdf0-\U0003ffff]")
_ENDED = re.compile(rf"[.!。！…][\"'”’»)* {HIDDEN}]*\Z")
_PART = re.compile(r"<(\w+)>")
# Words that a full stop alone does not make a sentence: "Within 30 days of purchase."
FEW = 5


@lru_cache(maxsize=4_000)
def is_sentence(words: str) -> bool:
    """Whether words say something by themselves, as a heading, a label or "30 days." does not.

    >>> [is_sentence(one) for one in ("History", "30 days.", "It is closed", "It opened in May 1931")]
    [False, False, True, True]
    """
    # Scripts without blanks: two signs make about one word.
    many = len(words[:500].split())
    if not words.isascii():
        many = max(many, len(_DENSE.findall(words[:100])) // 2)
    # Marks behind the full stop are hidden while an answer is read, and may be longer than any ending.
    if many > FEW and _ENDED.search(words.rstrip(f"{HIDDEN} \n")[-20:]):
        return True
    told = words[:500].replace("’", "'")
    past = many > 3 and _PAST.search(told) and _DIGIT.search(told)
    return bool(past or (many > 2 and _FINITE.search(told)))


def has_words(text: str) -> bool:
    """Whether a cell says something: by a letter, a digit or a sign such as "✅"; a dash says nothing."""
    return any(one.isalnum() or unicodedata.category(one) in ("So", "Sm") for one in text)


def with_parts(pattern: str, parts: Mapping[str, str]) -> str:
    """The pattern with the parts that it names, which may name others, in place of their names.

    >>> with_parts("<no> (?:<source>)", {"no": "no", "source": "texts?|<files>", "files": "files?"})
    'no (?:texts?|files?)'
    """
    return _PART.sub(lambda name: with_parts(parts[name[1]], parts), pattern)
