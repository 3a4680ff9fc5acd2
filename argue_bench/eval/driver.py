"""The driver: runs every metric over every answer, makes each judge request once, returns verdicts.

The one driver. Each case (one question with one answer) is a task that steps its metrics'
generators; each judge has a queue, where equal requests join, batches go out and verdicts come
back as they arrive. So a slow judge holds up only the metrics that use it. Not more than
``WINDOW`` cases live at once, and outcomes come in the order of the cases: memory is flat and two
runs write the same bytes.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import (
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, NamedTuple, TypeVar

from argue_bench.errors import ArgueBenchError, Interrupted, JudgeError, NoGold
from argue_bench.eval.memory import WINDOW, Window, seldom_collected
from argue_bench.judges import default_of, stop_requests
from argue_bench.judges.base import Judge, checked_reply, is_patient, reads_context
from argue_bench.metrics.base import Metric, tally_steps
from argue_bench.records import Answer, Document, Failed, JudgeRequest, Question, Tally, Verdict

T = TypeVar("T")
Asking = Generator[Sequence[JudgeRequest], Mapping[JudgeRequest, Verdict | Failed], T]
"""Steps that yield judge requests, are sent every reply, failures too, and return what they made."""
OnFailure = Literal["refuse", "leave-out", "default"]
Progress = Callable[[int], None]
"""Called with the number of cases done, after every verdict.

An object with a method ``watch`` is also given the `Standing` of the run, once.
"""

_LOG = logging.getLogger(__name__)
_READ_AHEAD = 32
"""Cases that a metric reads together where it is faster so."""
_QUIET_TURNS = 20
"""Turns of the event loop without a new request, after which none will come before a verdict does."""
REMEMBERED = 20_000
"""Verdicts kept for further metrics and systems; an older one is requested again, from the store
where there is one."""
_BATCHES_OUT = 2
"""Batches at one judge at once: one is judged while the verdicts of the other are counted."""


Remembered = OrderedDict[str, "Verdict | Failed"]
"""The last replies of one judge, by request key."""


class Case(NamedTuple):
    """One question, one system's answer to it, and what may be cited."""

    question: Question
    answer: Answer
    documents: Mapping[str, Document]


@dataclass(frozen=True)
class Counted:
    """The result of one metric on one case: tallies, or why there are none."""

    tallies: Mapping[str, Tally] | None
    requests: tuple[JudgeRequest, ...] = ()
    failures: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    """Keys of failed requests with the default verdicts that they were given."""


@dataclass(frozen=True)
class Outcome:
    """The results of every metric on one case; keys are metric texts."""

    case: Case
    counted: Mapping[str, Counted]


@dataclass
class Standing:
    """The state of a run. ``cases`` are done, ``started`` were begun; the other fields count
    judge requests.

    ``made``: distinct requests of the cases begun, which may make more; each has a verdict, has failed, or
    waits.
    """

    cases: int = 0
    started: int = 0
    made: int = 0
    verdicts: int = 0
    failed: int = 0


@dataclass
class _JudgeQueue:
    """The queue of requests for one judge."""

    judge: Judge
    standing: Standing
    tell: Callable[[], None]
    remembered: Remembered
    waiting: dict[JudgeRequest, asyncio.Future[Verdict | Failed]] = field(default_factory=dict)
    pending: list[JudgeRequest] = field(default_factory=list)
    out: set[asyncio.Task[None]] = field(default_factory=set)
    lost: bool = False
    """Whether the judge can answer nothing more."""

    async def request(
        self, requests: Sequence[JudgeRequest]
    ) -> dict[JudgeRequest, Verdict | Failed]:
        loop = asyncio.get_running_loop()
        replies: dict[JudgeRequest, Verdict | Failed] = {}
        awaited: dict[JudgeRequest, asyncio.Future[Verdict | Failed]] = {}
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
        for request, future in awaited.items():
            replies[request] = await future
        return replies

    def _send(self) -> None:
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
            if not isinstance(error, Exception):
                raise
            self.lost = True

    async def _gather(self) -> None:
        """Lets every case that is ready add its requests first; all that can, where a judge is patient."""
        quiet = 0
        while quiet < (_QUIET_TURNS if is_patient(self.judge) else 1):
            before = len(self.pending)
            await asyncio.sleep(0)
            quiet = quiet + 1 if len(self.pending) == before or not is_patient(self.judge) else 0

    def _settle(self, request: JudgeRequest, reply: Verdict | Failed) -> None:
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
        self.tell()

    async def let_in(self) -> None:
        """Makes no more requests; those in progress are finished, where the judge can be stopped."""
        self.pending.clear()
        if self.out and stop_requests(self.judge, Interrupted("stopped")):
            await asyncio.gather(*self.out, return_exceptions=True)


async def run_metrics(
    cases: Iterable[Case],
    metrics: Sequence[Metric],
    judges: Mapping[str, Judge],
    on_failure: OnFailure = "refuse",
    progress: Progress | None = None,
    remembered: dict[str, Remembered] | None = None,
) -> AsyncIterator[Outcome]:
    """An outcome for each case, in order.

    ``judges`` maps the names that metric texts use to judges; "" is the default one. ``remembered``: the
    last replies of each, which a further call with the same judges goes on with. Raises NoGold for a
    sealed question, JudgeError where a judge can answer nothing more.
    """
    memory = {} if remembered is None else remembered
    standing = Standing()
    if (watch := getattr(progress, "watch", None)) is not None:
        watch(standing)

    def tell() -> None:
        if progress is not None:
            progress(standing.cases)

    def count(task: asyncio.Task[Outcome]) -> None:
        standing.cases += 1
        tell()

    queues = {
        name: _JudgeQueue(judge, standing, tell, memory.setdefault(name, OrderedDict()))
        for name, judge in judges.items()
    }
    running: deque[asyncio.Task[Outcome]] = deque()
    source, window = _read_ahead(cases, metrics), Window(judges.values())
    collecting = ExitStack()
    collecting.enter_context(seldom_collected())
    try:
        while True:
            while window.has_room and (case := next(source, None)) is not None:
                window.put(case.answer)
                running.append(asyncio.create_task(_case(case, metrics, queues, on_failure)))
                running[-1].add_done_callback(count)
                standing.started += 1
            if not running:
                return
            # The oldest case, although others may be done: the run file keeps the order of cases.
            outcome = await running[0]
            running.popleft()
            window.take(outcome.case.answer)
            yield outcome
    except asyncio.CancelledError:
        # Ctrl-C, or the program that called: what is under way is paid for. A second one does not wait.
        if any(queue.out for queue in queues.values()):
            _LOG.warning("stopping: what is under way comes in; Ctrl-C again stops at once")
        await asyncio.gather(*(queue.let_in() for queue in queues.values()))
        raise
    except ArgueBenchError:
        # What a lost judge still has under way is paid for: it comes in, and into the store.
        paid = [task for queue in queues.values() if queue.lost for task in queue.out]
        await asyncio.gather(*paid, return_exceptions=True)
        raise
    finally:
        tasks = [*running, *(task for queue in queues.values() for task in queue.out)]
        for task in tasks:
            task.cancel()
        collecting.close()
        await asyncio.gather(*tasks, return_exceptions=True)


async def run_steps(
    many: Iterable[Asking[T]], judge: Judge, done: Callable[[T], None] = lambda result: None
) -> list[T]:
    """The results of steps that are no metrics, in order; their requests share batches.

    ``done`` is called with each result as it comes. Raises JudgeError where the judge is lost.
    """
    queue = _JudgeQueue(judge, Standing(), lambda: None, OrderedDict())
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
    try:
        return list(await asyncio.gather(*tasks))
    except asyncio.CancelledError:
        await queue.let_in()
        raise
    except ArgueBenchError:
        await asyncio.gather(*queue.out, return_exceptions=True)  # paid for: into the store
        raise
    finally:
        for task in [*tasks, *queue.out]:
            task.cancel()
        await asyncio.gather(*tasks, *queue.out, return_exceptions=True)


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
            asked = _as_asked(requests, queue)
            made.update(dict.fromkeys(asked.values()))
            replies = await queue.request([*asked.values()]) if queue and asked else {}
            verdicts: dict[JudgeRequest, Verdict] = {}
            failures: list[str] = []
            for request, one in asked.items():
                reply = replies[one]
                if isinstance(reply, Verdict):
                    verdicts[request] = reply
                    continue
                kind = type(request)
                word = default_of(queue.judge, kind) if queue and on_failure == "default" else None
                if word is not None:
                    verdicts[request] = Verdict(word, note=f"default: {reply.reason}")
                    defaults[one.key] = word
                else:
                    failures.append(f"{kind.__name__}: {reply.reason}")
            if failures:
                steps.close()
                return Counted(None, tuple(made), tuple(failures), defaults)
            requests = steps.send(verdicts)
    except StopIteration as stop:
        return Counted(stop.value, tuple(made), defaults=defaults)


def _as_asked(
    requests: Sequence[JudgeRequest], queue: _JudgeQueue | None
) -> dict[JudgeRequest, JudgeRequest]:
    """Each request in the form that its judge reads: without its context, where the judge
    ignores that."""
    if queue is None or reads_context(queue.judge):
        return {request: request for request in requests}
    return {request: request.without_context() for request in requests}
