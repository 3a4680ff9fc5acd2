"""Measures of rankings of documents, as trec_eval computes them.

recall@k   relevant documents among the first k / all relevant documents
precision@k   relevant documents among the first k / k
ap         the mean over relevant documents of the precision at their ranks, 0 for those not found
mrr        1 / the rank of the first relevant document; 0 where there is none
judged@k   documents with a grade among the first k / the first k documents
ndcg@k     sum over the first k of relevance / log2(rank + 1), divided by the same of the best order
           (Järvelin and Kekäläinen 2002)

A document is relevant from 1 up, or from the grade that is named (TREC RAG: 2). Rankings go by score, and where scores are equal by id, the last one
first; ranks in a run file are ignored. A topic of the qrels that a run lacks counts 0, and so does a topic without a relevant document, as
ir_measures has it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from argue_bench.errors import Code, DataError, UnknownName, UsageError
from argue_bench.records import Question
from argue_bench.records.atomic import atomic_write
from argue_bench.retrieval import Passage

Run = Mapping[str, Mapping[str, float]]
"""Scores by topic and document."""
Qrels = Mapping[str, Mapping[str, int]]
"""Relevance by topic and document."""

MEASURES = ("recall@5", "recall@10", "recall@100", "mrr", "ndcg@10")
_NAME = re.compile(r"(recall|precision|judged|ndcg|mrr|ap)(?:@([1-9]\d{0,6}))?")
_DEEP = ("recall", "precision", "judged")
"""Measures that need a depth."""


def measure(
    run: Run, qrels: Qrels, measures: Sequence[str] = MEASURES, relevant: int = 1
) -> dict[str, dict[str, float]]:
    """By measure and topic: values from 0 to 1.

    ``relevant``: the lowest grade of a relevant document; nDCG takes grades as they are. Raises
    UnknownName, and UsageError for a measure that lacks its depth.
    """
    depths: dict[str, tuple[str, int | None]] = {}
    for name in measures:
        match = _NAME.fullmatch(name)
        if match is None:
            raise UnknownName("retrieval measure", name, MEASURES)
        if match[1] in _DEEP and not match[2]:
            raise UsageError(f"{match[1]} needs a depth: {match[1]}@10")
        depths[name] = match[1], int(match[2]) if match[2] else None
    found: dict[str, dict[str, float]] = {name: {} for name in measures}
    for topic, relevance in qrels.items():
        ideal = sorted((value for value in relevance.values() if value > 0), reverse=True)
        scores = run.get(topic, {})
        # trec_eval breaks ties by id, the last one first, and ignores the ranks in the file.
        ranked = sorted(scores, key=lambda id: (scores[id], id), reverse=True)
        # TREC grades spam with negative grades, which count as not relevant.
        gains = [max(0, relevance.get(id, 0)) for id in ranked]
        hits = [gain >= relevant for gain in gains]
        count = sum(value >= relevant for value in ideal)
        for name, (kind, depth) in depths.items():
            if kind == "ndcg":
                value = _dcg(gains[:depth]) / _dcg(ideal[:depth]) if ideal else 0.0
            elif kind == "judged":
                value = _share([id in relevance for id in ranked[:depth]])
            else:
                value = _value(kind, hits[:depth], count, depth)
            found[name][topic] = value
    return found


def qrels_of(questions: Iterable[Question]) -> dict[str, dict[str, int]]:
    """Relevance by question and document, from the gold: assessors' grades where there are any, else 1 for
    documents that support the answer or that a nugget refers to. Questions without either are left out.
    """
    qrels: dict[str, dict[str, int]] = {}
    for question in questions:
        gold = question.gold
        if gold is None:
            continue
        named = [
            *gold.supporting,
            *(id for nugget in gold.nuggets for one in nugget.answers for id in one.references),
        ]
        grades = dict(gold.relevance) or dict.fromkeys(named, 1)
        if grades:
            qrels[question.id] = grades
    return qrels


def document_scores(passages: Iterable[Passage]) -> dict[str, float]:
    """Documents by the score of their best passage, the best first."""
    best: dict[str, float] = {}
    for passage in passages:
        best[passage.document] = max(passage.score, best.get(passage.document, -math.inf))
    return dict(sorted(best.items(), key=lambda pair: -pair[1]))


def write_trec_run(path: Path, run: Run, name: str) -> None:
    """Lines ``TOPIC Q0 DOCUMENT RANK SCORE NAME``. Raises DataError: not writable, ids with blanks."""
    with atomic_write(path) as file:
        for topic, scores in run.items():
            _check_ids(path, [topic, *scores])
            for rank, (id, score) in enumerate(scores.items(), 1):
                file.write(f"{topic} Q0 {id} {rank} {score:.9g} {name}\n")


def _value(kind: str, hits: Sequence[bool], relevant: int, depth: int | None) -> float:
    """A measure of which of the ranked documents are relevant, of so many in all."""
    if kind == "mrr":
        return next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0)
    if kind == "precision":
        return sum(hits) / (depth or 1)
    if not relevant:
        return 0.0
    if kind == "recall":
        return sum(hits) / relevant
    return sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit) / relevant


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0


def _dcg(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def _check_ids(path: Path, ids: Iterable[str]) -> None:
    bad = [id for id in ids if not id or any(c.isspace() for c in id)]
    if bad:
        raise DataError.of(
            Code.BAD_NAME,
            f"TREC files can't hold the id {bad[0]!r}, which has a blank",
            path,
            hint="Rename it, or write JSON Lines (--out).",
        )
