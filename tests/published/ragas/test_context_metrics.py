"""Context relevance, precision and recall, and answer relevance: ragas' formulas by hand and by brute force."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from argue_bench.eval import Report, evaluate
from argue_bench.loaders.dataset import Dataset
from argue_bench.published.ragas.context_metrics import mean_precision
from argue_bench.records import (
    Document,
    Entails,
    Gold,
    HelpsAnswer,
    JudgeRequest,
    Question,
    Refuses,
)

Judge = Callable[[JudgeRequest], str]


def report(metric: str, judge: Judge, reference: str | None = None, answer: str = "A.") -> Report:
    documents = {
        "d1": Document("d1", "Filler one. Filler two."),
        "d2": Document("d2", "First fact. Filler three."),
        "d3": Document("d3", "Second fact."),
    }
    gold = Gold(answer=reference)
    data = Dataset(
        "d", "", (Question("q", "What is it?", documents=tuple(documents), gold=gold),), documents
    )
    return evaluate(data, [{"id": "q", "answer": answer}], [metric], judge=judge)


def holds(request: JudgeRequest) -> str:
    """A source supports what it says letter by letter; facts help, filler does not."""
    if isinstance(request, Entails):
        # A fragment is read with the question before it.
        said = request.hypothesis.rpartition("? ")[2]
        return "yes" if said in request.premise_text else "no"
    if isinstance(request, HelpsAnswer):
        return "yes" if "fact" in request.sentence else "no"
    assert isinstance(request, Refuses)
    return "no"


def test_context_relevance_by_hand() -> None:
    """Two of five sentences of the contexts help: 2/5."""
    assert report("context_relevance", holds).scores["context_relevance.relevant"].value == 0.4


def test_context_precision_by_hand() -> None:
    """Of ranks 1 to 3 the last two are useful: (1/2 + 2/3) / 2."""
    scores = report("context_precision", holds, "First fact. Second fact.").scores
    assert scores["context_precision.precision"].value == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert scores["context_precision.useful"].value == pytest.approx(2 / 3)


def test_context_recall_by_hand_names_what_is_not_there() -> None:
    """Of three sentences of the reference the contexts hold two."""
    found = report("context_recall", holds, "First fact. Second fact. Third fact.")
    assert found.scores["context_recall.recall"].value == pytest.approx(2 / 3)
    assert [one.text for one in found.missed_nuggets()] == ["What is it? Third fact."]


@pytest.mark.parametrize("metric", ["context_precision.precision", "context_recall.recall"])
def test_without_a_reference_they_do_not_apply(metric: str) -> None:
    assert report(metric.partition(".")[0], holds).scores[metric].value is None


def test_contexts_of_no_use_have_precision_0() -> None:
    scores = report("context_precision", holds, "Nothing like it.").scores
    assert scores["context_precision.precision"].value == 0


def test_answer_relevance_is_the_share_of_sentences_about_the_question() -> None:
    found = report(
        "answer_relevance", holds, answer="A fact. It rained. A second fact. So it goes."
    )
    assert found.scores["answer_relevance.relevant"].value == 0.5


def test_a_refusal_does_not_apply() -> None:
    found = report("answer_relevance", lambda request: "yes", answer="I can't say.")
    assert found.scores["answer_relevance.relevant"].value is None
    assert found.scores["answer_relevance.answered"].value == 0


@pytest.mark.parametrize("seed", range(20))
def test_the_formulas_are_those_published(seed: int) -> None:
    """Each written out again from the sums of ragas' paper and documentation, for drawn verdicts."""
    draws = random.Random(seed)
    v = [draws.random() < 0.5 for _ in range(draws.randrange(0, 12))]
    above = sum(sum(v[:k]) / k * v[k - 1] for k in range(1, len(v) + 1))
    assert mean_precision(v) == pytest.approx(above / (sum(v) + 1e-10), abs=1e-9)
