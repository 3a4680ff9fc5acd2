"""A judge of 20 ms a request on two workers against one process: wall time, and the driver's time a verdict.

From what is measured: how many workers of a judge that takes 50 ms one driver can feed. Start-up is not
counted. Exits 1 where a limit is missed; that on wall time is looked at only where the load is low.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from argue_bench import evaluate, load
from argue_bench.baselines import generate
from argue_bench.records import JudgeRequest
from argue_bench.scale import distributed, workers
from benchmarks._options import options
from benchmarks._table import at_least, show

WORKERS = 2
QUIET = 0.5
"""Load of other work at which wall times are looked at."""
SECONDS = 0.02


def slow(request: JudgeRequest) -> bool:
    time.sleep(SECONDS)
    return len(request.key) > 0


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("questions", type=int, nargs="?", default=40, help="of core's dev split")
    dev = load("core", split="dev")[: parser.parse_args().questions]
    answers = list(generate("bm25-extractive", dev, "evidenceprovided"))
    with tempfile.TemporaryDirectory() as folder, workers(WORKERS) as cluster:

        def run(name: str, judge: Any) -> tuple[float, float, int]:
            """Wall and CPU seconds of this process, and verdicts."""
            wall, own = time.perf_counter(), time.process_time()
            report = evaluate(dev, answers, ["citations"], judge=judge, out=Path(folder) / name)
            made = next(iter(report.cost.values()))["requests"]
            return time.perf_counter() - wall, time.process_time() - own, int(made)

        evaluate(dev[:2], answers[:2], ["citations"], judge=distributed(slow, cluster))
        shared, driver, verdicts = run("two", distributed(slow, cluster))
        alone, own, _ = run("one", slow)
        one, two = ((Path(folder) / name).read_bytes() for name in ("one", "two"))
    same = one.replace(b"one.v", b"") == two.replace(b"two.v", b"")
    each = max(driver - own, 1e-3) / verdicts
    print(f"{verdicts:,} verdicts: {alone:.1f} s, on {WORKERS} workers {shared:.1f} s")
    print(f"the same bytes: {same}")
    quiet = os.getloadavg()[0] < WORKERS + QUIET
    lines = [
        at_least("wall, one process / two workers", alone / shared, 1.5, "x", looked_at=quiet),
        at_least("workers that one driver feeds, 50 ms", 0.05 / each, 64.0, "", digits=0),
    ]
    return int(show(lines) or not same)


if __name__ == "__main__":
    sys.exit(main())
