"""The interface of a judge: judge requests in, verdicts out, and the kinds it can answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from argue_bench.records import Failed, JudgeRequest, Verdict

Reply = tuple[JudgeRequest, Verdict | Failed]

# Begins the note of a verdict for which the server refused parameters; their names follow.
SENT_WITHOUT = "sent without "


@dataclass
class Counts:
    """What a judge has done so far; ``requests`` counts those it was given, ``price`` is in US dollars.

    ``unpriced`` counts the calls among ``calls`` whose price is not known, and which ``price`` leaves out.
    """

    requests: int = 0
    stored: int = 0
    failed: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    price: float = 0.0
    unpriced: int = 0
    cut: int = 0
    """Requests of which a model read only a part, for want of room; the notes of verdicts say which."""


@dataclass(frozen=True)
class Amount:
    """What judging costs or would cost; ``price`` in US dollars, None where it is not known."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    price: float | None = 0.0

    def plus(self, other: Amount, times: float = 1.0) -> Amount:
        """This amount plus ``times`` times the other."""
        unknown = self.price is None or other.price is None
        return Amount(
            self.calls + round(times * other.calls),
            self.tokens_in + round(times * other.tokens_in),
            self.tokens_out + round(times * other.tokens_out),
            None if unknown else (self.price or 0.0) + times * (other.price or 0.0),
        )


def checked_reply(judge: str, request: JudgeRequest, reply: Verdict | Failed) -> Verdict | Failed:
    """The reply, or `Failed` where its verdict is none that the request declares.

    A verdict that was never declared is a failure to judge, not an answer.
    """
    kind = type(request)
    if isinstance(reply, Failed) or kind.declares(reply.value):
        return reply
    return Failed(
        f"{judge} returned {reply.value!r:.80} for {kind.__name__}, not {kind.declared_verdicts()}"
    )


def is_free(judge: Judge) -> bool:
    """Whether a judge costs nothing, loads nothing and gives the same verdict every time."""
    return getattr(judge, "free", False)


def is_patient(judge: Judge) -> bool:
    """Whether each call of a judge takes so long that it should get as many requests as possible."""
    return getattr(judge, "patient", False)


def reads_context(judge: Judge) -> bool:
    """Whether a judge reads the context of a sentence: its question and its neighbours.

    Another is asked without, so that its verdicts on one pair of texts are one.
    """
    return getattr(judge, "reads_context", False)


async def judge_in_batches(judge: Judge, requests: Iterable[JudgeRequest]) -> AsyncIterator[Reply]:
    """A judge's replies to requests, sent in batches of the size that it wants, each request once."""
    distinct = list(dict.fromkeys(requests))
    for start in range(0, len(distinct), judge.batch):
        async for reply in judge.judge(distinct[start : start + judge.batch]):
            yield reply


class Judge(Protocol):
    """A judge: any object with these attributes; it need not inherit from this class."""

    @property
    def name(self) -> str:
        """The spec that makes it (``lexical``, ``nli:MODEL``); column heads show it."""
        ...

    @property
    def kinds(self) -> frozenset[type[JudgeRequest]]:
        """The kinds of request that it can answer."""
        ...

    @property
    def batch(self) -> int:
        """How many requests it wants at once."""
        ...

    @property
    def counts(self) -> Counts: ...

    # A judge may also have ``defaults``, a mapping from kinds to the verdicts that --on-failure default
    # fills in where they are not ARGUE's (`judges.default_of`); ``patient`` and ``reads_context``, which the
    # functions above explain; ``free``: it costs nothing, loads nothing and gives the same verdict every time,
    # so that the workers of a cluster may judge where the cases are counted; and ``loads``: it loads a model,
    # which a GPU makes fast.

    def identity(self) -> Mapping[str, str]:
        """Everything that changes its verdicts: model, prompt digest, decoding. For the signature."""
        ...

    def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """A reply to each request, in any order, as they come. The requests are distinct.

        A request that gets no verdict has the reply `Failed`; an exception means that no further
        request can be answered (JudgeError: wrong key, disk full, budget spent).
        """
        ...


def costs_of(judges: Iterable[Judge]) -> dict[str, dict[str, float]]:
    """Requests and costs of each judge by name; those of two with one name are summed."""
    costs: dict[str, dict[str, float]] = {}
    for judge in {id(judge): judge for judge in judges}.values():
        row = costs.setdefault(judge.name, {"requests": 0})
        for key, value in vars(judge.counts).items():
            if value:
                row[key] = row.get(key, 0) + value
    return costs
