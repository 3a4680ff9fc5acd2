"""The rules of the lexical judge for requests about sentences and documents.

Each rule compares readings; the note of its verdict says what decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
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
    Reading,
    join,
    read_names,
    read_sentence,
    read_text,
)
from argue_bench.judges.lexical.together import once, read_sources
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
    if not wanted.stems:
        return no(EMPTY)
    if is_list(wanted.tokens):
        # A list that is a sentence of the source says what the source says by it. Such a sentence has its stems.
        said, every = wanted.flat.rstrip(" ."), len(wanted.stems)
        shared = text.shared_with(wanted.stems)
        alike = (text.parts[number] for number, held in enumerate(shared) if held == every)
        quoted = any(one.flat.rstrip(" .") == said for one in alike)
        return yes("it is a sentence of the source") if quoted else no(EMPTY)
    reason = unsupported_reason(wanted, text)
    return no(reason) if reason else yes("all of it is in one place")


def unsupported_reason(wanted: Reading, text: Reading) -> str:
    """The reason why a text does not support a sentence; empty where it does.

    Several metrics ask so of a sentence and what it cites; the text remembers what was found.
    """
    key = (wanted, at.ENTAILS, at.ENTAILS_TELLING)
    return once(text, key, lambda: _unsupported_reason(wanted, text))


def _unsupported_reason(wanted: Reading, text: Reading) -> str:
    # Cheap questions first: most sentences that a text does not support lack a name or a value.
    names = wanted.names
    for name in names:
        if not has_name(name, text, True) or not (_abroad(wanted, text) or has_name(name, text)):
            return f"{' '.join(name)!r} is not there"
    values = wanted.values
    if gone := unmatched(values, text, text):
        return f"{gone[0]} is not there"
    abroad = _abroad(wanted, text)
    telling = any(value.telling for value in values)
    least = at.ENTAILS_TELLING if telling or wanted.unknown else at.ENTAILS
    if abroad:
        least = 0.0 if telling else at.ENTAILS_ABROAD
    weight = sum(at.TELLING if value.telling else at.SMALL for value in values)
    of = weight + at.NAME * len(names) + len(wanted.plain)
    reason = ""
    near = places(wanted, text, at.WINDOW + max(0, len(values) - 2))
    for place in chain(near, scattered(wanted, text)):
        if gone := unmatched(values, place, text):
            reason = reason or f"{gone[0]} is not there"
            continue
        here = sum(has_name(name, place, abroad) for name in names)
        got = weight + at.NAME * here + len(wanted.plain & place.stems)
        if of and got / of < least:
            reason = f"only {got / of:.0%} of it is there"
        elif other := another_year(wanted, place):
            reason = f"it is said of {other}"
        elif opposed(wanted, place):
            reason = DENIED
        else:
            return ""
    return reason or "no sentence like it"


def _abroad(wanted: Reading, text: Reading) -> bool:
    """Whether one is French and the other English."""
    return wanted.french is not None and text.french is (not wanted.french)


def answers(request: records.Answers) -> Verdict:
    """The sentence must hold the answer and speak of what the question asks.

    A bare list may hold as many names and numbers as an answer in short, and not far more.
    """
    text = _stated(read_text(request.sentence), read_sentence(request.answer))
    return _holds([text] if text.parts else [], request.question, request.answer)


def _stated(text: Reading, wanted: Reading) -> Reading:
    """The text without bare lists, where these hold far more than what is wanted."""
    kept = stated([one.tokens for one in text.parts], len(wanted.tokens))
    return join(tuple(text.parts[place] for place in kept))


def relevant(request: records.Relevant) -> Verdict:
    """One place of the document must hold the answer near words of the question."""
    text = read_text(request.document.text)
    near = places(read_sentence(f"{request.question} {request.answer}"), text)
    return _holds(near, request.question, request.answer)


def _holds(near: Iterable[Reading], question: str, answer: str) -> Verdict:
    wanted, topic = read_sentence(answer), read_sentence(question)
    reason: str | None = "nothing like the answer is there"
    for place in near:
        if (reason := _lacks(wanted, topic, place)) is None:
            return yes("the answer is there")
    return no(reason or "")


def _lacks(wanted: Reading, topic: Reading, place: Reading) -> str | None:
    """The reason why a place does not give the answer; None where it does."""
    names = read_names(wanted.tokens, first=len(wanted.stems) > at.FEW_WORDS)
    if not _is_in(wanted.flat.strip(), place.flat):
        if gone := unmatched(wanted.values, place):
            return f"{gone[0]} is not there"
        if absent := [name for name in names if not has_name(name, place)]:
            return f"{' '.join(absent[0])!r} is not there"
        held = share(wanted.plain or wanted.stems, place.stems)
        if not (wanted.values or names) and (held < at.ANSWER_WORDS or not wanted.stems):
            return f"only {held:.0%} of its words are there"
    if not wanted.unknown and (place.unknown or opposed(wanted, place)):
        return "one says what the other denies or calls unknown"
    if topic.years and (others := place.years - wanted.years) and not topic.years & others:
        return f"it is about {min(others)}"
    # A small number may be there by chance; it needs words of the question beside it.
    # An answer may name its kind, as in "the 2011 final": then that word speaks of the question too.
    rest = topic.stems if wanted.plain & topic.stems else topic.stems - wanted.stems
    bare = len(place.stems) <= len(wanted.stems) + 1
    telling = names or not wanted.values or any(value.telling for value in wanted.values)
    if not (telling or bare) and rest and share(rest, place.stems) < at.TOPIC:
        return "it is not about the question"
    another = topic.names and not any(has_name(name, place) for name in topic.names)
    if another and place.names and not (names or wanted.values):
        return f"it is about {' '.join(place.names[0])!r}"
    return None


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
    names = wanted.names
    gone = unmatched(wanted.values, place)
    absent = sum(not has_name(name, place) for name in names)
    score = share(wanted.plain, place.stems)
    if typed := len(wanted.values) + len(names):
        score = 0.75 * (typed - len(gone) - absent) / typed + 0.25 * score
        # Names of what is asked about are there in any passage on the subject.
        if wanted.values and len(gone) == len(wanted.values):
            score = min(score, at.SUPPORTS_PARTIAL - 0.01)
    full = score >= at.SUPPORTS_FULL and not gone and not absent
    partial = score >= at.SUPPORTS_PARTIAL
    if (full or partial) and place.unknown != wanted.unknown:
        return no("one says that something is unknown")
    return Verdict(
        "full" if full else "partial" if partial else "no", f"{score:.0%} of it is there"
    )


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


def negative_assertion(request: records.NegativeAssertion) -> Verdict:
    """It uses words for what is not known, not stated, not found."""
    unknown = says_unknown(request.sentence)
    return yes("it calls something unknown") if unknown else no("nothing is called unknown")


def confirms(request: records.Confirms) -> Verdict:
    """It says that something is unknown, and speaks of what the question asks."""
    reading, topic = read_sentence(request.sentence), read_sentence(request.question)
    if not (reading.unknown or refuses_in_words(request.sentence)):
        return no("nothing is called unknown")
    if not reading.stems & topic.stems:
        return no("it is not about the question")
    if reading.years and topic.years and not reading.years & topic.years:
        return no(f"it is about {min(reading.years)}")
    if topic.names and reading.names and not any(has_name(n, topic) for n in reading.names):
        return no(f"it is about {' '.join(reading.names[0])!r}")
    held = max(share(topic.stems, reading.stems), share(reading.plain, topic.stems))
    return yes() if held >= at.CONFIRMS else no(f"only {held:.0%} of the question's words")


def relevance_grade(request: records.RelevanceGrade) -> Verdict:
    """By the share of the question's words and names that are there, near each other from 2 up."""
    topic, text = read_sentence(request.question), read_text(request.document.text)
    if not text.parts or not topic.stems:
        return Verdict("0", "nothing to compare")
    here = all(has_name(name, text) for name in topic.names)
    near = max(text.shared_with(topic.stems)) / len(topic.stems)
    whole = share(topic.stems, text.stems)
    note = f"{near:.0%} of the question's words in one sentence, {whole:.0%} in all"
    if here and near >= at.GRADE_PART:
        return Verdict("3" if near >= at.SUPPORTS_FULL else "2", note)
    return Verdict("1" if whole >= at.SUPPORTS_PARTIAL else "0", note)
