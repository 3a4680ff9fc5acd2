"""ARGUE's numbers on a report that takes every branch; all expected numbers were worked by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from argue_bench.eval.driver import Case, estimate_requests
from argue_bench.eval.report import score_all
from argue_bench.metrics import parse
from argue_bench.metrics.argue.argue import Argue
from argue_bench.metrics.argue.judging import PRESETS, ask_of_sentences
from argue_bench.records import (
    Answer,
    Answers,
    Confirms,
    Entails,
    NegativeAssertion,
    Nugget,
    NuggetAnswer,
    Relevant,
    Sentence,
    Tally,
)
from tests.metrics.argue import wall
from tests.metrics.argue.wall import (
    DESIGN,
    DOCUMENTS,
    LONG,
    S1,
    S2,
    S3,
    S4,
    S6,
    S7,
    S9,
    WHEN,
    WHO,
)


def tallies(
    metric: str, sentences: Sequence[Sentence] = wall.REPORT, **given: Any
) -> dict[str, Tally]:
    found = asyncio.run(wall.counted(metric, sentences, **given)).tallies
    assert found is not None
    return dict(found)


def values(metric: str, *args: Any, **given: Any) -> dict[str, float | None]:
    return {name: tally.value for name, tally in tallies(metric, *args, **given).items()}


def test_the_whole_report_by_our_rules() -> None:
    """Rewarded: S1, S3, S4, S9 (attested) and S5 (confirms n3), so 5. Scored: these, S2 (cited, not
    attested by d2) and S7 (uncited, needs one, new), so 7; S6 and S8 are ignored.

    Nuggets: n1 by S1. n2 wants city and state, but city stands only in unsupported S2. n3 by S5. n4
    by S4, cancelled by S9's 10 km. So 2 of 4; with vital 2 and okay 1, 2 + 1 of 2 + 1 + 1 + 2.
    """
    found = values("argue")
    assert found["sentences"] == 9
    assert found["character_count"] == sum(len(s.text) for s in wall.REPORT)
    assert found["sentences_with_citations_or_requiring_citations"] == 6  # S1-S4, S9; S7
    assert found["correctly_cited_sentences"] == 4
    assert found["sentences_missing_citation"] == 2  # S7, S8
    assert found["first_instance_sentences_missing_citation"] == 1  # S7
    assert found["negative_assertions"] == found["confirmed_negative_assertions"] == 1
    assert found["sentence_support"] == 5 / 7
    assert (found["nuggets"], found["correct_nuggets"]) == (4, 2)
    assert (found["nuggets_weighted"], found["correct_nuggets_weighted"]) == (6, 3)
    assert found["nugget_coverage"] == found["nugget_coverage_weighted"] == 1 / 2
    # citations: d1 | d1 d2 | d2 | d3 | d4; d2 fails S2; d4 is in no nugget
    assert (found["citations"], found["supporting_citations"]) == (6, 5)
    assert (found["citation_support"], found["citation_relevance"]) == (5 / 6, 5 / 6)
    # 2 * 5/7 * 1/2 / (5/7 + 1/2) = (5/7) / (17/14)
    assert found["f1"] == pytest.approx(10 / 17, abs=1e-15)


def test_the_whole_report_by_auto_argue() -> None:
    """No negative assertions: S5 needs a citation and is new, so it is penalised: 4 of 7. Unsupported
    S2 earns city, so n2 is whole; 10 km is ignored; n3 can't be earned and stays below the line."""
    found = values("argue(rules=auto-argue)")
    assert found["sentence_support"] == 4 / 7
    assert found["sentences_with_citations_or_requiring_citations"] == 7
    assert found["nugget_coverage"] == 3 / 4
    assert found["nugget_coverage_weighted"] == 5 / 6  # 2 + 1 + 2 of 6
    # 2 * 4/7 * 3/4 / (4/7 + 3/4) = (6/7) / (37/28)
    assert found["f1"] == pytest.approx(24 / 37, abs=1e-15)


def test_the_paper_divides_by_cited_sentences_and_halves_the_weights() -> None:
    found = values("argue(rules=auto-argue-paper)")
    assert found["sentence_support"] == 4 / 5
    assert (found["nuggets_weighted"], found["correct_nuggets_weighted"]) == (3, 2.5)
    assert found["nugget_coverage_weighted"] == 5 / 6


def test_the_tree_of_2024() -> None:
    """As ours, but answers are looked up and wrong ones are ignored: n1, n3 and n4."""
    found = values("argue(rules=argue-2024)")
    assert (found["sentence_support"], found["nugget_coverage"]) == (5 / 7, 3 / 4)


def test_and_is_united_over_sentences_without_partial_credit() -> None:
    city = Sentence("The city paid.", ("d1",))
    assert values("argue", [city, S3], nuggets=[WHO])["nugget_coverage"] == 1
    assert values("argue", [S3], nuggets=[WHO])["nugget_coverage"] == 0
    assert values("argue", [city, city], nuggets=[WHO])["nugget_coverage"] == 0


def test_look_up_never_tries_an_answer_whose_documents_are_not_cited() -> None:
    elsewhere = Sentence(S1.text, ("d4",))
    yes = {**wall.YES, Entails: {(S1.text, "d4")}}
    judge = wall.Knowing(yes)
    found = values("argue(rules=auto-argue)", [elsewhere], nuggets=[WHEN], judge=judge)
    assert (found["nugget_coverage"], found["citation_relevance"]) == (0, 0)
    assert judge.of(Answers) == set()
    assert (
        values("argue", [elsewhere], nuggets=[WHEN], judge=wall.Knowing(yes))["nugget_coverage"]
        == 1
    )


def test_a_document_that_is_not_there_attests_nothing_and_is_not_asked_about() -> None:
    lost = Sentence(S1.text, ("d1", "nowhere"))
    judge = wall.Knowing()
    found = tallies("argue", [lost, S3], judge=judge)
    assert found["sentence_support"].value == 1 / 2
    assert (found["citations"].numerator, found["supporting_citations"].numerator) == (3, 2)
    assert "nowhere" in found["sentence_support"].note
    assert judge.of(Entails) == {(S1.text, "d1"), (S3.text, "d2")}
    assert all(sentence != lost.text for sentence, *_ in judge.of(Answers))


def test_every_citation_counts_but_repeats_within_a_sentence_do_not() -> None:
    twice = Sentence(S1.text, ("d1", "d1"))
    assert values("argue", [twice, S2])["citations"] == 3


def test_labels_of_assessors_come_before_the_look_up() -> None:
    found = values("argue", relevance={"d4": 2, "d1": 0})
    assert found["relevant_citations"] == 4  # d1 twice no; d2 twice, d3 by look-up; d4 by label
    judge = wall.Knowing()
    found = values("argue(rules=auto-argue-all)", relevance={"d1": 0}, judge=judge)
    assert {document for document, *_ in judge.of(Relevant)} == {"d2", "d3", "d4"}
    assert found["relevant_citations"] == 1  # d4, as the judge says


def test_relevance_does_not_apply_where_no_nugget_names_a_document() -> None:
    bare = Nugget("n", "When?", (NuggetAnswer("1931"),))
    assert not tallies("argue", nuggets=[bare])["citation_relevance"].applies
    assert tallies("argue(rules=auto-argue)", nuggets=[bare])["citation_relevance"].value == 0
    assert tallies("argue", nuggets=[bare])["nugget_coverage"].value == 1
    ours, theirs = (tallies(m, nuggets=[bare]) for m in ("argue", "argue(rules=auto-argue)"))
    assert (ours["linked_citations"].numerator, theirs["linked_citations"].numerator) == (0, 6)


def test_negative_assertions_are_judged_only_where_a_nugget_has_no_answer() -> None:
    judge = wall.Knowing()
    found = values("argue", nuggets=[WHEN, LONG], judge=judge)
    assert judge.of(NegativeAssertion) == judge.of(Confirms) == set()
    assert found["sentence_support"] == 4 / 7  # S5 needs a citation and has none
    unconfirmed = wall.Knowing({**wall.YES, Confirms: set()})
    found = values("argue", judge=unconfirmed)
    assert (found["sentence_support"], found["nugget_coverage"]) == (4 / 7, 1 / 4)
    assert (found["negative_assertions"], found["confirmed_negative_assertions"]) == (1, 0)


@pytest.mark.parametrize("wrong", [S9, Sentence(S9.text), Sentence(S9.text, ("nowhere",))])
def test_a_wrong_answer_cancels_wherever_it_is_asserted(wrong: Sentence) -> None:
    assert values("argue", [S4], nuggets=[LONG])["nugget_coverage"] == 1
    found = tallies("argue", [S4, wrong], nuggets=[LONG])
    assert found["nugget_coverage"].value == 0
    assert [miss.text for miss in found["nugget_coverage"].misses] == ["How long?"]


def test_wrong_answers_are_asked_about_only_where_there_is_credit_to_cancel() -> None:
    judge = wall.Knowing()
    values("argue", [S1, S9], nuggets=[WHEN, LONG], judge=judge)
    assert not any(answer == "10 km" for *_, answer in judge.of(Answers))


def test_weights_are_one_where_none_is_labelled_and_do_not_apply_where_some_are() -> None:
    bare = [replace(nugget, weight=None) for nugget in wall.NUGGETS]
    found = values("argue", nuggets=bare)
    assert (found["nuggets_weighted"], found["correct_nuggets_weighted"]) == (4, 2)
    assert found["f1"] == found["f1_weighted"]
    mixed = tallies("argue", nuggets=[*bare[:2], *wall.NUGGETS[2:]])
    assert mixed["nugget_coverage"].applies
    assert not mixed["nugget_coverage_weighted"].applies
    assert not mixed["f1_weighted"].applies


def test_a_report_with_nothing_to_score_counts_as_zero() -> None:
    found = tallies("argue", [S6])
    for name in ("sentence_support", "citation_support", "citation_relevance", "f1"):
        assert (found[name].numerator, found[name].denominator) == (0, 1), name
    assert (found["scored_sentences"].numerator, found["citations"].numerator) == (0, 0)


def test_a_topic_without_a_report() -> None:
    empty = tallies("argue", [])
    assert (empty["f1"].value, empty["nuggets"].value, empty["sentences"].value) == (0, 4, 0)
    assert not any(tally.applies for tally in tallies("argue(rules=auto-argue)", []).values())


def test_a_topic_without_nuggets_has_support_and_no_coverage() -> None:
    found = tallies("argue", nuggets=[])
    assert found["sentence_support"].applies
    assert not found["nugget_coverage"].applies
    assert not found["f1"].applies


def test_averages_over_topics() -> None:
    """Topic a: support 1/1, coverage 1/1, f1 1. Topic b: support 1/3 (S3 of S3, S7, S2), coverage 0.
    Macro f1 is the mean of 1 and 0; micro support 2/4, micro coverage 1/3, so f1 2/5."""
    rows = [
        tallies("argue", [S1], nuggets=[WHEN]),
        tallies("argue", [S3, S7, S2], nuggets=[WHO, DESIGN]),
    ]
    scores = {key.removeprefix("argue."): s.value for key, s in score_all(Argue(), rows).items()}
    assert scores["f1"] == 1 / 2
    assert scores["sentence_support"] == pytest.approx(2 / 3)
    assert scores["sentence_support_micro"] == 1 / 2
    assert scores["nugget_coverage"] == 1 / 2
    assert scores["nugget_coverage_micro"] == 1 / 3
    assert scores["f1_micro"] == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))
    assert (
        scores["sentences"],
        scores["nuggets_weighted"],
        scores["correct_nuggets_weighted"],
    ) == (4, 4, 2)
    assert scores["character_count_max"] == len(S3.text + S7.text + S2.text)
    assert scores["character_count_median"] == (len(S1.text) + len(S3.text + S7.text + S2.text)) / 2


def test_nothing_is_asked_twice() -> None:
    judge = wall.Knowing()
    values("argue", [*wall.REPORT, *wall.REPORT], judge=judge)
    assert len(judge.asked) == len({request.key for request in judge.asked})


def test_what_is_asked_is_what_the_formulas_say() -> None:
    """trec.md 2.7: C citations, A answers, S_u uncited sentences, R of them that need one."""
    judge = wall.Knowing()
    values("argue(rules=auto-argue)", judge=judge)
    attested, requires, first = 6, 4, 3  # C; S5 S6 S7 S8; of these S6 needs none
    # answers linked: S1 d1 -> 1931, city; S2 d1 d2 -> 1931, city, state; S3 d2 -> state; S4 d3 -> 12 km
    assert len(judge.asked) == attested + (2 + 3 + 1 + 1 + 0) + requires + first
    case = Case(wall.question(), wall.answer(), DOCUMENTS)
    bounds = {
        b.kind: (b.fewest, b.most)
        for b in estimate_requests([case], [parse("argue(rules=auto-argue)")])
    }
    assert bounds == {
        "Entails": (6, 6),
        "Answers": (7, 7),
        "NeedsCitation": (4, 4),
        "FirstInstance": (0, 4),
    }
    # every answer on every cited sentence, S_c * A = 5 * 4; one wrong answer on 9 sentences; S_u * 1
    bounds = {b.kind: (b.fewest, b.most) for b in estimate_requests([case], [Argue()])}
    assert bounds == {
        "Entails": (6, 6),
        "Answers": (20, 29),
        "NeedsCitation": (4, 4),
        "FirstInstance": (0, 4),
        "NegativeAssertion": (4, 4),
        "Confirms": (0, 4),  # S_u * the nuggets without answers
    }
    # with --always-check-all-nuggets D * A = 4 * 4 more
    bounds = {
        b.kind: (b.fewest, b.most)
        for b in estimate_requests([case], [Argue(rules="auto-argue-all")])
    }
    assert (bounds["Relevant"], bounds["Answers"]) == ((16, 16), (20, 20))


def test_an_answer_of_blanks_is_no_report() -> None:
    case = Case(wall.question(), Answer("wall", "  "), DOCUMENTS)
    asking = Argue(rules="auto-argue").tally(*case)
    with pytest.raises(StopIteration) as stop:
        next(asking)
    assert not stop.value.value["f1"].applies


@pytest.mark.parametrize(
    ("last", "idle"),
    [
        ("If you'd like, I can turn this into slides for your talk.", True),
        ("Would you like me to go on?", True),
        ("I could not find in your documents who designed it.", False),
        ("It is a bridge.", False),
    ],
)
def test_nothing_is_asked_about_an_offer_at_the_end(last: str, idle: bool) -> None:
    """As `citations` has it; a denial at the end may confirm what nobody can know."""
    said = (replace(S1, citations=("d1",)), replace(S1, text=last, plain=last, citations=()))
    answer = Answer("wall", f"{S1.text} {last}", sentences=said)
    asked = ask_of_sentences(wall.question(), answer, DOCUMENTS, PRESETS["default"])
    assert [one.idle for one in asked] == [False, idle]
    published = ask_of_sentences(wall.question(), answer, DOCUMENTS, PRESETS["auto-argue"])
    assert not any(one.idle for one in published)
