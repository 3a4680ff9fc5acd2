"""The rules of the lexical judge for requests about whole responses, and for a text or a number."""

from __future__ import annotations

import re
from collections import Counter

from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical.compare import has_name, unmatched
from argue_bench.judges.lexical.reading import STEMS, Reading, fold, read_sentence, read_text
from argue_bench.judges.lexical.rules import no, unsupported_reason, yes
from argue_bench.records import Factual, Grounded, Refuses, Similar, Span, Verdict
from argue_bench.text.refusals import declines


def refuses(request: Refuses) -> Verdict:
    """It declines, and does not answer beside that (`text.refusals`)."""
    return yes() if declines(request.response) else no("it does not decline, or answers too")


def factual(request: Factual) -> Verdict:
    """C same facts, A some of them, B all and more, D others in their place, F not answered."""
    reference, answer = read_text(request.reference), read_text(request.answer)
    if not answer.parts or declines(request.answer):
        return Verdict("F", "it declines or is empty")
    if not reference.parts:
        return Verdict("F", "there is no reference")
    here, there = answer, reference
    recall, precision = _held(there, here), _held(here, there)
    note = f"{recall:.0%} of the reference is in the answer, {precision:.0%} the other way"
    if recall >= at.SUPPORTS_FULL:
        return Verdict("C" if precision >= at.SUPPORTS_FULL else "B", note)
    wrong = len(unmatched(here.values, there))
    if recall >= at.SUPPORTS_PARTIAL and wrong * 2 <= len(here.values):
        return Verdict("A", note)
    return Verdict("D", note) if wrong or there.values else Verdict("F", note)


def _held(part: Reading, whole: Reading) -> float:
    """The share of one text's values, names and words that another holds; the former count 3."""
    got = 3.0 * (len(part.values) - len(unmatched(part.values, whole)))
    got += 3.0 * sum(has_name(name, whole) for name in part.names)
    got += len(part.plain & whole.stems)
    of = 3.0 * (len(part.values) + len(part.names)) + len(part.plain)
    return got / of if of else 1.0


def grounded(request: Grounded) -> Verdict:
    """1 to 5 from how much of the reference is there and how much the sources support."""
    response = read_text(request.response)
    if not response.parts:
        return Verdict("1", "the response is empty")
    refused = declines(request.response)
    if not request.reference.strip():
        return Verdict("5" if refused else "1", "there is no answer to give")
    sources = read_text("\n".join([*(d.text for d in request.documents), *request.supporting]))
    faithful = 1.0
    if sources.parts:
        backed = sum(not unsupported_reason(one, sources) for one in response.parts)
        faithful = backed / len(response.parts)
    reference = read_text(request.reference)
    right = _held(reference, response)
    gone = unmatched(reference.values, response)
    if refused or (gone and len(gone) == len(reference.values)):
        right = 0.0
    score = 1 + round(4 * (0.65 * right + 0.35 * faithful)) if right >= 0.25 else 1
    return Verdict(str(score), f"{right:.0%} of the reference, {faithful:.0%} supported")


def span(request: Span) -> Verdict:
    """The part of a sentence that is most like the question; of it a name that the question lacks."""
    topic = read_sentence(request.question)
    pieces = re.split(r"(?<=[.!?])\s+|\n+|, ", request.context)
    best = max(pieces, key=lambda one: len(topic.stems & read_sentence(one).stems))
    if not topic.stems & read_sentence(best).stems:
        return Verdict("")
    if {"who", "whom", "whose", "qui"} & set(topic.flat.split()):
        for run in re.findall(
            r"[A-ZÀ-Þ][\w'’-]*(?: (?:de |of |von |van )?[A-ZÀ-Þ][\w'’-]*)+", best
        ):
            if not has_name(tuple(fold(run).lower().split()), topic):
                return Verdict(run)
    return Verdict(best.strip(" ,;"))


def similar(request: Similar) -> Verdict:
    """F1 over stems, each counted as often as it occurs. It is not BLEURT."""
    reference, candidate = (
        Counter(STEMS[token] or token.lower() for token in re.findall(r"\w+", fold(text)))
        for text in (request.reference, request.candidate)
    )
    common = sum((reference & candidate).values())
    total = sum(reference.values()) + sum(candidate.values())
    return Verdict(2 * common / total if total else 0.0)
