"""The functions that run in a worker: a job is sent once, and its parts one by one.

Everything travels as bytes that only these functions read, so that Dask looks into nothing.
"""

from __future__ import annotations

import pickle
from typing import Any, Protocol

from argue_bench.errors import ArgueBenchError

_MOST_JOBS = 4
"""Jobs that a worker keeps, of several drivers at most."""
_JOBS: dict[str, Job] = {}


class Job(Protocol):
    """The work of a run, the same for all parts."""

    def work(self, part: Any) -> Any:
        """The result of one part. Raises ArgueBenchError."""

    def stop(self) -> None:
        """Starts nothing more; work in progress is finished."""

    def end(self) -> None:
        """Gives back what the job holds, once its work in progress is finished."""


class NotEquipped(Exception):
    """The worker does not have the job: a new process runs at the same address."""


def packed(job: Job) -> bytes:
    """A pickled job, with functions of a notebook or script pickled by value."""
    import cloudpickle  # of the extra, like Dask

    data: bytes = cloudpickle.dumps(job)
    return data


def equip(token: str, job: bytes) -> None:
    """Gives the worker a job under this name; the state of an earlier job of the name is dropped."""
    forget(token)
    _JOBS[token] = pickle.loads(job)
    while len(_JOBS) > _MOST_JOBS:
        forget(next(iter(_JOBS)))


def work(token: str, part: bytes) -> bytes:
    """Does a part of a job. An error of ours is returned, since it may pass through Dask only as text."""
    job = _JOBS.get(token)
    if job is None:
        raise NotEquipped(token)
    try:
        return pickle.dumps(job.work(pickle.loads(part)))
    except ArgueBenchError as error:
        return pickle.dumps(error)


def stop(token: str) -> None:
    """Stops a job."""
    if (job := _JOBS.get(token)) is not None:
        job.stop()


def forget(token: str) -> None:
    """Drops a job."""
    if (job := _JOBS.pop(token, None)) is not None:
        job.end()
