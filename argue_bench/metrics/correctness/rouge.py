"""ROUGE: the words and phrases that the answer shares with the gold answer.

ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004) with stemming, as FanOutQA counts them (Zhu et al. 2024,
section 4.2): the gold answer as text (list items on lines, mappings as ``key - value``) against the
answer as it was written, citation marks included, so that the numbers are FanOutQA's own. Averaged
over questions; the same as rouge-score to the last bit. It reads the letters a to z: gold that is mostly in
others is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.base import Metric, Tallies
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, NotJudged, Question, Tally
from argue_bench.records.question import as_text
from argue_bench.stats.averages import Average, macro
from argue_bench.text.overlap import (
    Overlap,
    porter_stems,
    rouge_l,
    rouge_n,
    stems_read,
)

UNREAD = NotJudged("ROUGE reads the letters a to z, in which this gold is not written")
KINDS = ("rouge1", "rouge2", "rougeL")


@dataclass(frozen=True)
class Rouge(Metric):
    """ROUGE-1, ROUGE-2 and ROUGE-L against the gold answer as text."""

    name: ClassVar[str] = "rouge"
    needs: ClassVar[str] = "a reference answer: --columns reference=NAME"
    summary: ClassVar[str] = (
        "how many words and phrases does the answer share with the gold answer?"
    )
    paper: ClassVar[str] = "Lin 2004; Zhu et al. 2024 (FanOutQA)"
    scores: ClassVar[Mapping[str, Average]] = {
        f"{kind}_{part}": macro(f"{kind}_{part}") for kind in KINDS for part in Overlap._fields
    }
    headline: ClassVar[tuple[str, ...]] = tuple(f"{kind}_fscore" for kind in KINDS)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        gold = None if question.gold is None else question.gold.answer
        if gold is None:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        # Each text is stemmed once for all three.
        if not stems_read(as_text(gold)):
            return UNREAD
        wanted, given = porter_stems(as_text(gold)), porter_stems(answer.text)
        overlaps = (rouge_n(wanted, given, 1), rouge_n(wanted, given, 2), rouge_l(wanted, given))
        return {
            f"{kind}_{part}": Tally(share)
            for kind, overlap in zip(KINDS, overlaps, strict=True)
            for part, share in zip(Overlap._fields, overlap, strict=True)
        }
