"""Runs the cases in this process or on a cluster, and stores the results."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.errors import UsageError
from argue_bench.eval.cluster.work import CaseWork, FinishedCase
from argue_bench.eval.driver import Case, OnFailure, Progress
from argue_bench.eval.run import (
    Entry,
    Header,
    labelled_line,
    rewrite_header,
    store_name,
    write_run,
)
from argue_bench.judges import Judge
from argue_bench.judges.base import is_patient
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.source import relative_source
from argue_bench.metrics import Metric

if TYPE_CHECKING:
    from argue_bench.eval.cluster.connecting import ClusterLike
    from argue_bench.eval.cluster.requests import RemoteTransport
    from argue_bench.eval.people.labelling import Labelling
    from argue_bench.judges.batches import Batching
    from argue_bench.models.transport import Transport
    from argue_bench.store import Store


async def work_on_cluster(work: CaseWork, cluster: ClusterLike) -> AsyncGenerator[FinishedCase]:
    """The cases in order, by the workers of a cluster. Raises what `connected` and `CaseWork.here` raise."""
    from argue_bench.eval.cluster.cases import CaseJob, count_on_workers
    from argue_bench.eval.cluster.connecting import connected
    from argue_bench.eval.cluster.fleet import Fleet
    from argue_bench.eval.cluster.requests import Distribution, all_free
    from argue_bench.eval.cluster.tasks import packed

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
    from argue_bench.eval.cluster.connecting import connected
    from argue_bench.eval.cluster.fleet import Fleet
    from argue_bench.eval.cluster.requests import RemoteTransport, RequestJob
    from argue_bench.eval.cluster.tasks import packed

    job = RequestJob((transport,))
    async with connected(cluster) as (client, connect):
        gpu = getattr(transport, "loads", False)
        async with Fleet(client, packed(job), connect, gpu=gpu) as fleet:
            yield RemoteTransport(transport, 0, fleet)


async def run_cases(
    cases: Iterable[Case],
    dataset: Dataset,
    metrics: Sequence[Metric],
    judges: Mapping[str, Judge],
    header_of: Callable[[Mapping[str, Judge]], Header],
    take: Callable[[Case, Entry], None],
    *,
    on_failure: OnFailure = "refuse",
    out: str | Path | None = None,
    store: str | Path | None = None,
    batch: Batching | None = None,
    cluster: ClusterLike = None,
    progress: Progress | None = None,
    labelling: Labelling | None = None,
) -> Header:
    """Drives the metrics over the cases of a data set and hands each with its entry to ``take``, in order.

    ``out`` is the run file to write, ``store`` where verdicts are kept (OUT.verdicts by default). ``batch``:
    how prompts to models of providers are sent in batches, which are kept there too. ``cluster``: whose
    workers do the work (`argue_bench.eval.cluster.connecting`). Entries are handed over without requests.
    Returns the header with the signatures as they are after judging. Raises what `run_metrics`
    raises, and DataError for a store or a disk that can't be used.
    """
    header = header_of(judges)
    async with AsyncExitStack() as stack:
        write: Callable[[str], object] | None = None
        opened: Store | None = None
        if batch is not None and out is None and store is None:
            raise UsageError("batches need a store, which keeps them: give out or store")
        if out is not None or store is not None:
            from argue_bench.judges.batches import sent_in_batches
            from argue_bench.judges.stored import open_store
            from argue_bench.store.batches import Batches

            place = Path(store or f"{out}.verdicts")
            opened = stack.enter_context(open_store(place))
            if batch is not None:
                stack.enter_context(sent_in_batches(judges.values(), Batches(opened), batch))
            if out is not None:
                source = relative_source(header.source, Path(out))
                header = replace(header, store=store_name(place, Path(out)), source=source)
                write = stack.enter_context(write_run(Path(out), header))
        work = CaseWork(dataset, cases, metrics, judges, on_failure, opened, progress)
        finished = work.here() if cluster is None else work_on_cluster(work, cluster)
        async with aclosing(finished):
            async for case, entry, line in finished:
                if labelling is not None:
                    entry, line = labelled_line(entry, line, partial(labelling.people, case))
                if write is not None:
                    write(line)
                take(case, entry)
        # A server may have refused a parameter that the judge's identity promised, or another model
        # may have answered: only after judging is it known how the scores were made.
        after = header_of(work.judged)
        final = replace(header, signature=after.signature, served=after.served)
    if out is not None and final != header:
        rewrite_header(Path(out), final)
    return final
