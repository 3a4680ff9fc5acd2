"""Short answers: STR-EM, QA-EM and QAMPARI's list scores.

ALCE's STR-EM, QA-EM and QAMPARI scores (Gao et al. 2023, sections 3 and A), each over
``gold.short_answers``: small questions, or listed entities, with every accepted spelling.

STR-EM: a short answer counts where the answer contains one of its spellings. recall = counted / wanted,
hit = 1 where all are. ``rules=default`` compares typed tokens, so "art" is not found in "part", and reads no names and numbers in a row, far more of them
than are wanted (`argue_bench.text.lists`).

QA: a model reads the answer's words as the reply to each small question (`Span`); its span is compared
with the spellings: em (equal in SQuAD's normal form), f1 (words shared), hit (all equal).

QAMPARI: the answer is a comma-separated list. precision = listed that are gold / listed, recall = gold
entities listed / gold, recall_top5 = the same with both at most 5, f1 of precision and recall. By
default an entity counts once however often it is listed, and one whose name holds a comma can match.

``rules=alce`` is ALCE's evaluator to the letter (`argue_bench.metrics.compat.alce`), and
``str_em(rules=rageval)`` rageval's exact match, which reads the raw output and minds case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from argue_bench.metrics.base import Metric, Tallies, TallySteps
from argue_bench.metrics.compat import alce, rageval
from argue_bench.metrics.correctness.accuracy import Reader, plain_text, stated_answer
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    JudgeRequest,
    Question,
    ShortAnswer,
    Span,
    Tally,
)
from argue_bench.stats.averages import Average, macro
from argue_bench.text.typed import typed_text

Rules = Literal["default", "alce"]


@dataclass(frozen=True)
class StrEM(Metric):
    """Share of short answers of which the answer contains a spelling."""

    rules: Literal["default", "alce", "rageval"] = "default"

    name: ClassVar[str] = "str_em"
    summary: ClassVar[str] = "which share of the short answers does the answer contain?"
    paper: ClassVar[str] = "Stelmakh et al. 2022; Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {"recall": macro("recall"), "hit": macro("hit")}
    ranking: ClassVar[tuple[str, ...]] = ()

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        wanted = _short_answers(question)
        if self.rules == "default":
            wanted = [pair for pair in wanted if any(map(str.strip, pair.answers))]
        if not wanted:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        if self.rules == "alce":
            found = alce.str_em([pair.answers for pair in wanted], alce.plain(answer.text))
        elif self.rules == "rageval":
            found = rageval.exact_match([pair.answers for pair in wanted], answer.text)
        else:
            spellings = [max(pair.answers, key=len) for pair in wanted]
            reader = Reader(stated_answer(answer, spellings), question.language)
            found = [any(map(reader.finds, pair.answers)) for pair in wanted]
        return {
            "recall": Tally(sum(found), len(found), _missing(wanted, found)),
            "hit": Tally(float(all(found))),
        }


@dataclass(frozen=True)
class QA(Metric):
    """Short answers that a reading model finds in the answer."""

    rules: Rules = "default"
    judge: str = ""

    name: ClassVar[str] = "qa"
    summary: ClassVar[str] = "can a reader answer the small questions from the answer?"
    paper: ClassVar[str] = "Stelmakh et al. 2022; Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {name: macro(name) for name in ("em", "f1", "hit")}
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Span,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        wanted = [pair for pair in _short_answers(question) if pair.question and pair.answers]
        if not wanted:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        context = alce.plain(answer.text) or " " if self.rules == "alce" else plain_text(answer)
        unread = self.rules == "default" and not context.strip()
        requests = [] if unread else [Span(pair.question, context) for pair in wanted]
        verdicts = yield requests
        spans = [str(verdicts[request].value) for request in requests] or [""] * len(wanted)
        scored = [
            alce.span_scores(span, pair.answers) for span, pair in zip(spans, wanted, strict=True)
        ]
        exact = [equal for equal, _ in scored]
        return {
            "em": Tally(sum(exact), len(wanted), _missing(wanted, exact)),
            "f1": Tally(sum(f1 for _, f1 in scored), len(wanted)),
            "hit": Tally(float(all(exact))),
        }


@dataclass(frozen=True)
class Qampari(Metric):
    """Precision, recall and F1 of a list of entities."""

    rules: Rules = "default"

    name: ClassVar[str] = "qampari"
    summary: ClassVar[str] = "which of the entities that were asked for does the list hold?"
    paper: ClassVar[str] = "Amouyal et al. 2022 (QAMPARI); Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {
        name: macro(name) for name in ("f1", "precision", "recall", "recall_top5", "f1_top5")
    }
    ranking: ClassVar[tuple[str, ...]] = ("f1", "f1_top5")

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        gold = [pair.answers for pair in _short_answers(question) if pair.answers]
        if not gold:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        if self.rules == "alce":
            listed = alce.qampari(gold, answer.text)
        else:
            listed = _listed(gold, plain_text(answer), question.language)
        return {name: Tally(getattr(listed, name)) for name in self.scores}


def _short_answers(question: Question) -> Sequence[ShortAnswer]:
    return () if question.gold is None else question.gold.short_answers


def _missing(wanted: Sequence[ShortAnswer], found: Sequence[bool]) -> str:
    missed = [
        pair.answers[0] for pair, ok in zip(wanted, found, strict=True) if not ok and pair.answers
    ]
    return f"missing: {'; '.join(missed)}" if missed else ""


def _listed(gold: Sequence[Sequence[str]], text: str, language: str) -> alce.Listed:
    """QAMPARI's scores by typed tokens: what is listed twice counts once."""
    entity_of = {
        spelled: number
        for number, aliases in enumerate(gold)
        for alias in aliases
        if (spelled := typed_text(alias, language).canonical) != _NOTHING
    }
    longest = max((alias.count(",") + 1 for aliases in gold for alias in aliases), default=1)
    parts = alce.items(text.replace("\n", ","))
    predicted: set[str | int] = set()
    at = 0
    while at < len(parts):
        for length in range(min(longest, len(parts) - at), 0, -1):
            spelled = typed_text(",".join(parts[at : at + length]), language).canonical
            if spelled in entity_of or length == 1:
                break
        if spelled != _NOTHING:
            predicted.add(entity_of.get(spelled, spelled))
        at += length
    hit = sum(isinstance(one, int) for one in predicted)
    precision = hit / len(predicted) if predicted else 0.0
    recall, top5 = hit / len(gold), min(5, hit) / min(5, len(gold))
    return alce.Listed(precision, recall, top5, len(predicted))


_NOTHING = typed_text("").canonical
