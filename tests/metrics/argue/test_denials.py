"""Denials weighed together: denying all that is asked, without reading, earns nothing."""

from __future__ import annotations

import pytest

from argue_bench.eval import evaluate
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics.argue.denials import bears_denials, denies_everything, weigh_denials
from argue_bench.metrics.argue.tree import Rules, SentenceVerdicts, classify_sentence
from argue_bench.records import Answer as Report
from argue_bench.records import (
    Answers,
    Confirms,
    Document,
    Entails,
    Gold,
    JudgeRequest,
    NegativeAssertion,
    Nugget,
    NuggetAnswer,
    Question,
    Sentence,
)

CONFIRMED, NOT, REPEATED = "negative-confirmed", "negative-unconfirmed", "repeated"


def outcomes(*confirms: tuple[int, ...], texts: tuple[str, ...] = ()) -> list[str]:
    verdicts = [SentenceVerdicts(False, negative=True, confirms=one) for one in confirms]
    found = [classify_sentence(one, Rules()) for one in verdicts]
    names = texts or tuple(map(str, range(len(confirms))))
    return [str(one.outcome) for one in weigh_denials(names, verdicts, found)]


@pytest.mark.parametrize(
    ("confirms", "expected"),
    [
        ([(0,)], [CONFIRMED]),
        # One right guess of two is a guess.
        ([(0,), ()], [NOT, NOT]),
        ([(0,), (1,), ()], [CONFIRMED, CONFIRMED, NOT]),
        ([(0,), (), ()], [NOT, NOT, NOT]),
        # A nugget confirms one denial, and as many as can be have one of their own.
        ([(0,), (0,)], [NOT, NOT]),
        ([(0,), (0,), (1,)], [CONFIRMED, NOT, CONFIRMED]),
        ([(0, 1), (0,)], [CONFIRMED, CONFIRMED]),
        ([(0,), (0,), (0,)], [NOT, NOT, NOT]),
        ([(0, 1)], [CONFIRMED]),
        ([()], [NOT]),
        ([], []),
    ],
)
def test_denials_count_together(confirms: list[tuple[int, ...]], expected: list[str]) -> None:
    assert outcomes(*confirms) == expected


def test_a_denial_in_the_same_words_is_a_repeat() -> None:
    texts = ("It is not known.", "it is  not known.", "It is not known.")
    assert outcomes((0,), (0,), (0,), texts=texts) == [CONFIRMED, REPEATED, REPEATED]


def test_a_denial_of_most_of_what_is_known_is_one_of_everything() -> None:
    assert [denies_everything(n, 4) for n in range(5)] == [False, False, False, True, True]
    assert not denies_everything(2, 2)  # too few to tell
    assert not denies_everything(0, 0)


NUGGETS = (
    *(Nugget(f"n{n}", f"What is {n}?", (NuggetAnswer(f"{n}{n}", ("d",)),)) for n in range(4)),
    Nugget("u", "What is u?", ()),
)
SET = Dataset(
    "toy",
    "dev",
    (Question("q", "What?", documents=("d",), gold=Gold(nuggets=NUGGETS)),),
    {"d": Document("d", "0 is 00. 1 is 11.")},
)


def knowing(request: JudgeRequest) -> str:
    """Knows which of the things a toy sentence speaks of: they are named in it."""
    if isinstance(request, NegativeAssertion):
        return "yes" if request.sentence.startswith("Nobody") else "no"
    if isinstance(request, Confirms):
        return "yes" if request.question[8] in request.sentence.split() else "no"
    if isinstance(request, Entails):
        return "yes"
    if isinstance(request, Answers):
        return "yes" if f" {request.answer}" in request.sentence else "no"
    return "yes"


def coverage(*sentences: tuple[str, tuple[str, ...]]) -> tuple[float, float]:
    """Nuggets credited, and sentence support."""
    report = Report(
        "q", " ".join(text for text, _ in sentences), tuple(Sentence(*s) for s in sentences)
    )
    found = evaluate(SET, [report], ["argue"], judge=knowing, resamples=0)
    assert not found.failures
    return found.value("argue.correct_nuggets"), found.value("argue.sentence_support")


STATED = tuple((f"{n} is plainly {n}{n}", ("d",)) for n in range(3))


def test_an_honest_denial_counts_and_blanket_ones_do_not() -> None:
    assert coverage(*STATED, ("Nobody knows u", ())) == (4, 1)
    every = [(f"Nobody knows {name}", ()) for name in ("0", "1", "2", "3", "u")]
    assert coverage(*STATED, *every) == (3, 3 / 8)
    assert coverage(*STATED, ("Nobody knows 0 , 1 , 2 , 3 or u", ())) == (3, 3 / 4)
    halves = [("Nobody knows 0 , 1 or 2", ()), ("Nobody knows 3 or u", ())]
    assert coverage(*STATED, *halves) == (3, 3 / 5)


def test_denials_earn_nothing_beside_few_answers() -> None:
    """Else whoever guesses what is missing earns it by a sentence, without having read anything."""
    denial = ("Nobody knows u", ())
    assert coverage(denial) == (0, 1)
    assert coverage(denial, ("It is said", ("d",))) == (0, 1)
    assert coverage(denial, STATED[0]) == (1, 1)
    assert coverage(denial, *STATED[:2]) == (2, 1)
    assert coverage(denial, *STATED) == (4, 1)


def test_too_few_nuggets_tell_nothing_of_what_was_read() -> None:
    cases = ((1, 4), (2, 4), (3, 4), (3, 5), (4, 6), (0, 2), (0, 0))
    assert [bears_denials(*one) for one in cases] == [False, False, True, False, True, True, True]


def test_the_published_rules_count_each_denial() -> None:
    report = Report("q", "", tuple(Sentence(f"Nobody knows {n}") for n in ("0", "1", "2", "u")))
    found = evaluate(SET, [report], ["argue(rules=argue-2024)"], judge=knowing, resamples=0)
    assert found.value("argue(rules=argue-2024).correct_nuggets") == 1
