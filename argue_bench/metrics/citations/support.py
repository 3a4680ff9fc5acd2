"""Support of sentences by what they cite, as TREC's RAG track assesses it (Thakur et al. 2025).

Each citation is judged by itself: full, partial or no support (`SupportLevel`), worth 1, 1/2 and 0.

    precision   mean over the sentences that cite something
    recall      the same sum over all sentences of the answer
    strict_     only full support counts
    (all four are 0 for an empty answer to a question that has one)
    another_source, contradicted, partly, missing, unsupported
                shares of all sentences that cite something and have no full support, by class (`statement`)
    uncited     sentences that cite nothing / sentences
    invented    citations of what is not there / citations

``citations=first``, the track's way of 2024, judges the first citation of a sentence alone;
``citations=all`` takes the mean over all of them. A citation of a document that is not there supports
nothing, without a request. A web page that nobody could read is left out, with the sentences that cite
nothing else, and counted in a note; of a long one the judge reads the passages that BM25+ ranks first
for the sentence. A failed verdict fails the answer; the track's programs leave the sentence out of both
divisors (``support_labels`` of TREC's folder). An answer that declines a question which has no answer,
or whose answer nobody wrote down, does not apply: it states nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import ClassVar, Literal

from argue_bench.metrics.base import Bounds, Metric, Steps, TallySteps, run_together
from argue_bench.metrics.citations.statement import (
    CLASSES,
    OTHERS,
    Statement,
    classify,
    has_answer,
    lack_counts,
    statements,
)
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Contradicts,
    Documents,
    JudgeRequest,
    Miss,
    Question,
    Refuses,
    SupportLevel,
    Tally,
    Verdict,
)
from argue_bench.stats.averages import Average, Ratio, lower_is_better, macro
from argue_bench.text.statements import ClaimSentence

# What a citation earns by its level (Thakur et al. 2025, section 3.4).
VALUES = {"full": 1.0, "partial": 0.5, "no": 0.0}
STRICT = {"full": 1.0}
_MEANS = ("precision", "recall", "strict_precision", "strict_recall")


@dataclass(frozen=True)
class Support(Metric):
    """Weighted precision and recall of what is cited."""

    citations: Literal["first", "all"] = "first"
    judge: str = ""

    name: ClassVar[str] = "support"
    needs: ClassVar[str] = "a sentence that cites"
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
        # Where there is an answer, who declines or says nothing supported nothing, and scores 0.
        empty = not answer.sentences and has_answer(question)
        unsaid = Tally(0.0, note="empty") if empty else NOT_APPLICABLE
        if answer.sentences and not has_answer(question):
            refuses = Refuses(question.text, answer.plain)
            if (yield [refuses])[refuses].yes:
                columns = (*_MEANS, *CLASSES, "uncited", "invented", "sentences", "cited")
                return dict.fromkeys(columns, NOT_APPLICABLE)
        said = list(statements(question, answer, self.counted(answer)))
        told = [one for one in (_without_unread(one, documents) for one in said) if one is not None]
        asked = {
            (one.number, id): one.level_by([documents[id].evidence(one.text)])
            for one in told
            for id in self._cited(one)
            if id in documents and documents[id].readable
        }
        verdicts = (yield list(dict.fromkeys(asked.values()))) if asked else {}
        # Without a request a citation of what is not there, or is gone, supports nothing.
        nothing = Verdict("no")
        given = [
            [
                verdicts[asked[place]] if (place := (one.number, id)) in asked else nothing
                for id in self._cited(one)
            ]
            for one in told
        ]
        levels = [[str(verdict.value) for verdict in own] for own in given]
        misses = yield from run_together(
            [
                self._classify(one, own, question, documents)
                for one, own in zip(told, given, strict=True)
                if any(verdict.value != "full" for verdict in own)
            ]
        )
        uncited = [
            Miss.of(one.number, one.sentence, "it cites nothing", "uncited")
            for one in told
            if not one.citations
        ]
        # People read the failures beside the answer, in its order.
        listed = tuple(sorted([*misses, *uncited], key=lambda miss: int(miss.id)))
        precision, recall = weigh(levels, VALUES, unsaid)
        strict_precision, strict_recall = weigh(levels, STRICT, unsaid)
        cited = [id for one in told for id in one.citations]
        unknown = [id for id in cited if id not in documents]
        unread = sum(len(one.citations) for one in said) - len(cited)
        left = f"left out, since nobody could read the page: {unread} citations" if unread else ""
        note = f"not among the sources: {', '.join(unknown[:10])}" if unknown else ""
        return {
            "precision": precision,
            "recall": replace(recall, misses=listed, note=left or recall.note),
            "strict_precision": strict_precision,
            "strict_recall": strict_recall,
            **lack_counts(misses),
            "uncited": Tally(len(uncited)),
            "sentences": Tally(len(told)),
            "invented": Tally(len(unknown), note=note),
            "cited": Tally(len(cited)),
        }

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """Each sentence that cites may be compared with other documents, and asked for a contradiction."""
        n = sum(bool(one.citations) for one in answer.sentences)
        own = 0
        if not has_answer(question):
            own = sum(
                len(self._cited(one)) for one in statements(question, answer, self.counted(answer))
            )
        others = n * min(OTHERS, len(question.documents))
        return {"SupportLevel": (0, own + others), "Contradicts": (0, n)}

    def counted(self, answer: Answer) -> Sequence[ClaimSentence] | None:
        """The sentences that count; None for all that state something or cite."""
        return None

    def _cited(self, statement: Statement) -> tuple[str, ...]:
        return statement.citations[:1] if self.citations == "first" else statement.citations

    def _classify(
        self, one: Statement, given: Sequence[Verdict], question: Question, documents: Documents
    ) -> Steps[Miss]:
        """The class of a sentence that cites something and earns less than 1."""
        # Only what was judged: with citations=first a later citation is another document.
        known = [documents[id] for id in self._cited(one) if id in documents]
        judged = {document.id for document in known}
        others = [documents[id] for id in question.documents if id in documents]
        return classify(
            one,
            tuple(document.evidence(one.text) for document in known if document.readable),
            "no" if all(verdict.value == "no" for verdict in given) else "partial",
            missing=() if known else one.citations,
            others=[other.evidence(one.text) for other in others if other.id not in judged],
            # The citation that is likeliest wrong speaks for the sentence.
            verdict=max(given, key=lambda verdict: verdict.probability or 0.0),
        )


def weigh(
    sentences: Sequence[Sequence[str]], values: Mapping[str, float], unsaid: Tally = NOT_APPLICABLE
) -> tuple[Tally, Tally]:
    """Precision and recall of an answer: what its sentences earn, over those that cite, and over all.

    ``sentences`` are the levels of each sentence's citations (full, partial, no), ``values`` what a level
    is worth; a sentence earns the mean of its own. ``unsaid`` stands where there is none.
    """
    earned = [fmean(values.get(level, 0.0) for level in levels) for levels in sentences if levels]
    return (
        Tally(sum(earned), len(earned)) if earned else unsaid,
        Tally(sum(earned), len(sentences)) if sentences else unsaid,
    )


def _without_unread(one: Statement, documents: Documents) -> Statement | None:
    """The sentence without citations of pages that nobody could read; None where it cites nothing else."""
    kept = tuple(i for i in one.citations if i not in documents or not documents[i].unread)
    return replace(one, citations=kept) if kept or not one.citations else None
