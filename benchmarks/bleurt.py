"""Our port of BLEURT beside Google's program, on a checkpoint of yours: do they agree within 1e-4?

    python -m benchmarks.bleurt GOOGLE TORCH

GOOGLE is the unpacked checkpoint of Google's (BLEURT-20.zip), which their package ``bleurt`` runs; TORCH the same
weights for PyTorch (lucadiliello/BLEURT-20). Exits 1 where a number differs by more; without folders it says what
to put where, and exits 0.
"""

from __future__ import annotations

import asyncio
import sys

from argue_bench.judges import create_judge
from argue_bench.records import Similar, Verdict
from benchmarks._options import options

PAIRS = (
    ("The bridge opened in 1931.", "The bridge opened in 1931."),
    ("The bridge opened in 1931.", "It was opened to traffic in 1931, after four years of work."),
    ("Paris; Oslo; Lima", "The capitals are Paris, Oslo and Quito."),
    ("42", "I do not know."),
    ("A long answer. " * 200, "A short one."),
    ("Zürich liegt an der Limmat.", "Zurich is on the Limmat."),
)
NEAR = 1e-4


async def numbers(spec: str) -> list[float]:
    """The judge's number for each pair."""
    requests = [Similar(*pair) for pair in PAIRS]
    found = {}
    async for request, verdict in create_judge(spec).judge(requests):
        if not isinstance(verdict, Verdict):
            sys.exit(f"{spec}: {verdict.reason}")
        found[request] = float(verdict.value)
    return [found[one] for one in requests]


def main() -> int:
    """1 where a number differs."""
    parser = options(__doc__)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="GOOGLE and TORCH")
    folders = parser.parse_args().folders
    if len(folders) != 2:
        print("Name two folders with the same weights: BLEURT-20 as Google and as PyTorch has it.")
        return 0
    theirs, ours = (
        asyncio.run(numbers(spec))
        for spec in (f"bleurt:google:{folders[0]}", f"bleurt:{folders[1]}")
    )
    for pair, one, other in zip(PAIRS, theirs, ours, strict=True):
        print(f"{one:9.5f} {other:9.5f} {abs(one - other):.1e}  {pair[1][:60]}")
    most = max(abs(one - other) for one, other in zip(theirs, ours, strict=True))
    print(f"{'agree' if most <= NEAR else 'DIFFER'}: at most {most:.1e} apart")
    return int(most > NEAR)


if __name__ == "__main__":
    sys.exit(main())
