"""Auto-ARGUE's judgments, counted and written: what its published example does not show."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from argue_bench.errors import DataError, UsageError
from argue_bench.metrics.argue.argue import Argue, count_report
from argue_bench.metrics.argue.judging import PRESETS, SentenceOutcome, judge_report
from argue_bench.published.auto_argue.files import Judgment, Judgments, Segment
from argue_bench.published.auto_argue.judgments import as_judgments, report_from_judgments
from argue_bench.records import JudgeRequest, Nugget, NuggetAnswer, Verdict
from tests.metrics.argue import wall
from tests.metrics.argue.wall import DESIGN, S5, WHEN, WHO


def attested(document: str, yes: bool) -> Judgment:
    return Judgment("SENTENCE_ATTESTED", {"is_attested": yes}, provenance={"doc_id": document})


def relevant(document: str, yes: bool) -> Judgment:
    response = {"doc_id": document, "is_relevant": yes}
    return Judgment("CITED_DOCUMENT_RELEVANCE", response, provenance={"doc_id": document})


def matched(document: str, *pairs: tuple[str, str]) -> Judgment:
    nuggets = [{"question_text": q, "matched_answer": [a], "importance": None} for q, a in pairs]
    return Judgment(
        "SENTENCE_ANSWERS_QUESTION", {"matched_nuggets": nuggets}, provenance={"doc_id": document}
    )


def cited(text: str, *three: tuple[str, bool, bool, tuple[tuple[str, str], ...]]) -> Segment:
    judgments = [
        judgment
        for document, is_relevant, is_attested, pairs in three
        for judgment in (
            relevant(document, is_relevant),
            matched(document, *pairs),
            attested(document, is_attested),
        )
    ]
    return Segment(text, tuple((document, "") for document, *_ in three), tuple(judgments))


def uncited(text: str, **responses: dict[str, Any]) -> Segment:
    return Segment(
        text, (), tuple(Judgment(kind.upper(), response) for kind, response in responses.items())
    )


def values(*segments: Segment, rules: Any = "auto-argue") -> dict[str, float | None]:
    judged = report_from_judgments(Judgments("r", "t", segments), [WHEN, WHO, DESIGN], rules)
    return {name: tally.value for name, tally in count_report(judged, PRESETS[rules]).items()}


def test_one_citation_of_several_that_does_not_attest() -> None:
    """Two citations, one attests: the sentence is unsupported, citation support is 1 of 2; it still
    earns city (d1's list) and state (d2's list), so the AND nugget is whole: 1 of 3 nuggets."""
    pairs = (("Who paid?", "city"),), (("Who paid?", "state"),)
    found = values(
        cited("Both paid.", ("d1", True, True, pairs[0]), ("d2", False, False, pairs[1]))
    )
    assert (found["sentence_support"], found["citation_support"]) == (0, 1 / 2)
    assert (found["citation_relevance"], found["nugget_coverage"]) == (1 / 2, 1 / 3)
    found = values(
        cited("Both paid.", ("d1", True, True, pairs[0]), ("d2", False, False, pairs[1])),
        rules="argue-2024",
    )
    assert found["nugget_coverage"] == 0


@pytest.mark.parametrize("name", ["is_first_instance", "first_instance", "anything"])
def test_uncited_sentences(name: str) -> None:
    """Scored: the cited one and the uncited one that needs a citation and is new, so 1 of 2."""
    found = values(
        cited("1931.", ("d1", True, True, (("When?", "1931"),))),
        uncited("Hello.", requires_citation={"requires_citation": False}),
        uncited("New.", requires_citation={"requires_citation": True}, first_instance={name: True}),
        uncited(
            "Old.", requires_citation={"requires_citation": True}, first_instance={name: False}
        ),
    )
    assert found["sentences"] == 4
    assert found["sentences_with_citations_or_requiring_citations"] == 2
    assert found["sentences_missing_citation"] == 2
    assert found["first_instance_sentences_missing_citation"] == 1
    assert found["sentence_support"] == 1 / 2


def test_a_key_that_speaks_of_repetition_is_turned_round() -> None:
    assert Judgment("FIRST_INSTANCE", {"is_repeated": True}).yes is False
    assert Judgment("FIRST_INSTANCE", {"judgment_type_id": "FIRST_INSTANCE"}).yes is None


def test_words_are_truth_values_too() -> None:
    assert Judgment("FIRST_INSTANCE", {"first_instance": "yes"}).yes is True
    assert Judgment("REQUIRES_CITATION", {"answer": "NO "}).yes is False


def test_a_sentence_that_stands_twice_keeps_both_judgments() -> None:
    found = values(cited("1931.", ("d1", True, True, ())), cited("1931.", ("d1", True, False, ())))
    assert (found["sentence_support"], found["citations"]) == (1 / 2, 2)


def test_what_is_missing_is_told_and_not_guessed() -> None:
    broken = Segment("1931.", (("d1", ""),), (relevant("d1", True), matched("d1", ("Why?", "x"))))
    bare = uncited("Hello.", requires_citation={"judgment_type_id": "REQUIRES_CITATION"})
    with pytest.raises(DataError) as error:
        values(broken, bare)
    told = [(finding.code, finding.message) for finding in error.value.findings]
    assert told == [
        ("not-judged", "topic t, run r, sentence 1: no readable SENTENCE_ATTESTED"),
        ("unknown-id", "topic t, run r, sentence 1: no nugget asks 'Why?'"),
        ("not-judged", "topic t, run r, sentence 2: no readable REQUIRES_CITATION"),
    ]


def test_rules_that_try_every_answer_cannot_be_counted_from_it() -> None:
    with pytest.raises(UsageError, match="evaluate the reports anew"):
        values(rules="default")


@pytest.mark.parametrize("rules", ["auto-argue", "argue-2024", "auto-argue-paper"])
def test_what_we_write_counts_the_same(rules: Any) -> None:
    nuggets = (
        WHEN,
        WHO,
        DESIGN,
        Nugget("n4", "How long?", (NuggetAnswer("12 km", ("d3",)),), "any", "vital"),
    )
    judge = wall.Knowing()
    counted = asyncio.run(wall.counted(f"argue(rules={rules})", judge=judge, nuggets=nuggets))
    verdicts: dict[JudgeRequest, Verdict] = {
        request: Verdict(
            "yes" if wall.words(request) in wall.YES.get(type(request), set()) else "no"
        )
        for request in judge.asked
    }
    question, answer = wall.question(nuggets), wall.answer()
    report = judge_report(question, answer, wall.DOCUMENTS, verdicts, Argue(rules=rules).decided)
    written = as_judgments(report, answer, wall.DOCUMENTS, "knowing")
    assert (written.run, written.topic) == ("run", "wall")
    assert written.documents["d1"].text == "The text of d1."
    again = count_report(report_from_judgments(written, nuggets, rules), PRESETS[rules])
    assert counted.tallies is not None
    assert {name: t.value for name, t in again.items()} == {
        name: t.value for name, t in counted.tallies.items()
    }


def test_negative_assertions_survive_writing() -> None:
    said = {
        "is_negative_assertion": True,
        "confirmed_nuggets": [{"question_text": DESIGN.question}],
    }
    segment = uncited(S5.text, negative_assertion=said)
    judged = report_from_judgments(Judgments("r", "t", (segment,)), [DESIGN], "argue-2024")
    assert judged.sentences[0].outcome is SentenceOutcome.NEGATIVE_CONFIRMED
    assert judged.nuggets[0].correct
    with pytest.raises(DataError, match="REQUIRES_CITATION"):  # which knows no negative assertions
        report_from_judgments(Judgments("r", "t", (segment,)), [DESIGN], "auto-argue")
