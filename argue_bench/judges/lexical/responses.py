"""The rules of the lexical judge for requests about whole responses, and for a text or a number.

What drafts a text is an offline stand-in that lets a run end, which docs/judges.md says.
"""

from __future__ import annotations

import re
from collections import Counter

from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical.compare import has_name, unmatched
from argue_bench.judges.lexical.reading import read_sentence, read_text
from argue_bench.judges.lexical.rules import held, helps_answer, no, unsupported_reason, yes
from argue_bench.judges.lexical.stems import STEMS, fold
from argue_bench.records import (
    DraftNuggets,
    Factual,
    Grounded,
    GuessQuestion,
    HelpsAnswer,
    ListClaims,
    Refuses,
    Similar,
    Span,
    Verdict,
)
from argue_bench.text import sentences
from argue_bench.text.refusals import declines


def refuses(request: Refuses) -> Verdict:
    """It declines, and does not answer beside that (`text.refusals`)."""
    return yes() if declines(request.response) else no("it does not decline, or answers too")


def factual(request: Factual) -> Verdict:
    """C same facts, A some of them, B all and more, D others in their place, F not answered."""
    reference, answer = read_text(request.reference), read_text(request.answer)
    if not (answer.parts and reference.parts) or declines(request.answer):
        return Verdict("F", "it declines, or there is nothing to compare")
    wrong = unmatched(answer.values, reference)
    recall = held(reference, answer, unmatched(reference.values, answer))
    precision = held(answer, reference, wrong)
    note = f"{recall:.0%} of the reference is in the answer, {precision:.0%} the other way"
    if recall >= at.SUPPORTS_FULL:
        return Verdict("C" if precision >= at.SUPPORTS_FULL else "B", note)
    if recall >= at.SUPPORTS_PARTIAL and 2 * len(wrong) <= len(answer.values):
        return Verdict("A", note)
    return Verdict("D" if wrong or reference.values else "F", note)


def grounded(request: Grounded) -> Verdict:
    """1 to 5 from how much of the reference is there and how much the sources support."""
    response, reference = read_text(request.response), read_text(request.reference)
    refused = declines(request.response)
    if not (response.parts and reference.parts):
        return Verdict("5" if refused else "1", "it says nothing, or there is no answer to give")
    sources = read_text("\n".join([*(d.text for d in request.documents), *request.supporting]))
    backed = [not sources.parts or not unsupported_reason(one, sources) for one in response.parts]
    faithful = sum(backed) / len(backed)
    gone = unmatched(reference.values, response)
    right = held(reference, response, gone)
    if refused or right < at.SUPPORTS_PARTIAL or (gone and len(gone) == len(reference.values)):
        return Verdict("1", f"it declines, or only {right:.0%} of the reference is there")
    score = 1 + round(4 * (0.65 * right + 0.35 * faithful))
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


def list_claims(request: ListClaims) -> Verdict:
    """The sentence itself: it takes a language model to split it."""
    return Verdict(" ".join(request.sentence.split()))


def guess_question(request: GuessQuestion) -> Verdict:
    """A sentence of the response, by the number of the attempt: no question, but what one would ask for."""
    said = sentences(request.response) or [""]
    attempt = int(request.attempt) if request.attempt.isdecimal() else 1
    return Verdict(said[(attempt - 1) % len(said)].rstrip(".!"))


def lines_of_documents(request: DraftNuggets) -> Verdict:
    """The list so far, and each sentence of the documents that speaks to the question and is not in it."""
    found = {" ".join(line.split()): None for line in request.nuggets}
    for source in request.documents:
        for sentence in sentences(source.text):
            one = " ".join(sentence.split())
            if len(one) <= at.LONG_NUGGET and helps_answer(HelpsAnswer(one, request.question)).yes:
                found.setdefault(one)
    return Verdict("\n".join(found))
