"""The metrics of ALCE's evaluator that read the content of an output: ``rules=alce``, frozen.

Gao et al. 2023; princeton-nlp/ALCE at 246c476. All read the first line of the output without its citations.
Scores are shares of 1 per item; ALCE prints 100 times their mean. What deviates on purpose: ROUGE is the exact value per item (ALCE
reports a bootstrap median), and an item without question pairs has no STR-EM (ALCE: NaN).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import ClassVar

from argue_bench.metrics.base import Tallies
from argue_bench.metrics.correctness import accuracy
from argue_bench.published.alce import content
from argue_bench.published.alce.content import Listed, list_items, squad_form
from argue_bench.published.alce.rouge_lsum import rouge_l_summary as summary_overlap
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, Question, Tally
from argue_bench.text import sentences
from argue_bench.text.overlap import NONE, Overlap

Split = Callable[[str], Sequence[str]]


def output(text: str) -> str:
    """The part of an output that ALCE reads: its first line, without end marks."""
    return text.strip().split("\n")[0].replace("<|im_end|>", "")


def without_citations(text: str) -> str:
    """The text without ``[1]``; deletes every ``]`` and `` |`` with them."""
    text = re.sub(r"\[\d+", "", re.sub(r" \[\d+", "", text))
    return text.replace(" |", "").replace("]", "")


def plain(text: str) -> str:
    """The text that every score reads, except the scores of citations."""
    return without_citations(output(text))


def str_em(pairs: Sequence[Sequence[str]], text: str) -> list[bool]:
    """For each question's aliases, whether one is a substring of the text, letters apart from words."""
    body = squad_form(text)
    return [any(_norm_alias(alias) in body for alias in aliases) for aliases in pairs]


def rouge_lsum(references: Sequence[str], text: str, split: Split) -> Overlap:
    """ROUGE-Lsum against the first two references; of these the one with the higher fscore.

    Texts are lower-cased before ``split`` makes sentences of them, as ALCE does.
    """
    given = split(text.lower())
    best = NONE
    for reference in references[:2]:
        overlap = summary_overlap(split(reference.lower()), given)
        if overlap.fscore >= best.fscore:
            best = overlap
    return best


def qampari(gold: Sequence[Sequence[str]], text: str, cot: bool = False) -> Listed:
    """Scores of a comma-separated list against entities, each with its aliases.

    ``cot``: only what stands behind the first colon is the list. Raises nothing; no gold gives zeros.
    What is listed twice counts twice in precision.
    """
    body = plain(text)
    if cot:
        body = body.partition(":")[2]
    predicted = [found for part in list_items(body) if (found := squad_form(part))]
    entities = [{squad_form(alias) for alias in aliases} for aliases in gold]
    known = set().union(*entities)
    right = sum(found in known for found in predicted)
    hit = sum(not entity.isdisjoint(predicted) for entity in entities)
    return Listed.of(right, hit, len(predicted), len(entities))


# Every system is scored with the same aliases: those of ASQA's dev set are some 20,000.
_norm_alias = lru_cache(maxsize=50_000)(squad_form)


class AlceLength(accuracy.Length):
    """Words between white space."""

    rules: ClassVar[str] = "alce"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        return {"words": Tally(len(plain(answer.text).split()))}


class AlceStrEM(accuracy.StrEM):
    """Spellings that are a substring of the output in SQuAD's normal form: "art" is in "part"."""

    rules: ClassVar[str] = "alce"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        wanted = accuracy.short_answers(question)
        pairs = [one.answers for one in wanted]
        return accuracy.found_tallies(wanted, str_em(pairs, plain(answer.text)))


class AlceQA(content.QA):
    """The reading model is asked of an empty output too: of one blank."""

    rules: ClassVar[str] = "alce"

    def read(self, answer: Answer) -> str:
        return plain(answer.text) or " "


class AlceQampari(content.Qampari):
    """Items and aliases are compared in SQuAD's normal form; what is listed twice counts twice."""

    rules: ClassVar[str] = "alce"

    def compare(self, gold: Sequence[Sequence[str]], answer: Answer, language: str) -> Listed:
        return qampari(gold, answer.text)


class AlceRougeLsum(content.RougeLsum):
    """Of the first two references the better one; texts in small letters before they are split."""

    rules: ClassVar[str] = "alce"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        references = () if question.gold is None else question.gold.long_answers
        if not references:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        best = rouge_lsum(references, plain(answer.text), sentences)
        return {part: Tally(share) for part, share in best._asdict().items()}


class AlceClaims(content.Claims):
    """Claim recall of the first line without citations."""

    rules: ClassVar[str] = "alce"

    def read(self, answer: Answer) -> str:
        return plain(answer.text)
