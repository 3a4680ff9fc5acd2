"""Which sentences and nuggets of a judged report are listed as missed, and why."""

from __future__ import annotations

from argue_bench.metrics.argue.argue import count_report
from argue_bench.metrics.argue.judging import (
    PRESETS,
    Classified,
    JudgedNugget,
    JudgedReport,
    JudgedSentence,
    SentenceOutcome,
    SentenceVerdicts,
)
from argue_bench.records import Nugget, NuggetAnswer

ANSWERS = (NuggetAnswer("one", ("d1",)), NuggetAnswer("two", ("d1",)))


def sentence(outcome: SentenceOutcome) -> JudgedSentence:
    cited = outcome in (SentenceOutcome.SUPPORTED, SentenceOutcome.UNSUPPORTED)
    return JudgedSentence(f"{outcome}.", (), SentenceVerdicts(cited), Classified(outcome))


def nugget(id: str, combine: str = "any", answers: tuple[NuggetAnswer, ...] = ANSWERS) -> Nugget:
    return Nugget(id, f"{id}?", answers, combine=combine)  # type: ignore[arg-type]


def misses(report: JudgedReport, column: str, preset: str = "default") -> list[tuple[str, str]]:
    tally = count_report(report, PRESETS[preset])[column]  # type: ignore[index]
    assert tally.denominator - tally.numerator == len(tally.misses)
    return [(miss.id, miss.reason) for miss in tally.misses]


def test_sentences_that_cost_support_are_listed() -> None:
    report = JudgedReport(tuple(map(sentence, SentenceOutcome)), ())
    assert misses(report, "sentence_support") == [
        ("2", "not supported by what it cites"),
        ("3", "needs a citation and has none"),
        ("7", "says that something is unknown, which no nugget confirms"),
    ]
    assert misses(report, "sentence_support", "auto-argue-paper") == [
        ("2", "not supported by what it cites")
    ]


def test_nuggets_that_are_not_credited_are_listed() -> None:
    report = JudgedReport(
        (sentence(SentenceOutcome.SUPPORTED),),
        (
            JudgedNugget(nugget("earned"), {0: (0,)}),
            JudgedNugget(nugget("missed"), {}),
            JudgedNugget(nugget("half", "all"), {1: (0,)}),
            JudgedNugget(nugget("cancelled"), {0: (0,)}, cancelled_by=(2, 4)),
            JudgedNugget(nugget("unanswerable", answers=()), {}),
            JudgedNugget(nugget("confirmed", answers=()), {}, confirmed_by=(0,)),
        ),
    )
    expected = [
        ("missed", "no sentence answers it"),
        ("half", "1 of 2 answers are given"),
        ("cancelled", "a wrong answer is given in sentence 3, 5"),
    ]
    unanswerable = ("unanswerable", "no sentence says that it cannot be answered")
    assert misses(report, "nugget_coverage") == [*expected, unanswerable]
