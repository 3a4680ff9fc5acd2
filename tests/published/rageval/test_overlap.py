"""BLEU, chrF and TER: the examples in rageval's documentation, and sacrebleu's own corpus scores."""

from __future__ import annotations

from typing import Any

import pytest

from argue_bench.eval import Report, evaluate
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Gold, Question

sacrebleu = pytest.importorskip("sacrebleu.metrics", reason="needs argue-bench[rageval]")

# The examples of gomate-community/rageval's docstrings, with the scores that they print.
PARTY = [
    "It is a guide to action that ensures that the military will forever heed Party commands.",
    "It is the guiding principle which guarantees the military forces always being under the command of the Party.",
    "It is the practical guide for the army always to heed the directions of the party.",
]
EXAMPLES: dict[str, tuple[list[tuple[str, list[str]]], float, float]] = {
    "bleu(rules=rageval)": (
        [
            (
                "It is a guide to action which ensures that the military always obeys the commands of the party.",
                PARTY,
            ),
            (
                "It is to insure the troops forever hearing the activity guidebook that party direct.",
                PARTY,
            ),
        ],
        0.3450835085970013,
        0.5401725898595141,
    ),
    "chrf": (
        [
            (
                "The relationship between cats and dogs is not exactly friendly.",
                ["The relationship between dogs and cats is not exactly friendly."],
            ),
            (
                "a good bookshop is just a genteel black hole that knows how to read.",
                ["A good bookshop is just a genteel Black Hole that knows how to read."],
            ),
        ],
        0.8464214891738334,
        0.8441131092011067,
    ),
    "ter": (
        [
            (
                "does this sentence match??",
                ["does this sentence match", "does this sentence match!?!"],
            ),
            ("what about this sentence?", ["wHaT aBoUt ThIs SeNtEnCe?"] * 2),
            (
                "What did the TER metric user say to the developer?",
                ["Your jokes are...", "...TERrible"],
            ),
        ],
        1.1,
        0.25,
    ),
}


def scored(metric: str, pairs: list[tuple[str, list[str]]]) -> Report:
    questions = tuple(
        Question(f"q{n}", "What is said?", gold=Gold(long_answers=tuple(wanted)))
        for n, (_, wanted) in enumerate(pairs)
    )
    answers = [{"id": f"q{n}", "answer": text} for n, (text, _) in enumerate(pairs)]
    return evaluate(Dataset("examples", "dev", questions), answers, [metric])


@pytest.mark.parametrize("metric", EXAMPLES)
def test_the_examples_of_rageval_have_its_scores(metric: str) -> None:
    pairs, corpus, first = EXAMPLES[metric]
    report = scored(metric, pairs)
    assert report.scores[f"{metric}.corpus"].value == pytest.approx(corpus, abs=1e-9)
    tallies = report.per_question["q0"][metric]
    assert tallies is not None
    assert tallies["sentence"].value == pytest.approx(first, abs=1e-9)


PAIRS = [
    (
        "The harbour opened in 1931 with two quays.",
        ["The harbour opened in 1931.", "It opened in 1931."],
    ),
    ("Nobody knows who drew it.", ["Edith Marsh drew it, nobody else."]),
    ("The toll was 4 crowns a cart [1].", ["A cart paid a toll of four crowns."]),
]


@pytest.mark.parametrize(("metric", "peer"), [("bleu", "BLEU"), ("chrf", "CHRF"), ("ter", "TER")])
def test_the_corpus_score_is_sacrebleus(metric: str, peer: str) -> None:
    """sacrebleu reads one stream of references for each place; "" and None stand where one is missing."""
    most = max(len(wanted) for _, wanted in PAIRS)
    streams: list[list[Any]] = [
        [wanted[place] if place < len(wanted) else None for _, wanted in PAIRS]
        for place in range(most)
    ]
    theirs = getattr(sacrebleu, peer)().corpus_score([text for text, _ in PAIRS], streams)
    report = scored(metric, PAIRS)
    score = report.scores[f"{metric}.corpus"]
    assert score.value == pytest.approx(theirs.score / 100, abs=1e-12)
    assert score.low is not None
    assert score.high is not None
    assert score.low < score.value < score.high


def test_a_question_without_a_gold_text_does_not_apply() -> None:
    report = scored("bleu", [("The harbour opened.", [])])
    assert report.scores["bleu.corpus"].value is None
    assert report.scores["bleu.sentence"].n == 0


@pytest.mark.parametrize("text", ["Yes.", "Seven.", "It opened in 1931."])
def test_an_answer_of_a_word_or_two_has_a_score(text: str) -> None:
    """Too short for its runs of words: a count that is the same in every question, or none."""
    score = scored("bleu", [(text, ["The harbour opened in 1931 with two quays."])] * 4)
    assert score.scores["bleu.corpus"].value is not None
