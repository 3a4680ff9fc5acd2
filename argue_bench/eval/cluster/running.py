"""The work of one run on a cluster: which way it is divided, and the judges behind which workers stand."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from argue_bench.errors import UsageError
from argue_bench.eval.cluster.cases import CaseJob, count_on_workers
from argue_bench.eval.cluster.connecting import ClusterLike, connected
from argue_bench.eval.cluster.fleet import Fleet
from argue_bench.eval.cluster.requests import (
    Distribution,
    RemoteTransport,
    RequestJob,
    all_free,
)
from argue_bench.eval.cluster.tasks import packed
from argue_bench.eval.work import CaseWork, FinishedCase
from argue_bench.judges.base import is_patient
from argue_bench.models.transport import Transport


async def work_on_cluster(work: CaseWork, cluster: ClusterLike) -> AsyncGenerator[FinishedCase]:
    """The cases in order, by the workers of a cluster. Raises what `connected` and `CaseWork.here` raise."""
    if any(map(is_patient, work.judges.values())):
        raise UsageError("one process sends all batches: leave out batch, or the cluster")
    async with connected(cluster) as (client, connect):
        if all_free(work.judges.values()):
            job = CaseJob.of(
                work.dataset, work.metrics, work.judges, work.on_failure, work.store is not None
            )
            counts = {name: judge.counts for name, judge in work.judges.items()}
            async with (
                Fleet(client, packed(job), connect) as fleet,
                aclosing(
                    count_on_workers(fleet, job, work.cases, counts, work.store, work.progress)
                ) as counted,
            ):
                async for one in counted:
                    yield one
            return
        shared = Distribution(work.judges)
        async with (
            Fleet(client, packed(shared.job), connect, gpu=shared.gpu) as fleet,
            aclosing(work.here(shared.through(fleet))) as finished,
        ):
            async for one in finished:
                yield one


@asynccontextmanager
async def transport_on_cluster(
    transport: Transport, cluster: ClusterLike
) -> AsyncIterator[RemoteTransport]:
    """A language model whose prompts the workers of a cluster complete."""
    job = RequestJob((transport,))
    async with connected(cluster) as (client, connect):
        gpu = getattr(transport, "loads", False)
        async with Fleet(client, packed(job), connect, gpu=gpu) as fleet:
            yield RemoteTransport(transport, 0, fleet)
