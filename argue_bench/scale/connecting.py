"""The Dask cluster that the user names: local processes, an address, a client, or SLURM."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.errors import Code, DataError, JudgeError, MissingExtra, UsageError
from argue_bench.scale import tasks

if TYPE_CHECKING:
    from distributed import Client

ClusterLike = Any
"""A number of processes on this machine; the address of a scheduler (``tcp://host:8786``); ``slurm:FILE``; a
`distributed.Client`."""
SLURM = "slurm:"
_CONNECT_SECONDS = 30.0
"""How long a scheduler may take to answer; a busy one takes seconds."""


@contextmanager
def workers(cluster: ClusterLike) -> Iterator[Client]:
    """A client of the cluster, for `distributed`; what was started here ends with the block.

    ``cluster``: a number of processes on this machine (call it under ``if __name__ == "__main__":``), the
    address of a scheduler, ``slurm:FILE``, or a `distributed.Client`.
    Raises MissingExtra, UsageError (nothing that names a cluster), DataError (the file of SLURM), JudgeError
    where no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("work on several processes or machines", "cluster") from None
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
    try:
        from dask_jobqueue import SLURMCluster
    except ImportError:
        raise MissingExtra("--cluster slurm:FILE", "cluster") from None
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
