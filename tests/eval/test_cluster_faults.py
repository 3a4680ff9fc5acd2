"""A cluster that others run: its scheduler begins anew, its network pauses, some of its workers are wrong."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from argue_bench import Answer, Question, Tally, evaluate, load
from argue_bench.baselines import generate
from argue_bench.errors import UsageError

pytest.importorskip("distributed", reason="the extra cluster is not installed")
pytestmark = pytest.mark.release

METRICS = ["argue", "citations"]
DEV = load("core", split="dev")[:24]
ANSWERS = list(generate("bm25-extractive", DEV, "evidenceprovided"))


class Machines:
    """A scheduler and workers, each a process that can be killed, stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]],
            cwd=self.folder,
            env={**os.environ, "PYTHONWARNINGS": "ignore", **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.running.append(process)
        return process

    def scheduler(self) -> subprocess.Popen[bytes]:
        given = ("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        return self.start("scheduler", *given)

    def worker(self, **environment: str) -> subprocess.Popen[bytes]:
        given = (self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        return self.start("worker", *given, "--host", "127.0.0.1", **environment)


@contextmanager
def machines(folder: Path) -> Iterator[Machines]:
    made = Machines(folder)
    try:
        yield made
    finally:
        for process in made.running:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()


def slowly(folder: Path) -> Callable[[Question, Answer], dict[str, Tally]]:
    """A metric that says which questions were counted in a worker, by process, and takes its time."""
    driver = os.getpid()

    def note(question: Question, answer: Answer) -> dict[str, Tally]:
        if os.getpid() != driver:
            with (folder / "counted").open("a") as file:
                file.write(f"{question.id} {os.getpid()}\n")
            time.sleep(0.3)
        return {"words": Tally(len(answer.text.split()))}

    return note


def counted(folder: Path) -> list[str]:
    file = folder / "counted"
    return file.read_text().split("\n")[:-1] if file.exists() else []


def until(true: Callable[[], bool]) -> None:
    while not true():
        time.sleep(0.05)


def run(folder: Path, name: str, cluster: Any, metric: Any) -> bytes:
    out = folder / name
    evaluate(DEV, ANSWERS, [*METRICS, metric], out=out, resamples=0, cluster=cluster)
    return out.read_bytes().replace(f"{name}.verdicts".encode(), b"")


def test_a_scheduler_that_begins_anew_costs_what_was_under_way(tmp_path: Path) -> None:
    metric = slowly(tmp_path)
    alone = run(tmp_path, "one", None, metric)
    with machines(tmp_path) as made:
        scheduler, first = made.scheduler(), made.worker()

        def restart() -> None:
            until(lambda: len(counted(tmp_path)) > 6)
            scheduler.kill()
            scheduler.wait()
            first.kill()
            first.wait()
            made.scheduler()
            made.worker()

        restarting = threading.Thread(target=restart)
        restarting.start()
        shared = run(tmp_path, "two", made.address, metric)
        restarting.join()
    assert shared == alone
    lines = [line.split()[0] for line in counted(tmp_path)]
    assert set(lines) == {question.id for question in DEV}
    assert len(lines) - len(set(lines)) <= 12  # the parts that were under way, of a few cases each


def test_a_worker_that_is_silent_for_half_a_minute_goes_on(tmp_path: Path) -> None:
    metric = slowly(tmp_path)
    alone = run(tmp_path, "one", None, metric)
    with machines(tmp_path) as made:
        made.scheduler()
        worker = made.worker()

        def pause() -> None:
            until(lambda: len(counted(tmp_path)) > 6)
            worker.send_signal(signal.SIGSTOP)
            time.sleep(30)
            worker.send_signal(signal.SIGCONT)

        pausing = threading.Thread(target=pause)
        pausing.start()
        shared = run(tmp_path, "two", made.address, metric)
        pausing.join()
    assert shared == alone
    assert sorted(line.split()[0] for line in counted(tmp_path)) == sorted(q.id for q in DEV)


def test_a_worker_presumed_dead_that_comes_back_counts_nothing_twice(tmp_path: Path) -> None:
    metric = slowly(tmp_path)
    alone = run(tmp_path, "one", None, metric)
    with machines(tmp_path) as made:
        made.start(
            "scheduler",
            *("--host", "127.0.0.1", "--port", str(made.port), "--no-dashboard"),
            DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL="3s",
        )
        silent = made.worker()

        def pause() -> None:
            until(lambda: len(counted(tmp_path)) > 6)
            silent.send_signal(signal.SIGSTOP)
            made.worker()
            until(lambda: len({line.split()[1] for line in counted(tmp_path)}) > 1)
            silent.send_signal(signal.SIGCONT)

        pausing = threading.Thread(target=pause)
        pausing.start()
        shared = run(tmp_path, "two", made.address, metric)
        pausing.join()
    assert shared == alone


def test_workers_that_do_not_fit_are_named_and_get_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "old" / "argue_bench").mkdir(parents=True)
    (tmp_path / "old" / "argue_bench" / "__init__.py").write_text('__version__ = "0.0.1"\n')
    (tmp_path / "none" / "argue_bench").mkdir(parents=True)
    said = "raise ModuleNotFoundError(\"No module named 'argue_bench'\")\n"
    (tmp_path / "none" / "argue_bench" / "__init__.py").write_text(said)
    metric = slowly(tmp_path)
    with machines(tmp_path) as made:
        made.scheduler()
        made.worker(PYTHONPATH=str(tmp_path / "old"))
        made.worker(PYTHONPATH=str(tmp_path / "none"))
        _wait_for_workers(made.address, 2)
        with pytest.raises(UsageError, match="no worker can be used") as raised:
            run(tmp_path, "none-fits", made.address, metric)
        assert "has argue-bench 0.0.1 on Python" in str(raised.value)
        assert "has no argue-bench" in str(raised.value)
        good = made.worker()
        _wait_for_workers(made.address, 3)
        caplog.clear()
        shared = run(tmp_path, "two", made.address, metric)
        assert {line.split()[1] for line in counted(tmp_path)} == {str(good.pid)}
    assert caplog.text.count("it gets no work") == 2
    assert shared == run(tmp_path, "one", None, metric)


def _wait_for_workers(address: str, count: int) -> None:
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(count)
