"""ARGUE: coverage of nuggets and support of sentences (Mayfield et al. 2024, section 4).

Auto-ARGUE (arXiv 2509.26184) is the published program; ``rules=auto-argue`` counts as it does. It is
the counting that is reproduced, not the verdicts of its model.

A judged report gives every number of Auto-ARGUE's README as tallies:

    nugget_coverage    nuggets credited / nuggets            (_weighted: vital 2, okay 1)
    sentence_support   sentences rewarded / sentences scored (see `tree`)
    citation_support   citations that attest their sentence / citations
    citation_relevance citations of relevant documents / citations
    f1                 2SC / (S + C) of sentence support and nugget coverage, 0 where both are 0

Over topics: the plain name is the mean of the topics' values (f1 too: not the F1 of the means),
``_micro`` the ratio of sums (``f1_micro`` the F1 of the two micro scores), a count its sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from argue_bench.metrics.argue.judging import (
    JudgedNugget,
    JudgedReport,
    Support,
    apply_verdicts,
    plan_judging,
)
from argue_bench.metrics.argue.tree import PRESETS, Preset, Rules, SentenceOutcome
from argue_bench.metrics.base import Bounds, Metric, TallySteps
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Answers,
    Confirms,
    Documents,
    Entails,
    FirstInstance,
    JudgeRequest,
    Miss,
    NeedsCitation,
    NegativeAssertion,
    Question,
    Relevant,
    Tally,
    Verdict,
)
from argue_bench.stats.averages import Average, Harmonic, Maximum, Median, Ratio, Total, macro

RATIOS: dict[str, tuple[str, str]] = {
    "citation_relevance": ("relevant_citations", "linked_citations"),
    "citation_support": ("supporting_citations", "judged_citations"),
    "sentence_support": ("rewarded_sentences", "scored_sentences"),
    "nugget_coverage": ("correct_nuggets", "nuggets"),
    "nugget_coverage_weighted": ("correct_nuggets_weighted", "nuggets_weighted"),
}
"""Score to the counts above and below its line."""

COUNTS = (
    "sentences",
    "sentences_with_citations_or_requiring_citations",
    "correctly_cited_sentences",
    "sentences_missing_citation",
    "first_instance_sentences_missing_citation",
    "negative_assertions",
    "confirmed_negative_assertions",
    "nuggets",
    "nuggets_weighted",
    "correct_nuggets",
    "correct_nuggets_weighted",
    "citations",
    "relevant_citations",
    "supporting_citations",
)

_LONGEST = 60


def _scores() -> dict[str, Average]:
    scores: dict[str, Average] = {"f1": macro("f1"), "f1_weighted": macro("f1_weighted")}
    scores |= {name: macro(name) for name in RATIOS}
    micro: dict[str, Average] = {name: Ratio(*counts) for name, counts in RATIOS.items()}
    support = micro["sentence_support"]
    micro["f1"] = Harmonic(support, micro["nugget_coverage"])
    micro["f1_weighted"] = Harmonic(support, micro["nugget_coverage_weighted"])
    scores |= {f"{name}_micro": average for name, average in micro.items()}
    scores |= {name: Total(name, "count", "", resampled=False) for name in COUNTS}
    scores["character_count_median"] = Median("character_count", "count", "")
    scores["character_count_max"] = Maximum("character_count", "count", "")
    return scores


SCORES = _scores()


@dataclass(frozen=True)
class Argue(Metric):
    """ARGUE: nugget coverage, sentence support, and their F1, under a preset of rules.

    ``support=joint`` judges whether all documents of a sentence together attest it, which ARGUE does
    not; ``judge`` names the judge.
    """

    rules: Preset = "default"
    support: Support = "each"
    judge: str = ""

    name: ClassVar[str] = "argue"
    summary: ClassVar[str] = "does the report cover the nuggets, each sentence attested?"
    paper: ClassVar[str] = "Mayfield et al. 2024; Auto-ARGUE, arXiv 2509.26184"
    scores: ClassVar[Mapping[str, Average]] = SCORES
    headline: ClassVar[tuple[str, ...]] = (
        "f1",
        "nugget_coverage",
        "sentence_support",
        "citation_support",
    )
    ranking: ClassVar[tuple[str, ...]] = ("f1", "f1_weighted")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (
        Entails,
        Answers,
        NeedsCitation,
        FirstInstance,
        NegativeAssertion,
        Confirms,
        Relevant,
    )

    @property
    def decided(self) -> Rules:
        """The rules that the preset names."""
        return PRESETS[self.rules]

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        if is_missing(answer) and self.decided.missing == "left-out":
            return not_counted()
        assert question.gold is not None  # noqa: S101  (the driver sees to it)
        plan = plan_judging(question, answer, documents, self.decided, self.support)
        verdicts: dict[JudgeRequest, Verdict] = {}
        if requests := list(dict.fromkeys(plan.first_round())):
            verdicts.update((yield requests))
        if requests := list(dict.fromkeys(plan.second_round(verdicts))):
            verdicts.update((yield requests))
        judged = apply_verdicts(plan, verdicts)
        third = dict.fromkeys(plan.third_round(judged))
        if requests := [request for request in third if request not in verdicts]:
            verdicts.update((yield requests))
            judged = apply_verdicts(plan, verdicts)
        return count(judged, self.decided)

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """At most one FirstInstance for each uncited sentence but the first of the report, one
        Confirms for each of them and nugget, one Answers for each sentence and
        wrong answer. None of them is certain."""
        plan = plan_judging(question, answer, documents, self.decided, self.support)
        uncited = [sentence for sentence in plan.sentences if not sentence.citations]
        every = range(len(plan.nuggets))
        texts = {sentence.text for sentence in uncited}
        together = self.decided.denials == "together" and plan.unanswerable
        denied = len(plan.nuggets if together else plan.unanswerable)
        bounds = {
            "FirstInstance": len({sentence.text for sentence in uncited if sentence.previous}),
            "Confirms": len(texts) * denied,
            "Answers": len({one for s in plan.sentences for _, one in plan.wrong(s, every)}),
        }
        return {kind: (0, most) for kind, most in bounds.items() if most}


def is_missing(answer: Answer) -> bool:
    """Whether the topic has no report at all."""
    return answer.empty and not answer.sentences


def count(report: JudgedReport, rules: Rules) -> dict[str, Tally]:
    """The tallies of one report."""
    counts = _counts(report, rules)
    tallies = {name: Tally(float(number)) for name, number in counts.items()}
    notes = _notes(report)
    for name, (above, below) in RATIOS.items():
        if counts[below]:
            tallies[name] = Tally(float(counts[above]), float(counts[below]), notes.get(name, ""))
        elif rules.nothing == "zero":
            tallies[name] = Tally(0.0, 1.0, "nothing to score: counted as 0")
        else:
            tallies[name] = Tally(0.0, 0.0, "nothing to score: left out")
    failed = tuple(
        Miss("sentence", str(number), sentence.text, _REASONS[sentence.outcome])
        for number, sentence in enumerate(report.sentences, 1)
        if sentence.outcome.scored(rules) and not sentence.outcome.rewarded
    )
    tallies["sentence_support"] = replace(tallies["sentence_support"], misses=failed)
    missed = tuple(_missed_nuggets(report, rules))
    tallies["nugget_coverage"] = replace(tallies["nugget_coverage"], misses=missed)
    if not report.linked and rules.unlinked == "left-out":
        tallies["citation_relevance"] = Tally(0.0, 0.0, "no nugget names a document")
    if any(citation.attested is None for s in report.sentences for citation in s.citations):
        tallies["citation_support"] = Tally(0.0, 0.0, "citations were judged together")
    for name in ("nugget_coverage", "nugget_coverage_weighted"):
        if not counts[RATIOS[name][1]]:  # a topic's fault, never the report's
            tallies[name] = NOT_APPLICABLE
    labels = {judged.nugget.weight is None for judged in report.nuggets}
    if len(labels) == 2:
        note = "some nuggets are labelled vital or okay and some are not"
        for name in ("nuggets_weighted", "correct_nuggets_weighted", "nugget_coverage_weighted"):
            tallies[name] = Tally(0.0, 0.0, note)
    for name in ("f1", "f1_weighted"):
        coverage = tallies[name.replace("f1", "nugget_coverage")]
        first, second = tallies["sentence_support"].value, coverage.value
        if first is None or second is None:
            tallies[name] = NOT_APPLICABLE
        else:
            both = first + second
            tallies[name] = Tally(2 * first * second / both if both else 0.0)
    return tallies


def not_counted() -> dict[str, Tally]:
    """The tallies of a topic that is left out."""
    names = ["character_count", "f1", "f1_weighted", *RATIOS, *COUNTS]
    names += [part for pair in RATIOS.values() for part in pair]
    return dict.fromkeys(names, NOT_APPLICABLE)


def _counts(report: JudgedReport, rules: Rules) -> dict[str, float]:
    """The numbers of sentences, citations and nuggets that tallies are made of."""
    counted = [
        judged
        for judged in report.nuggets
        if judged.nugget.answerable or rules.unanswerable == "counted"
    ]
    correct = [judged for judged in counted if judged.correct]
    outcomes = [sentence.outcome for sentence in report.sentences]
    cited = sum(outcome.cited for outcome in outcomes)
    new = outcomes.count(SentenceOutcome.UNCITED)
    citations = [citation for sentence in report.sentences for citation in sentence.citations]
    return {
        "sentences": len(outcomes),
        "character_count": sum(len(sentence.text) for sentence in report.sentences),
        "sentences_with_citations_or_requiring_citations": cited + new,
        "correctly_cited_sentences": outcomes.count(SentenceOutcome.SUPPORTED),
        "sentences_missing_citation": new + outcomes.count(SentenceOutcome.REPEATED),
        "first_instance_sentences_missing_citation": new,
        "negative_assertions": outcomes.count(SentenceOutcome.NEGATIVE_CONFIRMED)
        + outcomes.count(SentenceOutcome.NEGATIVE_UNCONFIRMED),
        "confirmed_negative_assertions": outcomes.count(SentenceOutcome.NEGATIVE_CONFIRMED),
        "rewarded_sentences": sum(
            outcome.rewarded and outcome.scored(rules) for outcome in outcomes
        ),
        "scored_sentences": sum(outcome.scored(rules) for outcome in outcomes),
        "citations": len(citations),
        "relevant_citations": sum(citation.relevant for citation in citations),
        "linked_citations": len(citations) if report.linked or rules.unlinked == "zero" else 0,
        "supporting_citations": sum(citation.attested is True for citation in citations),
        "judged_citations": sum(citation.attested is not None for citation in citations),
        "nuggets": len(counted),
        "nuggets_weighted": sum(_weight(judged, rules) for judged in counted),
        "correct_nuggets": len(correct),
        "correct_nuggets_weighted": sum(_weight(judged, rules) for judged in correct),
    }


def _weight(judged: JudgedNugget, rules: Rules) -> float:
    return {"vital": rules.vital, "okay": rules.okay, None: 1.0}[judged.nugget.weight]


def _notes(report: JudgedReport) -> dict[str, str]:
    """Notes for the reader, in the words of the report."""
    where = {
        outcome: [str(n) for n, s in enumerate(report.sentences, 1) if s.outcome is outcome]
        for outcome in (
            SentenceOutcome.UNSUPPORTED,
            SentenceOutcome.UNCITED,
            SentenceOutcome.NEGATIVE_UNCONFIRMED,
        )
    }
    support = [f"{outcome}: {', '.join(at)}" for outcome, at in where.items() if at]
    unknown = dict.fromkeys(
        citation.document
        for sentence in report.sentences
        for citation in sentence.citations
        if not citation.known
    )
    lost = f"not in the collection: {', '.join(map(_short, unknown))}" if unknown else ""
    missed = [_short(judged.nugget.question) for judged in report.nuggets if not judged.earned]
    cancelled = [
        _short(judged.nugget.question)
        for judged in report.nuggets
        if judged.earned and judged.cancelled_by
    ]
    coverage = [f"missed: {' | '.join(missed)}"] if missed else []
    coverage += [f"cancelled by a wrong answer: {' | '.join(cancelled)}"] if cancelled else []
    return {
        "sentence_support": "; ".join([*support, *([lost] if lost else [])]),
        "citation_support": lost,
        "nugget_coverage": "; ".join(coverage),
    }


_REASONS = {
    SentenceOutcome.UNSUPPORTED: "not supported by what it cites",
    SentenceOutcome.UNCITED: "needs a citation and has none",
    SentenceOutcome.NEGATIVE_UNCONFIRMED: "says that something is unknown, which no nugget confirms",
}


def _missed_nuggets(report: JudgedReport, rules: Rules) -> Iterator[Miss]:
    denied = {place for sentence in report.sentences for place in sentence.classified.confirmed}
    for place, judged in enumerate(report.nuggets):
        nugget = judged.nugget
        if judged.correct or not (nugget.answerable or rules.unanswerable == "counted"):
            continue
        reason = "no sentence answers it"
        if judged.cancelled_by and judged.earned:
            numbers = ", ".join(str(at + 1) for at in judged.cancelled_by)
            reason = f"a wrong answer is given in sentence {numbers}"
        elif judged.found:
            reason = f"{len(judged.found)} of {len(nugget.answers)} answers are given"
        elif not nugget.answerable:
            reason = (
                "the report denies more than it answers"
                if place in denied
                else "no sentence says that it cannot be answered"
            )
        yield Miss("nugget", nugget.id, nugget.question, reason)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
