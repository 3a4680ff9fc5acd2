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

from argue_bench.published.trec.collection import Collection
from benchmarks._options import options
from benchmarks._table import Line, at_most, show

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
        str(documents),
        "--only",
        what,
        str(path),
    ]
    took, memory = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.split()
    return float(took), float(memory)


def main() -> int:
    """1 where memory grows with the documents."""
    parser = options(__doc__)
    parser.add_argument("documents", type=int, nargs="?", default=DOCUMENTS)
    parser.add_argument("--only", nargs=2, metavar=("WHAT", "PATH"), help="one measurement, here")
    given = parser.parse_args()
    documents = given.documents
    if given.only:
        print(*measure(given.only[0], Path(given.only[1]), documents))
        return 0
    lines, memory = [], {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ARGUE_BENCH_CACHE"] = folder
        path, tenth = Path(folder, "documents.jsonl"), Path(folder, "tenth.jsonl")
        write(path, documents)
        write(tenth, documents // 10)
        print(f"{documents:,} documents, {path.stat().st_size / 1e6:,.0f} MB")
        for name, what, file, count in (
            ("a dictionary of a tenth", "dictionary", tenth, documents // 10),
            ("index of a tenth", "index", tenth, documents // 10),
            ("index of all", "index", path, documents),
            ("reopened, first look-up", "first look-up", path, documents),
            (f"{LOOK_UPS:,} look-ups at random", "look-ups", path, documents),
        ):
            took, memory[name] = row(what, file, count)
            lines.append(Line(f"collection: {name}", f"{took:.3f} s, {memory[name]:.0f} MB"))
    grown = memory["index of all"] / memory["index of a tenth"]
    return show(
        [*lines, at_most("collection: memory for 10 times as many", grown, 1.5, "x", digits=2)]
    )


if __name__ == "__main__":
    sys.exit(main())
