"""Support of sentences by what they cite, from labels full, partial and no, as published programs count it.

    TREC 2024 RAG   (Thakur et al. 2025, arXiv 2504.15205, section 3.4) the first citation of each sentence:
                    precision over sentences that cite, recall over all sentences
    RAGDoll         the same; and with the mean over all citations of a sentence that were judged; and hard,
                    where full support of the first citation alone counts
    open-rag-eval   (vectara/open-rag-eval dfc4175) precision over distinct documents, recall over parts

A sentence is the labels of its citations in their order. A label is None where the judge failed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from statistics import fmean

from argue_bench.metrics.citations.support import STRICT, VALUES, weigh
from argue_bench.records import Tally

# The labels of one sentence's citations.
Labels = Sequence[str | None]


def first_citation(sentences: Sequence[Labels]) -> tuple[Tally, Tally]:
    """Weighted precision and recall of TREC 2024. A sentence whose first citation failed is left out."""
    return _over([labels[:1] for labels in sentences], VALUES)


def all_citations(sentences: Sequence[Labels]) -> tuple[Tally, Tally]:
    """The same with the mean over the judged citations of each sentence (RAGDoll's ``all_judged``)."""
    return _over(sentences, VALUES)


def hard(sentences: Sequence[Labels]) -> tuple[Tally, Tally]:
    """The share of first citations that support their sentence fully."""
    return _over([labels[:1] for labels in sentences], STRICT)


def _over(sentences: Sequence[Labels], values: Mapping[str, float]) -> tuple[Tally, Tally]:
    """What the sentences earn, without those of which no citation was judged."""
    judged = [[one for one in labels if one is not None] for labels in sentences]
    return weigh(
        [own for own, all in zip(judged, sentences, strict=True) if own or not all], values
    )


def open_rag_eval(
    parts: Sequence[Sequence[tuple[str, str | None]]], missing: Collection[str] = ()
) -> dict[str, float]:
    """open-rag-eval's scores of an answer whose parts cite documents, each with its label; one that the judge
    did not label is skipped, as one whose passage is missing.

    Precision is the mean over distinct documents of what each scored, so that one cited often counts
    once; a citation whose passage is missing is skipped, and a part that has no other leaves recall.
    """
    # Two divisors: documents for precision, parts of the answer for recall.
    by_document: dict[str, list[float]] = {}
    by_part: dict[int, float] = {}
    for number, part in enumerate(parts, 1):
        scored = [(id, VALUES[label]) for id, label in part if label and id not in missing]
        for id, value in scored:
            by_document.setdefault(id, []).append(value)
        # A part that cites nothing counts 0 in recall; one whose passages are all missing does not count.
        if scored or not part:
            by_part[number] = fmean(value for _, value in scored) if scored else 0.0
    documents = {id: fmean(values) for id, values in by_document.items()}
    precision = fmean(documents.values()) if documents else 0.0
    recall = fmean(by_part.values()) if by_part else 0.0
    both = precision + recall
    return {
        **{f"citation_score_{id}": value for id, value in documents.items()},
        **{f"part_score_{number}": value for number, value in by_part.items()},
        "weighted_precision": precision,
        "weighted_recall": recall,
        "f1": 2 * precision * recall / both if both else 0.0,
    }
