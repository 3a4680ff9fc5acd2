"""Grounding: gold documents cited, distractors left alone, unanswerable questions refused.

After Luciole's grounded question answering (OpenLLM-France), under its score names, with its
weaknesses mended; its two versions, ``rules=luciole-v1`` and ``rules=luciole-head``, are in
`argue_bench/published/luciole`.

Answerable questions
    answer_em         every gold string is in the answer, as typed tokens, in any accepted spelling
    answer_f1         F1 of words shared with the gold (the best spelling), so length counts
    citation_precision_strict, citation_recall_strict, citation_f1_strict
                      gold documents cited / documents cited; / gold documents; their F1. Citing
                      nothing is 0, not left out
    citation_informedness
                      share of the gold documents that is cited, less the share of the distractors
                      (Youden 1950): 0 for citing all, or nothing, or by chance
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
    balanced_f1           harmonic mean of refusal_recall_strict less false_refusal_rate_strict (Youden's J: what is refused
                          by chance counts nothing) and answer_f1: 0 for who always refuses, never does, or says nothing of the gold
    balanced_accuracy     mean of refusal_recall_strict and of answering what is answerable, whatever the answer
    hedged_rate, empty_rate, citing_rate
A pure refusal earns no points for its answer or its citations. Refusals are read in English and French;
of an answer in another language the scores that rest on them do not apply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.base import Metric, Tallies
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    Gold,
    Question,
    Sentence,
    Tally,
)
from argue_bench.records.question import leaves
from argue_bench.stats.averages import (
    Average,
    Harmonic,
    Mean,
    Youden,
    lower_is_better,
    macro,
    micro,
)
from argue_bench.text.language import language_of
from argue_bench.text.refusals import LANGUAGES, Conduct, conduct, refuses_in_words
from argue_bench.text.statements import asks, claim_sentences, states_nothing, unlabelled
from argue_bench.text.typed import typed_text, unescaped

_FAULTS = (
    "distractor_citation_rate",
    "unknown_citation_rate",
    "false_refusal_rate",
    "false_refusal_rate_strict",
    "hallucination_rate",
    "citation_rate_unanswerable",
    "hedged_rate",
    "empty_rate",
)
_OF_REFUSALS = (
    "hedged_rate",
    "refusal_precision",
    "false_refusal_rate",
    "false_refusal_rate_strict",
    "answered",
    "refusal_recall",
    "refusal_recall_strict",
    "hallucination_rate",
)
SCORES: dict[str, Average] = {
    **{
        name: macro(name)
        for name in (
            "answer_em",
            "answer_f1",
            "citation_precision_strict",
            "citation_recall_strict",
            "citation_f1_strict",
            "citation_informedness",
        )
    },
    "citation_precision_micro": micro("citation_precision_strict"),
    "citation_recall_micro": micro("citation_recall_strict"),
    "citing_rate": macro("citing_rate"),
    "refusal_recall": macro("refusal_recall"),
    "refusal_recall_strict": macro("refusal_recall_strict"),
    "refusal_precision": micro("refusal_precision"),
    "balanced_f1": Harmonic(
        Youden(macro("refusal_recall_strict"), macro("false_refusal_rate_strict")),
        macro("answer_f1"),
    ),
    "balanced_accuracy": Mean(macro("refusal_recall_strict"), macro("answered")),
    **{name: lower_is_better(macro(name)) for name in _FAULTS},
}


@dataclass(frozen=True)
class Cited:
    """The distinct citations of an answer, sorted by what they name."""

    # Ids of supporting documents.
    gold: tuple[str, ...]
    # Ids of documents that were given and do not support the answer.
    distractors: tuple[str, ...]
    # Words of marks that name no document.
    unknown: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.gold, *self.distractors, *self.unknown)


def cited(sentences: Sequence[Sentence], supporting: Sequence[str], documents: Documents) -> Cited:
    """The ids that the sentences cite, each once."""
    ids = dict.fromkeys(id for sentence in sentences for id in sentence.citations)
    wanted = set(supporting)
    return Cited(
        tuple(id for id in ids if id in wanted),
        tuple(id for id in ids if id not in wanted and id in documents),
        tuple(id for id in ids if id not in wanted and id not in documents),
    )


def match_gold(
    text: str, wanted: Sequence[tuple[str, ...]], language: str = "en"
) -> tuple[float, list[str]]:
    """F1 of the words that a text shares with strings to be found, and those strings that it lacks.

    Each string may be there in any of its spellings, which are in ``language``.

    >>> match_gold("It fell in 1985.", [("5",)])
    (0.0, ['5'])
    """
    given = typed_text(text, language_of(text, language))
    words = Counter(given.words)
    missing = []
    overlap = total = 0
    for spellings in wanted:
        forms = [typed_text(spelling, language) for spelling in spellings]
        if not any(given.holds(form) for form in forms if not form.empty):
            missing.append(spellings[0])
        # The spelling that shares most words with the text; of several, the shortest.
        counts = [Counter(form.words) for form in forms]
        shared, size = max(((words & one).total(), -one.total()) for one in counts)
        overlap += shared
        total -= size
    length = words.total()
    # Gold strings may share words, so the same word may be found twice: at most the answer counts.
    return 2 * min(overlap, length) / (length + total) if length + total else 0.0, missing


@dataclass(frozen=True)
class Grounding(Metric):
    """Answers, citations and refusals against gold, without a model."""

    name: ClassVar[str] = "grounding"
    needs: ClassVar[str] = "supporting documents or answers in its gold"
    summary: ClassVar[str] = "is gold cited, are distractors left, and is the unanswerable refused?"
    paper: ClassVar[str] = "Luciole RAG benchmark (OpenLLM-France)"
    scores: ClassVar[Mapping[str, Average]] = SCORES
    headline: ClassVar[tuple[str, ...]] = (
        "answer_em",
        "citation_f1_strict",
        "distractor_citation_rate",
        "refusal_recall_strict",
        "balanced_f1",
    )
    ranking: ClassVar[tuple[str, ...]] = ("balanced_f1",)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        gold = question.gold
        assert gold is not None  # noqa: S101  (the driver refuses sealed questions)
        language = language_of(question.text, question.language)
        # A heading or a label may refuse, too.
        plain = [one.plain for one in answer.sentences]
        plain += filter(refuses_in_words, (aside.plain for aside in answer.asides))
        does = conduct(plain, question.text)
        wording = any(map(refuses_in_words, plain))
        given = cited(answer.sentences, gold.supporting, documents)
        tallies = dict.fromkeys([*SCORES, "answered"], NOT_APPLICABLE)
        tallies |= {
            "hedged_rate": Tally(float(does is Conduct.HEDGES)),
            "empty_rate": Tally(float(does is Conduct.EMPTY)),
        }
        # Over the set this is right refusals / refusals: an answer without one adds nothing.
        if wording:
            tallies["refusal_precision"] = Tally(float(not gold.answerable))
        if gold.answerable:
            # A pure refusal claims nothing, so nothing is credited to it.
            silent = does in (Conduct.REFUSES, Conduct.EMPTY)
            tallies |= {
                "false_refusal_rate": Tally(float(wording)),
                "false_refusal_rate_strict": Tally(float(does.refuses)),
                "answered": Tally(float(not silent)),
            }
            if wanted := list(accepted(gold)):
                said = "" if silent else answer.plain
                missing = match_gold(said, wanted, language)[1]
                f1, _ = match_gold(said and _stated(question, answer), wanted, language)
                note = f"missing: {', '.join(missing)}" if missing else ""
                tallies |= {
                    "answer_em": Tally(float(not missing), note=note),
                    "answer_f1": Tally(f1),
                }
            if gold.supporting:
                shown = Cited((), (), ()) if silent else given
                tallies |= _citations(gold, shown)
                tallies["citation_informedness"] = _informedness(question, gold, shown)
        else:
            tallies |= {
                "refusal_recall": Tally(float(wording)),
                "refusal_recall_strict": Tally(float(does.refuses), note=does.value),
                "hallucination_rate": Tally(float(does is Conduct.ANSWERS)),
                "citation_rate_unanswerable": Tally(float(bool(given.all))),
            }
        # By the question's language alone: whoever answers in another one would choose what counts.
        if language not in LANGUAGES:
            tallies |= dict.fromkeys(_OF_REFUSALS, NOT_APPLICABLE)
        return tallies

    def facts(self) -> Mapping[str, str]:
        # 4: what states nothing is no word of an answer.
        return {"rules": "7"}


def _stated(question: Question, answer: Answer) -> str:
    """The words of an answer without courtesies, announcements and headings that name a part of it or ask; all where nothing else
    is said. A name over what is said of it is a word of both."""
    words = [
        unlabelled(said.plain)
        for one in claim_sentences(answer.sentences, question.text)
        for said in answer.sentences[one.begins - 1 : one.number]
    ]
    heads = (one.plain for one in answer.asides if one.kind == "heading" and one.plain)
    named = [one for one in heads if not (asks(one) or states_nothing(f"# {one}", question.text))]
    return unescaped(" ".join([*words, *named] if words else [answer.plain]))


def _citations(gold: Gold, given: Cited) -> dict[str, Tally]:
    wanted, made, right = len(set(gold.supporting)), len(given.all), len(given.gold)
    named = (("distractors", given.distractors), ("unknown", given.unknown))
    note = "; ".join(f"{kind}: {', '.join(ids)}" for kind, ids in named if ids)
    tallies = {
        "citing_rate": Tally(float(made > 0)),
        # Citing nothing is 0 of 1 and not left out: answering less must not raise a score.
        "citation_precision_strict": Tally(right, made or 1, note),
        "citation_recall_strict": Tally(right, wanted),
        "citation_f1_strict": Tally(2 * right / (made + wanted)),
    }
    if made:
        tallies["distractor_citation_rate"] = Tally(len(given.distractors), made)
        tallies["unknown_citation_rate"] = Tally(len(given.unknown), made)
    return tallies


def _informedness(question: Question, gold: Gold, given: Cited) -> Tally:
    """Informedness; it does not apply where the question lists no documents, or only gold ones."""
    wanted = set(gold.supporting)
    # The distractors that were there to be cited.
    others = len(set(question.documents) - wanted)
    if not others:
        return NOT_APPLICABLE
    # An invented citation counts as a distractor: it was as little asked for.
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
