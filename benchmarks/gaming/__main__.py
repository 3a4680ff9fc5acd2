"""What games earn: texts that read nothing of what the documents say, beside honest baselines.

``--write`` puts the tables into benchmarks/README.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping

from benchmarks._options import options
from benchmarks.gaming.play import Found, play
from benchmarks.gaming.sets import LOADERS, SHARED
from benchmarks.gaming.table import is_ours, is_won, table, write_tables

QUESTIONS = 160


def main() -> int:
    """Prints the tables; 1 where a game pays on a score of ours."""
    parser = options(__doc__)
    parser.add_argument("--write", action="store_true", help="write the tables")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="of each set, the first N")
    parser.add_argument("--set", choices=LOADERS, action="append", help="this set alone")
    parser.add_argument("--workers", type=int, default=2, help="processes that play at once")
    chosen = parser.parse_args()
    tables: dict[str, tuple[Mapping[str, Found], int]] = {}
    for name in chosen.set or LOADERS:
        if name != "core" and not SHARED.is_dir():
            print(f"{name}: left out, {SHARED} is not here", file=sys.stderr)
            continue
        start = time.perf_counter()
        tables[name] = play(name, chosen.questions, chosen.workers)
        seconds = time.perf_counter() - start
        print(f"\n{name}, {seconds:.0f} s\n\n{table(*tables[name])}", flush=True)
    if chosen.write:
        write_tables(tables)
    lost = [
        key
        for found, _ in tables.values()
        for key in found
        if is_ours(key) and is_won(key, found[key])
    ]
    for key in lost:
        print(f"a game pays on {key}", file=sys.stderr)
    return bool(lost)


if __name__ == "__main__":
    sys.exit(main())
