"""Faithfulness, worked by hand with a judge that knows three facts."""

from __future__ import annotations

import pytest

from argue_bench.metrics.base import replay
from argue_bench.metrics.citations import Faithfulness
from argue_bench.records import (
    Answer,
    Document,
    Gold,
    JudgeRequest,
    Question,
    Refuses,
    Sentence,
    SupportLevel,
    Verdict,
)

LEVELS = {"It is true.": "full", "It is half true.": "partial", "It is false.": "no"}
DOCUMENTS = {id: Document(id, f"Text {id}.") for id in ("d1", "d2", "d3")}


class Known(dict[JudgeRequest, Verdict]):
    """Verdicts of the three sentences; "No." declines."""

    def __contains__(self, request: object) -> bool:
        return True

    def __missing__(self, request: JudgeRequest) -> Verdict:
        if isinstance(request, Refuses):
            return Verdict("yes" if request.response == "No." else "no")
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


def test_levels_are_counted_and_only_full_support_is_support() -> None:
    found = tallies("It is true.", "It is half true.", "It is false.", "It is true.", "—")
    assert found["supported"] == (2, 4)  # a dash states nothing
    assert (found["partial"], found["none"], found["sentences"]) == ((1, 1), (1, 1), (4, 1))


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
