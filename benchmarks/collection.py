"""A collection of a million documents: memory, the first look-up after reopening, and the rest.

``python -m benchmarks.collection [DOCUMENTS]``. Loading the same file into a dictionary is what it
is measured against, at a tenth of the size. Each row is a process of its own, so that its peak of
memory is its own.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from argue_bench.loaders.collection import Collection

DOCUMENTS = 1_000_000
LOOK_UPS = 10_000


def identity(number: int) -> str:
    """An id as NeuCLIR has them, the same for the same number."""
    draw = random.Random(number)
    digits = f"{draw.getrandbits(128):032x}"
    return (
        "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        + f"_{number}"
    )


def write(path: Path, documents: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(documents):
            row = {
                "id": identity(number),
                "title": f"Title {number}",
                "text": f"word{number} " * 40,
            }
            file.write(json.dumps(row) + "\n")


def measure(what: str, path: Path, documents: int) -> tuple[float, float]:
    """Seconds and MB of one thing, in this process."""
    ids = [identity(random.Random(7 + n).randrange(documents)) for n in range(LOOK_UPS)]
    start = time.perf_counter()
    if what == "dictionary":
        rows = {row["id"]: row for row in map(json.loads, path.open(encoding="utf-8"))}
        assert len(rows) == documents
    else:
        collection = Collection(path)
        assert len(collection) == documents
        if what == "first look-up":
            assert collection[ids[0]].id == ids[0]
        elif what == "look-ups":
            start = time.perf_counter()
            assert all(collection[id].id == id for id in ids)
    took = time.perf_counter() - start
    return took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def row(what: str, path: Path, documents: int) -> tuple[float, float]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.collection",
        "--only",
        what,
        str(path),
        str(documents),
    ]
    took, memory = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.split()
    return float(took), float(memory)


def main() -> None:
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ARGUE_BENCH_CACHE"] = folder
        path, tenth = Path(folder, "documents.jsonl"), Path(folder, "tenth.jsonl")
        write(path, documents)
        write(tenth, documents // 10)
        print(f"{documents:,} documents, {path.stat().st_size / 1e6:,.0f} MB")
        print(f"{'':<34}{'seconds':>9}  {'peak MB':>8}")
        for name, what, file, count in (
            ("a dictionary of a tenth", "dictionary", tenth, documents // 10),
            ("index of a tenth", "index", tenth, documents // 10),
            ("index of all", "index", path, documents),
            ("reopened, first look-up", "first look-up", path, documents),
            (f"{LOOK_UPS:,} look-ups at random", "look-ups", path, documents),
        ):
            took, memory = row(what, file, count)
            print(f"{name:<34}{took:>9.3f}  {memory:>8.0f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--only"]:
        print(*measure(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])))
    else:
        main()
