"""Runs every benchmark, or those named: ``python -m benchmarks [NAME ...]``; one table of all limits comes last."""

from __future__ import annotations

import argparse
import os
import pkgutil
import subprocess
import sys
import tempfile
from pathlib import Path

import benchmarks
from benchmarks._table import ROWS, kept, print_table

# One thread each: threads that wait for a core would count as CPU time.
ALONE = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def main() -> int:
    """The number of scripts that failed."""
    modules = [module.name for module in pkgutil.iter_modules(benchmarks.__path__)]
    known = sorted(
        (name for name in modules if not name.startswith("_")),
        key=lambda name: (name == "peers", name),
    )
    parser = argparse.ArgumentParser("python -m benchmarks", description="Run benchmarks.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}")
    names = parser.parse_args().names or known
    if unknown := set(names) - set(known):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.jsonl"
        environment = {**os.environ, **ALONE, ROWS: str(rows)}
        for name in names:
            print(f"\n== {name}", flush=True)
            command = [sys.executable, "-m", f"benchmarks.{name}"]
            if subprocess.run(command, check=False, env=environment).returncode:
                failed.append(name)
        if lines := kept(rows):
            print("\n== every measurement that has a limit")
            print_table(lines)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
