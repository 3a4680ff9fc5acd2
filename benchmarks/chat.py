"""Judgments a second of a chat judge, and the calls and tokens that a report takes.

Run by ``python -m benchmarks chat [COUNT]``. The server (tests/models/server.py) answers after 100 ms over
real HTTP on loopback, in a process of its own. With 64 requests at a time that allows 640 a second;
the driver runs whole: prompts, frame, HTTP, verdicts, each committed to a store. Judging is
held to one core where the system can do that.
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from argue_bench.eval.driver import Case, run_metrics
from argue_bench.judges.prompted import Prompted
from argue_bench.judges.prompted.calls import CallMode
from argue_bench.judges.stored import Stored
from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.models.chat import Chat
from argue_bench.records import Answer, Document, Entails, Gold, Question, Source, Tally
from argue_bench.stats.averages import macro
from argue_bench.store import Store

DELAY_MS, AT_ONCE, EACH = 100, 64, 20


@dataclass(frozen=True)
class Attested(Metric):
    """Twenty sentences of an answer against a document."""

    judge: str = ""
    name: ClassVar[str] = "attested"
    summary: ClassVar[str] = "a metric of the benchmark"
    scores: ClassVar = {"yes": macro("yes")}
    requests: ClassVar = (Entails,)

    def tally(
        self, question: Question, answer: Answer, documents: Mapping[str, Document]
    ) -> TallySteps:
        source = Source("d", f"{answer.text} " * 40)
        requests = [Entails((source,), f"{answer.text} {n}.") for n in range(EACH)]
        verdicts = yield requests
        return {"yes": Tally(sum(verdicts[request].yes for request in requests), EACH)}


def _cases(count: int) -> Iterator[Case]:
    for n in range(count // EACH):
        yield Case(Question(f"q{n}", "?", gold=Gold()), Answer(f"q{n}", f"Fact {n} holds."), {})


async def _judge(url: str, count: int, store: Path) -> tuple[float, float]:
    known = {"ARGUE_BENCH_BASE_URL": url, "ARGUE_BENCH_MAX_CONCURRENCY": str(AT_ONCE)}
    judge = Prompted(Chat("server", "m", known=known))
    began, busy = time.perf_counter(), time.process_time()
    with Store(store) as opened:
        async for _ in run_metrics(_cases(count), [Attested()], {"": Stored(judge, opened)}):
            pass
    return time.perf_counter() - began, time.process_time() - busy


def _share(url: str, count: int, store: str) -> None:
    """One worker, held to one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    took, busy = asyncio.run(_judge(url, count, Path(store)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(took, busy, peak)


def _workers(url: str, count: int, workers: int, folder: Path) -> tuple[float, float, float]:
    """Judgments a second, processor seconds, and the largest memory of a worker in MB."""
    running = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "benchmarks.chat",
                "share",
                url,
                str(count // workers),
                str(folder / f"{count}.{workers}.{number}"),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(workers)
    ]
    rows = [list(map(float, process.communicate()[0].split())) for process in running]
    return (
        count / max(row[0] for row in rows),
        sum(row[1] for row in rows),
        max(row[2] for row in rows),
    )


def _shape() -> None:
    from tests.judges.test_prompted import run, trec_report
    from tests.models.server import ChatServer

    requests = trec_report()
    print(
        f"\n{'one report of the TREC shape':<32} {'calls':>7} {'tokens in':>10} {'tokens out':>11}"
    )
    found: dict[str, tuple[int, int]] = {}
    forms: tuple[CallMode, ...] = ("single", "batched")
    for form in forms:
        with ChatServer() as server:
            judge = Prompted(
                Chat("server", "m", known={"ARGUE_BENCH_BASE_URL": server.url}), asking=form
            )
            run(judge, requests)
            found[form] = (server.count, judge.counts.tokens_in)
            row = f"{server.count:>7,} {judge.counts.tokens_in:>10,} {judge.counts.tokens_out:>11,}"
        print(f"{f'asking={form}':<32} {row}")
    calls, tokens = (a / b for a, b in zip(found["single"], found["batched"], strict=True))
    print(f"{'single / batched':<32} {calls:>7.1f} {tokens:>10.1f}")


def main() -> None:
    """Prints the tables."""
    if sys.argv[1:2] == ["share"]:
        _share(sys.argv[2], int(sys.argv[3]), sys.argv[4])
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.models.server", str(DELAY_MS), "-"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    allowed = AT_ONCE * 1000 / DELAY_MS
    print(
        f"{'judgments':>9} {'workers':>7} {'a second':>9} {'of allowed':>10} {'ms of cpu each':>15} {'peak MB':>8}"
    )
    try:
        with tempfile.TemporaryDirectory() as folder:
            for number, workers in ((count // 4, 1), (count, 1), (count, 2)):
                rate, busy, peak = _workers(url, number, workers, Path(folder))
                share = rate / (allowed * workers)
                print(
                    f"{number:>9,} {workers:>7} {rate:>9,.0f} {share:>10.0%} {1000 * busy / number:>15.2f} {peak:>8.0f}"
                )
    finally:
        server.terminate()
        server.wait()
    _shape()


if __name__ == "__main__":
    main()
