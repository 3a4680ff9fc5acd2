"""The statements of an answer: its sentences without courtesies, connectives and announcements.

1. A sentence that consists wholly of wordings of `statements.toml` states nothing: "Hope this helps!",
   "Here is what I found:", "## Summary". So does an announcement in the question's own words ("Here is
   a list of the opening hours."). No wording has a place for other words, so no claim fits into one.
2. A bare answer ("Yes.", "Sure, happy to help!") is no claim by itself: it is read together with the
   sentence after it. Where none follows, it counts alone, as does one that the next one takes back.
3. A sentence without a letter or digit states nothing, nor does a question, nor, at the end, what speaks of its
   author and the reader alone; they count where nothing else is said.

English and French. A wording that the list lacks counts, as every sentence did.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from argue_bench.records import Answer, Question, Sentence
from argue_bench.text.phrases import is_sentence, with_parts
from argue_bench.text.typed import fold_text

_WORD = re.compile(r"[\w'^]+")
# What a line or a cell is called: "Question: ".
_NAME = re.compile(r"\A(?:\w{1,40} ){0,4}\w{1,40}: ")
# Behind a label or a lead, before what is said.
_LABEL_ENDS = re.compile(
    r"(?<=\w)[*_]*\s?(?:[:：]|(?<=answer )is\b:?|(?<=ponse )est\b\s?:?|(?P<comma>[,，]))[*_]*\s*(?=\S)"
)
# Characters of a sentence that may state nothing; the longest wordings have half of that.
_LONGEST = 200
_AUTHOR, _READER = (
    re.compile(r"\b(?:I|me|my|je|moi|ich|mich|mir)\b|我"),
    re.compile(r"\b(?:[Yy]our?|[Vv]ous|[Vv]otre|[Vv]os|Sie|Ihnen|[Dd]u|[Dd]ir)\b|[您你]"),
)
_SIGNS_BEFORE = re.compile(r"\A\W+")
_BEHIND = " *_\"'”’»)\n"
# Wordings that one sentence may be made of, so that no pattern grows without bound.
_PIECES = 4
# Signs beside words that say nothing. Others may be an answer: a flag, a clock.
_KINDLY = frozenset("😊🙂😀😄😃🤗👋👍🙌🎉✨💡✅📌🔍")
# An announcement that denies is a statement: "This list covers no opening time".
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
    announcement: re.Pattern[str]
    announcing: frozenset[str]
    connective: re.Pattern[str]


@cache
def _wordings() -> _Wordings:
    data: dict[str, Any] = tomllib.loads(
        Path(__file__).with_name("statements.toml").read_text(encoding="utf-8")
    )
    parts = data["parts"]

    def several(least: int, patterns: Sequence[str]) -> str:
        pieces = with_parts("|".join(patterns), parts)
        return rf"(?:(?:(?:and|so|but|well|now) )?(?:{pieces})(?: |$)){{{least},{_PIECES}}}$"

    leading, announcing = data["leading"]["patterns"], data["announcing"]
    bare = data["bare"]["pattern"]
    pieces = [*data["nothing"]["patterns"], *leading]
    return _Wordings(
        re.compile(several(1, pieces)),
        re.compile(several(1, leading)),
        re.compile(rf"(?P<bare>{bare})(?: {bare})*(?: |$){several(0, pieces)}"),
        frozenset(data["bare"]["denials"].split()),
        re.compile(rf"{with_parts(announcing['pattern'], parts)} (?P<rest>.+)$"),
        frozenset(announcing["words"].split()),
        re.compile(rf"(?:{parts['connective']}), ", re.IGNORECASE),
    )


def states_nothing(sentence: str, question: str = "") -> bool:
    """Whether a sentence holds nothing that a source could support.

    >>> states_nothing("I hope this helps!"), states_nothing("Yes."), states_nothing("It helps.")
    (True, False, False)
    """
    # Rules and rows of dashes.
    if not any(map(str.isalnum, sentence)):
        return True
    if question and _repeats(sentence, question):
        return True
    words, known = _folded(sentence), _wordings()
    if known.nothing.match(words):
        # "First." may be the answer.
        return (
            sentence.startswith(("#", "**", "__"))
            or sentence.rstrip(" *_").endswith(":")
            or not known.leading.match(words)
        )
    return bool(question) and _announces(words, question)


def _repeats(sentence: str, question: str) -> bool:
    """Whether a sentence says the question back, or one of its turns, under a name ("Q:") or none: nothing is said by that."""
    said, asked = fold_text(sentence).strip(), fold_text(question).strip()
    forms = (said, _NAME.sub("", said))
    return asked in forms or (said.endswith("?") and any(form in asked for form in forms))


def without_connective(sentence: str) -> str:
    """The sentence without the words that join it to the one before.

    >>> without_connective("In addition, it fell."), without_connective("Also, two rose"), without_connective("Next it rose.")
    ('it fell.', 'two rose', 'Next it rose.')
    """
    joined = _wordings().connective.match(sentence)
    return sentence[joined.end() :] if joined else sentence


def claim_sentences(
    said: Sequence[Sentence], question: str = "", citing: bool = False
) -> list[ClaimSentence]:
    """The statements of an answer, in order; an empty list where it states nothing.

    ``citing``: sentences that cite count whatever they say.
    """
    found: list[ClaimSentence] = []
    bare: tuple[int, Sentence] | None = None
    # As long as nothing but a few words was said, these answer the question.
    short = True

    def claim(number: int, one: Sentence) -> ClaimSentence:
        text, begins = one.plain, number
        if bare is not None and bare[1] is not one:
            begins = bare[0]
            text = f"{_bare(bare[1].plain).capitalize()}. {text}"
        return ClaimSentence(number, _introduced(one, text, question, short), begins)

    for number, one in enumerate(said, 1):
        own = citing and bool(one.citations)
        if not own and states_nothing(one.plain, question):
            continue
        answer = "" if own else _bare(one.plain)
        # "Yes. No, that is wrong.": the next one takes it back, so it counts alone.
        if bare and answer and _denies(answer) != _denies(_bare(bare[1].plain)):
            found.append(claim(*bare))
            bare = None
        if answer:
            bare = (number, one)
            continue
        short = short and not is_sentence(one.plain)
        found.append(claim(number, one))
        bare = None
    found += [claim(*bare)] if bare else []
    cites = {n for n, one in enumerate(said, 1) if citing and one.citations}
    told = [one for one in found if one.number in cites or not asks(one.text)]
    while told and told[-1].number not in cites and offers(told[-1].text):
        told.pop()
    # Where nothing else is said, the question or the offer is the answer.
    return told or found


def asks(sentence: str) -> bool:
    """Whether a sentence is a question."""
    return sentence.rstrip(_BEHIND).endswith(("?", "？"))


def offers(sentence: str) -> bool:
    """Whether a sentence, the last of an answer, speaks of its author and the reader alone: "If you like, I can say more."."""
    return all(one.search(sentence) for one in (_AUTHOR, _READER)) and not any(
        map(str.isdigit, sentence)
    )


def says_something(stated: Iterable[ClaimSentence], said: Sequence[Sentence]) -> bool:
    """Whether any statement of an answer is more than a question, an announcement or a courtesy that cites.

    Nothing in these is true or false, so a judge finds no fault with them; a bare answer before one is an answer.
    """
    return any(
        one.begins != one.number
        or not (asks(plain) or plain.rstrip(" *_\n").endswith(":") or states_nothing(plain))
        for one in stated
        for plain in (said[one.number - 1].plain,)
    )


def _introduced(one: Sentence, text: str, question: str, short: bool) -> str:
    """The words of a sentence as a judge reads them: a few words with what they answer."""
    text = unlabelled(text)
    if one.lead and not states_nothing(one.lead, question):
        return f"{one.lead} {text}"
    # A row of several columns says itself what it is about.
    if (
        is_sentence(one.plain)
        or one.plain.count(": ") > 1
        or not (question and one.text and (short or one.lead))
    ):
        return text
    return f"{question}{'' if question[-1] in '?.!:' else ':'} {text}"


def unlabelled(sentence: str) -> str:
    """A sentence without what leads to it and states nothing: "Answer: it fell.", "Based on the documents, it fell.".

    >>> unlabelled("The final answer is: Oslo."), unlabelled("Réponse : Oslo."), unlabelled("It is: Oslo.")
    ('Oslo.', 'Oslo.', 'It is: Oslo.')
    """
    ends = (
        one.end()
        for one in _LABEL_ENDS.finditer(sentence, 0, _LONGEST)
        # "Results, however, differ": one word before a comma may be what is spoken of.
        if one["comma"] is None or sentence.count(" ", 0, one.end("comma")) > 1
        if states_nothing(f"{_SIGNS_BEFORE.sub('', sentence[: one.start()])}:")
    )
    return sentence[max(ends, default=0) :]


def unstated_numbers(answer: Answer, stated: Iterable[ClaimSentence]) -> list[int]:
    """The numbers of the sentences that are left out: they have words, and state nothing."""
    counted = {number for one in stated for number in (one.begins, one.number)}
    return [
        number
        for number, one in enumerate(answer.sentences, 1)
        if number not in counted and any(map(str.isalnum, one.text))
    ]


def unstated_share(pairs: Iterable[tuple[Question, Answer]]) -> float:
    """The share of the words of answers that state nothing; 0 where there are no words."""
    stated = total = 0
    for question, answer in pairs:
        total += _words(answer.text)
        numbers = {
            n
            for one in claim_sentences(answer.sentences, question.text, citing=True)
            for n in (one.begins, one.number)
        }
        stated += sum(_words(answer.sentences[n - 1].text) for n in numbers)
    return max(0.0, 1 - stated / total) if total else 0.0


def _words(text: str) -> int:
    """Words with a letter or digit: a table's bars and a list's bullets are none."""
    return sum(any(map(str.isalnum, word)) for word in text.split())


def unstated_note(numbers: Sequence[int]) -> str:
    """What was left out, in words; empty where nothing was."""
    return f"left out, since they state nothing: {', '.join(map(str, numbers))}" if numbers else ""


def _denies(answer: str) -> bool:
    return answer.split()[0] in _wordings().denials


def _bare(sentence: str) -> str:
    """The word of a bare answer, without the courtesies behind it; empty where it is none."""
    found = _wordings().bare.match(_folded(sentence))
    return found["bare"] if found else ""


# A metric, the judge and `check` ask of the same sentences.
@lru_cache(maxsize=2_000)
def _folded(sentence: str) -> str:
    """The words of a sentence, folded; empty where its length or a sign in it may state something."""
    if len(sentence) > _LONGEST:
        return ""
    # A flag or an arrow may be the answer; a smile is not.
    if not sentence.isascii() and any(
        unicodedata.category(char)[0] == "S" and char not in _KINDLY for char in sentence
    ):
        return ""
    return " ".join(_WORD.findall(fold_text(sentence)))


def _announces(words: str, question: str) -> bool:
    """Whether a sentence says that what was asked comes, in the question's words and no others."""
    found = _wordings().announcement.match(words)
    asked = _wordings().announcing.union(_WORD.findall(fold_text(question)))
    return found is not None and all(
        word in asked and not _NEGATION.fullmatch(word) for word in found["rest"].split()
    )
