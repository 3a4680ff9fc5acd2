"""ROUGE: the words and phrases that the answer shares with the gold answer.

ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004) with stemming, as FanOutQA counts them (Zhu et al. 2024,
section 4.2): the gold answer as text (list items on lines, mappings as ``key - value``) against the
answer as it was written, citation marks included, so that the numbers are FanOutQA's own. Averaged
over questions; the same as rouge-score to the last bit. It reads the letters a to z: gold that is mostly in
others is not judged.

ROUGE-Lsum over long answers, both without citation marks, as ALCE counts it (Gao et al. 2023): of several
references the one with the higher fscore, and their exact mean (ALCE reports the median of an unseeded
bootstrap).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.base import Metric, Tallies
from argue_bench.metrics.correctness.accuracy import plain_text
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, NotJudged, Question, Tally
from argue_bench.records.question import as_text
from argue_bench.stats.averages import Average, macro
from argue_bench.text import sentences, without_marks
from argue_bench.text.overlap import (
    Overlap,
    porter_stems,
    rouge_l,
    rouge_l_summary,
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
    ranking: ClassVar[
        tuple[str, ...]
    ] = ()  # lists of a document's words win it (benchmarks/README.md)

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


@dataclass(frozen=True)
class RougeLsum(Metric):
    """ROUGE-Lsum against one or more long answers."""

    name: ClassVar[str] = "rouge_lsum"
    needs: ClassVar[str] = "a reference answer: --columns reference=NAME"
    summary: ClassVar[str] = "how close is the answer to a long answer that people wrote?"
    paper: ClassVar[str] = "Lin 2004; Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {
        part: macro(part) for part in ("fscore", "precision", "recall")
    }
    ranking: ClassVar[tuple[str, ...]] = ()

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        references = () if question.gold is None else question.gold.long_answers
        if not references:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        if not all(map(stems_read, references)):
            return UNREAD
        given = sentences(plain_text(answer), question.language)
        wanted = (sentences(without_marks(one), question.language) for one in references)
        # One reference as a whole, and not the best part of each.
        best = max((rouge_l_summary(one, given) for one in wanted), key=lambda best: best.fscore)
        return {part: Tally(share) for part, share in best._asdict().items()}
