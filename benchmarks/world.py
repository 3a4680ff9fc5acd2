"""Speed and memory of generating worlds.

It prints seconds, documents a second and the peak memory of the writing process for worlds of growing size,
and how long the embedded sets take to load. Memory must not grow with the world; seconds depend on the machine.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import argue_bench
from benchmarks._options import options
from tools.core_set.world import World, write_set

CORE = Path(argue_bench.__file__).parent / "data" / "core"
SEED = "5a" * 16
DOCUMENTS_A_TOPIC = 12.7


def measure(topics: int, workers: int) -> None:
    """One world into a temporary folder; prints its row. Run in a process of its own."""
    folder = Path(tempfile.mkdtemp())
    try:
        start = time.perf_counter()
        write_set(World(SEED, topics), folder, "bench", folder / "gold.jsonl", workers)
        seconds = time.perf_counter() - start
        with (folder / "documents.jsonl").open("rb") as file:
            documents = sum(1 for _ in file)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"{topics:>8} {workers:>8} {documents:>10} {seconds:>8.1f} "
            f"{documents / seconds:>8.0f} {peak:>8}"
        )
    finally:
        shutil.rmtree(folder)


def load() -> None:
    """How long the embedded sets take to load."""
    from argue_bench.loaders.core import load_folder

    for split in ("dev", "test"):
        start = time.perf_counter()
        questions = len(load_folder(CORE / split))
        print(f"loading core/{split}: {questions} questions in {time.perf_counter() - start:.2f} s")


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--documents", type=int, default=10_000, help="size of the largest world")
    parser.add_argument("--one", nargs=2, type=int, metavar=("TOPICS", "WORKERS"))
    args = parser.parse_args()
    if args.one:
        measure(*args.one)
        return
    print("  topics  workers  documents  seconds    doc/s  peak MB", flush=True)
    most = int(args.documents / DOCUMENTS_A_TOPIC) + 1
    for topics, workers in ((8, 1), (max(8, most // 10), 1), (most, 1), (most, 2)):
        command = [sys.executable, "-m", "benchmarks.world", "--one", str(topics), str(workers)]
        subprocess.run(command, check=True)
    load()


if __name__ == "__main__":
    main()
