"""The metric relevance: measures of graded documents, worked by hand."""

from __future__ import annotations

from math import log2
from typing import Any

import pytest

from argue_bench.metrics import parse
from argue_bench.metrics.base import first_round, replay, tally_steps
from argue_bench.records import (
    Answer,
    Document,
    Gold,
    Question,
    RelevanceGrade,
    Sentence,
    Source,
    Verdict,
)

DOCUMENTS = {id: Document(id, f"text of {id}") for id in "abcde"}


def values(grades: dict[str, str], question: Question, answer: Answer) -> dict[str, Any]:
    verdicts = {
        RelevanceGrade(Source.of(DOCUMENTS[id]), question.text): Verdict(grade)
        for id, grade in grades.items()
    }
    steps = tally_steps(parse("relevance"), question, answer, DOCUMENTS)
    return {name: tally.value for name, tally in replay(steps, verdicts).items()}


def test_the_documents_of_the_question_in_their_order() -> None:
    question = Question("q", "?", documents=("b", "a", "c", "z"), gold=Gold())
    found = values({"a": "3", "b": "1", "c": "2"}, question, Answer("q"))
    best = 3 + 2 / log2(3) + 1 / log2(4)
    assert found == pytest.approx(
        {
            "precision_at_5": 2 / 5,
            "precision_at_10": 2 / 10,
            "ap": (1 / 2 + 2 / 3) / 2,
            "mrr": 1 / 2,
            "ndcg_at_10": (1 + 3 / log2(3) + 2 / log2(4)) / best,
            "grade": 6 / 9,
        }
    )


def test_without_listed_documents_those_that_the_answer_cites() -> None:
    answer = Answer("q", "x", (Sentence("One.", ("c", "a")), Sentence("Two.", ("a", "e"))))
    steps = tally_steps(parse("relevance"), Question("q", "?", gold=Gold()), answer, DOCUMENTS)
    asked = [one.document.id for one in first_round(steps) if isinstance(one, RelevanceGrade)]
    assert asked == ["c", "a", "e"]


def test_nothing_relevant_is_0_and_nothing_retrieved_does_not_apply() -> None:
    question = Question("q", "?", documents=("a",), gold=Gold())
    assert set(values({"a": "0"}, question, Answer("q")).values()) == {0.0}
    assert set(values({}, Question("q", "?", gold=Gold()), Answer("q")).values()) == {None}
