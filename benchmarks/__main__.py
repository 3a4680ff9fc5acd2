"""Runs every benchmark, or those named: ``python -m benchmarks [NAME ...]``."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import benchmarks


def main() -> int:
    """The number of scripts that failed."""
    names = sys.argv[1:] or sorted(
        module.name
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if not module.name.startswith("_")
    )
    failed = []
    for name in names:
        print(f"\n== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
