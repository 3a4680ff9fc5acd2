"""The class of each sentence without support, in faithfulness and citations, by the lexical judge."""

from __future__ import annotations

import pickle

import pytest

import argue_bench as ab
from argue_bench.errors import UsageError
from argue_bench.loaders.dataset import Dataset, ListedDocuments
from argue_bench.metrics import as_metric
from argue_bench.metrics.base import first_round
from argue_bench.records import Document, Gold, Question
from argue_bench.text.word_index import COMMON, WordIndex

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


def test_faithfulness_names_the_document_of_another_row_that_supports_a_sentence() -> None:
    report = ab.evaluate(*ab.from_rows(ROWS))
    found = {one.text: (one.lack, one.reason) for one in report.failed_sentences()}
    (id,) = ab.from_rows(ROWS)[0].questions[1].documents
    assert found == {
        "Staff get 25 days of paid leave each year.": (
            "another source",
            f"a document of another question supports it: [{id}] "
            '"Staff get 25 days of paid leave each year."',
        ),
        "The canteen opens at noon on Fridays.": (
            "nothing",
            "nothing in the contexts supports it: 'fridays' is not there",
        ),
    }
    assert report.value("faithfulness.another_source_micro") == 0.25
    assert report.value("faithfulness.unsupported_micro") == 0.25


DOCUMENTS = {
    "d1": Document("d1", "The bridge was opened in 1931. It is not painted."),
    "d2": Document("d2", "Edith Marsh designed the bridge. She was born in Leeds."),
    "d3": Document("d3", "The toll was abolished in 1964 by the county council."),
}
ANSWER = (
    "The bridge was opened in 1931 [1]. The toll was abolished in 1964 by the county council [2]. "
    "The bridge was opened in 1950 [1]. Edith Marsh was born in Leeds and died in Kent [2]. "
    "It is long [8]. It is famous."
)


def test_citations_gives_each_sentence_its_class_on_request() -> None:
    question = Question("q", "What is known?", documents=("d1", "d2", "d3"), gold=Gold())
    dataset = Dataset("bridge", "", (question,), DOCUMENTS)
    answers = [{"id": "q", "answer": ANSWER}]
    report = ab.evaluate(dataset, answers, ["citations", "citations(classes=true)"])
    failed = report.failed_sentences("citations(classes=true)")
    assert [(one.number, one.lack, one.source) for one in failed] == [
        (2, "another source", "d3"),
        (3, "contradicted", ""),
        (4, "partly", ""),
        (5, "missing", ""),
        (6, "uncited", ""),
    ]
    rates = ("another_source", "contradicted", "partly", "missing", "unsupported")
    values = [report.value(f"citations(classes=true).{name}") for name in rates]
    assert values == [pytest.approx(1 / 6)] * 4 + [0.0]
    for name in ("recall", "precision", "f1"):
        same = report.value(f"citations.{name}")
        assert report.value(f"citations(classes=true).{name}") == same
    assert "citations.missing" not in list(report.scores)


def test_classes_are_refused_for_published_rules() -> None:
    with pytest.raises(UsageError, match="classes is an option of our own rules alone"):
        as_metric("citations(rules=alce,classes=true)")


REJECTED = (
    "The bridge was opened in 1931 [1][7]. The toll was painted [2][3]. It is long [9]. "
    "It is wide. The bridge was opened in 1931 [1][3]."
)


@pytest.mark.parametrize("rules", ["alce", "rageval"])
def test_published_rules_say_of_each_citation_why_it_does_not_count(rules: str) -> None:
    question = Question("q", "What is known?", documents=("d1", "d2", "d3"), gold=Gold())
    dataset = Dataset("bridge", "", (question,), DOCUMENTS)
    metric = f"citations(rules={rules})"
    report = ab.evaluate(dataset, [{"id": "q", "answer": REJECTED}], [metric])
    assert [(one.number, one.reason, one.lack) for one in report.failed_sentences()] == [
        (1, "[d1] not counted, [7] names nothing", ""),
        (2, "[d2] unsupported, [d3] unsupported", ""),
        (3, "[9] names nothing", "missing"),
        (4, "cites nothing", "uncited"),
    ]
    note = report.per_question["q"][metric]["precision"].note
    assert note.endswith("5: [d1] counted correct, [d3] adds nothing")


def test_a_document_is_looked_if_it_holds_half_of_the_rare_words() -> None:
    many = [(f"x{n}", f"common words everywhere {n}") for n in range(COMMON + 1)]
    index = WordIndex([*((id, one.text) for id, one in DOCUMENTS.items()), *many])
    assert index.nearest("The toll was abolished in 1999.", (), 3) == ["d3"]  # two of three
    assert index.nearest("The toll was abolished in 1999.", ("d3",), 3) == []
    assert index.nearest("The tariff was abolished.", (), 3) == []  # one of two
    assert index.nearest("Nothing like that was abolished.", (), 3) == []  # one of four
    assert index.nearest("Common words everywhere!", (), 3) == []
    assert WordIndex([]).nearest("Anything", (), 3) == []


def test_a_process_that_is_sent_documents_is_not_sent_the_set() -> None:
    question = Question("q", "What?", documents=("d1",), gold=Gold())
    listed = Dataset("bridge", "", (question,), DOCUMENTS).documents_of(question)
    assert isinstance(listed, ListedDocuments)
    sent = pickle.loads(pickle.dumps(listed))
    assert type(sent) is dict
    assert sent == {"d1": DOCUMENTS["d1"]}


def test_the_bounds_of_a_dry_run_hold_what_classes_ask() -> None:
    dataset, answers = ab.from_rows(ROWS)
    question, documents = dataset.questions[0], dataset.citable(dataset.questions[0])
    metric = as_metric("faithfulness")
    assert metric.later_requests(question, answers[0], documents)["SupportLevel"] == (0, 8)
    cited = Question("q", "What?", documents=("d1", "d2", "d3"), gold=Gold())
    (answer,) = ab.from_rows(
        [{"question": "What?", "answer": ANSWER, "contexts": ["a", "b", "c"]}]
    )[1]
    metric = as_metric("citations(classes=true)")
    bounds = metric.later_requests(cited, answer, DOCUMENTS)
    assert (bounds["SupportLevel"], bounds["Contradicts"]) == ((0, 20), (0, 5))
    assert first_round(metric.tally(cited, answer, DOCUMENTS))  # type: ignore[arg-type]
