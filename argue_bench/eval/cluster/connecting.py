"""Connects to the Dask cluster that the user names: local processes, an address, a client, or
SLURM."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.errors import Code, DataError, JudgeError, MissingExtra, UsageError

if TYPE_CHECKING:
    from distributed import Client

ClusterLike = Any
"""A number of processes on this machine; the address of a scheduler (``tcp://host:8786``); ``slurm:FILE``; a
`distributed.Client`."""
SLURM = "slurm:"
_CONNECT_SECONDS = 30.0
Connect = Callable[[], Awaitable["Client"]]


@asynccontextmanager
async def connected(cluster: ClusterLike) -> AsyncIterator[tuple[Client, Connect]]:
    """A client of the cluster and a function that reconnects; a cluster that was started here
    is closed afterwards.

    Raises MissingExtra, UsageError (nothing that names a cluster), DataError (the file of SLURM), JudgeError
    where no scheduler answers.
    """
    require_cluster()
    from distributed import Client

    _be_quiet()
    async with AsyncExitStack() as stack:
        if isinstance(cluster, bool) or not (
            isinstance(cluster, (int, str)) or hasattr(cluster, "scheduler")
        ):
            raise UsageError(
                f"cluster={cluster!r:.60}: give a number of processes, the address of a scheduler, "
                "slurm:FILE or a distributed.Client"
            )
        security: Any = None
        if isinstance(cluster, int) or str(cluster).startswith(SLURM):
            try:
                started = await stack.enter_async_context(_started(cluster, asynchronous=True))
            except RuntimeError as error:
                raise _not_started(error) from None
            address, security = started.scheduler_address, started.security
        elif isinstance(cluster, str):
            address = cluster
        else:
            address, security = cluster.scheduler.address, cluster.security
        connect = partial(_client, Client, address, security)
        client = await connect()
        try:
            yield client, connect
        finally:
            await client.close()


@contextmanager
def standing(cluster: ClusterLike) -> Iterator[ClusterLike]:
    """A cluster for several consecutive runs, started once.

    Raises what `connected` raises.
    """
    if not isinstance(cluster, int) and not str(cluster).startswith(SLURM):
        yield cluster
        return
    require_cluster()
    from distributed import Client

    _be_quiet()
    with _started(cluster, asynchronous=False) as started, Client(started) as client:
        yield client


def require_cluster() -> None:
    """Raises MissingExtra where Dask is not installed."""
    try:
        import cloudpickle  # noqa: F401
        import distributed  # noqa: F401
    except ImportError:
        raise MissingExtra("work on several processes or machines", "cluster") from None


async def _client(kind: Any, address: str, security: Any) -> Client:
    try:
        client: Client = await kind(
            address,
            asynchronous=True,
            security=security,
            timeout=_CONNECT_SECONDS,
            set_as_default=False,
            name="argue-bench",
        )
    except (OSError, ValueError) as error:
        raise JudgeError(
            f"no Dask scheduler answers at {address}: {error!s:.200}. Start one with: dask scheduler"
        ) from None
    return client


def _started(cluster: int | str, asynchronous: bool) -> Any:
    """A cluster that ends with this process. Raises UsageError, DataError and MissingExtra."""
    from distributed import LocalCluster, Security

    if isinstance(cluster, str):
        return _slurm(Path(cluster.removeprefix(SLURM)), asynchronous)
    if cluster < 1:
        raise UsageError(f"cluster={cluster}: at least one process")
    try:
        return _local(LocalCluster, Security, cluster, asynchronous)
    except RuntimeError as error:
        raise _not_started(error) from None


def _local(kind: Any, security: Any, count: int, asynchronous: bool) -> Any:
    return kind(
        n_workers=count,
        threads_per_worker=1,
        memory_limit=0,
        dashboard_address=None,
        # Without a dashboard, too, the scheduler opens a port for HTTP: any free one, on loopback.
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        # Only this user's processes may speak to it: a scheduler runs whatever it is sent.
        security=security.temporary(),
        asynchronous=asynchronous,
        silence_logs=logging.CRITICAL,
    )


def _not_started(error: RuntimeError) -> JudgeError:
    return JudgeError(
        f"the workers did not start: {error!s:.200} In a script, make the call under "
        'if __name__ == "__main__": each worker reads the script first.'
    )


def _slurm(file: Path, asynchronous: bool) -> Any:
    """A cluster of SLURM jobs: ``jobs`` of them, every other key an argument of dask_jobqueue.SLURMCluster."""
    try:
        from dask_jobqueue import SLURMCluster
    except ImportError:
        raise MissingExtra("--cluster slurm:FILE", "cluster") from None
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError.of(Code.NO_SUCH_FILE, str(error.strerror), file) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError.of(Code.CLUSTER_FILE, str(error), file) from None
    jobs = given.pop("jobs", None)
    if not isinstance(jobs, int) or jobs < 1:
        hint = "Write jobs = 8, and beside it the arguments of dask_jobqueue.SLURMCluster."
        raise DataError.of(Code.CLUSTER_FILE, "jobs is missing: how many to start", file, hint=hint)
    # Dask would open its dashboard to everybody on port 8787.
    options = {"dashboard_address": "127.0.0.1:0", **given.pop("scheduler_options", {})}
    try:
        started = SLURMCluster(asynchronous=asynchronous, scheduler_options=options, **given)
        started.scale(jobs=jobs)  # n_workers would count the processes in them
        return started
    except (TypeError, ValueError) as error:
        raise DataError.of(Code.CLUSTER_FILE, f"{error!s:.300}", file) from None


def _be_quiet() -> None:
    """Silences the logs of Dask: we report lost workers once and in words; Dask would print
    tracebacks."""
    import dask

    for name in ("distributed", "distributed.core", "distributed.client", "distributed.comm"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})
