"""Faithfulness, worked by hand with a judge that knows three facts."""

from __future__ import annotations

import pytest

from argue_bench.metrics.base import replay
from argue_bench.metrics.citations.faithfulness import Faithfulness
from argue_bench.records import (
    Answer,
    Contradicts,
    Document,
    Gold,
    JudgeRequest,
    ListClaims,
    Question,
    Refuses,
    Sentence,
    SupportLevel,
    Verdict,
)

LEVELS = {
    "It is true.": "full",
    "It is half true.": "partial",
    "It is false.": "no",
    "It is denied.": "partial",
    "It is invented.": "no",
    "It is wrong.": "no",
}
DOCUMENTS = {id: Document(id, f"Text {id}.") for id in ("d1", "d2", "d3")}


class Known(dict[JudgeRequest, Verdict]):
    """Verdicts of the three sentences; "No." declines."""

    def __contains__(self, request: object) -> bool:
        return True

    def __missing__(self, request: JudgeRequest) -> Verdict:
        if isinstance(request, Refuses):
            return Verdict("yes" if request.response == "No." else "no")
        if isinstance(request, ListClaims):
            return Verdict("It is true.\n\n It is false.\nIt is true.")
        if isinstance(request, Contradicts):
            return Verdict("yes" if request.sentence == "It is denied." else "no", "it says no")
        assert isinstance(request, SupportLevel)
        assert [source.id for source in request.premise] == ["d1", "d2"]
        return Verdict(LEVELS[request.sentence])


def tallies(
    *texts: str, documents: tuple[str, ...] = ("d1", "d2")
) -> dict[str, tuple[float, float]]:
    question = Question("q", "Is it?", documents=documents, gold=Gold())
    answer = Answer("q", " ".join(texts), tuple(map(Sentence, texts)))
    found = replay(Faithfulness().tally(question, answer, DOCUMENTS), Known())
    return {name: (tally.numerator, tally.denominator) for name, tally in found.items()}


def test_every_sentence_without_full_support_has_one_class() -> None:
    question = Question("q", "Is it?", documents=("d1", "d2"), gold=Gold())
    sentences = tuple(Sentence(text) for text in list(LEVELS)[:4])
    sentences += (Sentence("It is invented.", ("d9",)), Sentence("It is wrong.", ("d9", "d1")))
    answer = Answer("q", " ".join(one.text for one in sentences), sentences)
    found = replay(Faithfulness().tally(question, answer, DOCUMENTS), Known())
    assert [(miss.id, miss.lack, miss.reason) for miss in found["supported"].misses] == [
        ("2", "partly", "supported in part by the contexts"),
        ("3", "nothing", "nothing in the contexts supports it"),
        ("4", "contradicted", "contradicted by the contexts: it says no"),
        ("5", "missing", "it cites [d9], which is not among the sources"),
        ("6", "nothing", "nothing in the contexts supports it"),
    ]
    counts = {
        name: found[name].numerator for name in ("partial", "contradicted", "missing", "none")
    }
    assert counts == {"partial": 1, "contradicted": 1, "missing": 1, "none": 2}
    assert found["sentences"].numerator == 6


def test_atomic_claims_are_counted_and_a_sentence_with_one_that_fails_is_listed() -> None:
    question = Question("q", "Is it?", documents=("d1", "d2"), gold=Gold())
    answer = Answer("q", "Both.", (Sentence("Both."),))
    found = replay(Faithfulness(claims="atomic").tally(question, answer, DOCUMENTS), Known())
    assert (found["supported"].numerator, found["supported"].denominator) == (1, 2)
    assert [miss.lack for miss in found["supported"].misses] == ["partly"]
    assert str(Faithfulness(claims="atomic")) == "faithfulness(claims=atomic)"


def test_levels_are_counted_and_only_full_support_is_support() -> None:
    found = tallies("It is true.", "It is half true.", "It is false.", "It is true.", "—")
    assert found["supported"] == (1, 3)  # a dash states nothing, and what is said again nothing new
    assert (found["partial"], found["none"], found["sentences"]) == ((1, 1), (1, 1), (3, 1))


@pytest.mark.parametrize(
    ("texts", "documents", "answered"),
    [((), ("d1",), 0.0), (("No.",), ("d1", "d2"), 0.0), (("It is true.",), (), 1.0)],
    ids=["empty", "declines", "no contexts"],
)
def test_what_states_nothing_or_has_no_contexts_does_not_apply(
    texts: tuple[str, ...], documents: tuple[str, ...], answered: float
) -> None:
    found = tallies(*texts, documents=documents)
    assert found["supported"][1] == 0
    assert found["answered"] == (answered, 1)


def test_a_sentence_is_judged_with_its_neighbours_in_view() -> None:
    question = Question("q", "Is it?", documents=("d1",), gold=Gold())
    answer = Answer("q", "A. B. C.", (Sentence("A."), Sentence("B."), Sentence("C.")))
    steps = Faithfulness().tally(question, answer, DOCUMENTS)
    (refuses,) = next(steps)
    requests = steps.send({refuses: Verdict("no")})
    seen = [
        (one.before, one.sentence, one.after) for one in requests if isinstance(one, SupportLevel)
    ]
    assert seen == [("", "A.", "B."), ("A.", "B.", "C."), ("B.", "C.", "")]


def test_a_sentence_that_states_nothing_is_left_out_and_named() -> None:
    found = tallies("Here is what I found:", "It is true.", "It is false.", "Hope this helps!")
    assert found["supported"] == (1, 2)
    assert (found["sentences"], found["unstated"]) == ((2, 1), (2, 1))
    question = Question("q", "Is it?", documents=("d1", "d2"), gold=Gold())
    texts = ("Hello!", "It is false.")
    answer = Answer("q", " ".join(texts), tuple(map(Sentence, texts)))
    supported = replay(Faithfulness().tally(question, answer, DOCUMENTS), Known())["supported"]
    assert supported.note == "unsupported sentences: 2; left out, since they state nothing new: 1"
    assert [miss.id for miss in supported.misses] == ["2"]


def test_an_answer_of_courtesies_states_nothing_and_asks_nothing() -> None:
    question = Question("q", "Is it?", documents=("d1", "d2"), gold=Gold())
    answer = Answer("q", "Hope this helps!", (Sentence("Hope this helps!"),))
    found = replay(Faithfulness().tally(question, answer, DOCUMENTS), {})
    assert (found["supported"].denominator, found["answered"].numerator) == (0, 0)
    assert found["answered"].note == "it states nothing"


def test_a_bare_yes_is_judged_with_the_sentence_after_it() -> None:
    question = Question("q", "Is it?", documents=("d1",), gold=Gold())
    texts = ("B.", "Yes.", "It is true.", "C.")
    answer = Answer("q", " ".join(texts), tuple(map(Sentence, texts)))
    steps = Faithfulness().tally(question, answer, DOCUMENTS)
    (refuses,) = next(steps)
    requests = steps.send({refuses: Verdict("no")})
    assert [(one.before, one.sentence, one.after) for one in requests] == [
        ("", "B.", "Yes."),
        ("B.", "Yes. It is true.", "C."),
        ("It is true.", "C.", ""),
    ]
