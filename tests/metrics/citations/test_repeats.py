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


LONG = Sentence("In 1990 the brown river rose by three metres near the old bridge.", ("d",))
CHANGED = {
    "longer": "In 1990 the brown river notably rose by three metres near the old bridge",
    "longer, at its beginning": "Truly, in 1990 the brown river rose by three metres near the old bridge",
    "shorter": "In 1990 the river rose by three metres near the old bridge",
    "turned": "Near the old bridge the brown river rose by three metres in 1990",
    "a word for another": "In 1990 the muddy river rose by three metres near the old bridge",
    "other endings, and a number in digits": "In 1990 the brown river rises 3 metres near old bridges",
}


@pytest.mark.parametrize("text", CHANGED.values(), ids=CHANGED)
@pytest.mark.parametrize(
    "key",
    [
        "argue.sentence_support",
        "citations.recall",
        "citations.precision",
        "faithfulness.supported",
        "support.precision",
        "support.recall",
    ],
)
def test_a_sentence_said_again_with_a_small_change_counts_once(key: str, text: str) -> None:
    """One word more was enough to have it count again."""
    assert score(key, LONG, Sentence(text, ("d",)), WRONG) == 1 / 2
    assert score(key, LONG, Sentence(text, ("d", "e")), WRONG) == 1 / 2


def test_changes_of_changes_are_found_too() -> None:
    said = ["The", "brown", "river", "rose", "by", "the", "bridge"]
    words = ["notably", "indeed", "clearly", "truly", "again"]
    grown = [(" ".join([*said, *words[:n]]), "d") for n in range(len(words) + 1)]
    assert said_before(grown) == set(range(1, len(grown)))


def test_other_names_numbers_and_denials_are_something_new() -> None:
    for one, other in (
        (
            "In 1990 the river Quen rose by three metres.",
            "In 1991 the river Quen rose by three metres.",
        ),
        ("The winner of the final was Dugrold.", "The winner of the final was Pordask."),
        (
            "Dugrold won the cup of the town before many people.",
            "Pordask won the cup of the town before many people.",
        ),
        ("The documents name the winner.", "The documents do not name the winner."),
        ("The documents do not name the winner.", "The documents name the winner."),
        ("The hall has a library.", "The hall has a kitchen."),
        ("It sank before the war.", "It sank after the war."),
        ("博物馆在五月开放。", "博物馆在六月开放。"),
        ("It is so.", "It was so."),
    ):
        assert not said_before([(one, "d"), (other, "d")]), other


def test_a_sentence_about_what_was_said_of_two_is_compared_with_each() -> None:
    said = (
        "The ferry sank in the storm.",
        "The mayor opened the bridge.",
        "The mayor sank the ferry.",
    )
    assert not said_before((one, "d") for one in said)


def test_other_citations_and_other_words_are_something_new() -> None:
    other = Sentence("The river rose.", ("e",))
    assert score("citations.recall", RIGHT, other, WRONG) == 2 / 3
    assert score("citations.recall", RIGHT, Sentence("The river fell.", ("d",)), WRONG) == 2 / 3
    assert not said_before([("It is 1.5", ()), ("It is 15", ()), ("It is -15", ())])
    assert not said_before([("", "a"), ("", "a")])
