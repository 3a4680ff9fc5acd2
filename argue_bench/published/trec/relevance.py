"""Relevance of what was retrieved: documents graded 0 to 3 by the judge, and the ranking measured.

The documents that are listed with the question, in their order; where none are, those that the answer
cites, in the order of its citations. A document is relevant from the grade 2 (TREC RAG, UMBRELA).

    precision_at_5, precision_at_10   relevant documents among the first k / k
    ap     mean over the relevant documents of the precision at their ranks
    mrr    1 / the rank of the first relevant one
    ndcg_at_10   of the grades, against their best order
    grade  mean grade / 3

Only what was retrieved is graded: what a retriever missed lowers no score, so there is no recall here
(`argue-bench retrieve --measure` has it, from gold).
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
    Question,
    RelevanceGrade,
    Tally,
)
from argue_bench.retrieval import measure
from argue_bench.stats.averages import Average, macro

# The grade from which on a passage is relevant, as UMBRELA and open-rag-eval have it.
RELEVANT = 2
_MEASURES = {
    "precision_at_5": "precision@5",
    "precision_at_10": "precision@10",
    "ap": "ap",
    "mrr": "mrr",
    "ndcg_at_10": "ndcg@10",
}
# UMBRELA's highest grade: the passage answers the question.
_BEST = 3


@dataclass(frozen=True)
class Relevance(Metric):
    """Precision, average precision, MRR and nDCG of the documents of an answer, as the judge grades them."""

    judge: str = ""

    name: ClassVar[str] = "relevance"
    family: ClassVar[str] = "citations"
    summary: ClassVar[str] = (
        "how relevant are the documents that were retrieved, the first ones above all?"
    )
    paper: ClassVar[str] = "Upadhyay et al. 2024 (UMBRELA)"
    scores: ClassVar[Mapping[str, Average]] = {name: macro(name) for name in (*_MEASURES, "grade")}
    headline: ClassVar[tuple[str, ...]] = ("precision_at_5", "mrr", "ndcg_at_10")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (RelevanceGrade,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        cited = (id for sentence in answer.sentences for id in sentence.citations)
        ranked = [id for id in dict.fromkeys(question.documents or cited) if id in documents]
        if not ranked:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        requests = {
            id: RelevanceGrade(documents[id].evidence(question.text), question.text)
            for id in ranked
        }
        verdicts = yield list(dict.fromkeys(requests.values()))
        grades = {id: int(str(verdicts[request].value)) for id, request in requests.items()}
        run = {question.id: {id: -float(rank) for rank, id in enumerate(ranked)}}
        found = measure(run, {question.id: grades}, tuple(_MEASURES.values()), RELEVANT)
        tallies = {
            name: Tally(found[measured][question.id]) for name, measured in _MEASURES.items()
        }
        note = ", ".join(f"{id} {grade}" for id, grade in list(grades.items())[:20])
        return {**tallies, "grade": Tally(sum(grades.values()), _BEST * len(grades), note)}
