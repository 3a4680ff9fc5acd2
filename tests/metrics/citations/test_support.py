"""The metric support: the worked example of TREC's paper, first citations and all, misses."""

from __future__ import annotations

from typing import Any

import pytest

from argue_bench.eval import evaluate
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.metrics.base import replay, tally_steps
from argue_bench.records import (
    Answer,
    Contradicts,
    Document,
    Gold,
    JudgeRequest,
    Question,
    Refuses,
    Sentence,
    SupportLevel,
    Verdict,
)

QUESTION = Question("q", "What of the mill?", gold=Gold(answer="It closed."))
MEANS = ("precision", "recall", "strict_precision", "strict_recall")


def count(text: str, *cited: str, known: str = "abc", **levels: str) -> dict[str, float | None]:
    """The scores of sentences that cite these documents ("ab" is a and b), each of a known level."""
    documents = {id: Document(id, f"text {id}") for id in known}
    sentences = tuple(Sentence(f"S{n}.", tuple(ids)) for n, ids in enumerate(cited))
    answer = Answer("q", " ".join(one.text for one in sentences), sentences)
    asked: list[JudgeRequest] = []

    class Levels(dict[Any, Verdict]):
        def __missing__(self, request: JudgeRequest) -> Verdict:
            asked.append(request)
            if isinstance(request, Contradicts):
                return Verdict("no")
            assert isinstance(request, SupportLevel)
            return Verdict(levels[request.premise[0].id])

        def __contains__(self, request: object) -> bool:
            return True

    steps = tally_steps(parse(text), QUESTION, answer, documents)
    found = replay(steps, Levels())
    return {name: found[name].value for name in MEANS}


def test_the_worked_example_of_the_paper() -> None:
    """arXiv 2504.15205, section 3.4: partial, full, and a sentence without a citation."""
    found = count("support", "a", "b", "", a="partial", b="full")
    assert found == {
        "precision": 0.75,
        "recall": 0.5,
        "strict_precision": 0.5,
        "strict_recall": pytest.approx(1 / 3),
    }


def test_the_first_citation_or_all() -> None:
    assert count("support", "ab", a="no", b="full")["precision"] == 0
    assert count("support(citations=all)", "ab", a="no", b="full")["precision"] == 0.5


def test_a_document_that_is_not_there_supports_nothing() -> None:
    assert count("support", "z", "a", a="full")["precision"] == 0.5


def test_what_is_not_there_does_not_apply() -> None:
    assert count("support", "", "")["precision"] is None
    assert count("support", "", "")["recall"] == 0
    assert set(count("support").values()) == {None}


def test_the_neighbours_are_context_and_what_falls_short_is_listed() -> None:
    asked: list[JudgeRequest] = []

    def judge(request: JudgeRequest) -> Verdict:
        asked.append(request)
        return Verdict("no" if isinstance(request, Contradicts) else "partial")

    documents = {"a": Document("a", "The mill closed in 1987.")}
    data = Dataset("d", "dev", (QUESTION,), documents)
    answers = [{"id": "q", "answer": "It was a mill. It closed in 1987 [a]. Tin was cheap."}]
    report = evaluate(data, answers, ["support"], judge=judge)
    request, contradicts = asked
    assert isinstance(request, SupportLevel)
    assert isinstance(contradicts, Contradicts)
    assert (request.before, request.sentence) == ("It was a mill.", "It closed in 1987.")
    assert (request.after, request.question) == ("Tin was cheap.", QUESTION.text)
    assert report.scores["support.precision"].value == 0.5
    assert [(one.number, one.reason, one.lack) for one in report.failed_sentences()] == [
        (1, "it cites nothing", "uncited"),
        (2, "supported in part by what it cites", "partly"),
        (3, "it cites nothing", "uncited"),
    ]
    assert report.scores["support.uncited"].value == pytest.approx(2 / 3)


def test_a_sentence_that_another_document_supports_names_it_and_inventions_are_counted() -> None:
    documents = {
        "a": Document("a", "The mill was red."),
        "b": Document("b", "The mill closed in 1987."),
        "c": Document("c", "Nothing of that."),
    }
    question = Question("q", "What?", documents=("a", "b", "c"), gold=Gold(answer="It closed."))
    answer = "The mill closed in 1987 [a]. The mill was red [7]. The mill was blue [a][9]."

    def judge(request: JudgeRequest) -> str:
        if isinstance(request, Contradicts):
            return "yes" if "blue" in request.sentence else "no"
        assert isinstance(request, SupportLevel)
        return "full" if request.sentence in request.premise_text else "no"

    data = Dataset("d", "dev", (question,), documents)
    report = evaluate(
        data, [{"id": "q", "answer": answer}], ["support(citations=all)"], judge=judge
    )
    found = {one.number: (one.lack, one.source) for one in report.failed_sentences()}
    # "The mill was red" cites what is not there, and a document that is there supports it.
    assert found == {
        1: ("another source", "b"),
        2: ("another source", "a"),
        3: ("contradicted", ""),
    }
    assert report.scores["support.another_source"].value == pytest.approx(2 / 3)
    assert report.scores["support.contradicted"].value == pytest.approx(1 / 3)
    assert report.scores["support.invented"].value == 0.5
    tally = report.per_question["q"]["support(citations=all)"]
    assert tally is not None
    assert tally["invented"].note == "not among the sources: 7, 9"


@pytest.mark.parametrize(
    ("gold", "applies"),
    [(Gold(answer="It closed."), True), (Gold(), False), (Gold(answerable=False), False)],
    ids=["answer known", "nothing known", "unanswerable"],
)
def test_a_right_refusal_does_not_apply(gold: Gold, applies: bool) -> None:
    data = Dataset("d", "dev", (Question("q", "What?", gold=gold),), {"a": Document("a", "Text.")})

    def judge(request: JudgeRequest) -> str:
        return "yes" if isinstance(request, Refuses) else "no"

    report = evaluate(data, [{"id": "q", "answer": "I can't say."}], ["support"], judge=judge)
    assert (report.scores["support.recall"].value == 0) is applies
    assert (report.scores["support.recall"].value is None) is not applies
