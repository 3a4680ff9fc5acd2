"""Does the answer stay on its documents: gold cited, distractors left, the unanswerable refused?

After Luciole's grounded question answering (OpenLLM-France), with its weaknesses mended; what it
counts to the letter is ``rules=luciole-v1`` and ``rules=luciole-head``.

Answerable questions
    answer_exact    every gold string stands in the answer, as typed tokens; any accepted spelling does
    answer_fuzzy    at least 80 % of the gold's words do (the best spelling)
    answer_f1       F1 of words shared with the gold (the best spelling): length counts
    citation_*      gold documents cited / documents cited; / gold documents; their F1. Citing nothing is
                    0, not left out. strict: by id; fuzzy: by title, one to one
    distractor_rate / invented_rate     cited documents that are not gold / that were never given
    false_refusal_rate, false_refusal_behaviour     it refuses in words / refuses and says nothing else
Unanswerable questions
    refusal_recall, refusal_behaviour    it refuses in words / and says nothing else
    hallucination_rate                   it answers without a word of refusal
    citation_rate_unanswerable           it cites something all the same
All
    refusal_precision     right refusals / refusals, in words, over the set (a ratio of sums)
    balanced_accuracy     mean of refusal_behaviour and of answering what is answerable
    hedged_rate, empty_rate, citing_rate
A pure refusal earns no points for its answer or its citations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from argue_bench.metrics.base import Metric
from argue_bench.metrics.compat import luciole_head, luciole_v1
from argue_bench.metrics.grounding.answers import match
from argue_bench.metrics.grounding.refusal import Conduct, conduct, refuses_in_words
from argue_bench.metrics.grounding.titles import Cited, alike, cited
from argue_bench.metrics.steps import Tallies
from argue_bench.records import NOT_APPLICABLE, Answer, Document, Documents, Gold, Question, Tally
from argue_bench.records.gold import leaves
from argue_bench.stats.averages import Average, Mean, lower_is_better, macro, micro

Rules = Literal["default", "luciole-v1", "luciole-head"]

THEIRS = {
    "answer_em": "answer_exact",
    "answer_em_fuzzy": "answer_fuzzy",
    "citation_precision_strict": "citation_precision",
    "citation_recall_strict": "citation_recall",
    "citation_f1_strict": "citation_f1",
    "distractor_citation_rate": "distractor_rate",
}
"""Luciole's names of scores, where they differ from ours."""

_FAULTS = (
    "distractor_rate",
    "distractor_rate_fuzzy",
    "invented_rate",
    "false_refusal_rate",
    "false_refusal_behaviour",
    "hallucination_rate",
    "citation_rate_unanswerable",
    "hedged_rate",
    "empty_rate",
)
_SCORES: dict[str, Average] = {
    **{
        name: macro(name)
        for name in (
            "answer_exact",
            "answer_fuzzy",
            "answer_f1",
            "citation_precision",
            "citation_recall",
            "citation_f1",
            "citation_precision_fuzzy",
            "citation_recall_fuzzy",
            "citation_f1_fuzzy",
        )
    },
    "citation_precision_micro": micro("citation_precision"),
    "citation_recall_micro": micro("citation_recall"),
    "citing_rate": macro("citing_rate"),
    "refusal_recall": macro("refusal_recall"),
    "refusal_behaviour": macro("refusal_behaviour"),
    "refusal_precision": micro("refusal_precision"),
    "balanced_accuracy": Mean(macro("refusal_behaviour"), macro("answered")),
    **{name: lower_is_better(macro(name)) for name in _FAULTS},
}


@dataclass(frozen=True)
class Grounding(Metric):
    """Answers, citations and refusals against gold, without a model."""

    rules: Rules = "default"

    name: ClassVar[str] = "grounding"
    summary: ClassVar[str] = "is gold cited, are distractors left, and is the unanswerable refused?"
    paper: ClassVar[str] = "Luciole RAG benchmark (OpenLLM-France)"
    scores: ClassVar[Mapping[str, Average]] = _SCORES
    headline: ClassVar[tuple[str, ...]] = (
        "answer_exact",
        "citation_f1",
        "distractor_rate",
        "refusal_behaviour",
        "balanced_accuracy",
    )

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        if self.rules != "default":
            return frozen(self.rules, question, answer, documents)
        gold = question.gold
        assert gold is not None  # noqa: S101  (the driver refuses sealed questions)
        does = conduct(answer)
        wording = any(refuses_in_words(sentence.text) for sentence in answer.sentences)
        given = cited(answer.sentences, gold.supporting, documents)
        tallies = dict.fromkeys([*_SCORES, "answered"], NOT_APPLICABLE)
        tallies |= {
            "hedged_rate": Tally(float(does is Conduct.HEDGES)),
            "empty_rate": Tally(float(does is Conduct.EMPTY)),
        }
        if wording:
            tallies["refusal_precision"] = Tally(float(not gold.answerable))
        if gold.answerable:
            tallies |= _answerable(question, answer, documents, given, does, wording)
        else:
            tallies |= {
                "refusal_recall": Tally(float(wording)),
                "refusal_behaviour": Tally(float(does.refuses), note=does.value),
                "hallucination_rate": Tally(float(does is Conduct.ANSWERS)),
                "citation_rate_unanswerable": Tally(float(bool(given.all))),
            }
        return tallies


def _answerable(
    question: Question,
    answer: Answer,
    documents: Mapping[str, Document],
    given: Cited,
    does: Conduct,
    wording: bool,
) -> dict[str, Tally]:
    gold = question.gold
    assert gold is not None  # noqa: S101
    silent = does in (Conduct.REFUSES, Conduct.EMPTY)
    tallies = {
        "false_refusal_rate": Tally(float(wording)),
        "false_refusal_behaviour": Tally(float(does.refuses)),
        "answered": Tally(float(not silent)),
    }
    if wanted := list(accepted(gold)):
        found = match("" if silent else answer.plain, wanted, question.language)
        tallies |= {
            "answer_exact": Tally(float(found.exact), note=found.note),
            "answer_fuzzy": Tally(float(found.recall >= 0.8)),
            "answer_f1": Tally(found.f1),
        }
    if gold.supporting:
        tallies |= _citations(question, documents, Cited((), (), ()) if silent else given)
    return tallies


def _citations(
    question: Question, documents: Mapping[str, Document], given: Cited
) -> dict[str, Tally]:
    gold = question.gold
    assert gold is not None  # noqa: S101
    wanted, made = len(set(gold.supporting)), len(given.all)
    tallies = {"citing_rate": Tally(float(made > 0))}
    for mode, right in (("", len(given.gold)), ("_fuzzy", alike(given, question, documents))):
        both = made + wanted
        tallies[f"citation_precision{mode}"] = Tally(
            right, made or 1, _said(given) if not mode else ""
        )
        tallies[f"citation_recall{mode}"] = Tally(right, wanted)
        tallies[f"citation_f1{mode}"] = Tally(2 * right / both)
        if made:
            wrong = made - right - (len(given.invented) if not mode else 0)
            tallies[f"distractor_rate{mode}"] = Tally(wrong, made)
    if made:
        tallies["invented_rate"] = Tally(len(given.invented), made)
    return tallies


def _said(given: Cited) -> str:
    parts = (("distractors", given.distractors), ("invented", given.invented))
    return "; ".join(f"{what}: {', '.join(ids)}" for what, ids in parts if ids)


def accepted(gold: Gold) -> Iterator[tuple[str, ...]]:
    """What an answer should say: each thing with its accepted spellings."""
    if gold.short_answers:
        for pair in gold.short_answers:
            if spellings := tuple(filter(str.strip, pair.answers)):
                yield spellings
    else:
        for leaf in leaves(gold.answer):
            if leaf.strip():
                yield (leaf,)


def frozen(
    rules: Rules, question: Question, answer: Answer, documents: Mapping[str, Document]
) -> dict[str, Tally]:
    """A row as Luciole's own code scores it; what it leaves out does not apply."""
    gold = question.gold
    assert gold is not None  # noqa: S101
    if gold.short_answers:
        text = next(iter(gold.short_answers[0].answers), "")
    else:
        text = "" if gold.answer is None else str(gold.answer)
    titles = [documents[id].title if id in documents else id for id in gold.supporting]
    if rules == "luciole-v1":
        row = luciole_v1.row_scores(answer.text, text, titles)
    else:
        row = luciole_head.row_scores(answer.text, text, titles, gold.answerable)
    tallies = dict.fromkeys([*_SCORES, "answered"], NOT_APPLICABLE)
    for name, value in row.items():
        tallies[THEIRS.get(name, name)] = NOT_APPLICABLE if value is None else Tally(value)
    return tallies
