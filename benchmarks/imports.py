"""What importing costs: CPU seconds of ``import argue_bench`` above those of an empty Python."""

from __future__ import annotations

import resource
import subprocess
import sys

RUNS = 15


def seconds(code: str) -> float:
    """The least CPU time of a new process that runs this code."""
    best = float("inf")
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def main() -> None:
    empty = seconds("pass")
    print(f"{'what':<44} CPU s   over an empty process")
    for what, code in (
        ("python -c pass", "pass"),
        ("import argue_bench", "import argue_bench"),
        ("import argue_bench.eval", "import argue_bench.eval"),
        (
            "argue-bench --help",
            "from argue_bench.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        ),
    ):
        found = seconds(f"import os, sys; sys.stdout = open(os.devnull, 'w')\n{code}")
        print(f"{what:<44} {found:.3f}   {found - empty:+.3f}")


if __name__ == "__main__":
    main()
