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

METRICS = ["argue", "citations", "accuracy"]
SYSTEMS = ("bm25-extractive", "lead-sentences", "random-citations")
WORKERS = 2
QUIET = 0.5
"""Load of other work at which wall times are looked at."""
SLOW_VERDICT = 0.05
IDLE_SECONDS = 8.0


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
    named = {"declared_digest": "sha256:1", "name": "copies"}
    return replace(dev, questions=tuple(questions), **named), answers


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

    copies = int(sys.argv[1]) if len(sys.argv) > 1 else 12
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
    rows = [
        ("wall, one process / two workers", alone_wall / wall, ">=", 1.5, load < WORKERS + QUIET),
        ("CPU, workers / one process", workers / alone, "<=", 1.15, True),
        ("driver, microseconds a verdict", each, "<=", 25.0, True),
        ("workers that one driver feeds, lexical", judged / each, ">=", 16.0, True),
        ("the same, 50 ms a verdict", SLOW_VERDICT * 1e6 / each, ">=", 64.0, True),
    ]
    missed = 0 if same else 1
    for what, found, sign, limit, counts in rows:
        good = found >= limit if sign == ">=" else found <= limit
        missed += counts and not good
        note = "" if good else ("  MISSED" if counts else "  (busy machine)")
        print(f"{what:42} {found:9.2f}  {sign} {limit:g}{note}")
    return missed


def _cpu_of_process() -> float:
    return sum(os.times()[:2])


if __name__ == "__main__":
    sys.exit(main())
