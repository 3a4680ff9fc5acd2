"""Support of sentences by what they cite, as TREC's RAG track assesses it (Thakur et al. 2025).

Each citation is judged by itself: full, partial or no support (`SupportLevel`), worth 1, 1/2 and 0.

    precision   mean over the sentences that cite something
    recall      the same sum over all sentences of the answer
    strict_     only full support counts

``citations=first``, the track's way of 2024, judges the first citation of a sentence alone;
``citations=all`` takes the mean over all of them. A citation of a document that is not there supports
nothing, without a request. A failed verdict fails the answer; the track's programs leave the
sentence out of both divisors (`argue_bench.metrics.compat.support`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.metrics.compat.support import all_citations, first_citation
from argue_bench.records import (
    Answer,
    Documents,
    JudgeRequest,
    Miss,
    Question,
    Sentence,
    Source,
    SupportLevel,
)
from argue_bench.stats.averages import Average, macro

_REASONS = {
    "partial": "what it cites supports it in part",
    "no": "what it cites does not support it",
}


@dataclass(frozen=True)
class Support(Metric):
    """Weighted precision and recall of what is cited."""

    citations: Literal["first", "all"] = "first"
    judge: str = ""

    name: ClassVar[str] = "support"
    summary: ClassVar[str] = "how far does what is cited support each sentence?"
    paper: ClassVar[str] = "Thakur et al. 2025"
    scores: ClassVar[Mapping[str, Average]] = {
        name: macro(name) for name in ("precision", "recall", "strict_precision", "strict_recall")
    }
    headline: ClassVar[tuple[str, ...]] = ("precision", "recall")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (SupportLevel,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        texts = [sentence.text for sentence in answer.sentences]
        asked: list[list[SupportLevel | None]] = []
        for sentence, before, after in zip(
            answer.sentences, ["", *texts], [*texts[1:], ""], strict=False
        ):
            asked.append(
                [
                    SupportLevel(
                        (Source.of(documents[id]),), sentence.text, question.text, before, after
                    )
                    if id in documents
                    else None
                    for id in self._cited(sentence)
                ]
            )
        requests = dict.fromkeys(one for row in asked for one in row if one is not None)
        verdicts = (yield list(requests)) if requests else {}
        labels = [
            ["no" if one is None else str(verdicts[one].value) for one in row] for row in asked
        ]
        count = first_citation if self.citations == "first" else all_citations
        precision, recall = count(labels)
        strictly = [["full" if one == "full" else "no" for one in row] for row in labels]
        strict_precision, strict_recall = count(strictly)
        return {
            "precision": precision,
            "recall": replace(recall, misses=_misses(texts, labels)),
            "strict_precision": strict_precision,
            "strict_recall": strict_recall,
        }

    def _cited(self, sentence: Sentence) -> tuple[str, ...]:
        return sentence.citations[:1] if self.citations == "first" else sentence.citations


def _misses(texts: list[str], labels: list[list[str]]) -> tuple[Miss, ...]:
    """The sentences that earn less than 1, with the reason."""
    found = []
    for number, (text, row) in enumerate(zip(texts, labels, strict=True), 1):
        if not row:
            found.append(Miss("sentence", str(number), text, "it cites nothing"))
        elif any(one != "full" for one in row):
            worst = "no" if all(one == "no" for one in row) else "partial"
            found.append(Miss("sentence", str(number), text, _REASONS[worst]))
    return tuple(found)
