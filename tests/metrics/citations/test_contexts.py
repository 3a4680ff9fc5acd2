"""Context relevance, precision and recall, and answer relevance: ragas' formulas by hand and by brute force."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from argue_bench.eval import Report, evaluate
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.rows import from_rows
from argue_bench.metrics.compat import ragas
from argue_bench.records import (
    Document,
    Entails,
    Gold,
    GuessQuestion,
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
        return "yes" if request.hypothesis in request.premise_text else "no"
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
    assert [one.text for one in found.missed_nuggets()] == ["Third fact."]


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


def test_answer_relevance_by_ragas_is_the_mean_cosine_of_guessed_questions() -> None:
    """ "what is it" and the guesses share 3 of 3, 2 of 2 and no words."""
    guesses = {"1": "What is it?", "2": "Is it?", "3": "Why not?"}

    def judge(request: JudgeRequest) -> str:
        if isinstance(request, GuessQuestion):
            return guesses[request.attempt]
        return "no"

    value = report("answer_relevance(rules=ragas)", judge).scores["answer_relevance.relevant"].value
    assert value == pytest.approx((1 + 2 / math.sqrt(6) + 0) / 3)


@pytest.mark.parametrize(("rules", "value"), [("", None), ("(rules=ragas)", 0.0)])
def test_a_refusal_does_not_apply_and_is_0_by_ragas(rules: str, value: float | None) -> None:
    found = report(f"answer_relevance{rules}", lambda request: "yes", answer="I can't say.")
    assert found.scores["answer_relevance.relevant"].value == value
    assert found.scores["answer_relevance.answered"].value == 0


@pytest.mark.parametrize("seed", range(20))
def test_the_formulas_are_those_published(seed: int) -> None:
    """Each written out again from the paper's sums, for drawn verdicts."""
    draws = random.Random(seed)
    v = [draws.random() < 0.5 for _ in range(draws.randrange(0, 12))]
    if v:
        assert ragas.share_of_true(v) == pytest.approx(len([x for x in v if x]) / len(v), abs=1e-9)
    above = 0.0
    for k in range(1, len(v) + 1):
        true_positives = sum(v[:k])
        false_positives = k - true_positives
        above += true_positives / (true_positives + false_positives) * v[k - 1]
    expected = above / sum(v) if sum(v) else 0.0
    assert ragas.context_precision(v) == pytest.approx(expected, abs=1e-9)
    similarities = [draws.random() for _ in range(3)]
    mean = sum(similarities) / 3
    assert ragas.answer_relevance(similarities) == pytest.approx(mean, abs=1e-12)
    assert ragas.answer_relevance(similarities, noncommittal=True) == 0
    words = [draws.choice("abcde") for _ in range(9)]
    others = [draws.choice("abcde") for _ in range(7)]
    dot = sum(words.count(w) * others.count(w) for w in "abcde")
    norms = [math.sqrt(sum(some.count(w) ** 2 for w in "abcde")) for some in (words, others)]
    assert ragas.cosine(words, others) == pytest.approx(dot / (norms[0] * norms[1]))


def test_metric_and_formula_agree_on_drawn_rows() -> None:
    draws = random.Random(7)
    rows, expected = [], []
    for number in range(30):
        facts = [f"Fact {number} {k} holds." for k in range(5)]
        wanted = draws.sample(facts, draws.randrange(1, 5))
        contexts = [
            " ".join([f"Filler {k}.", *draws.sample(facts, draws.randrange(0, 3))])
            for k in range(draws.randrange(1, 6))
        ]
        rows.append(
            {
                "user_input": f"What of {number}?",
                "response": "It holds.",
                "retrieved_contexts": contexts,
                "reference": " ".join(wanted),
            }
        )
        useful = [any(fact in text for fact in wanted) for text in contexts]
        held = [any(fact in text for text in contexts) for fact in wanted]
        expected.append((ragas.context_precision(useful), ragas.share_of_true(held)))
    dataset, answers = from_rows(rows)
    found = evaluate(dataset, answers, ["context_precision", "context_recall"], judge=holds)
    precision, recall = (sum(column) / len(rows) for column in zip(*expected, strict=True))
    assert found.scores["context_precision.precision"].value == pytest.approx(precision, abs=1e-9)
    assert found.scores["context_recall.recall"].value == pytest.approx(recall, abs=1e-9)
