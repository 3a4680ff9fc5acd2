"""Faithfulness: the share of an answer's sentences that the provided contexts support, read together.

    supported         fully supported sentences / sentences of an answer, the mean over answers
    supported_micro   the same, summed over all answers first
    partly_micro, unsupported_micro   shares of sentences that are supported in part, or by nothing
    answered          answers that state something / answers

The definition is that of ragas (Es et al. 2024, section 3) with sentences as statements; the three
levels are those of TREC RAG's support assessment (Thakur et al. 2025). Needs neither gold nor
citations. Where these rules differ from ragas, and why:

1. A statement is a sentence of the answer, judged with its neighbours and the question in view. ragas
   has a language model write statements first, which may lose or invent some.
2. An answer that declines, or is empty, states nothing: the scores do not apply to it, and
   ``answered`` counts it. ragas gives a refusal any value, mostly 0.
3. A question without contexts does not apply. Where a question lists no documents, those that the
   answer cites are its contexts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    JudgeRequest,
    Miss,
    Question,
    Refuses,
    Source,
    SupportLevel,
    Tally,
)
from argue_bench.stats.averages import Average, Ratio, lower_is_better, macro

_REASONS = {
    "partial": "the contexts support it in part",
    "no": "nothing in the contexts supports it",
}


@dataclass(frozen=True)
class Faithfulness(Metric):
    """The share of sentences that the provided contexts support."""

    judge: str = ""

    name: ClassVar[str] = "faithfulness"
    summary: ClassVar[str] = "do the contexts that were provided support each sentence?"
    paper: ClassVar[str] = "Es et al. 2024 (ragas); Thakur et al. 2025"
    scores: ClassVar[Mapping[str, Average]] = {
        "supported": macro("supported"),
        "supported_micro": Ratio("full", "sentences"),
        "partly_micro": lower_is_better(Ratio("partial", "sentences")),
        "unsupported_micro": lower_is_better(Ratio("none", "sentences")),
        "answered": macro("answered"),
    }
    headline: ClassVar[tuple[str, ...]] = ("supported", "answered")
    ranking: ClassVar[tuple[str, ...]] = ("supported",)
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Refuses, SupportLevel)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        stated = [
            (number, sentence.text)
            for number, sentence in enumerate(answer.sentences, 1)
            if any(map(str.isalnum, sentence.text))
        ]
        tallies = dict.fromkeys((*_COUNTS, "supported"), NOT_APPLICABLE)
        if not stated:
            return tallies | {"answered": Tally(0.0, note="empty")}
        refuses = Refuses(question.text, answer.plain)
        if (yield [refuses])[refuses].yes:
            return tallies | {"answered": Tally(0.0, note="declines")}
        tallies["answered"] = Tally(1.0)
        cited = (id for sentence in answer.sentences for id in sentence.citations)
        ids = question.documents or tuple(dict.fromkeys(cited))
        contexts = tuple(Source.of(documents[id]) for id in ids if id in documents)
        if not contexts:
            tallies["supported"] = Tally(0.0, 0.0, "no contexts to support it")
            return tallies
        words = [text for _, text in stated]
        requests = [
            SupportLevel(contexts, text, question.text, before, after)
            for text, before, after in zip(words, ["", *words], [*words[1:], ""], strict=False)
        ]
        verdicts = yield list(dict.fromkeys(requests))
        levels = [str(verdicts[request].value) for request in requests]
        misses = tuple(
            Miss("sentence", str(number), text, _REASONS[level])
            for (number, text), level in zip(stated, levels, strict=True)
            if level != "full"
        )
        lost = ", ".join(miss.id for miss in misses)
        full = levels.count("full")
        return tallies | {
            "supported": Tally(
                full, len(levels), f"unsupported sentences: {lost}" if lost else "", misses
            ),
            "full": Tally(full),
            "partial": Tally(levels.count("partial")),
            "none": Tally(levels.count("no")),
            "sentences": Tally(len(levels)),
        }


_COUNTS = ("full", "partial", "none", "sentences")
