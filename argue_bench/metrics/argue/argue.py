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
    PRESETS,
    JudgedReport,
    Preset,
    Rules,
    SentenceOutcome,
    ask_of_sentences,
    judge_steps,
)
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
    Sentence,
    Tally,
)
from argue_bench.records.display import escape
from argue_bench.stats.averages import Average, Harmonic, Maximum, Median, Ratio, Total, macro

# Score to the counts above and below its line.
RATIOS: dict[str, tuple[str, str]] = {
    "citation_relevance": ("relevant_citations", "linked_citations"),
    "citation_support": ("supporting_citations", "citations"),
    "sentence_support": ("rewarded_sentences", "scored_sentences"),
    "nugget_coverage": ("correct_nuggets", "nuggets"),
    "nugget_coverage_weighted": ("correct_nuggets_weighted", "nuggets_weighted"),
}

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


def _scores() -> dict[str, Average]:
    scores: dict[str, Average] = {"f1": macro("f1"), "f1_weighted": macro("f1_weighted")}
    scores |= {name: macro(name) for name in RATIOS}
    micro: dict[str, Average] = {name: Ratio(*counts) for name, counts in RATIOS.items()}
    support = micro["sentence_support"]
    micro["f1"] = Harmonic(support, micro["nugget_coverage"])
    micro["f1_weighted"] = Harmonic(support, micro["nugget_coverage_weighted"])
    # A ratio of sums over topics, where the plain name is the mean of ratios.
    scores |= {f"{name}_micro": average for name, average in micro.items()}
    scores |= {name: Total(name, unit="count", better="", resampled=False) for name in COUNTS}
    scores["character_count_median"] = Median("character_count", unit="count", better="")
    scores["character_count_max"] = Maximum("character_count", unit="count", better="")
    return scores


SCORES = _scores()


@dataclass(frozen=True)
class Argue(Metric):
    """ARGUE: nugget coverage, sentence support, and their F1, under a preset of rules.

    ``judge`` names the judge.
    """

    rules: Preset = "default"  # type: ignore[misc]  # an option here alone
    judge: str = ""

    name: ClassVar[str] = "argue"
    needs: ClassVar[str] = "nuggets: argue-bench data nuggets drafts them"
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
    def ranked_by(self) -> tuple[str, ...]:
        # A system would choose its topics by what it reports on.
        return () if self.decided.missing == "left-out" else super().ranked_by

    @property
    def decided(self) -> Rules:
        """The rules that the preset names."""
        return PRESETS[self.rules]

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        if answer.empty and not answer.sentences and self.decided.missing == "left-out":
            return not_counted()
        assert question.gold is not None  # noqa: S101  (the driver sees to it)
        judged = yield from judge_steps(question, answer, documents, self.decided)
        return count_report(judged, self.decided)

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """At most one FirstInstance for each uncited sentence but the first of the report, one
        Confirms for each of them and nugget without answers, one Answers for each sentence and
        wrong answer. None of them is certain."""
        asked = ask_of_sentences(question, answer, documents, self.decided)
        uncited = [one for one in asked if not one.citations]
        bounds = {
            "FirstInstance": len({one.text for one in uncited if one.first}),
            "Confirms": len({request for one in uncited for request in one.confirms.values()}),
            "Answers": len({request for one in asked for request in one.wrong.values()}),
        }
        return {kind: (0, most) for kind, most in bounds.items() if most}


def count_report(report: JudgedReport, rules: Rules) -> dict[str, Tally]:
    """The tallies of one report: counts, the shares of `RATIOS`, and F1."""
    counts = _counts(report, rules)
    tallies = {name: Tally(float(number)) for name, number in counts.items()}
    for name, (above, below) in RATIOS.items():
        # A report that says or cites nothing has no support, as in Auto-ARGUE.
        share = Tally(float(counts[above]), float(counts[below]))
        tallies[name] = share if share.applies else Tally(0.0, 1.0, "nothing to score")
    unknown = _unknown_documents(report)
    for name, misses in (
        ("sentence_support", _failed_sentences(report, rules)),
        ("nugget_coverage", _missed_nuggets(report)),
        ("citation_support", ()),
    ):
        note = unknown if name != "nugget_coverage" else ""
        tallies[name] = replace(
            tallies[name], note=note or tallies[name].note, misses=tuple(misses)
        )
    if not report.linked and rules.unlinked == "left-out":
        tallies["citation_relevance"] = Tally(0.0, 0.0, "no nugget names a document")
    for name in ("nugget_coverage", "nugget_coverage_weighted"):
        if not counts[RATIOS[name][1]]:  # a topic's fault, never the report's
            tallies[name] = NOT_APPLICABLE
    # Auto-ARGUE leaves mixed labels undefined; a guess of the others would be a score of ours.
    if len({judged.nugget.weight is None for judged in report.nuggets}) == 2:
        note = "some nuggets are labelled vital or okay and some are not"
        for name in ("nuggets_weighted", "correct_nuggets_weighted", "nugget_coverage_weighted"):
            tallies[name] = Tally(0.0, 0.0, note)
    for name in ("f1", "f1_weighted"):
        coverage = tallies[name.replace("f1", "nugget_coverage")]
        first, second = tallies["sentence_support"].value, coverage.value
        tallies[name] = (
            NOT_APPLICABLE
            if first is None or second is None
            # 0 where both are 0, as Auto-ARGUE has it.
            else Tally(2 * first * second / ((first + second) or 1.0))
        )
    return tallies


def not_counted() -> dict[str, Tally]:
    """The tallies of a topic that is left out."""
    names = ["character_count", "f1", "f1_weighted", *RATIOS, *COUNTS]
    # Every column that `count_report` gives, so that sums over topics find the same ones.
    names += [part for pair in RATIOS.values() for part in pair]
    return dict.fromkeys(names, NOT_APPLICABLE)


def _counts(report: JudgedReport, rules: Rules) -> dict[str, float]:
    """The numbers of sentences, citations and nuggets that tallies are made of."""
    correct = [judged for judged in report.nuggets if judged.correct]
    weights = {"vital": rules.vital, "okay": rules.okay, None: 1.0}
    outcomes = [sentence.outcome for sentence in report.sentences]
    # The names are Auto-ARGUE's, and so are their meanings (`judging` says which sentence is which).
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
        "supporting_citations": sum(citation.attested for citation in citations),
        "nuggets": len(report.nuggets),
        "nuggets_weighted": sum(weights[one.nugget.weight] for one in report.nuggets),
        "correct_nuggets": len(correct),
        "correct_nuggets_weighted": sum(weights[one.nugget.weight] for one in correct),
    }


def _unknown_documents(report: JudgedReport) -> str:
    """A note that names the documents that are cited and not in the collection."""
    unknown = dict.fromkeys(
        citation.document
        for sentence in report.sentences
        for citation in sentence.citations
        if not citation.known
    )
    # Bounded, so that a note stays one line.
    return (
        f"not in the collection: {', '.join(escape(one, 60) for one in unknown)}" if unknown else ""
    )


_REASONS = {
    SentenceOutcome.UNSUPPORTED: "not supported by what it cites",
    SentenceOutcome.UNCITED: "needs a citation and has none",
    SentenceOutcome.NEGATIVE_UNCONFIRMED: "says that something is unknown, which no nugget confirms",
}


def _failed_sentences(report: JudgedReport, rules: Rules) -> Iterator[Miss]:
    for number, sentence in enumerate(report.sentences, 1):
        if sentence.outcome.scored(rules) and not sentence.outcome.rewarded:
            yield Miss.of(
                number, sentence.sentence or Sentence(sentence.text), _REASONS[sentence.outcome]
            )


def _missed_nuggets(report: JudgedReport) -> Iterator[Miss]:
    for judged in report.nuggets:
        nugget = judged.nugget
        if judged.correct:
            continue
        # The nearest reason first: what was earned and lost, in part, never there.
        reason = "no sentence answers it"
        if judged.cancelled_by and judged.earned:
            numbers = ", ".join(str(at + 1) for at in judged.cancelled_by)
            reason = f"a wrong answer is given in sentence {numbers}"
        elif judged.found:
            reason = f"{len(judged.found)} of {len(nugget.answers)} answers are given"
        elif not nugget.answerable:
            reason = "no sentence says that it cannot be answered"
        yield Miss("nugget", nugget.id, nugget.question, reason)
