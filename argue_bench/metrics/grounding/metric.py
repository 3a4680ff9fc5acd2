"""Grounding: gold documents cited, distractors left alone, unanswerable questions refused.

After Luciole's grounded question answering (OpenLLM-France), under its score names, with its
weaknesses mended; ``rules=luciole-v1`` and ``rules=luciole-head`` count exactly as its two versions.

Answerable questions
    answer_em         every gold string is in the answer, as typed tokens, in any accepted spelling;
                      names and numbers in a row, far more than the gold has, are not read
    answer_em_fuzzy   at least 80 % of the gold's words are (the best spelling)
    answer_f1         F1 of words shared with the gold (the best spelling), so length counts
    citation_precision_*, citation_recall_*, citation_f1_*
                      gold documents cited / documents cited; / gold documents; their F1. Citing
                      nothing is 0, not left out. strict: by id; fuzzy: by title, one to one
    citation_informedness
                      share of the gold documents that is cited, less the share of the distractors
                      (Youden 1950): 0 for citing all, or nothing, or by chance. A sentence cites a
                      document if it says a word of it that neither title nor question have, and is no
                      list or string of keywords
    distractor_citation_rate, unknown_citation_rate
                      cited documents that are given but not gold / that were never given
    false_refusal_rate, false_refusal_rate_strict
                      it refuses in words / refuses and says nothing else
Unanswerable questions
    refusal_recall, refusal_recall_strict   it refuses in words / and says nothing else
    hallucination_rate                      it answers without a word of refusal
    citation_rate_unanswerable              it cites something all the same
All
    refusal_precision     right refusals / refusals, in words, over the set (a ratio of sums)
    balanced_accuracy     mean of refusal_recall_strict and of answering what is answerable
    hedged_rate, empty_rate, citing_rate
A pure refusal earns no points for its answer or its citations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from argue_bench.judges.lexical.reading import read_sentence, read_text
from argue_bench.metrics.base import Metric, Tallies
from argue_bench.metrics.grounding.matching import Cited, cited, match_gold, match_titles
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, Gold, Question, Sentence, Tally
from argue_bench.records.question import leaves
from argue_bench.stats.averages import Average, Mean, lower_is_better, macro, micro
from argue_bench.text.lists import stated_text, states
from argue_bench.text.refusals import Conduct, conduct, refuses_in_words

LucioleRules = Literal["default", "luciole-v1", "luciole-head"]

_FAULTS = (
    "distractor_citation_rate",
    "distractor_citation_rate_fuzzy",
    "unknown_citation_rate",
    "false_refusal_rate",
    "false_refusal_rate_strict",
    "hallucination_rate",
    "citation_rate_unanswerable",
    "hedged_rate",
    "empty_rate",
)
_SCORES: dict[str, Average] = {
    **{
        name: macro(name)
        for name in (
            "answer_em",
            "answer_em_fuzzy",
            "answer_f1",
            "citation_precision_strict",
            "citation_recall_strict",
            "citation_f1_strict",
            "citation_precision_fuzzy",
            "citation_recall_fuzzy",
            "citation_f1_fuzzy",
            "citation_informedness",
        )
    },
    "citation_precision_micro": micro("citation_precision_strict"),
    "citation_recall_micro": micro("citation_recall_strict"),
    "citing_rate": macro("citing_rate"),
    "refusal_recall": macro("refusal_recall"),
    "refusal_recall_strict": macro("refusal_recall_strict"),
    "refusal_precision": micro("refusal_precision"),
    "balanced_accuracy": Mean(macro("refusal_recall_strict"), macro("answered")),
    **{name: lower_is_better(macro(name)) for name in _FAULTS},
}


@dataclass(frozen=True)
class Grounding(Metric):
    """Answers, citations and refusals against gold, without a model."""

    rules: LucioleRules = "default"

    name: ClassVar[str] = "grounding"
    summary: ClassVar[str] = "is gold cited, are distractors left, and is the unanswerable refused?"
    paper: ClassVar[str] = "Luciole RAG benchmark (OpenLLM-France)"
    scores: ClassVar[Mapping[str, Average]] = _SCORES
    headline: ClassVar[tuple[str, ...]] = (
        "answer_em",
        "citation_f1_strict",
        "distractor_citation_rate",
        "refusal_recall_strict",
        "balanced_accuracy",
    )
    ranking: ClassVar[tuple[str, ...]] = ("balanced_accuracy",)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        gold = question.gold
        assert gold is not None  # noqa: S101  (the driver refuses sealed questions)
        if self.rules != "default":
            return count_as_luciole(self.rules, gold, answer, documents)
        does = conduct([sentence.text for sentence in answer.sentences])
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
            silent = does in (Conduct.REFUSES, Conduct.EMPTY)
            tallies |= {
                "false_refusal_rate": Tally(float(wording)),
                "false_refusal_rate_strict": Tally(float(does.refuses)),
                "answered": Tally(float(not silent)),
            }
            if wanted := list(accepted(gold)):
                longest = [max(spellings, key=len) for spellings in wanted]
                said = "" if silent else stated_text([s.text for s in answer.sentences], longest)
                found = match_gold(said, wanted, question.language)
                tallies |= {
                    "answer_em": Tally(float(found.exact), note=found.note),
                    "answer_em_fuzzy": Tally(float(found.recall >= 0.8)),
                    "answer_f1": Tally(found.f1),
                }
            if gold.supporting:
                shown = Cited((), (), ()) if silent else given
                tallies |= _citations(gold, documents, shown)
                if not silent:
                    used = [_using(one, question, documents) for one in answer.sentences]
                    shown = cited(used, gold.supporting, documents)
                tallies["citation_informedness"] = _informedness(question, gold, shown)
        else:
            tallies |= {
                "refusal_recall": Tally(float(wording)),
                "refusal_recall_strict": Tally(float(does.refuses), note=does.value),
                "hallucination_rate": Tally(float(does is Conduct.ANSWERS)),
                "citation_rate_unanswerable": Tally(float(bool(given.all))),
            }
        return tallies


def _citations(gold: Gold, documents: Documents, given: Cited) -> dict[str, Tally]:
    wanted, made = len(set(gold.supporting)), len(given.all)
    strict, fuzzy = len(given.gold), match_titles(given, gold, documents)
    tallies = {"citing_rate": Tally(float(made > 0))}
    for mode, right in (("strict", strict), ("fuzzy", fuzzy)):
        tallies[f"citation_precision_{mode}"] = Tally(right, made or 1)
        tallies[f"citation_recall_{mode}"] = Tally(right, wanted)
        tallies[f"citation_f1_{mode}"] = Tally(2 * right / (made + wanted))
    named = (("distractors", given.distractors), ("unknown", given.unknown))
    note = "; ".join(f"{kind}: {', '.join(ids)}" for kind, ids in named if ids)
    tallies["citation_precision_strict"] = Tally(strict, made or 1, note)
    if made:
        tallies["distractor_citation_rate"] = Tally(len(given.distractors), made)
        tallies["distractor_citation_rate_fuzzy"] = Tally(made - fuzzy, made)
        tallies["unknown_citation_rate"] = Tally(len(given.unknown), made)
    return tallies


def _using(sentence: Sentence, question: Question, documents: Documents) -> Sentence:
    """The sentence with the citations whose text it uses; titles are not compared."""
    if not states(sentence.text):
        return replace(sentence, citations=())
    request = question.request
    asked = read_sentence(f"{question.text} {request.problem_statement if request else ''}").stems
    said = read_sentence(sentence.text).stems - asked
    used = tuple(
        id
        for id in sentence.citations
        if id not in documents
        or (said - read_sentence(documents[id].title).stems) & read_text(documents[id].text).stems
    )
    return replace(sentence, citations=used)


def _informedness(question: Question, gold: Gold, given: Cited) -> Tally:
    """Informedness; it does not apply where the question lists no documents, or only gold ones."""
    wanted = set(gold.supporting)
    others = len(set(question.documents) - wanted)
    if not others:
        return NOT_APPLICABLE
    wrong = min(1.0, (len(given.distractors) + len(given.unknown)) / others)
    return Tally(max(0.0, len(given.gold) / len(wanted) - wrong))


def accepted(gold: Gold) -> Iterator[tuple[str, ...]]:
    """The strings that an answer should contain, each with its accepted spellings."""
    if gold.short_answers:
        for pair in gold.short_answers:
            if spellings := tuple(filter(str.strip, pair.answers)):
                yield spellings
    else:
        for leaf in leaves(gold.answer):
            if leaf.strip():
                yield (leaf,)


def count_as_luciole(
    rules: LucioleRules, gold: Gold, answer: Answer, documents: Documents
) -> dict[str, Tally]:
    """A row as Luciole's own code scores it; what it leaves out does not apply."""
    if gold.short_answers:
        text = next(iter(gold.short_answers[0].answers), "")
    else:
        text = "" if gold.answer is None else str(gold.answer)
    titles = [documents[id].title if id in documents else id for id in gold.supporting]
    from argue_bench.metrics.compat import luciole_head, luciole_v1

    if rules == "luciole-v1":
        row = luciole_v1.row_scores(answer.text, text, titles)
    else:
        row = luciole_head.head_row_scores(answer.text, text, titles, gold.answerable)
    tallies = dict.fromkeys([*_SCORES, "answered"], NOT_APPLICABLE)
    for name, value in row.items():
        tallies[name] = NOT_APPLICABLE if value is None else Tally(value)
    return tallies
