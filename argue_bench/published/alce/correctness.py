"""The metrics of ALCE's evaluator that read the content of an output: ``rules=alce``, frozen.

Gao et al. 2023; princeton-nlp/ALCE at 246c476 (`scores` has its rules). All read the first line of the
output without its citations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from argue_bench.metrics.base import Tallies
from argue_bench.metrics.correctness import accuracy, judged, mauve, rouge, short_answers
from argue_bench.published.alce import scores as alce
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, Question, Tally
from argue_bench.text import sentences


class AlceLength(accuracy.Length):
    """Words between white space."""

    rules: ClassVar[str] = "alce"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        return {"words": Tally(len(alce.plain(answer.text).split()))}


class AlceStrEM(short_answers.StrEM):
    """Spellings that are a substring of the output in SQuAD's normal form: "art" is in "part"."""

    rules: ClassVar[str] = "alce"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        wanted = short_answers.short_answers(question)
        pairs = [one.answers for one in wanted]
        return short_answers.found_tallies(wanted, alce.str_em(pairs, alce.plain(answer.text)))


class AlceQA(short_answers.QA):
    """The reading model is asked of an empty output too: of one blank."""

    rules: ClassVar[str] = "alce"

    def read(self, answer: Answer) -> str:
        return alce.plain(answer.text) or " "


class AlceQampari(short_answers.Qampari):
    """Items and aliases are compared in SQuAD's normal form; what is listed twice counts twice."""

    rules: ClassVar[str] = "alce"

    def compare(
        self, gold: Sequence[Sequence[str]], answer: Answer, language: str
    ) -> short_answers.Listed:
        return alce.qampari(gold, answer.text)


class AlceRougeLsum(rouge.RougeLsum):
    """Of the first two references the better one; texts in small letters before they are split."""

    rules: ClassVar[str] = "alce"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        references = () if question.gold is None else question.gold.long_answers
        if not references:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        best = alce.rouge_lsum(references, alce.plain(answer.text), sentences)
        return {part: Tally(share) for part, share in best._asdict().items()}


class AlceClaims(judged.Claims):
    """Claim recall of the first line without citations."""

    rules: ClassVar[str] = "alce"

    def read(self, answer: Answer) -> str:
        return alce.plain(answer.text)


class AlceMauve(mauve.Mauve):
    """MAUVE of the first lines without citations."""

    rules: ClassVar[str] = "alce"

    def read(self, answer: Answer) -> str:
        return alce.plain(answer.text)
