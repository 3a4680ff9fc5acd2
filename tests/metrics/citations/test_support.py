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
    Document,
    Gold,
    JudgeRequest,
    Question,
    Sentence,
    SupportLevel,
    Verdict,
)

QUESTION = Question("q", "What of the mill?", gold=Gold())


def count(text: str, *cited: str, known: str = "abc", **levels: str) -> dict[str, float | None]:
    """The scores of sentences that cite these documents ("ab" is a and b), each of a known level."""
    documents = {id: Document(id, f"text {id}") for id in known}
    sentences = tuple(Sentence(f"S{n}.", tuple(ids)) for n, ids in enumerate(cited))
    answer = Answer("q", " ".join(one.text for one in sentences), sentences)
    asked: list[JudgeRequest] = []

    class Levels(dict[Any, Verdict]):
        def __missing__(self, request: SupportLevel) -> Verdict:
            asked.append(request)
            return Verdict(levels[request.premise[0].id])

        def __contains__(self, request: object) -> bool:
            return True

    steps = tally_steps(parse(text), QUESTION, answer, documents)
    return {name: tally.value for name, tally in replay(steps, Levels()).items()}


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
    asked: list[SupportLevel] = []

    def judge(request: SupportLevel) -> Verdict:
        asked.append(request)
        return Verdict("partial")

    documents = {"a": Document("a", "The mill closed in 1987.")}
    data = Dataset("d", "dev", (QUESTION,), documents)
    answers = [{"id": "q", "answer": "It was a mill. It closed in 1987 [a]. Tin was cheap."}]
    report = evaluate(data, answers, ["support"], judge=judge)
    (request,) = asked
    assert (request.before, request.sentence) == ("It was a mill.", "It closed in 1987.")
    assert (request.after, request.question) == ("Tin was cheap.", QUESTION.text)
    assert report.scores["support.precision"].value == 0.5
    assert [(one.number, one.reason) for one in report.failed_sentences()] == [
        (1, "it cites nothing"),
        (2, "what it cites supports it in part"),
        (3, "it cites nothing"),
    ]
