"""Faithfulness, worked by hand with a judge that knows three facts."""

from __future__ import annotations

from typing import Literal

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
    Tally,
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
QUESTION = Question("q", "Is it?", documents=("d1", "d2"), gold=Gold())


class Known(dict[JudgeRequest, Verdict]):
    """Verdicts of the sentences; "No." declines."""

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


def answer_of(*said: str | Sentence) -> Answer:
    sentences = tuple(Sentence(one) if isinstance(one, str) else one for one in said)
    return Answer("q", " ".join(one.text for one in sentences), sentences)


def tallies(
    *said: str | Sentence,
    question: Question = QUESTION,
    claims: Literal["sentence", "atomic"] = "sentence",
) -> dict[str, Tally]:
    return dict(replay(Faithfulness(claims).tally(question, answer_of(*said), DOCUMENTS), Known()))


def share(tally: Tally) -> tuple[float, float]:
    return tally.numerator, tally.denominator


def test_every_sentence_without_full_support_has_one_class() -> None:
    invented, wrong = Sentence("It is invented.", ("d9",)), Sentence("It is wrong.", ("d9", "d1"))
    found = tallies(*list(LEVELS)[:4], invented, wrong)
    assert [(miss.id, miss.lack, miss.reason) for miss in found["supported"].misses] == [
        ("2", "partly", "supported in part by the contexts"),
        ("3", "nothing", "nothing in the contexts supports it"),
        ("4", "contradicted", "contradicted by the contexts: it says no"),
        ("5", "missing", "it cites [d9], which is not among the sources"),
        ("6", "nothing", "nothing in the contexts supports it"),
    ]
    assert share(found["supported"]) == (1, 6)
    counts = {
        name: found[name].numerator
        for name in ("partly", "contradicted", "missing", "unsupported", "sentences")
    }
    assert counts == {
        "partly": 1,
        "contradicted": 1,
        "missing": 1,
        "unsupported": 2,
        "sentences": 6,
    }


def test_atomic_claims_are_counted_and_a_sentence_with_one_that_fails_is_listed() -> None:
    found = tallies("Both.", claims="atomic")
    assert share(found["supported"]) == (1, 2)
    assert [miss.lack for miss in found["supported"].misses] == ["partly"]


@pytest.mark.parametrize(
    ("texts", "documents", "answered", "note"),
    [
        ((), ("d1",), 0.0, "empty"),
        (("No.",), ("d1", "d2"), 0.0, "declines"),
        (("Hope this helps!",), ("d1", "d2"), 0.0, "it states nothing"),
    ],
    ids=["empty", "declines", "courtesies"],
)
def test_what_states_nothing_does_not_apply(
    texts: tuple[str, ...], documents: tuple[str, ...], answered: float, note: str
) -> None:
    question = Question("q", "Is it?", documents=documents, gold=Gold())
    found = tallies(*texts, question=question)
    assert found["supported"].denominator == 0
    assert (found["answered"].numerator, found["answered"].note) == (answered, note)


@pytest.mark.parametrize(
    ("documents", "found"), [({}, (0, 0)), (DOCUMENTS, (0, 1))], ids=["none", "none is cited"]
)
def test_what_has_no_contexts_is_unsupported_where_there_are_documents(
    documents: dict[str, Document], found: tuple[int, int]
) -> None:
    """A question that lists none lets an answer cite what it found: else it would drop out by citing nothing."""
    question = Question("q", "Is it?", gold=Gold())
    steps = Faithfulness().tally(question, answer_of("It is true."), documents)
    counted = dict(replay(steps, Known()))
    assert share(counted["supported"]) == found
    assert share(counted["answered"]) == (1, 1)


def test_a_sentence_that_states_nothing_is_left_out_and_named() -> None:
    found = tallies("Here is what I found:", "It is true.", "It is false.", "—", "Hope this helps!")
    assert share(found["supported"]) == (1, 2)
    assert (found["sentences"].numerator, found["unstated"].numerator) == (2, 2)
    note = "unsupported sentences: 3; left out, since they state nothing: 1, 5"
    assert found["supported"].note == note


def test_a_sentence_is_judged_with_its_neighbours_in_view_and_a_bare_yes_with_the_next() -> None:
    steps = Faithfulness().tally(
        QUESTION, answer_of("It is B.", "Yes.", "It is true.", "C."), DOCUMENTS
    )
    (refuses,) = next(steps)
    requests = steps.send({refuses: Verdict("no")})
    assert [(one.before, one.sentence, one.after) for one in requests] == [
        ("", "It is B.", "Yes."),
        ("It is B.", "Yes. It is true.", "C."),
        ("It is true.", "C.", ""),
    ]


def test_the_bounds_of_a_dry_run_hold_what_classes_ask() -> None:
    bounds = Faithfulness().later_requests(QUESTION, answer_of(*LEVELS), DOCUMENTS)
    assert bounds == {"SupportLevel": (0, len(LEVELS)), "Contradicts": (0, len(LEVELS))}
