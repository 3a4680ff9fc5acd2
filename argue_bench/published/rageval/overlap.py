"""BLEU, chrF and TER of answers against gold answers, as rageval reports them: by sacrebleu.

    bleu                 sacrebleu's BLEU (Papineni et al. 2002; Post 2018): 13a tokens, exponential smoothing
    bleu(rules=rageval)  the BLEU of Hugging Face's evaluate, which rageval calls: no smoothing, and the
                         length of the shortest reference in the penalty for short answers
    chrf                 chrF2 (Popović 2015)
    ter                  translation edit rate (Snover et al. 2006); lower is better, and more than 1 is possible

    corpus      the score of all answers together, from their pooled counts
    sentence    the mean over answers of the score of each one alone

References are the gold answer, where it is a text, and the long answers; a question without any does
not apply. Answers are read as they were written, citation marks included. Counts are kept by question, so
that both scores have intervals and paired tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np

from argue_bench.errors import MissingExtra
from argue_bench.metrics.base import Metric, Tallies
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, Question, Tally
from argue_bench.stats.averages import Array, Average, Pooled, lower_is_better, macro

# BLEU keeps two lengths and four counts of n-grams twice; chrF three counts of n-grams of six lengths.
_COUNTS = {"BLEU": 10, "CHRF": 18, "TER": 2}


class _Overlap(Metric):
    """One measure of sacrebleu; a subclass names the measure and its options there."""

    family: ClassVar[str] = "correctness"
    measure: ClassVar[str]
    settings: ClassVar[Mapping[str, Any]] = {}
    headline: ClassVar[tuple[str, ...]] = ("corpus",)
    ranking: ClassVar[tuple[str, ...]] = ()

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        wanted = references(question)
        columns = _columns(self.measure)
        if not wanted:
            return dict.fromkeys(("sentence", *columns), NOT_APPLICABLE)
        counts = self.counts(answer.text, wanted)
        alone = _score(self.measure, self.settings, counts)
        return {"sentence": Tally(alone), **dict(zip(columns, map(Tally, counts), strict=True))}

    def counts(self, answer: str, wanted: Sequence[str]) -> list[float]:
        """What sacrebleu counts of one answer; the counts of several answers add up."""
        streams = [[one] for one in wanted]
        (found,) = _measure(self.measure, self.settings)._extract_corpus_statistics(
            [answer], streams
        )
        return list(map(float, found))

    def require(self) -> None:
        from importlib.util import find_spec

        if find_spec("sacrebleu") is None:
            raise MissingExtra(self.name, "rageval")

    def facts(self) -> Mapping[str, str]:
        return {"sacrebleu": version("sacrebleu")}


def references(question: Question) -> list[str]:
    """The texts that an answer is compared with."""
    gold = question.gold
    if gold is None:
        return []
    answer = [gold.answer] if isinstance(gold.answer, str) else []
    return [one for one in (*answer, *gold.long_answers) if one.strip()]


def _columns(measure: str) -> tuple[str, ...]:
    return tuple(f"count_{place}" for place in range(_COUNTS[measure]))


def _scores(measure: str, settings: Mapping[str, Any]) -> dict[str, Average]:
    return {
        "corpus": Pooled(_columns(measure), partial(_pooled, measure, settings)),
        "sentence": macro("sentence"),
    }


def _pooled(measure: str, settings: Mapping[str, Any], counts: Array) -> Array:
    """The score of each row of pooled counts, an array of shape (..., counts)."""
    rows = counts.reshape(-1, counts.shape[-1])
    scores = [_score(measure, settings, row.tolist()) for row in rows]
    return np.array(scores).reshape(counts.shape[:-1])


def _score(measure: str, settings: Mapping[str, Any], counts: Sequence[float]) -> float:
    found: float = _measure(measure, settings)._compute_score_from_stats(list(counts)).score
    return found / 100


def _measure(measure: str, settings: Mapping[str, Any]) -> Any:
    return _made(measure, tuple(settings.items()))


@cache
def _made(measure: str, settings: tuple[tuple[str, Any], ...]) -> Any:
    from sacrebleu import metrics

    return getattr(metrics, measure)(**dict(settings))


@dataclass(frozen=True)
class Bleu(_Overlap):
    """BLEU as sacrebleu counts it."""

    name: ClassVar[str] = "bleu"
    summary: ClassVar[str] = "how many phrases of up to four words are a gold answer's?"
    paper: ClassVar[str] = "Papineni et al. 2002; Post 2018 (sacrebleu)"
    measure: ClassVar[str] = "BLEU"
    scores: ClassVar[Mapping[str, Average]] = _scores("BLEU", {})


class RagevalBleu(Bleu):
    """BLEU as rageval reports it."""

    rules: ClassVar[str] = "rageval"
    settings: ClassVar[Mapping[str, Any]] = {"smooth_method": "none"}
    scores: ClassVar[Mapping[str, Average]] = _scores("BLEU", {"smooth_method": "none"})

    def counts(self, answer: str, wanted: Sequence[str]) -> list[float]:
        answer_length, _, *others = super().counts(answer, wanted)
        shortest = min(super(RagevalBleu, self).counts(answer, [one])[1] for one in wanted)
        return [answer_length, shortest, *others]


@dataclass(frozen=True)
class Chrf(_Overlap):
    """chrF2: n-grams of up to six characters."""

    name: ClassVar[str] = "chrf"
    summary: ClassVar[str] = "how many runs of up to six characters are a gold answer's?"
    paper: ClassVar[str] = "Popović 2015"
    measure: ClassVar[str] = "CHRF"
    scores: ClassVar[Mapping[str, Average]] = _scores("CHRF", {})


@dataclass(frozen=True)
class Ter(_Overlap):
    """Translation edit rate: edits that make the answer a gold answer, by its words."""

    name: ClassVar[str] = "ter"
    summary: ClassVar[str] = "how many edits make the answer a gold answer?"
    paper: ClassVar[str] = "Snover et al. 2006"
    measure: ClassVar[str] = "TER"
    scores: ClassVar[Mapping[str, Average]] = {
        "corpus": lower_is_better(Pooled(_columns("TER"), partial(_pooled, "TER", {}))),
        "sentence": lower_is_better(macro("sentence")),
    }
