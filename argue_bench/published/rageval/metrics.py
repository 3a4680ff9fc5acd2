"""rageval's metrics on ALCE results, to the letter: ``rules=rageval`` of citations, str_em and claims.

gomate-community/rageval at 01e2580. They read the raw output: all lines, no end mark removed.

    exact match          an alias is a substring letter by letter, citations still inside; case counts
    citation recall      mean over answers of supported sentences / sentences, 0 without sentences
    citation precision   correct / counted citations over the whole set, 0 if nothing is supported;
                         citations of unsupported sentences are not counted at all

Sentences under 3 characters are dropped. A citation outside of 1..n rejects its sentence. The premise is
the prompt's own form of each document, joined by blanks. All else is as in ALCE.

BLEU, chrF and TER of answers against gold answers are by sacrebleu, as rageval reports them.

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
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from typing import Any, ClassVar, Literal

import numpy as np

from argue_bench.errors import MissingExtra
from argue_bench.metrics.base import Metric, Steps, Tallies
from argue_bench.metrics.correctness import accuracy
from argue_bench.published.alce.auto_ais import (
    AlceStatement,
    Judged,
    NumberedCitations,
    as_statement,
    leave_one_out,
)
from argue_bench.published.alce.content import Claims
from argue_bench.published.alce.correctness import Split
from argue_bench.records import NOT_APPLICABLE, Answer, Document, Documents, Question, Source, Tally
from argue_bench.stats.averages import Array, Average, Pooled, lower_is_better, macro

# BLEU keeps two lengths and four counts of n-grams twice; chrF three counts of n-grams of six lengths.
_COUNTS = {"BLEU": 10, "CHRF": 18, "TER": 2}
# Options of a measure by name, as sacrebleu calls them.
Settings = tuple[tuple[str, Any], ...]


class _Overlap(Metric):
    """One measure of sacrebleu; a subclass names the measure and its options there."""

    family: ClassVar[str] = "correctness"
    measure: ClassVar[str]
    settings: ClassVar[Settings] = ()
    headline: ClassVar[tuple[str, ...]] = ("corpus",)

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
        (found,) = _measure(self.measure, self.settings)._extract_corpus_statistics(
            [answer], [[one] for one in wanted]
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


def _scores(measure: str, settings: Settings) -> dict[str, Average]:
    return {
        "corpus": Pooled(_columns(measure), partial(_pooled, measure, settings)),
        "sentence": macro("sentence"),
    }


def _pooled(measure: str, settings: Settings, counts: Array) -> Array:
    """The score of each row of pooled counts, an array of shape (..., counts)."""
    rows = counts.reshape(-1, counts.shape[-1])
    scores = [_score(measure, settings, row.tolist()) for row in rows]
    return np.array(scores).reshape(counts.shape[:-1])


def _score(measure: str, settings: Settings, counts: Sequence[float]) -> float:
    return float(_measure(measure, settings)._compute_score_from_stats(list(counts)).score) / 100


@cache
def _measure(measure: str, settings: Settings) -> Any:
    from sacrebleu import metrics

    return getattr(metrics, measure)(**dict(settings))


@dataclass(frozen=True)
class Bleu(_Overlap):
    """BLEU as sacrebleu counts it."""

    name: ClassVar[str] = "bleu"
    summary: ClassVar[str] = "how many phrases of up to four words are a gold answer's?"
    paper: ClassVar[str] = "Papineni et al. 2002; Post 2018 (sacrebleu)"
    measure: ClassVar[str] = "BLEU"
    scores: ClassVar[Mapping[str, Average]] = _scores("BLEU", ())


class RagevalBleu(Bleu):
    """BLEU as rageval reports it."""

    rules: ClassVar[str] = "rageval"
    settings: ClassVar[Settings] = (("smooth_method", "none"),)
    scores: ClassVar[Mapping[str, Average]] = _scores("BLEU", settings)

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
    scores: ClassVar[Mapping[str, Average]] = _scores("CHRF", ())


@dataclass(frozen=True)
class Ter(_Overlap):
    """Translation edit rate: edits that make the answer a gold answer, by its words."""

    name: ClassVar[str] = "ter"
    summary: ClassVar[str] = "how many edits make the answer a gold answer?"
    paper: ClassVar[str] = "Snover et al. 2006"
    measure: ClassVar[str] = "TER"
    scores: ClassVar[Mapping[str, Average]] = {
        "corpus": lower_is_better(Pooled(_columns("TER"), partial(_pooled, "TER", ()))),
        "sentence": lower_is_better(macro("sentence")),
    }


# Characters of the shortest sentence that rageval judges.
SHORTEST = 3


@dataclass(frozen=True)
class RagevalCitations(NumberedCitations):
    """Citation recall, and the pooled precision, as rageval computes them.

    ``document_field`` is the form of the documents in rageval's prompt.
    """

    document_field: Literal["text", "summary", "extraction"] = "text"
    judge: str = ""

    rules: ClassVar[str] = "rageval"
    unranked: ClassVar[tuple[str, ...]] = ("precision", "f1")

    def stated(self, question: Question, answer: Answer) -> list[AlceStatement]:
        return raw_statements(answer.text, self.sentences)

    def judge_statement(self, one: AlceStatement, documents: Sequence[Document]) -> Steps[Judged]:
        # A document without that form was shown as it is.
        forms = [getattr(document, self.document_field) for document in documents]
        texts = [d.text if form is None else form for d, form in zip(documents, forms, strict=True)]
        return judge_statement(one, contexts(documents, texts))

    def told(self, tallies: dict[str, Tally], judged: Sequence[Judged]) -> Tallies:
        # rageval has the pooled precision alone.
        return tallies | {"precision": replace(NOT_APPLICABLE, note=tallies["precision"].note)}


def raw_statements(text: str, split: Split) -> list[AlceStatement]:
    """The sentences of the raw output; positions count from 0, so that ``[0]`` is -1."""
    return [as_statement(part) for part in map(str.strip, split(text)) if len(part) >= SHORTEST]


def contexts(documents: Sequence[Document], texts: Sequence[str]) -> list[Source]:
    """The documents as the prompt showed them; ``texts`` are theirs, or what stood for them."""
    return [
        Source(document.id, f"Document [{place}](Title: {document.title}): {text}\n")
        for place, (document, text) in enumerate(zip(documents, texts, strict=True), 1)
    ]


def judge_statement(statement: AlceStatement, shown: Sequence[Source]) -> Steps[Judged]:
    """Asks about one statement; without support none of its citations is counted."""
    if not statement.cited or any(not 0 <= place < len(shown) for place in statement.cited):
        return Judged(statement, False)

    def premise(places: Sequence[int]) -> tuple[Source, ...]:
        # One premise with blanks between, where ALCE has lines.
        cited = [shown[place] for place in places]
        return (Source(" ".join(one.id for one in cited), " ".join(one.text for one in cited)),)

    # ALCE counts the citations of an unsupported sentence as wrong; here they leave the precision.
    judged = yield from leave_one_out(statement, statement.cited, premise)
    return judged if judged.supported else Judged(statement, False)


class RagevalStrEM(accuracy.StrEM):
    """Spellings that are a substring of the raw output, citations inside; case counts."""

    rules: ClassVar[str] = "rageval"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        wanted = accuracy.short_answers(question)
        found = exact_match([one.answers for one in wanted], answer.text)
        return accuracy.found_tallies(wanted, found)


class RagevalClaims(Claims):
    """Claim recall of the raw output with its citations."""

    rules: ClassVar[str] = "rageval"

    def read(self, answer: Answer) -> str:
        return answer.text


def exact_match(pairs: Sequence[Sequence[str]], text: str, ignore_case: bool = False) -> list[bool]:
    """For each question's aliases, whether one is a substring of the raw output."""
    body = text.lower() if ignore_case else text
    return [
        any((alias.lower() if ignore_case else alias) in body for alias in aliases)
        for aliases in pairs
    ]
