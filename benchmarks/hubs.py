"""The published data sets, fetched from where their authors keep them: is each what the loaders expect?

    python -m benchmarks.hubs [--fetch]

With --fetch it needs a network, the extra [hf] and some 500 MB, and prints a line for each set; exits 1 where one could
not be read. Without it nothing is fetched.
"""

from __future__ import annotations

import sys

from argue_bench import load
from argue_bench.errors import ArgueBenchError
from benchmarks._options import options

SETS = (
    ("fanoutqa", "dev", 310),
    ("fanoutqa", "test", 724),
    ("alce-asqa", "gtr", 948),
    ("alce-eli5", "bm25", 1_000),
    ("alce-qampari", "gtr", 1_000),
    ("luciole", "piaf", None),
    ("luciole-v1", "piaf", None),
)
"""Name, split, and how many questions its authors publish where they say so."""


def main() -> int:
    """1 where a set could not be read, or has another size."""
    parser = options(__doc__)
    parser.add_argument("--fetch", action="store_true", help="Fetch what is not in the cache.")
    if not parser.parse_args().fetch:
        print(f"{len(SETS)} sets would be fetched: python -m benchmarks.hubs --fetch")
        return 0
    wrong = 0
    for name, split, size in SETS:
        try:
            dataset = load(name, split)
        except ArgueBenchError as error:
            said, good = str(error).partition("\n")[0][:120], False
        else:
            said, good = (
                f"{dataset.title}, {len(dataset):,} questions",
                size in (None, len(dataset)),
            )
        print(f"{'agrees' if good else 'DIFFERS'}  {name} {split}: {said}")
        wrong += not good
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
