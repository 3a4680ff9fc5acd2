"""ALCE's scores of content by our own rules: QA-EM, QAMPARI's lists, ROUGE-Lsum and claims.

After Gao et al. 2023, sections 3 and A; `correctness` has them as ALCE's evaluator counts them (``rules=alce``).

QA: a model reads the answer's words as the reply to each small question of ``gold.short_answers`` (`Span`); its span is
compared with the spellings: em (equal in SQuAD's normal form), f1 (words shared), hit (all equal).

QAMPARI: the answer is a list, its items between commas or on lines of their own, numbered or not. precision = listed that are gold / listed, recall = gold
entities listed / gold, recall_top5 = the same with both at most 5, f1 of precision and recall. An
entity counts once however often it is listed, and one whose name holds a comma can match.

ROUGE-Lsum over long answers, both without citation marks: of several references the one with the higher fscore,
and their exact mean (ALCE reports the median of an unseeded bootstrap).

Claims: claims entailed by the answer without its citations / claims of the gold.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from argue_bench.metrics.base import Metric, Tallies, TallySteps
from argue_bench.metrics.correctness.accuracy import missing_answers, plain_text, short_answers
from argue_bench.metrics.correctness.rouge import UNREAD
from argue_bench.published.alce.rouge_lsum import rouge_l_summary
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    Entails,
    JudgeRequest,
    Question,
    Source,
    Span,
    Tally,
)
from argue_bench.stats.averages import Average, macro
from argue_bench.text import sentences, without_marks
from argue_bench.text.language import language_of
from argue_bench.text.overlap import stems_read
from argue_bench.text.typed import typed_text

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
# ALCE's recall-5: five right items are enough, since few readers want more (Gao et al. 2023, section 3).
TOP = 5


@dataclass(frozen=True)
class QA(Metric):
    """Short answers that a reading model finds in the answer."""

    judge: str = ""

    name: ClassVar[str] = "qa"
    family: ClassVar[str] = "correctness"
    needs: ClassVar[str] = "short answers in its gold"
    summary: ClassVar[str] = "can a reader answer the small questions from the answer?"
    paper: ClassVar[str] = "Stelmakh et al. 2022; Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {name: macro(name) for name in ("em", "f1", "hit")}
    ranking: ClassVar[tuple[str, ...]] = ("em", "f1", "hit")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Span,)
    wants_judge: ClassVar[str] = "qa:MODEL"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        wanted = [one for one in short_answers(question) if one.question and one.answers]
        if not wanted:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        context = self.read(answer)
        # Without requests every span is empty, which matches only an empty spelling.
        requests = [Span(one.question, context) for one in wanted] if context else []
        verdicts = yield requests
        spans = [str(verdicts[request].value) for request in requests] or [""] * len(wanted)
        # The best of the spellings counts, as in SQuAD.
        scored = [span_scores(span, one.answers) for span, one in zip(spans, wanted, strict=True)]
        exact = [equal for equal, _ in scored]
        return {
            "em": Tally(sum(exact), len(wanted), missing_answers(wanted, exact)),
            "f1": Tally(sum(f1 for _, f1 in scored), len(wanted)),
            "hit": Tally(float(all(exact))),
        }

    def read(self, answer: Answer) -> str:
        """What the model reads of an answer; nothing is asked of an empty text."""
        text = plain_text(answer)
        return text if text.strip() else ""


@dataclass(frozen=True)
class Qampari(Metric):
    """Precision, recall and F1 of a list of entities."""

    name: ClassVar[str] = "qampari"
    family: ClassVar[str] = "correctness"
    needs: ClassVar[str] = "short answers in its gold"
    summary: ClassVar[str] = "which of the entities that were asked for does the list hold?"
    paper: ClassVar[str] = "Amouyal et al. 2022 (QAMPARI); Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {
        name: macro(name) for name in ("f1", "precision", "recall", "recall_top5", "f1_top5")
    }
    ranking: ClassVar[tuple[str, ...]] = ("f1", "f1_top5")

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        gold = [one.answers for one in short_answers(question) if one.answers]
        if not gold:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        listed = self.compare(gold, answer, language_of(question.text, question.language))
        return {name: Tally(getattr(listed, name)) for name in self.scores}

    def compare(self, gold: Sequence[Sequence[str]], answer: Answer, language: str) -> Listed:
        """The scores of a list against entities, each with its aliases."""
        entity_of = {
            spelled: number
            for number, aliases in enumerate(gold)
            for alias in aliases
            if (spelled := typed_text(",".join(_ITEM.split(alias)), language).canonical) != _NOTHING
        }
        # Items are joined again, as many as the longest alias has commas.
        longest = max((len(_ITEM.split(alias)) for aliases in gold for alias in aliases), default=1)
        parts = [part for part in _ITEM.split(plain_text(answer)) if part.strip()]
        predicted: set[str | int] = set()
        at = 0
        while at < len(parts):
            for length in range(min(longest, len(parts) - at), 0, -1):
                spelled = typed_text(",".join(parts[at : at + length]), language).canonical
                # The longest run of items that is a known name, else one item.
                if spelled in entity_of or length == 1:
                    break
            # A set: what is listed twice counts once.
            if spelled != _NOTHING:
                predicted.add(entity_of.get(spelled, spelled))
            at += length
        return Listed.of(
            hit := sum(isinstance(one, int) for one in predicted), hit, len(predicted), len(gold)
        )


_NOTHING = typed_text("").canonical
# What parts the items of a list, with the number of the next: "1. Oslo", "**2) Rome**", "3\\. Bern".
_ITEM = re.compile(
    r"(?:\A|[,;，、；\n]|<br\s?/?>)(?:[^\w\n]*\d{1,3}\\?(?:[.):]|\s-)\s*(?=\D))?", re.IGNORECASE
)


class Listed(NamedTuple):
    """QAMPARI's scores of one list, as shares of 1, and how many predictions it holds."""

    precision: float
    recall: float
    recall_top5: float
    predictions: int

    @classmethod
    def of(cls, right: int, hit: int, listed: int, wanted: int) -> Listed:
        """The scores of a list: ``right`` of its items are gold, and ``hit`` of the wanted are listed."""
        return cls(
            right / listed if listed else 0.0,
            hit / wanted if wanted else 0.0,
            min(TOP, hit) / min(TOP, wanted) if wanted else 0.0,
            listed,
        )

    @property
    def f1(self) -> float:
        return _harmonic(self.precision, self.recall)

    @property
    def f1_top5(self) -> float:
        return _harmonic(self.precision, self.recall_top5)


def list_items(text: str) -> list[str]:
    """The parts of a comma-separated list, without the full stop and commas at its end."""
    return [part.strip() for part in text.rstrip().rstrip(".").rstrip(",").split(",")]


def squad_form(text: str) -> str:
    """SQuAD's normal form (Rajpurkar et al. 2016): lower case, no ASCII punctuation, no articles, single
    blanks.

    >>> squad_form("The  U.S. -- a land")
    'us land'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def span_scores(prediction: str, aliases: Sequence[str]) -> tuple[bool, float]:
    """Exact match and the best token F1 of a predicted span over the aliases of its answer (SQuAD)."""
    given = squad_form(prediction).split()
    wanted = [squad_form(alias).split() for alias in aliases]
    return given in wanted, max((_token_f1(one, given) for one in wanted), default=0.0)


def _token_f1(wanted: Sequence[str], given: Sequence[str]) -> float:
    if not wanted or not given:
        return float(wanted == given)
    shared = (Counter(wanted) & Counter(given)).total()
    return 2 * shared / (len(wanted) + len(given))


def _harmonic(a: float, b: float) -> float:
    """2ab / (a + b), 0 where both are 0."""
    return 2 * a * b / (a + b) if a + b else 0.0


@dataclass(frozen=True)
class RougeLsum(Metric):
    """ROUGE-Lsum against one or more long answers."""

    name: ClassVar[str] = "rouge_lsum"
    family: ClassVar[str] = "correctness"
    needs: ClassVar[str] = "a reference answer: --columns reference=NAME"
    summary: ClassVar[str] = "how close is the answer to a long answer that people wrote?"
    paper: ClassVar[str] = "Lin 2004; Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {
        part: macro(part) for part in ("fscore", "precision", "recall")
    }

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


@dataclass(frozen=True)
class Claims(Metric):
    """Share of the gold claims that the answer entails."""

    judge: str = ""

    name: ClassVar[str] = "claims"
    family: ClassVar[str] = "correctness"
    needs: ClassVar[str] = "claims in its gold"
    summary: ClassVar[str] = "which share of the gold claims does the answer make?"
    paper: ClassVar[str] = "Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {"recall": macro("recall")}
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        claims = () if question.gold is None else question.gold.claims
        if not claims:
            return {"recall": NOT_APPLICABLE}
        text = self.read(answer)
        # Nothing is asked of an empty text, and no claim is entailed by it.
        if not text.strip():
            return {"recall": Tally(0.0, len(claims), "no answer")}
        # The answer is the premise here, and the gold the hypothesis.
        requests = [Entails((Source("answer", text),), claim) for claim in claims]
        verdicts = yield requests
        missing = [request.hypothesis for request in requests if not verdicts[request].yes]
        note = f"missing: {'; '.join(missing)}" if missing else ""
        return {"recall": Tally(len(requests) - len(missing), len(requests), note)}

    def read(self, answer: Answer) -> str:
        """The words of an answer that may entail claims."""
        return plain_text(answer)
