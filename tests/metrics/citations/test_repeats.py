"""Saying again what is supported raises no share of sentences."""

from __future__ import annotations

import pytest

from argue_bench.eval import evaluate
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer as Report
from argue_bench.records import (
    Answers,
    Document,
    Entails,
    Gold,
    JudgeRequest,
    Nugget,
    NuggetAnswer,
    Question,
    Refuses,
    Sentence,
    SupportLevel,
)
from argue_bench.text.repeats import said_before

GOLD = Gold(nuggets=(Nugget("n", "What rose?", (NuggetAnswer("river", ("d",)),)),))
SET = Dataset(
    "toy",
    "dev",
    (Question("q", "What rose?", documents=("d", "e"), gold=GOLD),),
    {"d": Document("d", "The river rose."), "e": Document("e", "The river rose.")},
)
RIGHT, WRONG = Sentence("The river rose.", ("d",)), Sentence("The ferry sank.", ("d",))


def knowing(request: JudgeRequest) -> str:
    """Believes what is said of the river."""
    if isinstance(request, Refuses):
        return "no"
    held = "river" in getattr(request, "hypothesis", "") + getattr(request, "sentence", "")
    if isinstance(request, SupportLevel):
        return "full" if held else "no"
    return "yes" if held or not isinstance(request, Entails | Answers) else "no"


def score(key: str, *sentences: Sentence) -> float:
    report = Report("q", " ".join(one.text for one in sentences), sentences)
    found = evaluate(SET, [report], [key.rpartition(".")[0]], judge=knowing, resamples=0)
    assert not found.failures
    return found.value(key)


@pytest.mark.parametrize(
    "key",
    [
        "argue.sentence_support",
        "citations.recall",
        "citations.precision",
        "faithfulness.supported",
        "support.precision",
        "support.recall",
        "support.strict_recall",
    ],
)
def test_a_sentence_in_the_same_words_counts_once(key: str) -> None:
    """Eight times over, the one that is supported took a half to eight ninths."""
    assert score(key, RIGHT, WRONG) == 1 / 2
    assert score(key, *[RIGHT] * 8, WRONG) == 1 / 2
    assert score(key, RIGHT, *[WRONG] * 8) == 1 / 2
    assert score(key, RIGHT, Sentence("the river  rose", ("d",)), WRONG) == 1 / 2


def test_published_rules_count_each_time() -> None:
    said = *[RIGHT] * 8, WRONG
    assert score("argue(rules=argue-2024).sentence_support", *said) == 8 / 9
    assert score("argue(rules=auto-argue).sentence_support", *said) == 8 / 9


def test_other_citations_and_other_words_are_something_new() -> None:
    other = Sentence("The river rose.", ("e",))
    assert score("citations.recall", RIGHT, other, WRONG) == 2 / 3
    assert score("citations.recall", RIGHT, Sentence("The river fell.", ("d",)), WRONG) == 2 / 3
    assert not said_before([("It is 1.5", ()), ("It is 15", ()), ("It is -15", ())])
    assert not said_before([("", "a"), ("", "a")])
