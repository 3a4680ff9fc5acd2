"""Distribution with judges that cost money or load a model: workers answer batches of requests.

A language model is replaced behind its judge: prompts are written and replies read by the driver, workers
only complete prompts. Every other judge, such as a model of two texts on a GPU, is replaced as a whole. A
worker makes the model once and keeps it; its key comes from the worker's environment.

A budget stays with the driver. Each part takes along a share of what is left, and brings back what it did
not spend; what a lost worker had with it counts as spent.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from argue_bench.errors import ArgueBenchError, Interrupted
from argue_bench.eval.cluster.fleet import Fleet
from argue_bench.judges import Judge, language_models
from argue_bench.judges.base import Counts, Reply, is_free
from argue_bench.judges.recorded import Recorded
from argue_bench.models.budget import Budget, BudgetSpent, Rates
from argue_bench.models.transport import ChatRequest, Completion
from argue_bench.records import Failed, JudgeRequest

Completed = tuple[ChatRequest, Completion | Failed]


@dataclass(frozen=True)
class RequestPart:
    """Some requests for one judge or model, by its number in the job."""

    number: int
    requests: Sequence[Any]
    allowance: float | None = None
    """US dollars that may be spent on them."""
    rates: Rates | None = None


@dataclass(frozen=True)
class RequestsDone:
    """The result of a part: replies by position, what was spent, and the error that ended it early."""

    replies: Sequence[tuple[int, Any]]
    spent: float = 0.0
    error: ArgueBenchError | None = None
    dropped: tuple[str, ...] = ()
    counts: Mapping[str, float] = field(default_factory=dict)


@dataclass
class RequestJob:
    """The job of answering requests, as a worker keeps it: judges and models made once, used
    in one event loop."""

    models: tuple[Any, ...]
    """Transports, and judges that have none."""

    def __post_init__(self) -> None:
        self._budgets: dict[int, Budget] = {}
        self._reported: dict[int, float] = {}
        self._looping: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._under_way, self._ended = 0, False

    def __getstate__(self) -> dict[str, Any]:
        return {"models": self.models}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.models = state["models"]
        self.__post_init__()

    def work(self, part: RequestPart) -> RequestsDone:
        """Answers the requests of a part, as far as the allowance goes."""
        with self._lock:
            loop = self._loop()
            self._under_way += 1
        try:
            return asyncio.run_coroutine_threadsafe(self._answer(part), loop).result()
        finally:
            with self._lock:
                self._under_way -= 1
                self._close()

    def stop(self) -> None:
        """Sends nothing more; requests in progress are finished."""
        for model in self.models:
            if (stop := getattr(model, "stop", None)) is not None:
                with self._lock:
                    self._loop().call_soon_threadsafe(stop, Interrupted("stopped"))

    def end(self) -> None:
        """Ends the thread and closes the files of the event loop, once no part is under way."""
        with self._lock:
            self._ended = True
            self._close()

    def _loop(self) -> asyncio.AbstractEventLoop:
        """The one loop in which all threads of the worker ask, since models and budgets belong to it."""
        if self._looping is None:
            loop = self._looping = asyncio.new_event_loop()
            threading.Thread(target=_run, args=(loop,), name="judges", daemon=True).start()
        return self._looping

    def _close(self) -> None:
        if self._ended and not self._under_way and self._looping is not None:
            self._looping.call_soon_threadsafe(self._looping.stop)
            self._looping = None

    async def _answer(self, part: RequestPart) -> RequestsDone:
        model = self.models[part.number]
        if part.rates is not None and hasattr(model, "limit_rates"):
            model.limit_rates(part.rates)
        if part.allowance is not None:
            budget = self._budgets.get(part.number)
            if budget is None:
                budget = self._budgets[part.number] = Budget(0.0)
                model.set_budget(budget)
            budget.limit += part.allowance
        before = Counts(**asdict(model.counts)) if hasattr(model, "counts") else Counts()
        places = {request: place for place, request in enumerate(part.requests)}
        replies: list[tuple[int, Any]] = []
        error: ArgueBenchError | None = None
        asking = model.complete if hasattr(model, "complete") else model.judge
        try:
            async for request, reply in asking(part.requests):
                replies.append((places[request], reply))
        except ArgueBenchError as raised:
            error = raised
        counts = asdict(model.counts) if hasattr(model, "counts") else {}
        return RequestsDone(
            replies,
            self._settle(part),
            error,
            tuple(getattr(model, "dropped", ())),
            {name: value - getattr(before, name) for name, value in counts.items()},
        )

    def _settle(self, part: RequestPart) -> float:
        """Reports what was spent since the last report, and returns the rest of the allowance."""
        budget = self._budgets.get(part.number)
        if budget is None or part.allowance is None:
            return 0.0
        spent = budget.spent - self._reported.get(part.number, 0.0)
        self._reported[part.number] = budget.spent
        budget.limit -= part.allowance - spent
        return spent


def _run(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


class _Remote:
    """What replaces a judge or model in the driver."""

    def __init__(self, inner: Any, number: int, fleet: Fleet) -> None:
        self.inner, self._number, self._fleet = inner, number, fleet
        self._size: int = max(1, inner.batch)
        self._stopped: ArgueBenchError | None = None
        self._budget: Budget | None = getattr(inner, "budget", None)
        self._stopping: asyncio.Task[None] | None = None

    @property
    def batch(self) -> int:
        """The requests that all workers together take at once, and as many waiting."""
        return self._size * max(1, self._fleet.slots)

    def stop(self, error: ArgueBenchError) -> None:
        """Hands out nothing more; work in progress is finished, then the error is raised."""
        self._stopped = self._stopped or error
        self._stopping = asyncio.create_task(self._fleet.stop())

    async def _ask(self, requests: Sequence[Any]) -> AsyncIterator[tuple[Any, Any]]:
        """The replies of all workers, as they come. What is paid comes before an error is raised."""
        size = max(1, min(self._size, -(-len(requests) // max(1, self._fleet.workers))))
        parts = [requests[start : start + size] for start in range(0, len(requests), size)]
        tasks = [asyncio.create_task(self._part(part)) for part in parts]
        error: ArgueBenchError | None = None
        try:
            for task in asyncio.as_completed(tasks):
                replies, raised = await task
                for one in replies:
                    yield one
                if raised is not None and error is None:
                    error = raised
                    self._stopped = self._stopped or raised
        finally:
            for unfinished in tasks:
                unfinished.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if error is not None or self._stopped is not None:
            raise error or self._stopped  # type: ignore[misc]

    async def _part(
        self, requests: Sequence[Any]
    ) -> tuple[list[tuple[Any, Any]], ArgueBenchError | None]:
        """Replies to one part; again for those that its allowance did not reach."""
        got: list[tuple[Any, Any]] = []
        least = 0.0
        while requests and self._stopped is None:
            try:
                allowance = await self._reserve(least)
                done = await self._call(requests, allowance)
            except ArgueBenchError as error:
                return got, error
            got += [(requests[place], reply) for place, reply in done.replies]
            answered = {place for place, _ in done.replies}
            requests = [one for place, one in enumerate(requests) if place not in answered]
            if isinstance(done.error, BudgetSpent) and self._budget is not None:
                # A little more than the call may cost, for sums that are rounded; twice as much where even
                # that was not enough, until the budget says no.
                least = max(1.000001 * done.error.most, 0.0 if done.replies else 2 * least)
            elif done.error is not None:
                return got, done.error
            elif not done.replies:
                break
        return got, None

    async def _call(self, requests: Sequence[Any], allowance: float | None) -> RequestsDone:
        rates = getattr(self.inner, "rates", None)
        shared = rates.shared(max(1, self._fleet.workers)) if rates is not None else None
        spent = allowance or 0.0  # what a lost worker had with it may be paid
        part = RequestPart(self._number, requests, allowance, shared)

        def book() -> None:
            if allowance is not None and self._budget is not None:
                self._budget.spent += allowance

        try:
            done: RequestsDone = await self._fleet.call(part, len(requests), book)
            spent = done.spent
        finally:
            if allowance is not None and self._budget is not None:
                self._budget.settle(allowance, spent)
        self._learn(done)
        return done

    async def _reserve(self, least: float) -> float | None:
        """The allowance of a part: a share of what is left, at least the cost of one call."""
        if self._budget is None:
            return None
        share = self._budget.left / (2 * max(1, self._fleet.slots))
        allowance = max(least, share)
        await self._budget.reserve(allowance)
        return allowance

    def _learn(self, done: RequestsDone) -> None:
        """Copies what was learned while judging (refused parameters, servers)."""


class RemoteTransport(_Remote):
    """A language model whose prompts workers complete, as a `Transport`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def set_budget(self, budget: Budget) -> None:
        """Pays from this budget, in shares."""
        self.inner.set_budget(budget)
        self._budget = budget

    def complete(self, requests: Sequence[ChatRequest]) -> AsyncIterator[Completed]:
        """Replies as they come. Raises JudgeError once nothing more can be asked."""
        return self._ask(requests)

    def _learn(self, done: RequestsDone) -> None:
        for name in done.dropped:
            self.inner.dropped[name] = None


class RemoteJudge(_Remote):
    """A judge whose requests workers answer."""

    @property
    def name(self) -> str:
        return str(self.inner.name)

    @property
    def kinds(self) -> frozenset[type[JudgeRequest]]:
        kinds: frozenset[type[JudgeRequest]] = self.inner.kinds
        return kinds

    @property
    def counts(self) -> Counts:
        counts: Counts = self.inner.counts
        return counts

    @property
    def defaults(self) -> Mapping[type[JudgeRequest], str]:
        return getattr(self.inner, "defaults", {})

    @property
    def reads_context(self) -> bool:
        return bool(getattr(self.inner, "reads_context", False))

    def identity(self) -> Mapping[str, str]:
        identity: Mapping[str, str] = self.inner.identity()
        return identity

    def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """A reply to each request, as they come."""
        return self._ask(requests)

    def _learn(self, done: RequestsDone) -> None:
        for name, value in done.counts.items():
            setattr(self.inner.counts, name, getattr(self.inner.counts, name) + value)


@dataclass
class Distribution:
    """The judges of a run, and the part of their work that workers do."""

    judges: Mapping[str, Judge]

    def __post_init__(self) -> None:
        self._prompted = {
            id(model): model for one in self.judges.values() for model in language_models(one)
        }
        self._whole = {
            id(one): one
            for one in self.judges.values()
            if not isinstance(one, Recorded) and not list(language_models(one))
        }

    @property
    def job(self) -> RequestJob:
        """The job that is sent to workers."""
        models = [model.transport for model in self._prompted.values()]
        return RequestJob((*models, *self._whole.values()))

    @property
    def gpu(self) -> bool:
        """Whether models are loaded, for which workers with a GPU are preferred."""
        return any(getattr(model, "loads", False) for model in self.job.models)

    def through(self, fleet: Fleet) -> dict[str, Judge]:
        """The judges, each answered by workers."""
        for number, model in enumerate(self._prompted.values()):
            model.send_through(RemoteTransport(model.transport, number, fleet))
        first = len(self._prompted)
        remote = {
            id: RemoteJudge(judge, first + place, fleet)
            for place, (id, judge) in enumerate(self._whole.items())
        }
        return {name: remote.get(id(judge), judge) for name, judge in self.judges.items()}


def all_free(judges: Iterable[Judge]) -> bool:
    """Whether whole cases can be counted by workers."""
    return all(map(is_free, judges))
