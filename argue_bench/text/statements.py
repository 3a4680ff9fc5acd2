"""The statements of an answer: its sentences without courtesies, connectives and announcements.

1. A sentence that consists wholly of wordings of `statements.toml` states nothing: "Hope this helps!",
   "Here is what I found:", "## Summary". So does an announcement in the question's own words ("Here are
   the opening hours:"). No wording has a place for other words, so no claim fits into one.
2. A bare answer ("Yes.", "Sure, happy to help!") is no claim by itself: it is read together with the
   sentence after it. Where none follows, it counts alone, as does one that the next one takes back.
3. A sentence without a letter or digit states nothing.

English and French. A wording that the list lacks counts, as every sentence did.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from argue_bench.records import Answer, Question
from argue_bench.text.repeats import said_before
from argue_bench.text.typed import fold_text

_WORD = re.compile(r"[\w'^]+")
_LONGEST = 200
"""Characters of a sentence that may state nothing; the longest wordings have half of that."""
_PIECES = 4
_KINDLY = frozenset("😊🙂😀😄😃🤗👋👍🙌🎉✨💡✅📌🔍")
"""Signs beside words that say nothing. Others may be an answer: a flag, a clock."""
_NEGATION = re.compile(r"no|not|never|none|nobody|nothing|neither|nor|without|cannot|.*n't")


class ClaimSentence(NamedTuple):
    """A sentence that counts: its number in the answer, from 1, and its words, with a bare answer before it.

    ``begins`` is the number of that bare answer, and its own where it has none.
    """

    number: int
    text: str
    begins: int


class _Wordings(NamedTuple):
    nothing: re.Pattern[str]
    leading: re.Pattern[str]
    bare: re.Pattern[str]
    denials: frozenset[str]
    before: re.Pattern[str]
    after: re.Pattern[str]
    announcing: frozenset[str]


@cache
def _wordings() -> _Wordings:
    data: dict[str, Any] = tomllib.loads(
        Path(__file__).with_name("statements.toml").read_text(encoding="utf-8")
    )
    parts = {**data["parts"], "offer": data["nothing"]["offer"]}

    def whole(pattern: str) -> str:
        while "<" in pattern:
            pattern = re.sub(r"<(\w+)>", lambda name: parts[name[1]], pattern)
        return pattern

    def several(least: int, patterns: Sequence[str]) -> str:
        pieces = "|".join(map(whole, patterns))
        return rf"(?:(?:(?:and|so|but|well|now) )?(?:{pieces})(?: |$)){{{least},{_PIECES}}}$"

    leading, announcing = data["leading"]["patterns"], data["announcing"]
    pieces = [*data["nothing"]["patterns"], *leading]
    return _Wordings(
        re.compile(several(1, pieces)),
        re.compile(several(1, leading)),
        re.compile(rf"(?P<bare>{data['bare']['pattern']})(?: |$){several(0, pieces)}"),
        frozenset(data["bare"]["denials"].split()),
        re.compile(rf"(?:{announcing['before']}) (?P<rest>.+)$"),
        re.compile(rf"(?P<rest>.+) (?:{announcing['after']})$"),
        frozenset(announcing["words"].split()),
    )


def states_nothing(sentence: str, question: str = "") -> bool:
    """Whether a sentence holds nothing that a source could support.

    >>> states_nothing("I hope this helps!"), states_nothing("Yes."), states_nothing("It helps.")
    (True, False, False)
    """
    if not any(map(str.isalnum, sentence)):
        return True
    words = _folded(sentence)
    if not words:
        return False
    leads = sentence.rstrip(" *_").endswith(":")
    known = _wordings()
    if known.nothing.match(words):
        # "First." may be the answer.
        return leads or sentence.startswith(("#", "**", "__")) or not known.leading.match(words)
    return leads and bool(question) and _announces(words, question)


def claim_sentences(
    said: Sequence[str], question: str = "", alone: Sequence[bool] = ()
) -> list[ClaimSentence]:
    """The statements of an answer, in order; an empty list where it states nothing.

    ``alone`` marks sentences that count whatever they say, such as those that cite.
    """
    found: list[ClaimSentence] = []
    bare: ClaimSentence | None = None
    for number, text in enumerate(said, 1):
        own = bool(alone) and alone[number - 1]
        if not own and states_nothing(text, question):
            continue
        answer = "" if own else _bare(text)
        before = _bare(bare.text) if bare else ""
        if bare and answer and _denies(answer) != _denies(before):
            found.append(bare)
            bare = None
        if answer:
            bare = ClaimSentence(number, text, number)
            continue
        joined = f"{before.capitalize()}. {text}" if bare else text
        found.append(ClaimSentence(number, joined, bare.number if bare else number))
        bare = None
    return [*found, bare] if bare else found


def stated_sentences(question: Question, answer: Answer) -> list[ClaimSentence]:
    """The sentences that state something new, whatever they cite."""
    found = claim_sentences([one.text for one in answer.sentences], question.text)
    again = said_before((one.text, ()) for one in found)
    return [one for place, one in enumerate(found) if place not in again]


def stated_or_citing(question: Question, answer: Answer) -> list[ClaimSentence]:
    """The sentences that state something, and those that cite, each of these by itself.

    A sentence that says again what was said (`repeats`) is left out.
    """
    cites = [bool(one.citations) for one in answer.sentences]
    found = claim_sentences([one.text for one in answer.sentences], question.text, cites)
    again = said_before((one.text, answer.sentences[one.number - 1].citations) for one in found)
    return [one for place, one in enumerate(found) if place not in again]


def unstated_numbers(answer: Answer, stated: Iterable[ClaimSentence]) -> list[int]:
    """The numbers of the sentences that are left out: they have words, and none that states anything new."""
    counted = {number for one in stated for number in (one.begins, one.number)}
    return [
        number
        for number, one in enumerate(answer.sentences, 1)
        if number not in counted and any(map(str.isalnum, one.text))
    ]


def unstated_note(numbers: Sequence[int]) -> str:
    """What was left out, in words; empty where nothing was."""
    return (
        f"left out, since they state nothing new: {', '.join(map(str, numbers))}" if numbers else ""
    )


def _denies(answer: str) -> bool:
    return answer.split()[0] in _wordings().denials


def _bare(sentence: str) -> str:
    """The word of a bare answer, without the courtesies behind it; empty where it is none."""
    found = _wordings().bare.match(_folded(sentence))
    return found["bare"] if found else ""


def _folded(sentence: str) -> str:
    """The words of a sentence, folded; empty where its length or a sign in it may state something."""
    if len(sentence) > _LONGEST:
        return ""
    if not sentence.isascii() and any(
        unicodedata.category(char)[0] == "S" and char not in _KINDLY for char in sentence
    ):
        return ""
    return " ".join(_WORD.findall(fold_text(sentence)))


def _announces(words: str, question: str) -> bool:
    found = _wordings().before.match(words) or _wordings().after.match(words)
    if not found:
        return False
    known = _wordings().announcing.union(_WORD.findall(fold_text(question)))
    return all(word in known and not _NEGATION.fullmatch(word) for word in found["rest"].split())
