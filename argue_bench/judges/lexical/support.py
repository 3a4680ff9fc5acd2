"""Whether sources support a sentence: a weighted sum of what they lack of it, and how often such flags are right.

Weights, thresholds and the shares of right flags are fitted on people's labels by
``python -m benchmarks.lexical`` and stand in ``argue_bench/data/judges/lexical-fit.json``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from heapq import nsmallest
from pathlib import Path
from typing import Any, NamedTuple, cast

from argue_bench.judges.lexical.reading import (
    WORDS,
    Reading,
    Text,
    Value,
    fold,
    is_among,
    join,
    read_sentence,
    read_text,
    stems_of,
)
from argue_bench.records import Entails, SupportLevel, Verdict
from argue_bench.text import language as languages
from argue_bench.text.phrases import with_parts
from argue_bench.text.refusals import refuses_in_words
from argue_bench.text.statements import states_nothing, without_connective
from argue_bench.text.tasks import task_of

EMPTY = "a word or figure by itself makes no statement that could be checked"
DENIED = "one says what the other denies"
_FIT = Path(__file__).parents[2] / "data" / "judges" / "lexical-fit.json"
# Sentences of a source that are looked at closely, those with most words in common first.
BEST = 4
# Names, values or fields, and words, above which one more makes no difference.
_MANY, _MOST_STRANGE = 3, 8
# Share of a sentence that sources in another language must hold: its names, values and borrowed words.
_FOREIGN = 0.2
# Share of what an answer calls unsaid that one place holds, where the sources do say it.
_TALKED_OF = 0.85
# Share of the words of two sentences that are the same, where one denies the other.
_SAME = 0.75
# Share of a sentence from which on its support counts as partial.
_PARTLY = 0.5
# Words of what a statement is about, at most: more announce it.
_SUBJECT = 5
# Characters of a sentence that is looked at for talk about sources; a longer one is compared as it is.
_LONGEST = 1_000


# How an answer speaks of its sources.
_MARK, _LEADS, _NUMBERED, _DENIAL, _UNSAID = (
    re.compile(with_parts(WORDS["about"][name], WORDS["about"]), re.IGNORECASE)
    for name in ("mark", "leads", "numbered", "denial", "unsaid")
)
# A few words and what is said of them, whatever sign parts the two; a long dash is folded to a semicolon.
_JOINT = re.compile(r"^((?:[^\s:;.]++ ?){1,6})(?: -| ?;) (?=[A-Z])")
# Of several in a row the last one: what stands before it is a heading.
_LABEL = re.compile(r"(?:^|(?<=[;?.:] ))(?![^:;.?]{1,40}: [^:;.?]{1,40}: )[^:;.?]{1,40}: (?=\S)")


@cache
def fitted() -> Mapping[str, Any]:
    """The fitted weights by feature, thresholds by task, and shares of right flags by task and class."""
    return cast("dict[str, Any]", json.loads(_FIT.read_text("utf-8")))


class Stated(NamedTuple):
    """What a sentence states: its words, and whether it does so at all.

    ``asks``: it is a question, an offer or an announcement; ``denies``: it says that the sources do not say
    something.
    """

    text: str
    asks: bool
    denies: bool
    sentence: str


@lru_cache(maxsize=4096)
def stated(sentence: str) -> Stated:
    """What a sentence of an answer states, without its talk about the sources.

    >>> stated("Based on the given passages, the bridge (passage 1) opened in 1931.").text
    'the bridge ( ) opened in 1931.'
    """
    asks = sentence.rstrip(" *_\n").endswith(("?", ":"))
    if len(sentence) > _LONGEST:
        return Stated(sentence, asks, False, sentence)
    text = without_connective(_MARK.sub("", re.sub(r"\*\*|__", "", fold(sentence))))
    denies = bool(_DENIAL.search(text)) or refuses_in_words(sentence)
    text = _UNSAID.sub("", _LEADS.sub("", text))
    row = len(_LABEL.findall(text)) > 1  # of a table: its columns come off
    text = " ".join(_NUMBERED.sub(" ", _LABEL.sub("", text) if row else text).split())
    return Stated(
        _JOINT.sub(r"\1: ", text) or sentence, asks or states_nothing(sentence), denies, sentence
    )


class Compared(NamedTuple):
    """A sentence beside its sources: the features by name, and what decides in words.

    ``missing`` are the names and values that the sources lack, as they are written, ``against`` says
    what the sources say instead; ``held`` is the share that the likeliest place holds.
    """

    features: Mapping[str, float]
    names: tuple[str, ...]
    values: tuple[Value, ...]
    against: str
    held: float

    @property
    def score(self) -> float:
        """The weighted sum of what is missing."""
        return float(
            sum(fitted()["weights"].get(name, 0.0) * n for name, n in self.features.items())
        )

    @property
    def flag(self) -> str:
        """The class of a flag on it."""
        if self.against:
            return "contradicted"
        if self.features["telling"]:
            return "value"
        return "name" if self.names else "partly" if self.held >= _PARTLY else "nothing"

    @property
    def note(self) -> str:
        """The reason of a flag on it, in words."""
        missing = (f"{one} is not there" for one in (*self.values, *map(repr, self.names)))
        return self.against or next(missing, f"only {self.held:.0%} of it is in one place")


def _weight(stems: Iterable[str]) -> float:
    """Numbers count twice."""
    return sum(2.0 if stem[0] == "#" else 1.0 for stem in stems)


def likest(wanted: Reading, text: Text) -> list[int]:
    """The numbers of the sentences of a text that share most stems with a sentence, likest first."""
    shared = text.shared_with(wanted.stems)
    return nsmallest(BEST, shared, key=lambda number: (-shared[number], number))


def places(wanted: Reading, text: Text) -> Iterator[Reading]:
    """The likest sentences of a text, alone and with the sentence before or behind."""
    for number in likest(wanted, text):
        yield text.parts[number]
        for start in range(max(0, number - 1), min(number + 1, len(text.parts) - 1)):
            yield join(text.parts[start : start + 2])


def _held(said: frozenset[str], wanted: Reading, text: Text) -> float:
    """The share of these stems of a sentence that its likeliest place holds."""
    total = _weight(said)
    held = max((_weight(said & one.stems) for one in places(wanted, text)), default=0.0)
    return held / total if total else 1.0


def weigh_words(sentence: str, question: str, text: Text) -> Compared:
    """A sentence beside the likeliest places of the sources; words of the question count as given."""
    language = languages.language_of(sentence, text.language)
    wanted, asked = read_sentence(sentence, language), read_sentence(question, language)
    known = stems_of(language)
    # Words of the question that the sources lack are what was asked for.
    said = wanted.stems - (asked.stems - text.stems)
    # What leads to a statement alone may be anywhere in the sources; a line that announces a list is in none.
    parts = re.split(r": |\. ", sentence, maxsplit=1)
    lead, rest = (read_sentence(parts[at], language).stems for at in (0, -1))
    about = lead - rest if parts[0].count(" ") > _SUBJECT else (lead - rest) & text.stems
    held = max(_held(part, wanted, text) for part in {said, said - about})
    names = [
        one
        for one in wanted.names
        if not text.has(one) and not {known[part] for part in one} <= asked.stems
    ]
    values = [one for one in text.unmatched(wanted) if not is_among(asked.values, one)]
    telling = sum(value.telling for value in values)
    spoken_of = [
        (name, told)
        for name, told in text.fields
        if name.stems and name.whole_stems <= wanted.whole_stems
    ]
    denied = sum(
        told is False and name.stems.isdisjoint(wanted.negated) for name, told in spoken_of
    )
    features = {
        "place": 1 - held,
        "names": min(len(names), _MANY),
        "telling": min(telling, _MANY),
        "small": min(len(values) - telling, _MANY),
        "strange": min(len(wanted.stems - text.stems - asked.stems - about), _MOST_STRANGE),
        "denied": min(denied, _MANY),
        "blank": min(sum(told is None for _, told in spoken_of), _MANY),
    }
    other = "a field of the data says otherwise" if denied else against(wanted, text)
    return Compared(features, tuple(map(" ".join, names)), tuple(values), other, held)


def against(wanted: Reading, text: Text) -> str:
    """What a sentence that is like the one wanted says against it, in words; empty where none does."""
    values = text.unmatched(wanted)
    for place in (text.parts[number] for number in likest(wanted, text)):
        told = wanted.plain & place.stems
        if 2 * len(told) < len(wanted.plain) or not all(map(place.has, wanted.names)):
            continue
        alike = len(told) > 1 or (bool(told) and told == wanted.plain)
        if opposed(wanted, place):
            return DENIED
        if wanted.years and not place.years:
            continue  # it may speak of another time
        others = (
            f"it says {other}, not {value}"
            for value in values
            if alike
            for other in wanted.unmatched(place)
            if other.unit == value.unit and any(other.date) == any(value.date)
        )
        if found := next(others, ""):
            return found
    return ""


def opposed(wanted: Reading, place: Reading) -> bool:
    """Whether one denies, or calls unknown, what the other says in nearly the same words."""
    if len(wanted.stems & place.stems) < _SAME * len(wanted.stems | place.stems):
        return False
    one_denies = bool(wanted.negated) != bool(place.negated)
    # Both must speak of all that is denied: "not only" and "without Wayne, who sold" deny something else.
    of_both = wanted.negated | place.negated <= wanted.stems & place.stems
    return (one_denies and of_both) or wanted.unknown != place.unknown


def compared(request: Entails | SupportLevel) -> tuple[Text, Stated, Compared | None]:
    """The sources of a request, what its sentence states, and both beside each other where they have words."""
    sentence = request.hypothesis if isinstance(request, Entails) else request.sentence
    text, said = read_text(*(one.text for one in request.premise)), stated(sentence)
    wordless = not text.parts or not read_sentence(said.text, text.language).stems
    return text, said, None if wordless else weigh_words(said.text, request.question, text)


@lru_cache(maxsize=4096)
def judged(request: Entails | SupportLevel) -> Verdict:
    """full, partial or no, with the reason, the class and how often such flags are right."""
    text, said, found = compared(request)
    if not text.parts or not said.text.strip():
        return Verdict("no", "nothing to compare")
    # What is cited must be in what it cites: a colon behind a sentence proves nothing.
    if said.asks and not isinstance(request, Entails):
        return Verdict("full", "it asks, offers or announces something and states nothing")
    if found is None:
        return Verdict("no", EMPTY)
    if said.denies:
        if found.held < _TALKED_OF or found.against == DENIED:
            return Verdict("full", "the sources do not say it, as the sentence says")
        return Verdict("partial", "the sources do speak of it", flag="partly")
    told = languages.language_of(said.sentence, text.language)
    if languages.UNKNOWN not in {told, *text.languages} and told not in text.languages:
        # By names, values and borrowed words alone.
        if found.names or found.values or found.held < _FOREIGN:
            return Verdict("no", found.note, flag=found.flag)
        return Verdict("full", "its names and values are there, in another language")
    task = task_of(request.question, [one.text for one in request.premise]) or "questions"
    # What is cited is asked for by Entails.
    task = "reports" if isinstance(request, Entails) and task != "data to text" else task
    table, score = fitted(), found.score
    if score < table["thresholds"][task] and found.flag not in table["sure"][task]:
        return Verdict("full", "nearly all of it is in one place")
    level = "partial" if found.held >= _PARTLY and not found.against else "no"
    right = share_right(table["right"][task], found.flag, score)
    return Verdict(level, found.note, probability=right, flag=found.flag)


def share_right(table: Mapping[str, list[list[float]]], flag: str, score: float) -> float:
    """How often flags of this class and score are right, between the fitted points."""
    points = table.get(flag) or table["all"]
    low = max((one for one in points if one[0] <= score), default=points[0])
    high = min((one for one in points if one[0] > score), default=low)
    part = (score - low[0]) / (high[0] - low[0]) if low[0] <= score < high[0] else 0.0
    return round(low[1] + (high[1] - low[1]) * part, 4)


def doubt(request: Entails | SupportLevel) -> float | None:
    """How likely people would find something wrong with a sentence if they did with a half of all; None where
    there is nothing to compare."""
    found, least = compared(request)[2], fitted()["thresholds"]["questions"]
    return None if found is None else 1 / (1 + math.exp(least - found.score))
