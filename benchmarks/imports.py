"""What starting costs: CPU seconds of commands and imports, each the least of several new processes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks._options import options
from benchmarks._table import Line, at_most, show

RUNS = 15
# As an installed package starts: with its modules compiled by an earlier process.
COMPILED = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
COMMAND = (sys.executable, "-m", "argue_bench")
THREE = ("-m", "argue", "-m", "citations", "-m", "accuracy")


def seconds(command: Sequence[str], runs: int = RUNS) -> float:
    """The least CPU time of a new process that runs this command."""
    best = float("inf")
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        quiet = subprocess.DEVNULL
        subprocess.run(command, check=True, stdout=quiet, stderr=quiet, env=COMPILED)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def main() -> int:
    """1 where a limit is missed."""
    options(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as compiled:
        COMPILED["PYTHONPYCACHEPREFIX"] = compiled
        return show(measured())


def measured() -> list[Line]:
    lines = [
        Line(what, f"{seconds([sys.executable, '-c', code]):.3f} s")
        for what, code in (
            ("python -c pass", "pass"),
            ("import argue_bench", "import argue_bench"),
            ("import argue_bench.eval", "import argue_bench.eval"),
        )
    ]
    lines.append(at_most("argue-bench --help", seconds([*COMMAND, "--help"]), 0.10, "s", digits=3))
    with tempfile.TemporaryDirectory() as name:
        answers = str(Path(name) / "answers.jsonl")
        some = ("--split", "sample", "--setting", "evidenceprovided", "--system", "bm25-extractive")
        subprocess.run([*COMMAND, "generate", *some, "--out", answers], check=True)
        evaluate = [*COMMAND, "evaluate", answers, "--split", "sample"]
        lines += [
            at_most(
                "evaluate, 8 questions, 3 metrics",
                seconds([*evaluate, *THREE]),
                0.45,
                "s",
                digits=3,
            ),
            at_most(
                "evaluate, 8 questions, default metrics", seconds(evaluate), 0.55, "s", digits=3
            ),
        ]
    return lines


if __name__ == "__main__":
    sys.exit(main())
