"""Judges whose requests the workers of a Dask cluster answer.

A language model is replaced behind its judge: the driver writes prompts and reads replies, workers only
complete prompts. Every other judge, such as a model of two texts on a GPU, is replaced as a whole. A worker
makes the model once and keeps it; its key comes from the worker's own environment.

Dask chooses the worker of each part, and does it again elsewhere where a worker is lost. A part that was
begun twice may be paid for twice: that is counted and said. A budget stays with the driver, which reserves
the highest possible cost of a part before a worker has it.

`workers` connects to the Dask cluster that the user names: local processes, an address, a client, or SLURM.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import tomllib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.errors import (
    ArgueBenchError,
    Code,
    DataError,
    JudgeError,
    UsageError,
    needing,
)
from argue_bench.judges import Judge, JudgeFunction, as_judge
from argue_bench.judges.base import Reply, Wrapper
from argue_bench.judges.recorded import Recorded
from argue_bench.models.budget import Budget
from argue_bench.models.transport import ChatRequest, Completion
from argue_bench.records import Failed, JudgeRequest
from argue_bench.scale import tasks
from argue_bench.scale.tasks import PartDone
from argue_bench.version import __version__

if TYPE_CHECKING:
    from distributed import Client

# A number of processes on this machine; the address of a scheduler (``tcp://host:8786``); ``slurm:FILE``; a
# `distributed.Client`.
ClusterLike = Any
SLURM = "slurm:"
# How long a scheduler may take to answer; a busy one takes seconds.
_CONNECT_SECONDS = 30.0


@contextmanager
def workers(cluster: ClusterLike) -> Iterator[Client]:
    """A client of the cluster, for `distributed`; what was started here ends with the block.

    ``cluster``: a number of processes on this machine (call it under ``if __name__ == "__main__":``), the
    address of a scheduler, ``slurm:FILE``, or a `distributed.Client`.
    Raises MissingExtra, UsageError (nothing that names a cluster), DataError (the file of SLURM), JudgeError
    where no scheduler answers.
    """
    with needing("work on several processes or machines", "cluster"):
        from distributed import Client
    _be_quiet()
    with ExitStack() as stack:
        if isinstance(cluster, Client):
            client = cluster
        elif isinstance(cluster, str) and not cluster.startswith(SLURM):
            client = stack.enter_context(_client(cluster))
        elif isinstance(cluster, str) or (isinstance(cluster, int) and cluster >= 1):
            started = stack.enter_context(_started(cluster))
            client = stack.enter_context(_client(started.scheduler_address, started.security))
        else:
            raise UsageError(
                f"cluster={cluster!r:.60}: give a number of processes, the address of a scheduler, "
                "slurm:FILE or a distributed.Client"
            )
        # Where the block ends with an error, too: a model on a GPU would stay in its memory.
        try:
            yield client
        finally:
            # The workers of others live on: they need not keep our models in memory.
            client.run(tasks.forget, client.id, on_error="ignore")


def _client(address: str, security: Any = None) -> Client:
    from distributed import Client

    # Not as the default client: the program that calls may have a cluster of its own.
    try:
        return Client(
            address,
            security=security,
            timeout=_CONNECT_SECONDS,
            set_as_default=False,
            name="argue-bench",
        )
    except (OSError, ValueError) as error:
        raise JudgeError(
            f"no Dask scheduler answers at {address}: {error!s:.200}. Start one with: dask scheduler"
        ) from None


def _started(cluster: int | str) -> Any:
    """A cluster that ends with this process. Raises UsageError, DataError and MissingExtra."""
    from distributed import LocalCluster, Security

    try:
        if isinstance(cluster, str):
            return _slurm(Path(cluster.removeprefix(SLURM)))
        return LocalCluster(
            n_workers=cluster,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address=None,
            # Without a dashboard, too, the scheduler opens a port for HTTP: any free one, on loopback.
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
            # Only this user's processes may speak to it: a scheduler runs whatever it is sent.
            security=Security.temporary(),
            silence_logs=logging.CRITICAL,
        )
    except RuntimeError as error:
        raise JudgeError(
            f"the workers did not start: {error!s:.200} In a script, make the call under "
            'if __name__ == "__main__": each worker reads the script first.'
        ) from None


def _slurm(file: Path) -> Any:
    """A cluster of SLURM jobs: ``jobs`` of them, every other key an argument of dask_jobqueue.SLURMCluster."""
    with needing("--cluster slurm:FILE", "cluster"):
        from dask_jobqueue import SLURMCluster
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError.of(Code.NO_SUCH_FILE, str(error.strerror), file) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError.of(Code.WRONG_SHAPE, str(error), file) from None
    jobs = given.pop("jobs", None)
    if not isinstance(jobs, int) or jobs < 1:
        hint = "Write jobs = 8, and beside it the arguments of dask_jobqueue.SLURMCluster."
        raise DataError.of(Code.WRONG_SHAPE, "jobs is missing: how many to start", file, hint=hint)
    # Dask would open its dashboard to everybody on port 8787.
    options = {"dashboard_address": "127.0.0.1:0", **given.pop("scheduler_options", {})}
    try:
        started = SLURMCluster(scheduler_options=options, **given)
        started.scale(jobs=jobs)  # n_workers would count the processes in them
        return started
    except (TypeError, ValueError) as error:
        raise DataError.of(Code.WRONG_SHAPE, f"{error!s:.300}", file) from None


def _be_quiet() -> None:
    """Silences the logs of Dask: we report lost workers once and in words; Dask would print
    tracebacks."""
    import dask

    for name in ("distributed", "distributed.core", "distributed.client", "distributed.comm"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})


_LOG = logging.getLogger(__name__)
# Seconds without any worker after which a run ends; SLURM may take minutes to start one.
PATIENCE = 180.0
# How often a part that has not come back asks whether there is any worker.
_LOOK_SECONDS = 20.0
# How often a part is handed out again because the scheduler was away.
_RECONNECTIONS = 3
_numbers = count()


def distributed(judge: str | Judge | JudgeFunction, cluster: Client) -> Judge:
    """The judge, with its work done by the workers of a cluster (`argue_bench.scale.workers`).

    ``judge``: what `as_judge` takes. Recorded verdicts stay in this process, since there is nothing to
    work on. The verdicts are those of the judge itself, and so are its name and identity.
    """
    made = as_judge(judge)
    # A panel may have both: its language models are replaced behind their judges, and the rest stays here.
    models = list(made.language_models())
    for model in models:
        model.send_through(RemoteTransport(model.transport, cluster, model.note_lost))
    return made if models or isinstance(made, Recorded) else RemoteJudge(made, cluster)


# Books requests that were lost on so many workers; gives their estimated price on one, in US dollars.
NoteLost = Callable[[Sequence[ChatRequest], int], float]


class _Remote:
    """What replaces a judge or model in the driver."""

    def __init__(self, inner: Any, cluster: Client) -> None:
        self.inner, self._cluster = inner, cluster
        self._token = f"{cluster.id}-{next(_numbers)}"
        self._begun: dict[int, set[str]] = {}
        """By the number of a part: the workers that began it."""
        self._stopped: ArgueBenchError | None = None
        self._stopping: asyncio.Task[Any] | None = None
        self._packed = b""
        # Known before the first request: the driver asks `batch` to size its window.
        self._look(cluster.scheduler_info(n_workers=-1))
        cluster.subscribe_topic(self._token, self._note)

    @property
    def batch(self) -> int:
        """The requests that all workers together take at once, and as many waiting."""
        return self._size * 2 * self._slots

    @property
    def _size(self) -> int:
        """The most requests in one part."""
        return max(1, int(self.inner.batch))

    def stop(self, error: ArgueBenchError) -> None:
        """Hands out nothing more; work in progress is finished, then the error is raised."""
        # A reference is kept, or the loop may drop the task before it has run.
        self._stopped = self._stopped or error
        self._stopping = asyncio.create_task(
            asyncio.to_thread(self._cluster.run, tasks.stop, self._token, on_error="ignore")
        )

    def _note(self, event: tuple[float, tuple[int, str]]) -> None:
        number, worker = event[1]
        self._begun.setdefault(number, set()).add(worker)

    def _look(self, scheduler: Mapping[str, Any]) -> None:
        workers = scheduler["workers"].values()
        self._workers: int = max(1, len(workers))
        self._slots: int = max(1, sum(one["nthreads"] for one in workers))
        # A worker declares its GPU (--resources GPU=1); Dask then gives it one such part at a time.
        gpus = sum(one["resources"].get("GPU", 0) for one in workers)
        self._resources = {"GPU": 1} if gpus and getattr(self.inner, "loads", False) else None

    async def _ask(self, requests: Sequence[Any]) -> AsyncIterator[tuple[Any, Any]]:
        """The replies of all workers, as they come. What is paid comes before an error is raised."""
        self._look(await asyncio.to_thread(self._cluster.scheduler_info, n_workers=-1))
        # No larger than a share for each worker, or one of them would do all while the others wait.
        size = max(1, min(self._size, -(-len(requests) // self._workers)))
        parts = [requests[start : start + size] for start in range(0, len(requests), size)]
        working = [asyncio.create_task(self._part(part)) for part in parts]
        error: ArgueBenchError | None = None
        try:
            for task in asyncio.as_completed(working):
                replies, raised = await task
                for one in replies:
                    yield one
                if raised is not None:
                    error = error or raised
                    self._stopped = self._stopped or raised
        finally:
            for task in working:
                task.cancel()
            await asyncio.gather(*working, return_exceptions=True)
        if stopped := error or self._stopped:
            raise stopped

    async def _part(
        self, requests: Sequence[Any]
    ) -> tuple[list[tuple[Any, Any]], ArgueBenchError | None]:
        """Replies to one part, done at once or as far as the budget goes each time."""
        got: list[tuple[Any, Any]] = []
        while requests and self._stopped is None:
            try:
                some, done = await self._paid(requests)
            except ArgueBenchError as error:
                return got, error
            got += [(some[place], reply) for place, reply in done.replies]
            if done.error is not None:
                return got, done.error
            requests = requests[len(some) :]
        return got, None

    async def _paid(self, requests: Sequence[Any]) -> tuple[Sequence[Any], PartDone]:
        """Those of the requests that the budget allows, done by a worker."""
        return requests, await self._done(requests)

    async def _done(self, requests: Sequence[Any]) -> PartDone:
        """What a worker makes of a part. Raises JudgeError where no worker can be had, or it loses them all."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        if not self._packed:
            import cloudpickle  # of the extra, like Dask; a notebook's functions go by value

            self._packed = cloudpickle.dumps(self.inner)
        number = next(_numbers)
        given = (__version__, self._token, self._packed, number, pickle.dumps(requests))
        # Of a worker that dies Dask does the part again elsewhere; only a lost scheduler comes back to us.
        for _ in range(_RECONNECTIONS):
            try:
                done: PartDone = pickle.loads(await self._result(given))
            except FutureCancelledError:
                continue  # the scheduler was away
            except KilledWorker as error:
                self._book_lost(requests, len(self._begun.pop(number, ())))
                raise JudgeError(f"{error}; have the workers enough memory?") from None
            self._book_lost(requests, len(self._begun.pop(number, set()) - {done.worker}))
            self._learn(done)
            return done
        raise JudgeError("the scheduler of the cluster does not answer; the same command goes on")

    def _book_lost(self, requests: Sequence[Any], workers: int) -> None:
        """Says that a part was under way on workers that were lost."""
        if workers:
            many = f"{workers * len(requests):,} judge requests of {self.inner.name}"
            _LOG.warning(
                "a worker was lost: %s were made again, and are counted as paid twice", many
            )

    async def _result(self, given: Sequence[Any]) -> bytes:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        future = self._cluster.submit(tasks.work, *given, pure=False, resources=self._resources)
        # The callback comes in a thread of Dask's; the loop is woken from there.
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(ended.set))
        alone_since: float | None = None
        try:
            while True:
                with suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), _LOOK_SECONDS)
                    # The worker that holds the result may die before it is fetched: not for ever.
                    return bytes(await asyncio.to_thread(future.result, _LOOK_SECONDS))
                there = await asyncio.to_thread(self._cluster.nthreads)
                alone_since = None if there else (alone_since or loop.time())
                if alone_since is not None and loop.time() - alone_since > PATIENCE:
                    why = f"no worker of the cluster could be used for {PATIENCE:.0f} seconds"
                    raise JudgeError(why)
        finally:
            future.release()

    def _learn(self, done: PartDone) -> None:
        """Copies what was learned while judging (refused parameters, counts)."""


class RemoteTransport(_Remote):
    """A language model whose prompts workers complete, as a `Transport`."""

    def __getattr__(self, name: str) -> Any:
        # Whatever else is asked of a transport (its name, price, hosts) the model itself knows.
        return getattr(self.inner, name)

    def __init__(self, inner: Any, cluster: Client, note_lost: NoteLost) -> None:
        super().__init__(inner, cluster)
        self._note_lost = note_lost

    async def _paid(self, requests: Sequence[Any]) -> tuple[Sequence[Any], PartDone]:
        budget: Budget | None = getattr(self.inner, "budget", None)
        if budget is None:
            return await super()._paid(requests)
        most = [self.inner.most_of(self.inner.wording(request)) for request in requests]
        count, reserved = await budget.reserve_some(most)
        spent = reserved  # what is lost on the way may be paid
        try:
            done = await self._done(requests[:count])
            prices = (one.price for _, one in done.replies if isinstance(one, Completion))
            spent = done.unsure + sum(price or 0.0 for price in prices)
        finally:
            budget.settle(reserved, spent)
        return requests[:count], done

    def _book_lost(self, requests: Sequence[Any], workers: int) -> None:
        """Counts what lost workers had as paid, at its estimated price."""
        super()._book_lost(requests, workers)
        lost = workers * self._note_lost(requests, workers) if workers else 0.0
        if lost and self.inner.budget is not None:
            self.inner.budget.hold(lost)
            self.inner.budget.settle(lost, lost)

    def complete(
        self, requests: Sequence[ChatRequest]
    ) -> AsyncIterator[tuple[ChatRequest, Completion | Failed]]:
        """Replies as they come. Raises JudgeError once nothing more can be asked."""
        return self._ask(requests)

    def _learn(self, done: PartDone) -> None:
        self.inner.dropped |= dict.fromkeys(done.dropped)


class RemoteJudge(_Remote, Wrapper):
    """A judge whose requests workers answer."""

    def __init__(self, inner: Judge, cluster: Client) -> None:
        Wrapper.__init__(self, inner)
        _Remote.__init__(self, inner, cluster)

    def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """A reply to each request, as they come."""
        return self._ask(requests)

    def _learn(self, done: PartDone) -> None:
        for name, value in done.counts.items():
            setattr(self.counts, name, getattr(self.counts, name) + value)


@contextmanager
def on_cluster(judges: Mapping[str, Judge], cluster: ClusterLike) -> Iterator[Mapping[str, Judge]]:
    """What ``--workers`` and ``--cluster`` do: the judges by name, with their work done by a cluster.

    Raises what `workers` raises.
    """
    with workers(cluster) as client:
        yield {name: distributed(judge, client) for name, judge in judges.items()}
