"""ROUGE: the words and phrases that the answer shares with the gold answer.

ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004) with stemming, as FanOutQA counts them (Zhu et al. 2024,
section 4.2): the gold answer as text (list items on lines, mappings as ``key - value``) against the
answer as it was written, citation marks included, so that the numbers are FanOutQA's own. Averaged
over questions; the same as rouge-score to the last bit.

ROUGE-Lsum over long answers, both without citation marks, as ALCE counts it (Gao et al. 2023): of several
references the one with the higher fscore, and their exact mean (ALCE reports the median of an unseeded
bootstrap). ``rules=alce`` takes the first line of the output and lower-cases before it splits sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from argue_bench.metrics.base import Metric, Tallies
from argue_bench.metrics.compat import alce
from argue_bench.metrics.compat.fanoutqa import as_text
from argue_bench.metrics.correctness.accuracy import plain_text
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, Question, Tally
from argue_bench.stats.averages import Average, macro
from argue_bench.text import sentences, without_marks
from argue_bench.text.overlap import Overlap, rouge_l, rouge_l_summary, rouge_n, stems

KINDS = ("rouge1", "rouge2", "rougeL")


@dataclass(frozen=True)
class Rouge(Metric):
    """ROUGE-1, ROUGE-2 and ROUGE-L against the gold answer as text."""

    name: ClassVar[str] = "rouge"
    summary: ClassVar[str] = (
        "how many words and phrases does the answer share with the gold answer?"
    )
    paper: ClassVar[str] = "Lin 2004; Zhu et al. 2024 (FanOutQA)"
    scores: ClassVar[Mapping[str, Average]] = {
        f"{kind}_{part}": macro(f"{kind}_{part}") for kind in KINDS for part in Overlap._fields
    }
    headline: ClassVar[tuple[str, ...]] = tuple(f"{kind}_fscore" for kind in KINDS)
    ranking: ClassVar[tuple[str, ...]] = headline

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        gold = None if question.gold is None else question.gold.answer
        if gold is None:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        wanted, given = stems(as_text(gold)), stems(answer.text)
        overlaps = (rouge_n(wanted, given, 1), rouge_n(wanted, given, 2), rouge_l(wanted, given))
        return {
            f"{kind}_{part}": Tally(share)
            for kind, overlap in zip(KINDS, overlaps, strict=True)
            for part, share in zip(Overlap._fields, overlap, strict=True)
        }


@dataclass(frozen=True)
class RougeLsum(Metric):
    """ROUGE-Lsum against one or more long answers."""

    rules: Literal["default", "alce"] = "default"

    name: ClassVar[str] = "rouge_lsum"
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
        if self.rules == "alce":
            best = alce.rouge_lsum(references, alce.plain(answer.text), sentences)
        else:
            given = sentences(plain_text(answer), question.language)
            wanted = (sentences(without_marks(one), question.language) for one in references)
            best = max(
                (rouge_l_summary(one, given) for one in wanted), key=lambda best: best.fscore
            )
        return {part: Tally(share) for part, share in best._asdict().items()}
