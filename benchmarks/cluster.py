"""The lexical judge on two workers against one process: wall time, CPU time, the driver's microseconds a verdict.

From what is measured: how many workers one driver can feed, with the lexical judge and with one of 50 ms.
Start-up is not counted. Exits 1 where a limit is missed; the limit on wall time holds for a quiet machine
of two cores, so it is looked at only where the load is low.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from argue_bench import Answer, Question, evaluate, load
from argue_bench.baselines import generate
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from benchmarks._options import options
from benchmarks._table import at_least, at_most, show

METRICS = ["argue", "citations", "accuracy"]
SYSTEMS = ("bm25-extractive", "lead-sentences", "random-citations")
WORKERS = 2
QUIET = 0.5
"""Load of other work at which wall times are looked at."""
SLOW_VERDICT = 0.05
IDLE_SECONDS = 8.0
MICROSECONDS = "\N{MICRO SIGN}s"


def work(copies: int) -> tuple[Dataset, list[Answer]]:
    """The questions of core's dev split, once for each copy, with the answers of a system.

    Each sentence says which copy it is of, so that no two copies make the same requests.
    """
    dev = load("core", split="dev")
    questions: list[Question] = []
    answers: list[Answer] = []
    for copy in range(copies):
        rows = list(generate(SYSTEMS[copy % len(SYSTEMS)], dev, "evidenceprovided"))
        for id, answer in as_answers(rows, dev).items():
            questions.append(replace(dev.question(id), id=f"{id}-{copy}"))
            sentences = tuple(
                replace(one, text=f"{one.text.rstrip('.')}, as report {copy} says.")
                for one in answer.sentences
            )
            text = " ".join(one.text for one in sentences)
            answers.append(replace(answer, id=f"{id}-{copy}", text=text, sentences=sentences))
    # Read and named once, before anything is timed.
    made = tuple(questions)
    return replace(dev, questions=made, declared_digest="sha256:1", name="copies"), answers


def cpu(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def timed(run: Callable[[], Any]) -> tuple[float, float, Any]:
    """Wall and CPU seconds of this process."""
    wall, own = time.perf_counter(), cpu(resource.RUSAGE_SELF)
    result = run()
    return time.perf_counter() - wall, cpu(resource.RUSAGE_SELF) - own, result


def main() -> int:
    from argue_bench.eval.cluster.connecting import standing

    parser = options(__doc__)
    parser.add_argument("copies", type=int, nargs="?", default=12, help="of core's dev split")
    copies = parser.parse_args().copies
    dataset, answers = work(copies)
    with tempfile.TemporaryDirectory() as folder, standing(WORKERS) as client:
        place = Path(folder)

        def run(name: str, cluster: Any = None, some: slice = slice(None)) -> Any:
            return evaluate(
                dataset[some],
                answers[some],
                METRICS,
                out=place / name,
                resamples=0,
                cluster=cluster,
            )

        run("warm", client, slice(0, 40))
        # What the scheduler and its workers say to each other while nothing is done.
        idle = timed(lambda: time.sleep(IDLE_SECONDS))[1] / IDLE_SECONDS
        before = sum(client.run(_cpu_of_process).values())
        wall, driver, _ = timed(lambda: run("two", client))
        workers = sum(client.run(_cpu_of_process).values()) - before
        alone_wall, alone, one = timed(lambda: run("one"))
        same = (place / "one").read_bytes().replace(b"one.v", b"") == (
            place / "two"
        ).read_bytes().replace(b"two.v", b"")
    verdicts = int(one.cost["lexical"]["requests"])
    each = 1e6 * (driver - idle * wall) / verdicts
    judged = 1e6 * alone / verdicts
    load = os.getloadavg()[0]
    print(f"{len(answers):,} answers, {verdicts:,} verdicts; load {load:.1f}")
    print(f"one process          {alone_wall:7.1f} s wall {alone:7.1f} s CPU")
    print(
        f"{WORKERS} workers            {wall:7.1f} s wall {workers:7.1f} s CPU, driver {driver:.1f} s"
    )
    print(f"the same bytes       {same}")
    quiet = load < WORKERS + QUIET
    slow = SLOW_VERDICT * 1e6 / each
    lines = [
        at_least("wall, one process / two workers", alone_wall / wall, 1.5, "x", looked_at=quiet),
        at_most("CPU, two workers / one process", workers / alone, 1.15, "x", digits=2),
        at_most("driver, a verdict", each, 25.0, MICROSECONDS),
        at_least("workers that one driver feeds, lexical", judged / each, 16.0, ""),
        at_least("workers that one driver feeds, 50 ms", slow, 64.0, "", digits=0),
    ]
    return int(show(lines) or not same)


def _cpu_of_process() -> float:
    return sum(os.times()[:2])


if __name__ == "__main__":
    sys.exit(main())
