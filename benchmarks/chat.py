"""Judgments a second of a chat judge beside a bare client, and the calls and tokens that a report takes.

Run by ``python -m benchmarks chat [COUNT]``. The server (tests/models/server.py) answers after 100 ms over
real HTTP on loopback, in a process of its own. With 64 requests at a time that allows 640 a second. Three
clients send the same prompts in turn, each in a process of its own, held to one core where the system can
do that: a bare aiohttp client; the openai package's ``create``; and ours, the driver whole: prompts, frame, the
package's generic ``post``, verdicts, each committed to a store. All import what they need before the clock
starts. The script exits 1 where ours has less than 85 % of the bare client's rate, or takes more than 0.9 ms of
processor time a judgment, in the best of its rounds: other work on the machine slows each of them by chance.
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import aiohttp
from openai import AsyncOpenAI, DefaultAioHttpClient

from argue_bench.eval.driver import Case, run_metrics
from argue_bench.judges.prompted import Prompted
from argue_bench.judges.prompted.calls import CallMode, calls_of
from argue_bench.judges.stored import Stored
from argue_bench.metrics.base import Metric, TallySteps, first_round
from argue_bench.models.chat import Chat
from argue_bench.records import Answer, Document, Entails, Gold, Question, Source, Tally
from argue_bench.stats.averages import macro
from argue_bench.store import Store
from benchmarks._options import options
from benchmarks._table import at_least, at_most, show

DELAY_MS, AT_ONCE, EACH = 100, 64, 20
ROUNDS = 3
LEAST_SHARE, MOST_MILLISECONDS = 0.85, 0.9


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


def _bodies(count: int) -> Iterator[dict[str, Any]]:
    """The bodies that our client sends for these cases."""
    chat = Chat("server", "m", known={"ARGUE_BENCH_BASE_URL": "http://localhost/v1"})
    asking = Prompted(chat).asking
    for case in _cases(count):
        for call in calls_of(first_round(Attested().tally(*case)), asking):
            yield dict(chat.wording(call.prompt(asking).sent))


async def _bare(url: str, count: int, store: Path) -> tuple[float, float]:
    """The least that a client can do: encode, post, decode, read the text."""
    bodies = list(_bodies(count))
    began, busy = time.perf_counter(), time.process_time()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def ask(body: dict[str, Any]) -> str:
            async with session.post(f"{url}/chat/completions", json=body) as reply:
                return str((await reply.json())["choices"][0]["message"]["content"])

        await _at_once(ask, bodies)
    return time.perf_counter() - began, time.process_time() - busy


async def _create(url: str, count: int, store: Path) -> tuple[float, float]:
    """The openai package, over aiohttp too."""
    bodies = list(_bodies(count))
    began, busy = time.perf_counter(), time.process_time()
    http = DefaultAioHttpClient()
    async with AsyncOpenAI(base_url=url, api_key="none", http_client=http) as client:

        async def ask(body: dict[str, Any]) -> str:
            done = await client.chat.completions.create(**body)
            return str(done.choices[0].message.content)

        await _at_once(ask, bodies)
    return time.perf_counter() - began, time.process_time() - busy


async def _at_once(
    ask: Callable[[dict[str, Any]], Awaitable[str]], bodies: Sequence[dict[str, Any]]
) -> None:
    left = iter(bodies)

    async def go_on() -> None:
        for body in left:
            await ask(body)

    await asyncio.gather(*(go_on() for _ in range(AT_ONCE)))


CLIENTS = {"bare aiohttp": _bare, "openai create": _create, "ours": _judge}


def _share(client: str, url: str, count: int, store: str) -> None:
    """One worker, held to one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    took, busy = asyncio.run(CLIENTS[client](url, count, Path(store)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(took, busy, peak)


def _workers(client: str, url: str, count: int, workers: int) -> tuple[float, float, float]:
    """Judgments a second, processor seconds, and the largest memory of a worker in MB."""
    folder = tempfile.TemporaryDirectory()
    running = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "benchmarks.chat",
                "share",
                client,
                url,
                str(count // workers),
                str(Path(folder.name) / str(number)),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(workers)
    ]
    rows = [list(map(float, process.communicate()[0].split())) for process in running]
    folder.cleanup()
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


def main() -> int:
    """Prints the tables; 1 where a limit is missed."""
    if sys.argv[1:2] == ["share"]:
        _share(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
        return 0
    parser = options(__doc__)
    parser.add_argument("count", type=int, nargs="?", default=20_000, help="judgments")
    count = parser.parse_args().count
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.models.server", str(DELAY_MS), "-"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    shares: list[float] = []
    milliseconds: list[float] = []
    print(
        f"{'client':<14} {'judgments':>9} {'processes':>9} {'a second':>9} {'of bare':>8} ", end=""
    )
    print(f"{'ms of cpu each':>15} {'peak MB':>8}  load")
    try:
        rounds = [(count // 4, 1)] * ROUNDS + [(count, 1), (count, 2)]
        for number, workers in rounds:
            bare = 0.0
            for client in CLIENTS:
                rate, busy, peak = _workers(client, url, number, workers)
                bare = bare or rate
                each = 1000 * busy / number
                if client == "ours" and workers == 1:
                    shares.append(rate / bare)
                    milliseconds.append(each)
                print(
                    f"{client:<14} {number:>9,} {workers:>9} {rate:>9,.0f} {rate / bare:>8.0%} "
                    f"{each:>15.2f} {peak:>8.0f}  {os.getloadavg()[0]:.1f}",
                    flush=True,
                )
    finally:
        server.terminate()
        server.wait()
    _shape()
    best, least = 100 * max(shares), min(milliseconds)
    print(f"\nbest of {len(shares)} rounds in one process")
    return show(
        [
            at_least("chat judge's rate, of a bare client's", best, 100 * LEAST_SHARE, "%"),
            at_most("chat judge, CPU a judgment", least, MOST_MILLISECONDS, "ms", digits=2),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
