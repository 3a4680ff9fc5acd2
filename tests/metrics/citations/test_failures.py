"""The class of each sentence without support, in faithfulness and support, by the lexical judge."""

from __future__ import annotations

import pytest

import argue_bench as ab
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import as_metric
from argue_bench.records import Document, Gold, Question

ROWS = [
    {
        "question": "What is the notice period?",
        "contexts": ["The notice period is 30 days."],
        "answer": "The notice period is 30 days. Staff get 25 days of paid leave each year.",
    },
    {
        "question": "How many days of leave?",
        "contexts": ["Staff get 25 days of paid leave each year."],
        "answer": "Staff get 25 days of paid leave each year. The canteen opens at noon on Fridays.",
    },
]


def test_faithfulness_says_what_is_wrong_with_each_sentence() -> None:
    report = ab.evaluate(*ab.from_rows(ROWS))
    found = {one.text: (one.lack, one.reason) for one in report.failed_sentences()}
    assert found == {
        "Staff get 25 days of paid leave each year.": (
            "nothing",
            "nothing in the contexts supports it: 25 days is not there",
        ),
        "The canteen opens at noon on Fridays.": (
            "nothing",
            "nothing in the contexts supports it: 'fridays' is not there",
        ),
    }
    assert report.value("faithfulness.unsupported_micro") == 0.5


def test_support_gives_each_sentence_its_class() -> None:
    documents = {
        "d1": Document("d1", "The bridge was opened in 1931. It is not painted."),
        "d2": Document("d2", "Edith Marsh designed the bridge. She was born in Leeds."),
        "d3": Document("d3", "The toll was abolished in 1964 by the county council."),
    }
    answer = (
        "The bridge was opened in 1931 [1]. The toll was abolished in 1964 by the county council "
        "[2]. The bridge was opened in 1950 [1]. Edith Marsh was born in Leeds and died in Kent [2]. "
        "It is long [8]. It is famous."
    )
    gold = Gold(answer="It opened in 1931.")
    question = Question("q", "What is known?", documents=("d1", "d2", "d3"), gold=gold)
    report = ab.evaluate(
        Dataset("bridge", "", (question,), documents), [{"id": "q", "answer": answer}], ["support"]
    )
    assert [(one.number, one.lack, one.source) for one in report.failed_sentences()] == [
        (2, "another source", "d3"),
        (3, "contradicted", ""),
        (4, "partly", ""),
        (5, "missing", ""),
        (6, "uncited", ""),
    ]
    rates = ("another_source", "contradicted", "partly", "missing", "uncited", "unsupported")
    values = [report.value(f"support.{name}") for name in rates]
    assert values == [pytest.approx(1 / 6)] * 5 + [0.0]


def test_the_bounds_of_a_dry_run_hold_what_classes_ask() -> None:
    dataset, answers = ab.from_rows(ROWS)
    question, documents = dataset.questions[0], dataset.citable(dataset.questions[0])
    bounds = as_metric("faithfulness").later_requests(question, answers[0], documents)
    assert (bounds["SupportLevel"], bounds["Contradicts"]) == ((0, 2), (0, 2))
