"""The driver: runs every metric over every answer, makes each judge request once, returns verdicts.

The one driver: whatever steps a metric, or asks a judge in steps, does it here (`run_metrics`,
`run_steps`). Each case (one question with one answer) is a task that steps its metrics'
generators; each judge has a queue, where equal requests join, batches go out and verdicts come
back as they arrive. So a slow judge holds up only the metrics that use it. Not more than
`window_for` says live at once, and outcomes come in the order of the cases: memory is flat and two
runs write the same bytes.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict, deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from argue_bench.errors import ArgueBenchError, Interrupted, JudgeError, NoGold
from argue_bench.judges import stop_requests
from argue_bench.judges.base import Amount, Judge, Said, checked_reply
from argue_bench.metrics.base import Bounds, Metric, first_round, tally_steps
from argue_bench.records import (
    Answer,
    Document,
    Failed,
    JudgeRequest,
    NotJudged,
    Question,
    Tally,
    Verdict,
)

if TYPE_CHECKING:
    from argue_bench.judges.prompted import Prompted


T = TypeVar("T")
# Steps that yield judge requests, are sent every reply, failures too, and return what they made.
Asking = Generator[Sequence[JudgeRequest], Mapping[JudgeRequest, Said], T]
OnFailure = Literal["refuse", "leave-out", "default"]
# Called with the number of cases done, after every verdict.
#
# An object with a method ``watch`` is also given the `Standing` of the run, once.
Progress = Callable[[int], None]

_LOG = logging.getLogger(__name__)
# Cases that a metric reads together where it is faster so.
_READ_AHEAD = 32
# Turns of the event loop without a new request, after which none will come before a verdict does.
_QUIET_TURNS = 20
# Verdicts kept for further metrics and systems; an older one is requested again, from the store
# where there is one.
REMEMBERED = 20_000
# Cases under way at once, where a judge is neither free nor patient: enough to fill its batches.
WINDOW = 512
# Cases, where all judges are free: so few that what the lexical judge read of a case's sources is still
# in its cache when the next round of requests asks of it.
FREE_WINDOW = 64
# Cases, where a judge takes hours for each round of requests.
PATIENT_WINDOW = 20_000
# Batches at one judge at once: one is judged while the verdicts of the other are counted.
_BATCHES_OUT = 2


class Case(NamedTuple):
    """One question, one system's answer to it, and what may be cited."""

    question: Question
    answer: Answer
    documents: Mapping[str, Document]


@dataclass(frozen=True)
class Counted:
    """The result of one metric on one case: tallies, `NotJudged`, or None and why it failed."""

    tallies: Mapping[str, Tally] | None
    requests: tuple[JudgeRequest, ...] = ()
    failures: tuple[str, ...] = ()
    # Keys of failed requests with the default verdicts that they were given.
    defaults: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """The results of every metric on one case; keys are metric texts."""

    case: Case
    counted: Mapping[str, Counted]


@dataclass
class Standing:
    """The state of a run. ``cases`` are done; the other fields count judge requests.

    ``made``: distinct requests of the cases begun, which may make more; each has a verdict, has failed, or
    waits. ``verdicts``: those that did not fail.
    """

    cases: int = 0
    made: int = 0
    verdicts: int = 0
    failed: int = 0


@dataclass
class _JudgeQueue:
    """The queue of requests for one judge."""

    judge: Judge
    standing: Standing
    tell: Callable[[], None]
    # The last replies, by request key.
    remembered: OrderedDict[str, Said] = field(default_factory=OrderedDict)
    waiting: dict[JudgeRequest, asyncio.Future[Said]] = field(default_factory=dict)
    pending: list[JudgeRequest] = field(default_factory=list)
    out: set[asyncio.Task[None]] = field(default_factory=set)
    # Whether the judge can answer nothing more.
    lost: bool = False

    async def request(self, requests: Sequence[JudgeRequest]) -> dict[JudgeRequest, Said]:
        loop = asyncio.get_running_loop()
        replies: dict[JudgeRequest, Said] = {}
        awaited: dict[JudgeRequest, asyncio.Future[Said]] = {}
        # Each request once, in the order in which the metric made them: two runs send the same.
        for request in dict.fromkeys(requests):
            if type(request) not in self.judge.kinds:
                replies[request] = Failed(
                    f"{self.judge.name} can't answer {type(request).__name__}"
                )
            elif request.key in self.remembered:
                replies[request] = self.remembered[request.key]
            else:
                # Metrics and systems that make the same request wait for one verdict.
                if request not in self.waiting:
                    self.waiting[request] = loop.create_future()
                    self.pending.append(request)
                    self.standing.made += 1
                awaited[request] = self.waiting[request]
        self._send()
        return replies | {request: await future for request, future in awaited.items()}

    def _send(self) -> None:
        # A batch that is done sends the next one (`_done`), so nothing has to wait here.
        if self.pending and len(self.out) < _BATCHES_OUT:
            task = asyncio.create_task(self._batch())
            self.out.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self.out.discard(task)
        self._send()

    async def _batch(self) -> None:
        await self._gather()
        requests, self.pending = self.pending[: self.judge.batch], self.pending[self.judge.batch :]
        if not requests:
            return
        try:
            async for request, reply in self.judge.judge(requests):
                self._settle(request, checked_reply(self.judge.name, request, reply))
            for request in requests:
                if request in self.waiting:
                    self._settle(request, Failed(f"{self.judge.name} gave no reply"))
        except BaseException as error:
            # The judge is lost: all that wait for it, in this batch or a later one, get the error.
            for request in (*requests, *self.pending):
                future = self.waiting.pop(request, None)
                if future is not None and not future.done():
                    future.set_exception(error)
                    future.exception()  # a cancelled waiter must not warn that it went unread
            self.pending.clear()
            # A cancellation goes on its way; an error has reached those who wait, and ends the run there.
            if not isinstance(error, Exception):
                raise
            self.lost = True

    async def _gather(self) -> None:
        """Lets every case that is ready add its requests first; all that can, where a judge is patient."""
        # Each turn of the event loop lets all cases that got verdicts go on to their next requests. One turn
        # fills a batch well enough; a judge that takes hours waits until no case can add anything more.
        quiet = 0
        while quiet < (_QUIET_TURNS if self.judge.patient else 1):
            before = len(self.pending)
            await asyncio.sleep(0)
            quiet = quiet + 1 if len(self.pending) == before or not self.judge.patient else 0

    def _settle(self, request: JudgeRequest, reply: Said) -> None:
        # A failure is remembered too: the next system that asks the same would only fail again.
        self.remembered[request.key] = reply
        if len(self.remembered) > REMEMBERED:
            self.remembered.popitem(last=False)
        future = self.waiting.pop(request, None)
        if future is not None and not future.done():
            future.set_result(reply)
        if isinstance(reply, Failed):
            self.standing.failed += 1
        else:
            self.standing.verdicts += 1
        if isinstance(reply, Verdict) and not self.judge.free:
            self._note(type(request), reply.value)
        self.tell()

    def _note(self, kind: type[JudgeRequest], value: object) -> None:
        """Says at once where the judge gives nearly always one verdict."""
        if self.judge.same.note(kind, value):
            *_, line = self.judge.same.lines(self.judge.name)
            _LOG.warning("%s: are its model and prompt the right ones?", line)

    async def let_in(self) -> None:
        """Makes no more requests; those in progress are finished, where the judge can be stopped."""
        self.pending.clear()
        # A judge that cannot be stopped (a function, a local model) costs nothing: it is not waited for.
        if self.out and stop_requests(self.judge, Interrupted("stopped")):
            await asyncio.gather(*self.out, return_exceptions=True)


def window_for(judges: Iterable[Judge]) -> int:
    """How many cases live at once with these judges."""
    judges = list(judges)
    if all(judge.free for judge in judges):
        return FREE_WINDOW
    if any(judge.patient for judge in judges):
        return PATIENT_WINDOW
    return max(WINDOW, *(judge.batch for judge in judges))


async def run_metrics(
    cases: Iterable[Case],
    metrics: Sequence[Metric],
    judges: Mapping[str, Judge],
    on_failure: OnFailure = "refuse",
    progress: Progress | None = None,
) -> AsyncGenerator[Outcome]:
    """An outcome for each case, in order.

    ``judges`` maps the names that metric texts use to judges; "" is the default one. ``progress`` is called
    after every verdict. Raises NoGold for a sealed question, JudgeError where a judge can answer nothing
    more; what was under way then comes in first, since it is paid for.
    """
    standing = Standing()
    if (
        on_failure == "default"
    ):  # as Auto-ARGUE does: a model that gives no verdict at all is not given up
        for judge in judges.values():
            judge.confirm_responsive()
    if (watch := getattr(progress, "watch", None)) is not None:
        watch(standing)

    def tell() -> None:
        if progress is not None:
            progress(standing.cases)

    def count(task: asyncio.Task[Outcome]) -> None:
        standing.cases += 1
        tell()

    queues = {name: _JudgeQueue(judge, standing, tell) for name, judge in judges.items()}
    running: deque[asyncio.Task[Outcome]] = deque()
    source, window = _read_ahead(cases, metrics), window_for(judges.values())
    async with _paid_for(queues.values(), running):
        while True:
            while len(running) < window and (case := next(source, None)) is not None:
                running.append(asyncio.create_task(_case(case, metrics, queues, on_failure)))
                running[-1].add_done_callback(count)
            if not running:
                return
            # The oldest case, although others may be done: the run file keeps the order of cases.
            outcome = await running[0]
            running.popleft()
            yield outcome


@asynccontextmanager
async def _paid_for(
    queues: Collection[_JudgeQueue], running: Collection[asyncio.Task[Any]]
) -> AsyncIterator[None]:
    """However a run ends, what is under way at its judges comes in, and into the store: it is paid for."""
    try:
        yield
    except asyncio.CancelledError:
        # Ctrl-C, or the program that called. A second one does not wait.
        if any(queue.out for queue in queues):
            _LOG.warning("stopping: what is under way comes in; Ctrl-C again stops at once")
        await asyncio.gather(*(queue.let_in() for queue in queues))
        raise
    except ArgueBenchError:
        # A judge that is lost has calls out that will still be answered; other judges are simply stopped.
        paid = [task for queue in queues if queue.lost for task in queue.out]
        await asyncio.gather(*paid, return_exceptions=True)
        raise
    finally:
        tasks = [*running, *(task for queue in queues for task in queue.out)]
        for task in tasks:
            task.cancel()
        # Awaited, or Python would complain of errors that nobody looked at.
        await asyncio.gather(*tasks, return_exceptions=True)


async def run_steps(
    many: Iterable[Asking[T]], judge: Judge, done: Callable[[T], None] = lambda result: None
) -> list[T]:
    """The results of steps that are no metrics, in order; their requests share batches.

    ``done`` is called with each result as it comes. Raises JudgeError where the judge is lost.
    """
    queue = _JudgeQueue(judge, Standing(), lambda: None)
    places = asyncio.Semaphore(WINDOW)

    async def run(steps: Asking[T]) -> T:
        async with places:
            try:
                requests = next(steps)
                while True:
                    requests = steps.send(await queue.request(requests) if requests else {})
            except StopIteration as stop:
                result: T = stop.value
                done(result)
                return result

    tasks = [asyncio.create_task(run(steps)) for steps in many]
    async with _paid_for([queue], tasks):
        return list(await asyncio.gather(*tasks))
    raise AssertionError  # for the type checker: the block above returns or raises


def _read_ahead(cases: Iterable[Case], metrics: Sequence[Metric]) -> Iterator[Case]:
    """The cases, after the metrics that read several texts at once have read those that come next."""
    reading = [metric for metric in metrics if type(metric).read_ahead is not Metric.read_ahead]
    source = iter(cases)
    while block := list(islice(source, _READ_AHEAD if reading else 1)):
        for metric in reading:
            metric.read_ahead([(case.question, case.answer) for case in block])
        yield from block


def refuse_sealed(question: Question) -> None:
    """Raises NoGold where a question has no gold to score against."""
    if question.gold is None:
        raise NoGold(
            f"The question {question.id!r} has no gold: its split is sealed. "
            "Score it by pull request, or use load_dev()."
        )


async def _case(
    case: Case, metrics: Sequence[Metric], queues: Mapping[str, _JudgeQueue], on_failure: OnFailure
) -> Outcome:
    refuse_sealed(case.question)
    # All metrics at once, so that what they ask of one judge travels in one batch.
    counted = await asyncio.gather(
        *(_count(case, metric, queues, on_failure) for metric in metrics)
    )
    return Outcome(case, dict(zip(map(str, metrics), counted, strict=True)))


async def _count(
    case: Case, metric: Metric, queues: Mapping[str, _JudgeQueue], on_failure: OnFailure
) -> Counted:
    steps = tally_steps(metric, *case)
    made: dict[JudgeRequest, None] = {}
    defaults: dict[str, str] = {}
    try:
        requests = next(steps)
        while True:
            if metric.judge_name not in queues and requests:
                raise JudgeError(f"{metric} needs a judge: --judge {metric.judge_name or 'SPEC'}")
            queue = queues.get(metric.judge_name)
            # Without its context, where the judge ignores that.
            bare = queue is not None and not queue.judge.reads_context
            asked = {one: one.without_context() if bare else one for one in requests}
            made.update(dict.fromkeys(asked.values()))
            replies = await queue.request([*asked.values()]) if queue and asked else {}
            verdicts: dict[JudgeRequest, Verdict] = {}
            failures: list[str] = []
            for request, one in asked.items():
                reply = replies[one]
                if isinstance(reply, Verdict):
                    verdicts[request] = reply
                    continue
                # Before any failure, whatever is made of those: no other reply would make it readable.
                if isinstance(reply, NotJudged):
                    steps.close()
                    return Counted(reply, tuple(made))
                kind = type(request)
                word = queue.judge.default_of(kind) if queue and on_failure == "default" else None
                if word is not None:
                    verdicts[request] = Verdict(word, note=f"default: {reply.reason}")
                    defaults[one.key] = word
                else:
                    failures.append(f"{kind.__name__}: {reply.reason}")
            # One failed request unsets the whole answer: a metric cannot go on without its verdict.
            if failures:
                steps.close()
                return Counted(None, tuple(made), tuple(failures), defaults)
            requests = steps.send(verdicts)
    except StopIteration as stop:
        return Counted(stop.value, tuple(made), defaults=defaults)


# Requests and costs of a run before it is made: fewest and most, without judging anything.
#
# The first round of every metric is exact: its requests are gathered, and one that several metrics
# share is counted for the first of them. Later rounds depend on verdicts; for them each metric declares
# bounds (`Metric.later_requests`), which are added up without looking for requests that are alike, so
# the upper bound is safe. Costs of later rounds are bounds times the mean cost of a first-round call.


@dataclass(frozen=True)
class Bound:
    """How many requests of one kind would go to one judge; ``metrics`` make them."""

    judge: str
    kind: str
    fewest: int
    most: int
    metrics: tuple[str, ...]


@dataclass(frozen=True)
class Cost:
    """What one judge would cost for one metric."""

    judge: str
    metric: str
    fewest: Amount
    most: Amount


@dataclass
class _Row:
    first: Amount = field(default_factory=Amount)
    fewest: int = 0
    most: int = 0


def estimate_requests(cases: Iterable[Case], metrics: Sequence[Metric]) -> list[Bound]:
    """Bounds on the requests of all cases, by judge and kind."""
    fewest: Counter[tuple[str, str]] = Counter()
    most: Counter[tuple[str, str]] = Counter()
    makers: dict[tuple[str, str], dict[str, None]] = {}
    for metric, requests, new, later in _first_rounds(cases, metrics):
        # Requests that another metric has made already cost nothing, but this metric makes them too.
        groups = [(metric.judge_name, type(request).__name__) for request in new]
        fewest.update(groups)
        most.update(groups)
        for kind, (low, high) in later.items():
            fewest[metric.judge_name, kind] += low
            most[metric.judge_name, kind] += high
        for kind in [*(type(request).__name__ for request in requests), *later]:
            makers.setdefault((metric.judge_name, kind), {})[str(metric)] = None
    return [
        Bound(judge, kind, fewest[judge, kind], most[judge, kind], tuple(makers[judge, kind]))
        for judge, kind in sorted(makers)
    ]


def estimate_costs(
    cases: Iterable[Case], metrics: Sequence[Metric], judges: Mapping[str, Sequence[Prompted]]
) -> list[Cost]:
    """Costs by judge and metric.

    ``judges``: for each name used in metrics, those that would be called (the members of a panel).
    """
    rows: dict[tuple[Prompted, str], _Row] = {}
    costly = [metric for metric in metrics if judges.get(metric.judge_name)]
    for metric, _, new, later in _first_rounds(cases, costly):
        for model in judges[metric.judge_name]:
            row = rows.setdefault((model, str(metric)), _Row())
            row.first = row.first.plus(model.estimate(new))
            # Behind a cheaper judge none of the later ones may reach the model.
            row.fewest += 0 if model.asked_of else sum(low for low, _ in later.values())
            row.most += sum(high for _, high in later.values())
    costs: list[Cost] = []
    for (model, metric_text), row in rows.items():
        # Of one call on average; without a first-round call there is nothing to go by.
        calls = row.first.calls
        low, high = (
            row.first.plus(row.first, later / calls) if calls else row.first
            for later in (row.fewest, row.most)
        )
        costs.append(Cost(model.name, metric_text, low, high))
    return costs


def _first_rounds(
    cases: Iterable[Case], metrics: Sequence[Metric]
) -> Iterator[tuple[Metric, Sequence[JudgeRequest], list[JudgeRequest], Bounds]]:
    """For each metric and case: its first requests, the new ones among them, bounds on later ones."""
    seen: set[tuple[str, str]] = set()
    for case in cases:
        for metric in metrics:
            requests = first_round(tally_steps(metric, *case))
            new = {
                request.key: request
                for request in requests
                if (metric.judge_name, request.key) not in seen
            }
            seen.update((metric.judge_name, key) for key in new)
            yield metric, requests, list(new.values()), metric.later_requests(*case)
