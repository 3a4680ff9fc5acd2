"""Weighted citation precision and recall as TREC's RAG track of 2026 words them.

Source: TREC-RAG/trec-rag-skills, trec-rag-2026-track-guidelines, references/rag-task.md. Every answer object counts
as its team wrote it, a heading or a table row too. An object without citations is left out of precision and is worth 0
in recall; of up to three supplied citations each is judged by itself, and an object earns the mean of its own. The worth of a
level is that of Thakur et al. 2025: full 1, partial 1/2, no 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from argue_bench.metrics.citations.support import Support
from argue_bench.records import Answer, Question
from argue_bench.text.statements import ClaimSentence


@dataclass(frozen=True)
class RagSupport(Support):
    """`support` over all answer objects. ``citations=first`` judges the first of an object alone, as in 2024."""

    citations: Literal["first", "all"] = "all"

    rules: ClassVar[str] = "rag26"
    unranked: ClassVar[tuple[str, ...]] = ("precision", "strict_precision")

    def counted(self, question: Question, answer: Answer) -> list[ClaimSentence]:
        return [ClaimSentence(n, one.plain, n) for n, one in enumerate(answer.sentences, 1)]
