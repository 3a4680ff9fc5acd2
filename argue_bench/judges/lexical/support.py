"""Whether sources support a sentence: a weighted sum of what is missing, and how often such flags are right.

Weights, thresholds and the shares of right flags are fitted on people's labels by
``python -m benchmarks.lexical`` and stand in ``argue_bench/data/judges/lexical-fit.json``.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from argue_bench.judges.lexical.compare import (
    has_name,
    opposed,
    places,
    scattered,
    unmatched,
)
from argue_bench.judges.lexical.reading import (
    Reading,
    Text,
    join,
    read_sentence,
    read_sources,
    stems_of,
)
from argue_bench.judges.lexical.subject import Stated, stated
from argue_bench.judges.lexical.values import Value
from argue_bench.records import Entails, SupportLevel, Verdict
from argue_bench.text import language as languages
from argue_bench.text.tasks import task_of

EMPTY = "a word or figure by itself makes no statement that could be checked"
DENIED = "one says what the other denies"
_DATA = Path(__file__).parents[2] / "data" / "judges" / "lexical-fit.json"
_MANY = 3
"""Names, values or fields above which one more makes no difference."""
_FOREIGN = 0.2
"""Share of a sentence that sources in another language must hold: its names, values and borrowed words."""
_TALKED_OF = 0.85
"""Share of what an answer calls unsaid that one place holds, where the sources do say it."""
_PARTLY = 0.5
"""Share of a sentence from which on its support counts as partial."""
_ALIKE = 0.34
"""Share missing up to which a place says nearly the same, so that a denial in one of both counts."""


@cache
def fitted() -> Mapping[str, Any]:
    """The fitted weights by feature, thresholds by task, and shares of right flags by task and class."""
    table: dict[str, Any] = json.loads(_DATA.read_text("utf-8"))
    return table


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
    def decided(self) -> bool:
        """Whether a denial, or a value hardly met by chance, is a flag whatever the score.

        A reader looks at these first; where people's labels rarely agree, the number of the flag says so.
        """
        return self.against == DENIED or self.features["telling"] > 0


def weigh_words(said: Stated, question: str, text: Text) -> Compared:
    """The sentence beside the likeliest places of the sources.

    Shares weigh a number twice and a name once and a half; words of the question count as given.
    """
    wanted = read_sentence(said.text, text.language)
    asked = read_sentence(question, text.language).stems
    weights, known = dict.fromkeys(wanted.stems, 1.0), stems_of(text.language)
    weights |= {known[part]: 1.5 for name in wanted.names for part in name if known[part]}
    weights |= {stem: 2.0 for stem in weights if stem[0] == "#"}

    def lacks(held: frozenset[str]) -> float:
        total = sum(weights.values())
        return 1 - sum(weights[stem] for stem in wanted.stems & held) / total if total else 0.0

    near = [*places(wanted, text), *scattered(wanted, text)]
    best = min(near, key=lambda one: lacks(one.stems), default=None)
    names = tuple(
        name
        for name in wanted.names
        if not has_name(name, text) and not {known[part] for part in name} <= asked
    )
    values = unmatched(wanted.values, text, text)
    pairs = list(zip(wanted.sequence, wanted.sequence[1:], strict=False))
    beside = join(near).pairs if near else frozenset()
    apart = [pair for pair in pairs if pair not in beside]
    telling = sum(value.telling or any(value.date) for value in values)
    missing = lacks(best.stems) if best else 1.0
    against = _against(wanted, best, text, values, missing < _ALIKE) if best else ""
    blank, denied = _fields(wanted, text)
    features = {
        "place": missing,
        "all": lacks(text.stems | asked),
        "names": min(len(names), _MANY),
        "telling": min(telling, _MANY),
        "small": min(len(values) - telling, _MANY),
        "pairs": len(apart) / len(pairs) if pairs else missing,
        "broken": sum(text.stems.issuperset(pair) for pair in apart) / max(1, len(pairs)),
        "length": math.log1p(len(wanted.stems)),
        "strange": min(len(wanted.stems - text.stems - asked), 8),
        "leads": said.leads,
        "denied": denied,
        "blank": blank,
    }
    if denied and not against:
        against = "a field of the data says otherwise"
    return Compared(
        features, tuple(" ".join(name) for name in names), tuple(values), against, 1 - missing
    )


def _against(wanted: Reading, best: Reading, text: Text, values: list[Value], alike: bool) -> str:
    """What the likeliest place says against the sentence, in words; empty where nothing does."""
    if alike and opposed(wanted, best):
        return DENIED
    for value in values:
        for other in unmatched(best.values, wanted):
            if other.unit == value.unit and (value.unit or (any(other.date) and any(value.date))):
                return f"it says {other}, not {value}"
    return ""


def _fields(wanted: Reading, text: Text) -> tuple[int, int]:
    """The fields of a record of which the sentence speaks that say nothing, and that say the opposite."""
    blank = denied = 0
    for name, said in text.fields:
        if name and name <= wanted.stems:
            blank += said is None
            denied += said is not None and said == bool(name & wanted.negated)
    return min(blank, _MANY), min(denied, _MANY)


@lru_cache(maxsize=4096)
def judged(request: Entails | SupportLevel) -> Verdict:
    """full, partial or no, with the reason, the class and how often such flags are right."""
    sentence = request.hypothesis if isinstance(request, Entails) else request.sentence
    text, said = read_sources(request.premise), stated(sentence)
    if not text.parts or not sentence.strip():
        return Verdict("no", "nothing to compare")
    if said.asks:
        return Verdict("full", "it asks or offers something and states nothing")
    found = weigh_words(said, request.question, text)
    wanted = read_sentence(said.text, text.language)
    if not wanted.stems:
        return Verdict("full" if said.leads else "no", EMPTY)
    if said.denies:
        if found.held < _TALKED_OF or found.against == DENIED:
            return Verdict("full", "the sources do not say it, as the sentence says")
        return Verdict("partial", "the sources do speak of it", flag="partly")
    told = languages.language_of(sentence, text.language)
    if languages.UNKNOWN not in {told, *text.languages} and told not in text.languages:
        return _abroad(found)
    task = task_of(request.question, [one.text for one in request.premise]) or "questions"
    if isinstance(request, Entails) and task != "data to text":
        task = "reports"  # what is cited is asked for by Entails
    table = fitted()
    score = sum(table["weights"].get(name, 0.0) * value for name, value in found.features.items())
    flag, note = _told(found)
    flagged = score >= table["thresholds"][task] or flag in table["decides"][task]
    if not (flagged or found.decided):
        return Verdict("full", "nearly all of it is in one place")
    level = "partial" if found.held >= _PARTLY else "no"
    return Verdict(level, note, probability=_share(table["right"][task], flag, score), flag=flag)


def _told(found: Compared) -> tuple[str, str]:
    """The class of a flag and its reason in words."""
    if found.against:
        return "contradicted", found.against
    if found.values:
        return "value", f"{found.values[0]} is not there"
    if found.names:
        return "name", f"{found.names[0]!r} is not there"
    note = f"only {found.held:.0%} of it is in one place"
    return ("partly" if found.held >= _PARTLY else "nothing"), note


def _abroad(found: Compared) -> Verdict:
    """By names, values and borrowed words alone, where the sources are in another language."""
    flag, note = _told(found)
    if found.names or found.values or found.held < _FOREIGN:
        return Verdict("no", note, flag=flag)
    return Verdict("full", "its names and values are there, in another language")


def _share(table: Mapping[str, list[list[float]]], flag: str, score: float) -> float:
    """How often flags of this class and score are right, between the fitted points."""
    points = table.get(flag) or table["all"]
    place = bisect_right(points, [score, 2.0])
    if place in (0, len(points)):
        return points[max(0, place - 1)][1]
    (low, first), (high, last) = points[place - 1 : place + 1]
    return round(first + (last - first) * (score - low) / (high - low), 4)
