"""Support of sentences by what they cite, as TREC's RAG track assesses it (Thakur et al. 2025).

Each citation is judged by itself: full, partial or no support (`SupportLevel`), worth 1, 1/2 and 0.

    precision   mean over the sentences that cite something
    recall      the same sum over all sentences of the answer
    strict_     only full support counts
    another_source, contradicted, partly, missing, unsupported
                shares of all sentences that cite something and have no full support, by class (`provided`)
    uncited     sentences that cite nothing / sentences
    invented    citations of what is not there / citations

``citations=first``, the track's way of 2024, judges the first citation of a sentence alone;
``citations=all`` takes the mean over all of them. A citation of a document that is not there supports
nothing, without a request. A web page that nobody could read is left out, with the sentences that cite
nothing else, and counted in a note; of a long one the judge reads the passages that BM25+ ranks first
for the sentence. A sentence that says again what was said (`text.repeats`) is left out. A failed verdict fails the answer; the track's programs leave the
sentence out of both divisors (`argue_bench.metrics.compat.support`). An answer that declines a
question which has no answer, or whose answer nobody wrote down, does not apply: it states nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from argue_bench.metrics.base import Bounds, Metric, Steps, TallySteps, run_together
from argue_bench.metrics.citations.provided import CLASSES, OTHERS, Unsupported, lack_counts
from argue_bench.metrics.compat.support import all_citations, first_citation
from argue_bench.metrics.web_pages import evidence, is_unread, state_of
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Contradicts,
    Documents,
    JudgeRequest,
    Miss,
    Question,
    Refuses,
    Sentence,
    SupportLevel,
    Tally,
)
from argue_bench.stats.averages import Average, Ratio, lower_is_better, macro
from argue_bench.text.repeats import said_before

_MEANS = ("precision", "recall", "strict_precision", "strict_recall")


@dataclass(frozen=True)
class Support(Metric):
    """Weighted precision and recall of what is cited."""

    citations: Literal["first", "all"] = "first"
    judge: str = ""

    name: ClassVar[str] = "support"
    summary: ClassVar[str] = "how far does what is cited support each sentence?"
    paper: ClassVar[str] = "Thakur et al. 2025"
    scores: ClassVar[Mapping[str, Average]] = {
        **{name: macro(name) for name in _MEANS},
        **{name: lower_is_better(Ratio(name, "sentences")) for name in (*CLASSES, "uncited")},
        "invented": lower_is_better(Ratio("invented", "cited")),
    }
    headline: ClassVar[tuple[str, ...]] = ("precision", "recall", "invented")
    ranking: ClassVar[tuple[str, ...]] = _MEANS
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Refuses, SupportLevel, Contradicts)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        if answer.sentences and not _has_answer(question):
            refuses = Refuses(question.text, answer.plain)
            if (yield [refuses])[refuses].yes:
                return dict.fromkeys(
                    (*_MEANS, *CLASSES, "uncited", "invented", "sentences", "cited"),
                    NOT_APPLICABLE,
                )
        again = {n + 1 for n in said_before((one.text, one.citations) for one in answer.sentences)}
        answer, unread, untold = _without_unread(answer, documents)
        untold |= again
        asked = self._requests(question, answer, documents)
        requests = dict.fromkeys(one for row in asked for one in row if one is not None)
        verdicts = (yield list(requests)) if requests else {}
        labels = [
            ["no" if one is None else str(verdicts[one].value) for one in row] for row in asked
        ]
        told = [row for number, row in enumerate(labels, 1) if number not in untold]
        count = first_citation if self.citations == "first" else all_citations
        precision, recall = count(told)
        strictly = [["full" if one == "full" else "no" for one in row] for row in told]
        strict_precision, strict_recall = count(strictly)
        kept = [[] if n in again else row for n, row in enumerate(labels, 1)]
        misses = yield from run_together(self._failing(question, answer, documents, kept))
        uncited = [
            Miss("sentence", str(number), sentence.text, "it cites nothing", "uncited")
            for number, sentence in enumerate(answer.sentences, 1)
            if not sentence.citations and number not in untold
        ]
        cited = [id for one in answer.sentences for id in one.citations]
        unknown = [id for id in cited if id not in documents]
        listed = tuple(sorted([*misses, *uncited], key=lambda miss: int(miss.id)))
        note = f"not among the sources: {', '.join(unknown[:10])}" if unknown else ""
        left = f"left out, since nobody could read the page: {unread} citations" if unread else ""
        return {
            "precision": precision,
            "recall": replace(recall, misses=listed, note=left or recall.note),
            "strict_precision": strict_precision,
            "strict_recall": strict_recall,
            **lack_counts(misses, CLASSES),
            "uncited": Tally(len(uncited)),
            "sentences": Tally(len(told)),
            "invented": Tally(len(unknown), note=note),
            "cited": Tally(len(cited)),
        }

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """Each sentence that cites may be compared with other documents, and asked for a contradiction."""
        n = sum(bool(one.citations) for one in answer.sentences)
        judged = 1 if self.citations == "first" else 3
        own = 0 if _has_answer(question) else n * judged
        others = n * min(OTHERS, len(question.documents))
        return {"SupportLevel": (0, own + others), "Contradicts": (0, n)}

    def _requests(
        self, question: Question, answer: Answer, documents: Documents
    ) -> list[list[SupportLevel | None]]:
        """For each sentence and each citation that is judged its request; None of what is not there."""
        return [
            [
                replace(context, premise=(evidence(documents[id], sentence.text),))
                if id in documents and state_of(documents[id]) == "read"
                else None
                for id in self._cited(sentence)
            ]
            for sentence, context in zip(answer.sentences, _contexts(question, answer), strict=True)
        ]

    def _failing(
        self, question: Question, answer: Answer, documents: Documents, labels: list[list[str]]
    ) -> list[Steps[Miss]]:
        """The classes of the sentences that cite something and earn less than 1."""
        failing = []
        contexts = _contexts(question, answer)
        for number, (sentence, context, row) in enumerate(
            zip(answer.sentences, contexts, labels, strict=True), 1
        ):
            if row and any(one != "full" for one in row):
                judged = [id for id in self._cited(sentence) if id in documents]
                others = [id for id in question.documents if id in documents and id not in judged]
                failing.append(
                    Unsupported(
                        number,
                        replace(
                            context,
                            premise=tuple(evidence(documents[id], sentence.text) for id in judged),
                        ),
                        "no" if all(one == "no" for one in row) else "partial",
                        () if judged else sentence.citations,
                        [evidence(documents[id], sentence.text) for id in others],
                    ).classify()
                )
        return failing

    def _cited(self, sentence: Sentence) -> tuple[str, ...]:
        return sentence.citations[:1] if self.citations == "first" else sentence.citations


def _without_unread(answer: Answer, documents: Documents) -> tuple[Answer, int, frozenset[int]]:
    """The answer without citations of pages that nobody could read, how many these are, and the numbers
    of the sentences that cite nothing else."""
    kept, unread, untold = [], 0, set()
    for number, one in enumerate(answer.sentences, 1):
        own = tuple(i for i in one.citations if i not in documents or not is_unread(documents[i]))
        unread += len(one.citations) - len(own)
        if one.citations and not own:
            untold.add(number)
        kept.append(replace(one, citations=own))
    return replace(answer, sentences=tuple(kept)), unread, frozenset(untold)


def _contexts(question: Question, answer: Answer) -> list[SupportLevel]:
    """A request for each sentence, with its neighbours, without sources."""
    texts = [sentence.text for sentence in answer.sentences]
    return [
        SupportLevel((), text, question.text, before, after)
        for text, before, after in zip(texts, ["", *texts], [*texts[1:], ""], strict=False)
    ]


def _has_answer(question: Question) -> bool:
    """Whether the gold says that the question has an answer."""
    gold = question.gold
    return (
        gold is not None
        and gold.answerable
        and bool(gold.answer is not None or gold.nuggets or gold.short_answers or gold.long_answers)
    )
