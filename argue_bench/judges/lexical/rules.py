"""The rules of the lexical judge for all requests but those for support (`support`).

Each compares readings; the note of its verdict says what decided. What drafts a text is an offline
stand-in that lets a run end, which docs/judges.md says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from heapq import nlargest

from argue_bench import records
from argue_bench.judges.lexical.reading import (
    Name,
    Reading,
    fold,
    join,
    read_names,
    read_sentence,
    read_text,
    stems_of,
)
from argue_bench.judges.lexical.support import (
    BEST,
    DENIED,
    EMPTY,
    against,
    judged,
    opposed,
    places,
)
from argue_bench.records import Source, SupportLevel, Verdict
from argue_bench.text import sentences
from argue_bench.text.refusals import declines, refuses_in_words, says_unknown
from argue_bench.text.statements import states_nothing

# Changing a rule, a number or a fitted weight changes verdicts: raise it, it is part of the judge's identity.
RULES = "21"
# How many words a name or value counts for.
_TYPED = 3.0
# Share of a nugget that a passage must hold.
_FULL, _PART = 0.75, 0.35
# Share of an answer's words that a sentence must hold where no value or name is in it; letters from which an answer
# may be part of a longer word: 'in 19971'.
_ANSWER_WORDS, _LONG_ANSWER = 0.6, 4
# Shares of the question's words that a sentence must hold: beside an answer that alone says little; where it says
# that something is unknown; to help; and a nugget to be vital.
_TOPIC, _CONFIRMS, _HELPS, _VITAL = 0.15, 0.25, 0.25, 0.5
# Share of the question's words that one sentence of a document must hold for the grade 2.
_GRADE = 0.6
# Sentences said last that may say the same, and the share of a sentence that they must hold: the work on a report
# grows with it, not with its square.
_EARLIER, _SAID_BEFORE = 64, 0.6
# Content words below which a sentence states nothing.
_FEW_WORDS = 2
# Characters from which a sentence is too long for a nugget.
_LONG_NUGGET = 300
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
    """Whether the sources support the sentence in full."""
    verdict = judged(request)
    return replace(verdict, value="yes" if verdict.value == "full" else "no")


def share(part: frozenset[str], whole: frozenset[str]) -> float:
    """The share of stems that the other holds; 1 where there are none to hold."""
    return len(part & whole) / len(part) if part else 1.0


def _missing(wanted: Reading, text: Reading, names: Iterable[Name]) -> str:
    """That a text lacks a name or value of a sentence; empty where it has all."""
    gone = [
        *(repr(" ".join(name)) for name in names if not text.has(name)),
        *map(str, text.unmatched(wanted)),
    ]
    return f"{gone[0]} is not there" if gone else ""


def held(part: Reading, whole: Reading) -> float:
    """The share of a text's values, names and other words that another holds."""
    typed = [*map(whole.has, part.names)]
    typed += [True] * (len(part.values) - (gone := len(whole.unmatched(part)))) + [False] * gone
    of = _TYPED * len(typed) + len(part.plain)
    return (_TYPED * sum(typed) + len(part.plain & whole.stems)) / of if of else 1.0


def answers(request: records.Answers) -> Verdict:
    """The sentence must hold the answer and speak of what the question asks."""
    text = read_text(request.sentence)
    return _given([join(text.parts)] if text.parts else [], request.question, request.answer)


def relevant(request: records.Relevant) -> Verdict:
    """One place of the document must hold the answer near words of the question."""
    text = read_text(request.document.text)
    asked = read_sentence(f"{request.question} {request.answer}")
    return _given(places(asked, text), request.question, request.answer)


def _given(near: Iterable[Reading], question: str, answer: str) -> Verdict:
    """Yes where one of the places gives the answer."""
    wanted, topic, reason = read_sentence(answer), read_sentence(question), ""
    for place in near:
        if not (reason := _lacks(wanted, topic, place)):
            return yes("the answer is there")
    return no(reason or "nothing like the answer is there")


def _lacks(wanted: Reading, topic: Reading, place: Reading) -> str:
    """The reason why a place does not give the answer; empty where it does."""
    names = read_names(wanted.tokens, first=len(wanted.stems) > _FEW_WORDS)
    said = wanted.flat.strip()
    if f" {said} " not in place.flat and (len(said) < _LONG_ANSWER or said not in place.flat):
        if missing := _missing(wanted, place, names):
            return missing
        got = share(wanted.plain or wanted.stems, place.stems)
        if not (wanted.values or names) and (got < _ANSWER_WORDS or not wanted.stems):
            return f"only {got:.0%} of its words are there"
    if not wanted.unknown and (place.unknown or opposed(wanted, place)):
        return "one says what the other denies or calls unknown"
    # A small number may be there by chance; it needs words of the question beside it.
    bare = len(place.stems) <= len(wanted.stems) + 1
    telling = names or not wanted.values or any(value.telling for value in wanted.values)
    if not (telling or bare) and share(topic.stems, place.stems) < _TOPIC:
        return "it is not about the question"
    others = () if names or wanted.values else place.names
    return _another_subject(topic, place, place.years - wanted.years, others)


def _another_subject(
    topic: Reading, place: Reading, years: set[int], names: tuple[Name, ...]
) -> str:
    """That a place speaks of these years or names, where the question asks about others; else empty."""
    if topic.years and years and not topic.years & years:
        return f"it is about {min(years)}"
    if topic.names and names and not any(map(place.has, topic.names)):
        return f"it is about {' '.join(names[0])!r}"
    return ""


def supports(request: records.Supports) -> Verdict:
    """Full where nearly all values, names and words of the nugget are there, partial where some."""
    place, wanted = read_text(request.passage), read_sentence(request.nugget)
    gone, got = place.unmatched(wanted), held(wanted, place)
    # Names of what is asked about are there in any passage on the subject.
    if not place.parts or got < _PART or (gone and len(gone) == len(wanted.values)):
        return no(f"{got:.0%} of it is there")
    if place.unknown != wanted.unknown:
        return no("one says that something is unknown")
    return Verdict("full" if got >= _FULL and not gone else "partial", f"{got:.0%} of it is there")


def meets(request: records.Meets) -> Verdict:
    """As far as Supports finds in the answer what the criterion wants said; denied, it contradicts."""
    wanted, said = _WANTS.sub("", request.criterion), sentences(request.answer)
    found = supports(records.Supports(request.answer, request.question, wanted))
    if not said:
        return Verdict("unmet", "the answer is empty")
    plain = read_sentence(wanted).plain
    quote = max(said, key=lambda one: len(plain & read_sentence(one).plain))
    if judged(SupportLevel((Source("", request.answer),), wanted)).note == DENIED:
        return Verdict("contradicts", quote)
    value = {"full": "met", "partial": "partly", "no": "unmet"}[str(found.value)]
    return Verdict(value, found.note if value == "unmet" else quote)


def contradicts(request: records.Contradicts) -> Verdict:
    """A sentence of the source that is like it denies it, or gives another value in its place."""
    text = read_text(*(one.text for one in request.premise))
    found = against(read_sentence(request.sentence, text.language), text)
    return yes(found) if found else no("nothing in it excludes the sentence")


def helps_answer(request: records.HelpsAnswer) -> Verdict:
    """It holds a quarter of the question's words, or a name that the question names."""
    topic, said = read_sentence(request.question), read_sentence(request.sentence)
    if refuses_in_words(request.sentence) or len(said.stems) < _FEW_WORDS:
        return no(EMPTY)
    told = share(topic.stems, said.stems)
    named = any(map(said.has, topic.names))
    return (yes if told >= _HELPS or named else no)(f"{told:.0%} of the question's words")


def nugget_importance(request: records.NuggetImportance) -> Verdict:
    """Vital where it holds half of the question's words."""
    told = share(read_sentence(request.question).stems, read_sentence(request.nugget).stems)
    return Verdict("vital" if told >= _VITAL else "okay", f"{told:.0%} of the question's words")


def needs_citation(request: records.NeedsCitation) -> Verdict:
    """Every statement needs one, unless it says that something is unknown or speaks of the report."""
    said = request.sentence
    if says_unknown(said) or refuses_in_words(said):
        return no("it says that something is unknown or declines")
    if states_nothing(said) or said.rstrip().endswith(("?", ":")):
        return no("it is a question or an announcement, or speaks of the report itself")
    if len(read_sentence(said).stems) < _FEW_WORDS:
        return no("it says too little to need one")
    return yes("it states something")


def first_instance(request: records.FirstInstance) -> Verdict:
    """New unless an earlier sentence, or the likest together, held its values, names and words."""
    wanted = read_sentence(request.sentence)
    earlier = map(read_sentence, request.previous[-_EARLIER:])
    like = (one for one in earlier if one.stems & wanted.stems)
    near = nlargest(BEST, like, key=lambda one: len(one.stems & wanted.stems))
    for said in (*near, join(near)) if near else ():
        told = share(wanted.stems, said.stems)
        alike = wanted.unknown == said.unknown and (wanted.unknown or told >= _SAID_BEFORE)
        if alike and not _missing(wanted, said, wanted.names):
            return no(f"{told:.0%} of its words were said before")
    return yes("no earlier sentence says so")


def negative_assertion(request: records.NegativeAssertion) -> Verdict:
    """It uses words for what is not known, not stated, not found."""
    unknown = says_unknown(request.sentence) or refuses_in_words(request.sentence)
    return yes("it calls something unknown") if unknown else no("nothing is called unknown")


def confirms(request: records.Confirms) -> Verdict:
    """It says that something is unknown, and speaks of what the question asks."""
    reading, topic = read_sentence(request.sentence), read_sentence(request.question)
    if not (reading.unknown or refuses_in_words(request.sentence)):
        return no("nothing is called unknown")
    if other := _another_subject(topic, reading, reading.years, reading.names):
        return no(other)
    got = max(share(topic.stems, reading.stems), share(reading.plain, topic.stems))
    return yes() if got >= _CONFIRMS else no(f"only {got:.0%} of the question's words")


def relevance_grade(request: records.RelevanceGrade) -> Verdict:
    """By the share of the question's words and names that are there, near each other from 2 up."""
    topic, text = read_sentence(request.question), read_text(request.document.text)
    if not text.parts or not topic.stems:
        return Verdict("0", "nothing to compare")
    here = all(map(text.has, topic.names))
    near = max(text.shared_with(topic.stems).values(), default=0) / len(topic.stems)
    whole = share(topic.stems, text.stems)
    note = f"{near:.0%} of the question's words in one sentence, {whole:.0%} in all"
    if here and near >= _GRADE:
        return Verdict("3" if near >= _FULL else "2", note)
    return Verdict("1" if whole >= _PART else "0", note)


def refuses(request: records.Refuses) -> Verdict:
    """It declines, and does not answer beside that (`text.refusals`)."""
    return yes() if declines(request.response) else no("it does not decline, or answers too")


def similar(request: records.Similar) -> Verdict:
    """F1 over stems, each counted as often as it occurs. It is not BLEURT."""
    known = stems_of("en")
    reference, candidate = (
        Counter(known[token] or token.lower() for token in re.findall(r"\w+", fold(text)))
        for text in (request.reference, request.candidate)
    )
    total = sum(reference.values()) + sum(candidate.values())
    return Verdict(2 * sum((reference & candidate).values()) / total if total else 0.0)


def list_claims(request: records.ListClaims) -> Verdict:
    """The sentence itself: it takes a language model to split it."""
    return Verdict(" ".join(request.sentence.split()))


def nuggets_in_passages(request: records.DraftNuggets) -> Verdict:
    """The list so far, and each sentence of the documents that speaks to the question and is not in it."""
    found = {" ".join(line.split()): None for line in request.nuggets}
    for source in request.documents:
        for one in (" ".join(sentence.split()) for sentence in sentences(source.text)):
            helps = helps_answer(records.HelpsAnswer(one, request.question)).yes
            if helps and len(one) <= _LONG_NUGGET:
                found.setdefault(one)
    return Verdict("\n".join(found))
