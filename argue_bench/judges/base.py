"""The interface of a judge: judge requests in, verdicts out, and the kinds it can answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from argue_bench.records import KINDS, Failed, JudgeRequest, NotJudged, Verdict

if TYPE_CHECKING:
    from argue_bench.judges.prompted import Prompted
    from argue_bench.models.budget import Budget

Said = Verdict | Failed | NotJudged
Reply = tuple[JudgeRequest, Said]

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
    # Calls that were under way on a worker that was lost; ``price`` counts each at its estimate.
    lost: int = 0
    # Requests that a cascade did not put to its second judge.
    saved: int = 0
    # Requests of which a model read only a part, for want of room; the notes of verdicts say which.
    cut: int = 0
    # Replies that were refused, by the shape of their fault (`judges.prompted.replies`); each but those to a
    # second call was asked again.
    again_empty: int = 0
    again_cut_off: int = 0
    again_no_object: int = 0
    again_text_before: int = 0
    again_text_after: int = 0
    again_other_names: int = 0
    again_other_verdict: int = 0
    again_not_one_word: int = 0


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


# So many requests of one kind in a row with one verdict, or this share of so many, are told to the user: a
# broken server or prompt looks like that.
IN_A_ROW, ENOUGH, NEARLY_ALL = 50, 200, 0.98


@dataclass
class SameVerdicts:
    """The verdicts of a judge by kind of request, and the kinds for which nearly all are the same."""

    given: dict[str, Counter[object]] = field(default_factory=dict)
    told: dict[str, None] = field(default_factory=dict)
    _row: dict[str, tuple[object, int]] = field(default_factory=dict)

    def note(self, kind: type[JudgeRequest], value: object) -> bool:
        """Counts a verdict; whether with this one the kind is to be told."""
        if not isinstance(kind.verdicts, tuple):
            return False
        name = kind.__name__
        counts = self.given.setdefault(name, Counter())
        counts[value] += 1
        last, length = self._row.get(name, (value, 0))
        self._row[name] = (value, length + 1 if value == last else 1)
        most, total = max(counts.values()), counts.total()
        same = self._row[name][1] == IN_A_ROW or (total == ENOUGH and most >= NEARLY_ALL * total)
        if not same or name in self.told:
            return False
        self.told[name] = None
        return True

    def lines(self, judge: str) -> Iterator[str]:
        """For each kind that was told, how often which verdict came."""
        for name in self.told:
            value, most = self.given[name].most_common(1)[0]
            yield f"{judge} said {value} {most:,} times of {self.given[name].total():,} ({name})"


def checked_reply(judge: str, request: JudgeRequest, reply: Said) -> Said:
    """The reply, or `Failed` where its verdict is none that the request declares.

    A verdict that was never declared is a failure to judge, not an answer.
    """
    kind = type(request)
    if isinstance(reply, (Failed, NotJudged)) or kind.declares(reply.value):
        return reply
    return Failed(
        f"{judge} returned {reply.value!r:.80} for {kind.__name__}, not {kind.declared_verdicts()}"
    )


def add_counts(own: Counts, judges: Iterable[Judge]) -> Counts:
    """The counts of a judge that asks others: calls, tokens and price are theirs, what it was given its own."""
    for name in vars(own).keys() - {"requests", "stored", "failed", "saved"}:
        setattr(own, name, sum(getattr(one.counts, name) for one in judges))
    return own


async def judge_in_batches(judge: Judge, requests: Iterable[JudgeRequest]) -> AsyncIterator[Reply]:
    """A judge's replies to requests, sent in batches of the size that it wants, each request once."""
    distinct = list(dict.fromkeys(requests))
    for start in range(0, len(distinct), judge.batch):
        async for reply in judge.judge(distinct[start : start + judge.batch]):
            yield reply


class Judge:
    """A judge: the one method `judge`, and the kinds of request that it answers.

    A subclass gives these; whatever else the driver and judges that wrap a judge need stands here, with
    what holds where nothing else is said. `as_judge` makes one of a function, and of any object that has
    ``kinds`` and ``judge``.
    """

    name: str = "judge"
    """The spec that makes it (``lexical``, ``nli:MODEL``); column heads show it."""
    kinds: frozenset[type[JudgeRequest]] = frozenset(KINDS.values())
    """The kinds of request that it can answer."""
    defaults: Mapping[type[JudgeRequest], str] = MappingProxyType({})
    """Verdicts of failed requests under ``--on-failure default``, where they are not ARGUE's."""
    free: bool = False
    """Whether it costs nothing, loads nothing and gives the same verdict every time."""
    loads: bool = False
    """Whether it loads a model, which a GPU makes fast."""
    reads_context: bool = False
    """Whether it reads the context of a sentence: its question and its neighbours. Another is asked without,
    so that its verdicts on one pair of texts are one."""

    def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """A reply to each request, in any order, as they come. The requests are distinct.

        A request that gets no verdict has the reply `Failed`, one that the judge cannot read `NotJudged`; an
        exception means that no further
        request can be answered (JudgeError: wrong key, disk full, budget spent).
        """
        raise NotImplementedError

    @cached_property
    def same(self) -> SameVerdicts:
        """The verdicts that it gave, to notice one that is always the same; a store shares its judge's."""
        return self.wraps[0].same if len(self.wraps) == 1 else SameVerdicts()

    def doubt(self, request: JudgeRequest, verdict: Verdict) -> float | None:
        """The probability that people would find something wrong where it gave this verdict; None where it
        does not know. Of a full verdict only some judges know it."""
        return verdict.probability

    def identity(self) -> Mapping[str, str]:
        """Everything that changes its verdicts: model, prompt digest, decoding. For the signature."""
        return {}

    @property
    def batch(self) -> int:
        """How many requests it wants at once."""
        return 256

    @property
    def patient(self) -> bool:
        """Whether a call takes so long that as many requests as possible should go into it."""
        return False

    @cached_property
    def counts(self) -> Counts:
        """What it has done so far."""
        return Counts()

    @property
    def wraps(self) -> tuple[Judge, ...]:
        """The judges that it asks: members of a panel, the judge before a store."""
        return ()

    def language_models(self) -> Iterator[Prompted]:
        """The language models that are asked: this one, or each that a wrapped judge asks."""
        for one in self.wraps:
            yield from one.language_models()

    def observed(self) -> Mapping[str, str]:
        """Facts that only judging can show: ``without`` the parameters that a server refused, contrary
        to the identity, and ``served`` the models that answered in place of the requested one."""
        return {
            f"{number}.{key}": value
            for number, one in enumerate(self.wraps, 1)
            for key, value in one.observed().items()
        }

    def confirm_responsive(self) -> None:
        """Records that it gave verdicts in an earlier run, so that it is not given up."""
        for one in self.wraps:
            one.confirm_responsive()

    def set_budget(self, budget: Budget) -> None:
        """Pays from this budget, as all judges do that it asks. Raises JudgeError where a price is not known."""
        for one in self.wraps:
            one.set_budget(budget)

    def default_of(self, kind: type[JudgeRequest]) -> str | None:
        """The verdict that ``--on-failure default`` gives a failed request: its own, else ARGUE's."""
        return self.defaults.get(kind, kind.default)


class Wrapper(Judge):
    """A judge that stands before one other, with all that is said of that one."""

    def __init__(self, inner: Judge) -> None:
        self.inner = inner
        self.name, self.kinds, self.defaults = inner.name, inner.kinds, inner.defaults
        self.reads_context, self.free = inner.reads_context, inner.free

    @property
    def wraps(self) -> tuple[Judge, ...]:
        return (self.inner,)

    @property
    def batch(self) -> int:
        return self.inner.batch

    @property
    def patient(self) -> bool:
        return self.inner.patient

    @property
    def counts(self) -> Counts:
        return self.inner.counts

    def identity(self) -> Mapping[str, str]:
        return self.inner.identity()


class ForeignJudge(Judge):
    """An object of somebody else's that has ``kinds`` and ``judge``, with the usual values for the rest."""

    def __init__(self, given: Any) -> None:
        self.given = given
        self.name = str(getattr(given, "name", type(given).__name__))
        self.kinds = frozenset(given.kinds)
        self.defaults = getattr(given, "defaults", {})
        self.reads_context = bool(getattr(given, "reads_context", False))
        self.counts = getattr(given, "counts", Counts())

    @property
    def batch(self) -> int:
        return int(getattr(self.given, "batch", super().batch))

    def identity(self) -> Mapping[str, str]:
        return dict(self.given.identity()) if hasattr(self.given, "identity") else {}

    def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        return cast("AsyncIterator[Reply]", self.given.judge(requests))


def costs_of(judges: Iterable[Judge]) -> dict[str, dict[str, float]]:
    """Requests and costs of each judge by name; those of two with one name are summed."""
    costs: dict[str, dict[str, float]] = {}
    for judge in {id(judge): judge for judge in judges}.values():
        row = costs.setdefault(judge.name, {"requests": 0})
        for key, value in vars(judge.counts).items():
            if value:
                row[key] = row.get(key, 0) + value
    return costs
