"""The rules of the lexical judge for requests about whole responses, and for a text or a number."""

from __future__ import annotations

import re
from collections import Counter

from argue_bench.judges.lexical import cues
from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical.compare import Place, has_name, stem_share, unmatched
from argue_bench.judges.lexical.reading import fold, read_sentence, read_text, stem
from argue_bench.judges.lexical.rules import no, unsupported_reason, yes
from argue_bench.records import Factual, Grounded, Refuses, Similar, Span, Verdict


def refuses(request: Refuses) -> Verdict:
    """It declines, and hardly a sentence of it states anything else."""
    sentences = read_text(request.response).sentences
    topic = read_sentence(request.question)
    declining = [one for one in sentences if one.unknown or cues.DECLINES.search(one.flat)]
    if not declining:
        return no("no sentence declines")
    first = sentences[0] in declining
    stating = [
        one
        for one in sentences
        if one not in declining and (one.values or len(one.stems) >= at.FEW_WORDS)
    ]
    # A gap named at the end of an answer is not a refusal; a reason given after a refusal is part of it.
    if not first and len(stating) >= len(declining):
        return no("it answers beside what it declines")
    facts = sum(bool(one.values) for one in stating)
    if len(stating) > 2 * len(declining) or facts > len(declining):
        return no("it answers beside what it declines")
    about = any(stem_share(topic.stems, one.stems) >= 0.1 for one in declining)
    return yes() if first or about else no("what it declines is something else")


def factual(request: Factual) -> Verdict:
    """C same facts, A some of them, B all and more, D others in their place, F not answered."""
    reference, answer = read_text(request.reference), read_text(request.answer)
    if not answer.sentences or refuses(Refuses(request.question, request.answer)).yes:
        return Verdict("F", "it declines or is empty")
    if not reference.sentences:
        return Verdict("F", "there is no reference")
    here, there = Place.of(answer.sentences), Place.of(reference.sentences)
    recall = _held(there, here)
    precision = _held(here, there)
    note = f"{recall:.0%} of the reference is in the answer, {precision:.0%} the other way"
    if recall >= at.SUPPORTS_FULL:
        return Verdict("C" if precision >= at.SUPPORTS_FULL else "B", note)
    values = [value for value in here.values if not value.weak]
    wrong = len(unmatched(values, there))
    if recall >= at.SUPPORTS_PARTIAL and wrong * 2 <= len(values):
        return Verdict("A", note)
    return Verdict("D", note) if wrong or there.values else Verdict("F", note)


def _held(part: Place, whole: Place) -> float:
    """The share of one place's values, names and words that another holds; typed ones count 3."""
    values = [value for value in part.values if not value.weak]
    names = [name for one in part.sentences for name in one.names if name.sure]
    others = [name for one in whole.sentences for name in one.names]
    plain = frozenset().union(*(one.plain for one in part.sentences))
    got = 3.0 * (len(values) - len(unmatched(values, whole)))
    got += 3.0 * sum(has_name(name, whole.words, others) for name in names)
    got += len(plain & whole.stems)
    of = 3.0 * (len(values) + len(names)) + len(plain)
    return got / of if of else 1.0


def grounded(request: Grounded) -> Verdict:
    """1 to 5 from how much of the reference is there and how much the sources support."""
    response = read_text(request.response)
    if not response.sentences:
        return Verdict("1", "the response is empty")
    sources = read_text("\n".join([*(d.text for d in request.documents), *request.supporting]))
    if sources.sentences:
        backed = sum(not unsupported_reason(one, sources) for one in response.sentences)
        faithful = backed / len(response.sentences)
    else:
        faithful = 1.0
    if not request.reference.strip():
        right = 1.0 if refuses(Refuses(request.question, request.response)).yes else 0.0
        return Verdict("5" if right else "1", "there is no answer to give")
    reference, said = Place.of(read_text(request.reference).sentences), Place.of(response.sentences)
    right = _held(reference, said)
    if reference.values and len(unmatched(reference.values, said)) == len(reference.values):
        right = 0.0
    if refuses(Refuses(request.question, request.response)).yes:
        right = 0.0
    score = 1 + round(4 * (0.65 * right + 0.35 * faithful)) if right >= 0.25 else 1
    return Verdict(str(score), f"{right:.0%} of the reference, {faithful:.0%} supported")


_ASKS_NAME = re.compile(r"\b(?:who|whom|whose|qui)\b")
_ASKS_VALUE = re.compile(
    r"\b(?:when|how (?:many|much|long|high|old|far|often|large|tall)|what (?:year|date|day|time)"
    r"|which (?:year|date|day)|quand|combien|quelle? (?:annee|date|jour|heure|hauteur|longueur))\b"
)
_FIGURE = re.compile(r"[$€£]?\d[\d.,  ]*\d|\d+")


def span(request: Span) -> Verdict:
    """The sentence most like the question; of it the name or figure, where one is asked for."""
    text, topic = read_text(request.context), read_sentence(request.question)
    if not text.sentences:
        return Verdict("")
    overlap = [len(topic.stems & one.stems) for one in text.sentences]
    if not max(overlap):
        return Verdict("")
    best = text.sentences[overlap.index(max(overlap))]
    if _ASKS_NAME.search(topic.flat):
        named = {part for name in topic.names for part in name.parts}
        for run in re.findall(
            r"[A-ZÀ-Þ][\w'’-]*(?: (?:de |of |von |van )?[A-ZÀ-Þ][\w'’-]*)+", best.text
        ):
            if not named & {fold(part) for part in run.split()}:
                return Verdict(run)
    if _ASKS_VALUE.search(topic.flat):
        for part in re.split(r",\s|;\s|\s(?:and|et|in|en|with|against)\s", best.text):
            values = read_sentence(part).values
            if unmatched(values, Place.of([topic])) and (figure := part.strip(" .,;")):
                return Verdict(figure)
    return Verdict(best.text)


def similar(request: Similar) -> Verdict:
    """F1 over stems, each counted as often as it occurs. It is not BLEURT."""
    reference = Counter(map(stem, re.findall(r"\w+", fold(request.reference))))
    candidate = Counter(map(stem, re.findall(r"\w+", fold(request.candidate))))
    common = sum((reference & candidate).values())
    total = sum(reference.values()) + sum(candidate.values())
    return Verdict(2 * common / total if total else 0.0)
