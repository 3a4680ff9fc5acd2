"""The rules of the lexical judge for requests about sentences and documents.

Each rule compares readings; the note of its verdict says what decided.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import chain

from argue_bench import records
from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical import vocabulary as words
from argue_bench.judges.lexical.compare import (
    another_year,
    has_name,
    opposed,
    places,
    scattered,
    share,
    unmatched,
)
from argue_bench.judges.lexical.reading import (
    Name,
    Reading,
    join,
    read_names,
    read_sentence,
    read_source,
    read_text,
)
from argue_bench.judges.lexical.together import once, read_sources
from argue_bench.judges.lexical.values import CLOCK, Value
from argue_bench.records import Verdict
from argue_bench.text import sentences
from argue_bench.text.lists import is_list, stated
from argue_bench.text.refusals import refuses_in_words, says_unknown

DENIED = "one says what the other denies"
EMPTY = "a word or figure by itself makes no statement that could be checked"
# What rubrics begin with: "The report should state that ..."
_WANTS = re.compile(
    r"\A\s*(?:the\s+)?(?:answer|report|response)?\s*(?:must|should)?\s*"
    r"(?:states?|mentions?|says?|explains?|notes?|identif(?:y|ies)|includes?|describes?|provides?|"
    r"names?|claims?|gives?)\s+(?:that\s+|the\s+fact\s+that\s+)?",
    re.IGNORECASE,
)


def yes(note: str = "") -> Verdict:
    return Verdict("yes", note)


def no(note: str) -> Verdict:
    return Verdict("no", note)


def entails(request: records.Entails) -> Verdict:
    """Every number, date and name must be there, and enough of the other words, in one place."""
    text = read_sources(request.premise)
    if not text.parts or not request.hypothesis.strip():
        return no("nothing to compare")
    wanted = read_sentence(request.hypothesis)
    if not wanted.stems or is_list(wanted.tokens):
        return no(EMPTY)
    reason = unsupported_reason(wanted, text)
    return no(reason) if reason else yes("all of it is in one place")


def unsupported_reason(wanted: Reading, text: Reading) -> str:
    """The reason why a text does not support a sentence; empty where it does.

    Several metrics ask so of a sentence and what it cites; the text remembers what was found.
    """
    key = (wanted, at.ENTAILS, at.ENTAILS_TELLING)
    return once(text, key, lambda: _unsupported_reason(wanted, text))


def _unsupported_reason(wanted: Reading, text: Reading) -> str:
    abroad = wanted.french is not None and text.french is (not wanted.french)
    if missing := _missing(wanted, text, wanted.names, abroad):
        return missing
    telling = any(value.telling for value in wanted.values)
    least = at.ENTAILS_TELLING if telling or wanted.unknown else at.ENTAILS
    least = at.ENTAILS_ABROAD if abroad else least
    reason = ""
    for place in chain(places(wanted, text), scattered(wanted, text)):
        if gone := unmatched(wanted.values, place, text):
            reason = reason or f"{gone[0]} is not there"
        elif (got := held(wanted, place, (), abroad)) < least:
            reason = f"only {got:.0%} of it is there"
        elif other := another_year(wanted, place):
            reason = f"it is said of {other}"
        elif opposed(wanted, place):
            reason = DENIED
        else:
            return ""
    return reason or "the sources hold no sentence like it"


def _missing(wanted: Reading, text: Reading, names: Iterable[Name], abroad: bool = False) -> str:
    """That a text lacks a name or value of a sentence; empty where it has all."""
    for name in names:
        if not has_name(name, text, abroad):
            return f"{' '.join(name)!r} is not there"
    gone = unmatched(wanted.values, text, text)
    return f"{gone[0]} is not there" if gone else ""


def held(part: Reading, whole: Reading, gone: Collection[Value], abroad: bool = False) -> float:
    """The share of a text's values, names and other words that another holds, but for the values ``gone``."""
    typed, names = len(part.values) + len(part.names), part.names
    found = typed - len(gone) - sum(not has_name(name, whole, abroad) for name in names)
    of = at.TYPED * typed + len(part.plain)
    return (at.TYPED * found + len(part.plain & whole.stems)) / of if of else 1.0


def answers(request: records.Answers) -> Verdict:
    """The sentence must hold the answer and speak of what the question asks.

    A bare list may hold as many names and numbers as an answer in short, and not far more.
    """
    text = _stated(read_text(request.sentence), read_sentence(request.answer))
    return _given([text] if text.parts else [], request.question, request.answer)


def _stated(text: Reading, wanted: Reading) -> Reading:
    """The text without bare lists, where these hold far more than what is wanted."""
    said = [[token for token in one.tokens if token[0].isalnum()] for one in text.parts]
    kept = stated(said, len(wanted.tokens))
    return join(tuple(text.parts[place] for place in kept))


def relevant(request: records.Relevant) -> Verdict:
    """One place of the document must hold the answer near words of the question."""
    text = read_source(request.document.text)
    near = places(read_sentence(f"{request.question} {request.answer}"), text)
    return _given(near, request.question, request.answer)


def _given(near: Iterable[Reading], question: str, answer: str) -> Verdict:
    """Yes where one of the places gives the answer."""
    wanted, topic, reason = read_sentence(answer), read_sentence(question), ""
    for place in near:
        if not (reason := _lacks(wanted, topic, place)):
            return yes("the answer is there")
    return no(reason or "nothing like the answer is there")


def _lacks(wanted: Reading, topic: Reading, place: Reading) -> str:
    """The reason why a place does not give the answer; empty where it does."""
    names = read_names(wanted.tokens, first=len(wanted.stems) > at.FEW_WORDS)
    if not _is_in(wanted.flat.strip(), place.flat):
        if missing := _missing(wanted, place, names):
            return missing
        held = share(wanted.plain or wanted.stems, place.stems)
        if not (wanted.values or names) and (held < at.ANSWER_WORDS or not wanted.stems):
            return f"only {held:.0%} of its words are there"
    if not wanted.unknown and (place.unknown or opposed(wanted, place)):
        return "one says what the other denies or calls unknown"
    # A small number may be there by chance; it needs words of the question beside it.
    bare = len(place.stems) <= len(wanted.stems) + 1
    telling = names or not wanted.values or any(value.telling for value in wanted.values)
    if not (telling or bare) and share(topic.stems, place.stems) < at.TOPIC:
        return "it is not about the question"
    others = () if names or wanted.values else place.names
    return _another_subject(topic, place, place.years - wanted.years, others)


def _another_subject(
    topic: Reading, place: Reading, years: set[int], names: tuple[Name, ...]
) -> str:
    """That a place speaks of these years or names, where the question asks about others; else empty."""
    if topic.years and years and not topic.years & years:
        return f"it is about {min(years)}"
    if topic.names and names and not any(has_name(name, place) for name in topic.names):
        return f"it is about {' '.join(names[0])!r}"
    return ""


def _is_in(answer: str, text: str) -> bool:
    """Whether the answer stands there letter by letter; a long one be it with a footnote's number."""
    return f" {answer} " in text or (len(answer) >= at.LONG_ANSWER and answer in text)


def supports(request: records.Supports) -> Verdict:
    """Full where nearly all values, names and words of the nugget are there, partial where some."""
    wanted = read_sentence(request.nugget)
    return _supports(_stated(read_text(request.passage), wanted), wanted)


def _supports(place: Reading, wanted: Reading) -> Verdict:
    if not place.parts:
        return no("the passage is empty")
    gone = unmatched(wanted.values, place)
    got = held(wanted, place, gone)
    # Names of what is asked about are there in any passage on the subject.
    if got < at.SUPPORTS_PARTIAL or (gone and len(gone) == len(wanted.values)):
        return no(f"{got:.0%} of it is there")
    if place.unknown != wanted.unknown:
        return no("one says that something is unknown")
    full = got >= at.SUPPORTS_FULL and not gone
    return Verdict("full" if full else "partial", f"{got:.0%} of it is there")


def support_level(request: records.SupportLevel) -> Verdict:
    """Full where the sources entail the sentence, partial where they hold a part of it."""
    if (whole := entails(records.Entails(request.premise, request.sentence))).yes:
        return Verdict("full", whole.note)
    if whole.note == EMPTY or not request.sentence.strip():
        return no(whole.note)
    wanted = read_sentence(request.sentence)
    part = _supports(read_sources(request.premise), wanted)
    return no(whole.note) if part.value == "no" else Verdict("partial", whole.note)


def meets(request: records.Meets) -> Verdict:
    """As far as Supports finds in the answer what the criterion wants said; denied, it contradicts."""
    wanted = _WANTS.sub("", request.criterion)
    held = supports(records.Supports(request.answer, request.question, wanted))
    reading, said = read_sentence(wanted), sentences(request.answer)
    if not said:
        return Verdict("unmet", "the answer is empty")
    quote = max(said, key=lambda one: len(reading.plain & read_sentence(one).plain))
    if unsupported_reason(reading, read_text(request.answer)) == DENIED:
        return Verdict("contradicts", quote)
    value = {"full": "met", "partial": "partly", "no": "unmet"}[str(held.value)]
    return Verdict(value, held.note if value == "unmet" else quote)


def contradicts(request: records.Contradicts) -> Verdict:
    """A sentence of the source that is like it denies it, or gives another value in its place."""
    wanted, text = read_sentence(request.sentence), read_sources(request.premise)
    for place in places(wanted, text, 1):
        told = wanted.plain & place.stems
        if 2 * len(told) < len(wanted.plain) or not all(has_name(n, place) for n in wanted.names):
            continue
        whole = told == wanted.plain
        alike = len(told) >= at.FEW_WORDS or (whole and bool(told))
        if alike and opposed(wanted, place):
            return yes(DENIED)
        if wanted.years and not place.years:
            continue  # it may speak of another time
        for value in unmatched(wanted.values, text):
            # A day has many hours: only what is told in the same words has another one.
            same = whole and len(told) >= at.FEW_WORDS
            if value.unit != CLOCK:
                same = alike or bool(value.unit)
            for other in unmatched(place.values, wanted) if same else ():
                if other.unit == value.unit and any(other.date) == any(value.date):
                    return yes(f"it says {other}, not {value}")
    return no("nothing in it excludes the sentence")


def helps_answer(request: records.HelpsAnswer) -> Verdict:
    """It holds a quarter of the question's words, or a name that the question names."""
    topic, said = read_sentence(request.question), read_sentence(request.sentence)
    if refuses_in_words(request.sentence) or len(said.stems) < at.FEW_WORDS:
        return no(EMPTY)
    told = share(topic.stems, said.stems)
    named = any(has_name(name, said) for name in topic.names)
    return (yes if told >= at.HELPS or named else no)(f"{told:.0%} of the question's words")


def nugget_importance(request: records.NuggetImportance) -> Verdict:
    """Vital where it holds half of the question's words."""
    told = share(read_sentence(request.question).stems, read_sentence(request.nugget).stems)
    word = "vital" if told >= at.VITAL else "okay"
    return Verdict(word, f"{told:.0%} of the question's words")


def needs_citation(request: records.NeedsCitation) -> Verdict:
    """Every statement needs one, unless it says that something is unknown or speaks of the report."""
    reading = read_sentence(request.sentence)
    if says_unknown(request.sentence) or refuses_in_words(request.sentence):
        return no("it says that something is unknown or declines")
    if words.META.match(reading.flat[1:]) and not reading.values:
        return no("it speaks of the report itself")
    if request.sentence.rstrip().endswith(("?", ":")):
        return no("it is a question or an announcement")
    if len(reading.stems) < at.FEW_WORDS:
        return no("it says too little to need one")
    return yes("it states something")


def first_instance(request: records.FirstInstance) -> Verdict:
    """New unless an earlier sentence, or the likest together, held its values, names and words."""
    wanted = read_sentence(request.sentence)
    previous = request.previous[-at.EARLIER :]
    earlier = join([one for text in previous for one in read_text(text).parts])
    near = list(places(wanted, earlier, 1))
    for said in (*near, join(near)) if near else ():
        told = share(wanted.stems, said.stems)
        if wanted.unknown != said.unknown or not (wanted.unknown or told >= at.SAID_BEFORE):
            continue
        if not _missing(wanted, said, wanted.names):
            return no(f"{told:.0%} of its words were said before")
    return yes("no earlier sentence says so")


def negative_assertion(request: records.NegativeAssertion) -> Verdict:
    """It uses words for what is not known, not stated, not found."""
    unknown = says_unknown(request.sentence)
    return yes("it calls something unknown") if unknown else no("nothing is called unknown")


def confirms(request: records.Confirms) -> Verdict:
    """It says that something is unknown, and speaks of what the question asks."""
    reading, topic = read_sentence(request.sentence), read_sentence(request.question)
    if not (reading.unknown or refuses_in_words(request.sentence)):
        return no("nothing is called unknown")
    if other := _another_subject(topic, reading, reading.years, reading.names):
        return no(other)
    held = max(share(topic.stems, reading.stems), share(reading.plain, topic.stems))
    return yes() if held >= at.CONFIRMS else no(f"only {held:.0%} of the question's words")


def relevance_grade(request: records.RelevanceGrade) -> Verdict:
    """By the share of the question's words and names that are there, near each other from 2 up."""
    topic, text = read_sentence(request.question), read_source(request.document.text)
    if not text.parts or not topic.stems:
        return Verdict("0", "nothing to compare")
    here = all(has_name(name, text) for name in topic.names)
    near = max(text.shared_with(topic.stems).values(), default=0) / len(topic.stems)
    whole = share(topic.stems, text.stems)
    note = f"{near:.0%} of the question's words in one sentence, {whole:.0%} in all"
    if here and near >= at.GRADE_PART:
        return Verdict("3" if near >= at.SUPPORTS_FULL else "2", note)
    return Verdict("1" if whole >= at.SUPPORTS_PARTIAL else "0", note)
