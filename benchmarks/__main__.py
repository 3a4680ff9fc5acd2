"""Runs every benchmark, or those named; one table of all measurements comes last.

    python -m benchmarks [NAME ...]
    python -m benchmarks NAME [ITS OPTIONS]

Exits 1 where a script failed or a figure missed its limit.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import subprocess
import sys
import tempfile
import time
from itertools import takewhile
from pathlib import Path

import benchmarks
from benchmarks._table import ROWS, kept, print_table

# One thread each: threads that wait for a core would count as CPU time.
ALONE = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
BY_NAME_ONLY = ("gaming", "mtrag_labels", "pictures")
"""Scripts that take hours of one core, or measure nothing but write files."""


def scripts() -> list[str]:
    """The names of all scripts."""
    modules = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return sorted(name for name in modules if not name.startswith("_"))


def main() -> int:
    """1 where a script failed or a limit was missed."""
    known = scripts()
    names, theirs = words(sys.argv[1:], known)
    if not names or unknown(names, known):
        parser = argparse.ArgumentParser(
            "python -m benchmarks",
            description=__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}")
        if wrong := unknown(parser.parse_args().names, known):
            parser.error(f"no such benchmark: {', '.join(wrong)}")
        names = [name for name in known if name not in BY_NAME_ONLY]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.jsonl"
        environment = {**os.environ, **ALONE, ROWS: str(rows)}
        for name in names:
            print(f"\n== {name}", flush=True)
            command = [sys.executable, "-m", f"benchmarks.{name}", *theirs]
            began = time.monotonic()
            if subprocess.run(command, check=False, env=environment).returncode:
                failed.append(name)
            print(f"{name} took {time.monotonic() - began:.0f} s", flush=True)
        lines = kept(rows)
    if len(names) > 1 and lines:
        print("\n== every measurement")
        print_table(lines)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return int(bool(failed) or not all(line.good for line in lines))


def words(given: list[str], known: list[str]) -> tuple[list[str], list[str]]:
    """The names of scripts, and what they are given: a number or option behind one name is for that script."""
    names = list(takewhile(lambda word: not word.startswith("-"), given))
    if names[:1] and names[0] in known and all(one.isdigit() for one in names[1:]):
        names = names[:1]
    return names, given[len(names) :]


def unknown(names: list[str], known: list[str]) -> list[str]:
    return sorted(set(names) - set(known))


if __name__ == "__main__":
    sys.exit(main())
