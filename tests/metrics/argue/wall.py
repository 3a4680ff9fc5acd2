"""A report about a wall that takes every branch of the tree, with a judge that knows the answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

from argue_bench.eval.driver import Case, Counted, run_metrics
from argue_bench.judges.base import Counts, Judge, Reply
from argue_bench.metrics import parse
from argue_bench.records import (
    KINDS,
    Answer,
    Answers,
    Confirms,
    Document,
    Entails,
    FirstInstance,
    Gold,
    JudgeRequest,
    NeedsCitation,
    NegativeAssertion,
    Nugget,
    NuggetAnswer,
    Question,
    Relevant,
    Sentence,
    Verdict,
)

DOCUMENTS = {
    id: Document(id, f"The text of {id}.", f"Title {id}") for id in ("d1", "d2", "d3", "d4")
}

WHEN = Nugget("n1", "When?", (NuggetAnswer("1931", ("d1",)),), "any", "vital")
WHO = Nugget(
    "n2",
    "Who paid?",
    (NuggetAnswer("city", ("d1",)), NuggetAnswer("state", ("d2",))),
    "all",
    "okay",
)
DESIGN = Nugget("n3", "Who designed it?", (), "any", "okay")
LONG = Nugget("n4", "How long?", (NuggetAnswer("12 km", ("d3",)),), "any", "vital", ("10 km",))
NUGGETS = (WHEN, WHO, DESIGN, LONG)

S1 = Sentence("It was finished in 1931.", ("d1",))  # attested, answers n1
S2 = Sentence("The city paid.", ("d1", "d2"))  # d2 does not attest it; one of n2's two answers
S3 = Sentence("The state paid.", ("d2",))  # attested, the other of n2's answers
S4 = Sentence("It is 12 km long.", ("d3",))  # attested, answers n4
S5 = Sentence("Nobody knows who designed it.")  # negative assertion, confirms n3
S6 = Sentence("In short, it is large.")  # needs no citation
S7 = Sentence("It cost three million.")  # needs one, is new
S8 = Sentence("As said, 1931 was the year.")  # needs one, was said before
S9 = Sentence("It is 10 km long.", ("d4",))  # attested by an irrelevant document; n4's wrong answer
REPORT = (S1, S2, S3, S4, S5, S6, S7, S8, S9)

YES: dict[type[JudgeRequest], set[tuple[str, ...]]] = {
    Entails: {
        (S1.text, "d1"),
        (S2.text, "d1"),
        (S3.text, "d2"),
        (S4.text, "d3"),
        (S9.text, "d4"),
        (S2.text, "d1", "d2"),
    },
    Answers: {
        (S1.text, "When?", "1931"),
        (S2.text, "Who paid?", "city"),
        (S3.text, "Who paid?", "state"),
        (S4.text, "How long?", "12 km"),
        (S9.text, "How long?", "10 km"),
    },
    NeedsCitation: {(S5.text,), (S7.text,), (S8.text,)},
    FirstInstance: {(S5.text,), (S7.text,)},
    NegativeAssertion: {(S5.text,)},
    Confirms: {(S5.text, "Who designed it?")},
    Relevant: {("d4", "How long?", "12 km"), ("d1", "When?", "1931")},
}


def words(request: JudgeRequest) -> tuple[str, ...]:
    """An ask in the short form of YES."""
    if isinstance(request, Entails):
        return (request.hypothesis, *(source.id for source in request.premise))
    if isinstance(request, Relevant):
        return (request.document.id, request.question, request.answer)
    if isinstance(request, FirstInstance):
        return (request.sentence,)
    return tuple(getattr(request, name) for name in request.stated)


class Knowing(Judge):
    """Says yes to what it knows and no to the rest; keeps what it was asked."""

    name = "knowing"
    kinds = frozenset(KINDS.values())
    batch = 7

    def __init__(self, yes: Mapping[type[JudgeRequest], set[tuple[str, ...]]] = YES) -> None:
        self.yes, self.counts = yes, Counts()
        self.asked: list[JudgeRequest] = []

    def identity(self) -> Mapping[str, str]:
        return {}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        for request in requests:
            self.asked.append(request)
            known = words(request) in self.yes.get(type(request), set())
            yield request, Verdict("yes" if known else "no")

    def of(self, kind: type[JudgeRequest]) -> set[tuple[str, ...]]:
        return {words(request) for request in self.asked if isinstance(request, kind)}


def question(
    nuggets: Sequence[Nugget] = NUGGETS, relevance: Mapping[str, int] | None = None
) -> Question:
    return Question(
        "wall", "Tell of the wall.", gold=Gold(nuggets=tuple(nuggets), relevance=relevance or {})
    )


def answer(sentences: Sequence[Sentence] = REPORT) -> Answer:
    return Answer("wall", " ".join(s.text for s in sentences), tuple(sentences), "run")


async def counted(
    metric: str,
    sentences: Sequence[Sentence] = REPORT,
    judge: Knowing | None = None,
    nuggets: Sequence[Nugget] = NUGGETS,
    relevance: Mapping[str, int] | None = None,
) -> Counted:
    case = Case(question(nuggets, relevance), answer(sentences), DOCUMENTS)
    made = parse(metric)
    outcomes = [one async for one in run_metrics([case], [made], {"": judge or Knowing()})]
    return outcomes[0].counted[str(made)]
