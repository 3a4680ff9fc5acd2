"""The rules of the lexical judge for requests about sentences and documents.

Each rule compares readings; the note of its verdict says what decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from argue_bench import records
from argue_bench.judges.lexical import cues
from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical import vocabulary as words
from argue_bench.judges.lexical.compare import (
    Place,
    has_name,
    opposed,
    places,
    scattered,
    stem_share,
    unmatched,
)
from argue_bench.judges.lexical.reading import Reading, ReadText, read_sentence, read_text
from argue_bench.judges.lexical.values import Value, agree, telling
from argue_bench.records import Verdict

DENIED = "one says what the other denies"
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
    text = read_text(request.premise_text)
    if not text.sentences or not request.hypothesis.strip():
        return no("nothing to compare")
    reason = unsupported_reason(read_sentence(request.hypothesis), text)
    return no(reason) if reason else yes("all of it is in one place")


def unsupported_reason(wanted: Reading, text: ReadText) -> str:
    """The reason why a text does not support a sentence; empty where it does."""
    abroad = None not in (wanted.french, text.french) and wanted.french != text.french
    for name in wanted.names:
        if name.sure and not has_name(name, text.words, text.names, abroad):
            return f"{' '.join(name.parts)!r} is not there"
    reason = "no sentence like it"
    near = places(wanted, text, at.WINDOW + max(0, len(wanted.values) - 2))
    for place in chain(near, scattered(wanted, text)):
        gone = unmatched(wanted.values, place, text)
        if gone:
            reason = f"{_show(gone[0])} is not there" if reason[0] == "n" else reason
            continue
        if opposed(wanted, place):
            reason = DENIED
            continue
        # The share of a sentence that a place holds, its values and names counting more;
        # and how many.
        values = [value for value in wanted.values if not value.weak]
        names = [name for name in wanted.names if name.sure]
        here = sum(has_name(name, place.words, text.names, abroad) for name in names)
        weight = sum(at.TELLING if telling(value) else at.SMALL for value in values)
        got = weight + at.TYPED * here + len(wanted.plain & place.stems)
        of = weight + at.TYPED * len(names) + len(wanted.plain)
        held, typed = got / of if of else 0.0, len(values) + here
        least = at.ENTAILS_TYPED if typed else at.ENTAILS_BARE
        if abroad:
            least = 0.0 if any(map(telling, wanted.values)) else at.ENTAILS_ABROAD
        if held >= least:
            reason = _said_of_another(wanted, place, text, abroad)
            if not reason:
                return ""
            continue
        reason = f"only {held:.0%} of it is there"
    return reason


def _said_of_another(wanted: Reading, place: Place, text: ReadText, abroad: bool) -> str:
    """The reason, where the sentence nearest to the one wanted is about another year or name."""
    nearest = max(place.sentences, key=lambda one: len(wanted.plain & one.plain))
    if not wanted.plain & nearest.plain:
        return ""
    years, others = _years(wanted.values), _years(nearest.values)
    if years and others and not years & others:
        return f"it is said of {min(others)}"
    own = [one for one in wanted.names if one.sure and not words.GENERIC.issuperset(one.parts)]
    near = [one for one in place.sentences if wanted.plain & one.plain or wanted.keys & one.keys]
    if any(has_name(name, one.words, text.names, abroad) for name in own for one in near):
        return ""
    if any(telling(v) and agree(v, found) for v in wanted.values for found in nearest.values):
        return ""
    for name in nearest.names if own else ():
        proper = name.sure and not words.GENERIC.issuperset(name.parts)
        if proper and not set(name.parts) & wanted.words:
            return f"it is said of {' '.join(name.parts)!r}"
    return ""


def answers(request: records.Answers) -> Verdict:
    """The sentence must hold the answer and speak of what the question asks."""
    return holds(read_text(request.sentence), request.question, request.answer)


def relevant(request: records.Relevant) -> Verdict:
    """The document must hold the answer near words of the question."""
    return holds(read_text(request.document.text), request.question, request.answer, document=True)


def holds(text: ReadText, question: str, answer: str, document: bool = False) -> Verdict:
    """Whether a text gives this answer to this question."""
    wanted, topic = read_sentence(answer), read_sentence(question)
    reason = "nothing like the answer is there"
    near: Iterable[Place] = [Place.of(text.sentences or ())]
    if document:  # places that hold something of the answer or of the question
        near = places(replace(wanted, stems=wanted.stems | topic.stems), text)
    for place in near if text.sentences else []:
        why_not = _lacks(wanted, topic, place, text, document)
        if why_not is None:
            return yes("the answer is there")
        reason = why_not
    return no(reason)


def _lacks(
    wanted: Reading, topic: Reading, place: Place, text: ReadText, document: bool
) -> str | None:
    """The reason why a place does not give the answer; None where it does."""
    gone = unmatched(wanted.values, place)
    if gone:
        return f"{_show(gone[0])} is not there"
    names = [name for name in wanted.names if name.sure or len(wanted.stems) <= 2]
    absent = [name for name in names if not has_name(name, place.words, text.names)]
    if absent:
        return f"{' '.join(absent[0].parts)!r} is not there"
    if not wanted.unknown and any(one.unknown for one in place.sentences):
        return "it says that something is unknown"
    if not wanted.unknown and opposed(wanted, place):
        return "one says what the other denies"
    typed = [value for value in wanted.values if not value.weak]
    proper = [name for name in names if any(p not in words.GENERIC for p in name.parts)]
    held = stem_share(wanted.plain or wanted.stems, place.stems)
    least = at.ANSWER_TYPED_WORDS if typed or proper else at.ANSWER_WORDS
    if held < least or not (typed or proper or wanted.stems):
        return f"only {held:.0%} of its words are there"
    # An answer may name its kind, as in "the 2011 final": then that word speaks of the question too.
    rest = topic.stems if wanted.plain & topic.stems else topic.stems - wanted.stems
    rival = _rival(wanted, topic, place, text, document)
    if rival:
        return rival
    # Whether the answer is specific by itself: more than a small number.
    specific = any(map(telling, wanted.values)) or (not wanted.values and (proper or wanted.stems))
    if not specific and rest and stem_share(rest, place.stems) < at.TOPIC:
        return "it is not about the question"
    return None


def _rival(wanted: Reading, topic: Reading, place: Place, text: ReadText, document: bool) -> str:
    """The reason, where the question is about one name or year and the place about another."""
    years = _years(topic.values)
    others = _years(place.values) - _years(wanted.values)
    if years and others and not years & others and not document:
        return f"it is about {min(others)}"
    asked = [name for name in topic.names if name.sure]
    if not asked or any(has_name(name, place.words, text.names) for name in asked):
        return ""
    kinds = {part for name in asked for part in name.parts if part in words.GENERIC} - words.STOP
    # A name or a telling figure is hardly met by chance; a phrase may be said of several things.
    a_phrase = not wanted.names and not any(map(telling, wanted.values)) and not (years and others)
    for sentence in place.sentences:
        for number, name in enumerate(one for one in sentence.names if one.sure):
            same_kind = len(name.parts) > 1 and bool(kinds & set(name.parts))
            leads = a_phrase and number == 0
            if same_kind or leads:
                return f"it is about {' '.join(name.parts)!r}"
    return ""


def _years(values: tuple[Value, ...]) -> set[int]:
    return {value.date[0] for value in values if value.kind == "date" and value.date[0]}


def supports(request: records.Supports) -> Verdict:
    """Full where nearly all values, names and words of the nugget are there, partial where some."""
    text, wanted = read_text(request.passage), read_sentence(request.nugget)
    if not text.sentences:
        return no("the passage is empty")
    place = Place.of(text.sentences)
    values = [value for value in wanted.values if not value.weak]
    gone = unmatched(values, place)
    names = [name for name in wanted.names if name.sure]
    absent = [name for name in names if not has_name(name, place.words, text.names)]
    typed, found = len(values) + len(names), len(values) + len(names) - len(gone) - len(absent)
    held = stem_share(wanted.plain, place.stems)
    if typed:
        score = 0.75 * found / typed + 0.25 * held
        # Names of what is asked about are there in any passage on the subject.
        if values and len(gone) == len(values):
            score = min(score, at.SUPPORTS_PARTIAL - 0.01)
    else:
        score = held
    if any(one.unknown for one in place.sentences) != wanted.unknown:
        return no("one says that something is unknown")
    if score >= at.SUPPORTS_FULL and not gone and not absent:
        return Verdict("full", f"{score:.0%} of it is there")
    partial = score >= at.SUPPORTS_PARTIAL
    return Verdict("partial" if partial else "no", f"{score:.0%} of it is there")


def support_level(request: records.SupportLevel) -> Verdict:
    """Full where the sources entail the sentence, partial where they hold a part of it."""
    text = request.premise_text
    if (whole := entails(records.Entails(request.premise, request.sentence))).yes:
        return Verdict("full", whole.note)
    if not request.sentence.strip():
        return no(whole.note)
    part = supports(records.Supports(text, request.question, request.sentence))
    return no(whole.note) if part.value == "no" else Verdict("partial", whole.note)


def meets(request: records.Meets) -> Verdict:
    """As far as Supports finds in the answer what the criterion wants said; denied, it contradicts."""
    wanted = _WANTS.sub("", request.criterion)
    held = supports(records.Supports(request.answer, request.question, wanted))
    reading, text = read_sentence(wanted), read_text(request.answer)
    if not text.sentences:
        return Verdict("unmet", "the answer is empty")
    near = max(text.sentences, key=lambda one: len(reading.plain & one.plain))
    if unsupported_reason(reading, text) == DENIED:
        return Verdict("contradicts", near.text)
    value = {"full": "met", "partial": "partly", "no": "unmet"}[str(held.value)]
    return Verdict(value, held.note if value == "unmet" else near.text)


def relevance_grade(request: records.RelevanceGrade) -> Verdict:
    """By the share of the question's words and names that are there, near each other from 2 up."""
    topic, text = read_sentence(request.question), read_text(request.document.text)
    if not text.sentences or not topic.stems:
        return Verdict("0", "nothing to compare")
    names = [name for name in topic.names if name.sure]
    here = all(has_name(name, text.words, text.names) for name in names)
    near = max(stem_share(topic.stems, one.stems) for one in text.sentences)
    whole = stem_share(topic.stems, text.stems)
    note = f"{near:.0%} of the question's words in one sentence, {whole:.0%} in all"
    if here and near >= at.SUPPORTS_FULL:
        return Verdict("3", note)
    if here and near >= at.GRADE_PART:
        return Verdict("2", note)
    return Verdict("1" if whole >= at.SUPPORTS_PARTIAL else "0", note)


def needs_citation(request: records.NeedsCitation) -> Verdict:
    """Every statement needs one, unless it says that something is unknown or speaks of the report."""
    reading = read_sentence(request.sentence)
    if reading.unknown or cues.DECLINES.search(reading.flat):
        return no("it says that something is unknown or declines")
    if cues.META.search(reading.flat) and not reading.values:
        return no("it speaks of the report itself")
    if request.sentence.rstrip().endswith(("?", ":")):
        return no("it is a question or an announcement")
    if len(reading.stems) + len(reading.values) < at.FEW_WORDS:
        return no("it states nothing")
    return yes("it states something")


def negative_assertion(request: records.NegativeAssertion) -> Verdict:
    """It uses words for what is not known, not stated, not found."""
    found = cues.UNKNOWN.search(read_sentence(request.sentence).flat)
    return yes(f"'{found[0].strip()}'") if found else no("nothing is called unknown")


def confirms(request: records.Confirms) -> Verdict:
    """It says that something is unknown, and speaks of what the question asks."""
    reading, topic = read_sentence(request.sentence), read_sentence(request.question)
    if not (reading.unknown or cues.DECLINES.search(reading.flat)):
        return no("nothing is called unknown")
    shared = reading.stems & topic.stems
    own = shared - {"=" + "gens"}
    if not own:
        return no("it is not about the question")
    years, asked = _years(reading.values), _years(topic.values)
    if years and asked and not years & asked:
        return no(f"it is about {min(years)}")
    names = [n for n in reading.names if n.sure and not words.GENERIC.issuperset(n.parts)]
    if topic.names and names and not any(has_name(n, topic.words, topic.names) for n in names):
        return no(f"it is about {' '.join(names[0].parts)!r}")
    held = max(stem_share(topic.stems, reading.stems), stem_share(reading.plain, topic.stems))
    return yes() if held >= at.CONFIRMS else no(f"only {held:.0%} of the question's words")


def _show(value: object) -> str:
    date = getattr(value, "date", (0, 0, 0))
    if any(date):
        return "-".join(str(part) for part in date if part)
    return f"{getattr(value, 'amount', 0):g} {getattr(value, 'unit', '')}".strip()
