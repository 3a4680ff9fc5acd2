"""Faithfulness: the share of an answer's claims that the provided contexts support, read together.

    supported         fully supported claims / claims of an answer, the mean over answers
    supported_micro   the same, summed over all answers first
    another_source_micro, partly_micro, contradicted_micro, missing_micro, unsupported_micro
                      shares of sentences without full support by class: supported by a document of
                      another question, in part, contradicted, citing only what is not there,
                      supported by nothing
    answered          answers that state something / answers

The definition is that of ragas (Es et al. 2024, section 3); the three levels are those of TREC RAG's
support assessment (Thakur et al. 2025). Needs neither gold nor citations. Where these rules differ
from ragas, and why:

1. A claim is a sentence of the answer, judged with its neighbours and the question in view.
   ``claims=atomic`` has the judge split each sentence first, as ragas does; the lexical judge cannot.
   A sentence that states nothing ("Hope this helps!", `argue_bench.text.statements`) is no claim; it is
   counted in ``unstated`` and named in the note, as is one that says again what was said (`text.repeats`). A bare
   "Yes." is judged with the sentence after it.
2. An answer that declines, or is empty, states nothing: the scores do not apply to it, and
   ``answered`` counts it. ragas gives a refusal any value, mostly 0.
3. A question without contexts does not apply. Where a question lists no documents, those that the
   answer cites are its contexts. Of long web pages the judge reads the passages that BM25+ ranks first
   for the claim, as many of all pages together as the signature says of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from argue_bench.loaders.dataset import ListedDocuments
from argue_bench.metrics.base import Bounds, Metric, Steps, TallySteps, run_together
from argue_bench.metrics.citations.provided import Lack, Unsupported, contexts_of, lack_counts
from argue_bench.metrics.web_pages import Contexts
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Contradicts,
    Documents,
    JudgeRequest,
    ListClaims,
    Question,
    Refuses,
    Sentence,
    Source,
    SupportLevel,
    Tally,
)
from argue_bench.stats.averages import Average, Ratio, lower_is_better, macro
from argue_bench.text.statements import (
    ClaimSentence,
    stated_sentences,
    unstated_note,
    unstated_numbers,
)

_ELSEWHERE = 3
"""Documents of other questions that are looked at for a sentence without support."""
_CLASSES: dict[str, Lack] = {
    "another_source": "another source",
    "partial": "partly",
    "contradicted": "contradicted",
    "missing": "missing",
    "none": "nothing",
}
_COUNTS = ("full", *_CLASSES, "sentences", "claims", "unstated")


class _Judged(NamedTuple):
    """A sentence with the level of each of its claims."""

    number: int
    sentence: Sentence
    request: SupportLevel
    levels: tuple[str, ...]
    note: str = ""
    """What the judge said of the whole sentence."""

    @property
    def level(self) -> str:
        """full or no where all claims have it, else partial."""
        return self.levels[0] if len(set(self.levels)) == 1 else "partial"


@dataclass(frozen=True)
class Faithfulness(Metric):
    """The share of claims that the provided contexts support."""

    claims: Literal["sentence", "atomic"] = "sentence"
    judge: str = ""

    name: ClassVar[str] = "faithfulness"
    summary: ClassVar[str] = "do the contexts that were provided support each sentence?"
    paper: ClassVar[str] = "Es et al. 2024 (ragas); Thakur et al. 2025"
    scores: ClassVar[Mapping[str, Average]] = {
        "supported": macro("supported"),
        "supported_micro": Ratio("full", "claims"),
        "another_source_micro": lower_is_better(Ratio("another_source", "sentences")),
        "partly_micro": lower_is_better(Ratio("partial", "sentences")),
        "contradicted_micro": lower_is_better(Ratio("contradicted", "sentences")),
        "missing_micro": lower_is_better(Ratio("missing", "sentences")),
        "unsupported_micro": lower_is_better(Ratio("none", "sentences")),
        "answered": macro("answered"),
    }
    headline: ClassVar[tuple[str, ...]] = ("supported", "answered")
    ranking: ClassVar[tuple[str, ...]] = ("supported",)
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (
        Refuses,
        ListClaims,
        SupportLevel,
        Contradicts,
    )

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        stated = stated_sentences(question, answer)
        tallies = dict.fromkeys((*_COUNTS, "supported"), NOT_APPLICABLE)
        if not stated:
            why = "it states nothing" if any(map(str.isalnum, answer.plain)) else "empty"
            return tallies | {"answered": Tally(0.0, note=why)}
        refuses = Refuses(question.text, answer.plain)
        if (yield [refuses])[refuses].yes:
            return tallies | {"answered": Tally(0.0, note="declines")}
        tallies["answered"] = Tally(1.0)
        contexts = contexts_of(question, answer, documents)
        if not contexts:
            tallies["supported"] = Tally(0.0, 0.0, "no contexts to support it")
            return tallies
        judged = yield from run_together(self._each(stated, question, answer, contexts))
        failing = [
            Unsupported(
                one.number,
                one.request,
                one.level,
                ()
                if any(id in documents for id in one.sentence.citations)
                else one.sentence.citations,
                _elsewhere(one.request.sentence, documents),
                by="the contexts",
                elsewhere="a document of another question",
                note=one.note,
            ).classify()
            for one in judged
            if one.level != "full"
        ]
        misses = tuple((yield from run_together(failing)))
        lost = ", ".join(miss.id for miss in misses)
        levels = [level for one in judged for level in one.levels]
        note = f"unsupported sentences: {lost}" if lost else ""
        unstated = unstated_numbers(answer, stated)
        note = "; ".join(filter(None, (note, unstated_note(unstated))))
        return tallies | {
            "supported": Tally(levels.count("full"), len(levels), note, misses),
            "full": Tally(levels.count("full")),
            "claims": Tally(len(levels)),
            **lack_counts(misses, _CLASSES),
            "sentences": Tally(len(judged)),
            "unstated": Tally(len(unstated)),
        }

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """A level for each sentence and its class; atomic claims are taken for at most five a sentence."""
        n = len(stated_sentences(question, answer))
        others = _ELSEWHERE if isinstance(documents, ListedDocuments) else 0
        if self.claims == "sentence":
            return {"SupportLevel": (0, (1 + others) * n), "Contradicts": (0, n)}
        return {"ListClaims": (0, n), "SupportLevel": (0, (5 + others) * n), "Contradicts": (0, n)}

    def _each(
        self, stated: list[ClaimSentence], question: Question, answer: Answer, contexts: Contexts
    ) -> list[Steps[_Judged]]:
        near = answer.neighbours
        requests = [
            SupportLevel(
                contexts.read_for(one.text),
                one.text,
                question.text,
                near[one.begins - 1][0],
                near[one.number - 1][1],
            )
            for one in stated
        ]
        atomic = self.claims == "atomic"
        return [
            _judge_claims(one.number, answer.sentences[one.number - 1], request, contexts)
            if atomic
            else _judge_sentence(one.number, answer.sentences[one.number - 1], request)
            for one, request in zip(stated, requests, strict=True)
        ]


def _judge_claims(
    number: int, sentence: Sentence, whole: SupportLevel, contexts: Contexts
) -> Steps[_Judged]:
    """A level for each claim of a sentence; the question is in view, the neighbours are in the claims."""
    splits = ListClaims(whole.sentence, whole.question, whole.before)
    lines = str((yield [splits])[splits].value).splitlines()
    claims = dict.fromkeys(one.strip() for one in lines if any(map(str.isalnum, one)))
    asked = [
        SupportLevel(contexts.read_for(claim), claim, whole.question)
        for claim in claims or [whole.sentence]
    ]
    verdicts = yield asked
    return _Judged(number, sentence, whole, tuple(str(verdicts[one].value) for one in asked))


def _judge_sentence(number: int, sentence: Sentence, whole: SupportLevel) -> Steps[_Judged]:
    verdicts = yield [whole]
    return _Judged(number, sentence, whole, (str(verdicts[whole].value),), verdicts[whole].note)


def _elsewhere(sentence: str, documents: Documents) -> list[Source]:
    """Documents that belong to other questions of the set and may support a sentence."""
    if not isinstance(documents, ListedDocuments):
        return []
    return list(map(Source.of, documents.elsewhere(sentence, _ELSEWHERE)))
