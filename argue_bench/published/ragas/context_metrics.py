"""Judges of the retrieved contexts, without gold documents, and of the answer's relevance.

    context_relevance   sentences of the contexts that help to answer / sentences of the contexts
    context_precision   mean of precision@k over the ranks of useful contexts: useful ones come first
    context_recall      sentences of the reference answer that the contexts support / its sentences
    answer_relevance    relevant: sentences of the answer that help to answer the question / its sentences
                        (answer relevancy as deepeval defines it); answered: answers that state something

Es et al. 2024 (ragas), section 3, and ragas' documentation for the latter two. A context is useful if
it supports a sentence of the reference; ragas asks a model whether it was useful. Precision and recall
apply where a reference answer stands, all three where contexts do; a question of which no context is
useful has precision 0. The contexts are the documents listed with the question, in their order; where
none are, those that the answer cites.

Whether an answer is true does not matter to its relevance. An answer that declines or is empty states nothing: ``relevant`` does not apply. Nor do
courtesies and announcements count ("Hope this helps!", `argue_bench.text.statements`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

from argue_bench.metrics.base import Bounds, Metric, TallySteps
from argue_bench.metrics.citations.support import contexts_of, reference_sentences
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    Entails,
    HelpsAnswer,
    JudgeRequest,
    Miss,
    Question,
    Refuses,
    Tally,
)
from argue_bench.stats.averages import Average, Ratio, macro
from argue_bench.text import sentences
from argue_bench.text.statements import claim_sentences


def _share(name: str, part: str, whole: str) -> Mapping[str, Average]:
    """A share of each answer, and the same summed over all answers first."""
    return {name: macro(name), f"{name}_micro": Ratio(part, whole)}


@dataclass(frozen=True)
class _OfContexts(Metric):
    """The parts that the three metrics share."""

    judge: str = ""

    family: ClassVar[str] = "citations"
    paper: ClassVar[str] = "Es et al. 2024 (ragas)"


@dataclass(frozen=True)
class ContextRelevance(_OfContexts):
    """The share of the contexts' sentences that help to answer the question."""

    name: ClassVar[str] = "context_relevance"
    summary: ClassVar[str] = "how much of what was retrieved helps to answer the question?"
    scores: ClassVar[Mapping[str, Average]] = _share("relevant", "helping", "sentences")
    headline: ClassVar[tuple[str, ...]] = ("relevant",)
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (HelpsAnswer,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        said = [
            sentence
            for source in contexts_of(question, answer, documents).read_for(question.text)
            for sentence in sentences(source.text)
            if any(map(str.isalnum, sentence))
        ]
        if not said:
            return dict.fromkeys(("relevant", "helping", "sentences"), NOT_APPLICABLE)
        requests = [HelpsAnswer(sentence, question.text) for sentence in said]
        verdicts = yield list(dict.fromkeys(requests))
        helping = sum(verdicts[request].yes for request in requests)
        return {
            "relevant": Tally(helping, len(said)),
            "helping": Tally(helping),
            "sentences": Tally(len(said)),
        }


@dataclass(frozen=True)
class ContextPrecision(_OfContexts):
    """Whether the useful contexts come first."""

    name: ClassVar[str] = "context_precision"
    summary: ClassVar[str] = "do the contexts that the reference answer needs come first?"
    scores: ClassVar[Mapping[str, Average]] = {
        "precision": macro("precision"),
        "useful": macro("useful"),
    }
    headline: ClassVar[tuple[str, ...]] = ("precision",)
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        contexts = contexts_of(question, answer, documents).documents
        wanted = reference_sentences(question)
        if not contexts or not wanted:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        requests = [
            [Entails((one.evidence(sentence),), sentence) for sentence in wanted]
            for one in contexts
        ]
        verdicts = yield list(dict.fromkeys(request for row in requests for request in row))
        # ragas asks a model whether a context was useful; here it supports a sentence of the reference.
        useful = [any(verdicts[request].yes for request in row) for row in requests]
        note = ", ".join(one.id for one, hit in zip(contexts, useful, strict=True) if hit)
        return {
            "precision": Tally(
                mean_precision(useful), 1.0, f"useful: {note}" if note else "none useful"
            ),
            "useful": Tally(sum(useful), len(useful)),
        }


def mean_precision(useful: Sequence[bool]) -> float:
    """The mean of precision@k over the ranks k of useful contexts; 0 where none is useful.

    ragas' formula, without the 1e-10 that its program adds to the divisor.
    """
    found = [sum(useful[:rank]) / rank for rank, one in enumerate(useful, 1) if one]
    return fmean(found) if found else 0.0


@dataclass(frozen=True)
class ContextRecall(_OfContexts):
    """The share of the reference answer that the contexts hold."""

    name: ClassVar[str] = "context_recall"
    summary: ClassVar[str] = "do the contexts hold what the reference answer says?"
    scores: ClassVar[Mapping[str, Average]] = _share("recall", "held", "wanted")
    headline: ClassVar[tuple[str, ...]] = ("recall",)
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        contexts = contexts_of(question, answer, documents)
        wanted = reference_sentences(question)
        if not contexts or not wanted:
            return dict.fromkeys(("recall", "held", "wanted"), NOT_APPLICABLE)
        # All contexts together: a fact may be spread over two.
        requests = [Entails(contexts.read_for(sentence), sentence) for sentence in wanted]
        verdicts = yield list(dict.fromkeys(requests))
        held = sum(verdicts[request].yes for request in requests)
        misses = tuple(
            Miss("nugget", str(number), request.hypothesis, "no context holds it")
            for number, request in enumerate(requests, 1)
            if not verdicts[request].yes
        )
        return {
            "recall": Tally(held, len(wanted), misses=misses),
            "held": Tally(held),
            "wanted": Tally(len(wanted)),
        }


@dataclass(frozen=True)
class AnswerRelevance(Metric):
    """The share of an answer's sentences that help to answer the question."""

    judge: str = ""

    name: ClassVar[str] = "answer_relevance"
    family: ClassVar[str] = "correctness"
    summary: ClassVar[str] = "is the answer about the question?"
    paper: ClassVar[str] = "Es et al. 2024 (ragas)"
    scores: ClassVar[Mapping[str, Average]] = {
        "relevant": macro("relevant"),
        "answered": macro("answered"),
    }
    headline: ClassVar[tuple[str, ...]] = ("relevant",)
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Refuses, HelpsAnswer)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        stated = [one.text for one in claim_sentences(answer.sentences, question.text)]
        if not stated:
            why = "it states nothing" if any(map(str.isalnum, answer.plain)) else "empty"
            return {"relevant": NOT_APPLICABLE, "answered": Tally(0.0, note=why)}
        refuses = Refuses(question.text, answer.plain)
        if (yield [refuses])[refuses].yes:
            return {"relevant": NOT_APPLICABLE, "answered": Tally(0.0, note="declines")}
        requests = [HelpsAnswer(text, question.text) for text in stated]
        verdicts = yield list(dict.fromkeys(requests))
        beside = [str(n) for n, one in enumerate(requests, 1) if not verdicts[one].yes]
        note = f"not about the question: {', '.join(beside)}" if beside else ""
        helping = len(stated) - len(beside)
        return {"relevant": Tally(helping, len(stated), note), "answered": Tally(1.0)}

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """A verdict on each sentence, where the answer does not decline."""
        return {"HelpsAnswer": (0, len(answer.sentences))} if answer.sentences else {}
