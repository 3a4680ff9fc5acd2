"""Tallies of a judged report: every number of Auto-ARGUE's README, and the averages over topics.

    nugget_coverage    nuggets credited / nuggets            (_weighted: vital 2, okay 1)
    sentence_support   sentences rewarded / sentences scored (see `tree`)
    citation_support   citations that attest their sentence / citations
    citation_relevance citations of relevant documents / citations
    f1                 2SC / (S + C) of sentence support and nugget coverage, 0 where both are 0

Over topics: the plain name is the mean of the topics' values (f1 too: not the F1 of the means),
``_micro`` the ratio of sums (``f1_micro`` the F1 of the two micro scores), a count its sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from argue_bench.metrics.argue.judging import JudgedNugget, JudgedReport
from argue_bench.metrics.argue.rules import Rules
from argue_bench.metrics.argue.tree import SentenceOutcome
from argue_bench.records import NOT_APPLICABLE, Miss, Tally
from argue_bench.stats.averages import (
    Average,
    Harmonic,
    Maximum,
    Median,
    Ratio,
    Total,
    macro,
)

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


def count(report: JudgedReport, rules: Rules) -> dict[str, Tally]:
    """The tallies of one report."""
    counts = {**_sentences(report, rules), **_citations(report, rules), **_nuggets(report, rules)}
    tallies = {name: Tally(float(number)) for name, number in counts.items()}
    notes = _notes(report)
    for name, (above, below) in RATIOS.items():
        tallies[name] = _share(counts[above], counts[below], notes.get(name, ""), rules)
    for name, misses in (
        ("sentence_support", _failed_sentences(report, rules)),
        ("nugget_coverage", _missed_nuggets(report, rules)),
    ):
        tallies[name] = replace(tallies[name], misses=tuple(misses))
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
        tallies[name] = _harmonic(tallies["sentence_support"], coverage)
    return tallies


def not_counted() -> dict[str, Tally]:
    """Tallies of a topic that is left out."""
    names = ["character_count", "f1", "f1_weighted", *RATIOS, *COUNTS]
    names += [part for pair in RATIOS.values() for part in pair]
    return dict.fromkeys(names, NOT_APPLICABLE)


def _sentences(report: JudgedReport, rules: Rules) -> dict[str, float]:
    outcomes = [sentence.outcome for sentence in report.sentences]
    cited = sum(outcome.cited for outcome in outcomes)
    new = outcomes.count(SentenceOutcome.UNCITED)
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
    }


def _citations(report: JudgedReport, rules: Rules) -> dict[str, float]:
    citations = [citation for sentence in report.sentences for citation in sentence.citations]
    judged = sum(citation.attested is not None for citation in citations)
    return {
        "citations": len(citations),
        "relevant_citations": sum(citation.relevant for citation in citations),
        "linked_citations": len(citations) if report.linked or rules.unlinked == "zero" else 0,
        "supporting_citations": sum(citation.attested is True for citation in citations),
        "judged_citations": judged,
    }


def _nuggets(report: JudgedReport, rules: Rules) -> dict[str, float]:
    counted = [
        judged
        for judged in report.nuggets
        if judged.nugget.answerable or rules.unanswerable == "counted"
    ]
    correct = [judged for judged in counted if judged.correct]
    return {
        "nuggets": len(counted),
        "nuggets_weighted": sum(_weight(judged, rules) for judged in counted),
        "correct_nuggets": len(correct),
        "correct_nuggets_weighted": sum(_weight(judged, rules) for judged in correct),
    }


def _weight(judged: JudgedNugget, rules: Rules) -> float:
    return {"vital": rules.vital, "okay": rules.okay, None: 1.0}[judged.nugget.weight]


def _share(got: float, of: float, note: str, rules: Rules) -> Tally:
    if of:
        return Tally(float(got), float(of), note)
    if rules.nothing == "zero":
        return Tally(0.0, 1.0, "nothing to score: counted as 0")
    return Tally(0.0, 0.0, "nothing to score: left out")


def _harmonic(support: Tally, coverage: Tally) -> Tally:
    first, second = support.value, coverage.value
    if first is None or second is None:
        return NOT_APPLICABLE
    both = first + second
    return Tally(2 * first * second / both if both else 0.0)


def _notes(report: JudgedReport) -> dict[str, str]:
    """What a reader should look at, in the words of the report."""
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


def _failed_sentences(report: JudgedReport, rules: Rules) -> Iterator[Miss]:
    for number, sentence in enumerate(report.sentences, 1):
        if sentence.outcome.scored(rules) and not sentence.outcome.rewarded:
            yield Miss("sentence", str(number), sentence.text, _REASONS[sentence.outcome])


def _missed_nuggets(report: JudgedReport, rules: Rules) -> Iterator[Miss]:
    for judged in report.nuggets:
        nugget = judged.nugget
        if judged.correct or not (nugget.answerable or rules.unanswerable == "counted"):
            continue
        reason = "no sentence answers it"
        if judged.cancelled_by and judged.earned:
            numbers = ", ".join(str(place + 1) for place in judged.cancelled_by)
            reason = f"a wrong answer is given in sentence {numbers}"
        elif judged.found:
            reason = f"{len(judged.found)} of {len(nugget.answers)} answers are given"
        elif not nugget.answerable:
            reason = "no sentence says that it cannot be answered"
        yield Miss("nugget", nugget.id, nugget.question, reason)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
