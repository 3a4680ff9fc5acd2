"""What `argue_bench.check` takes after import: answers of five sentences beside five contexts of 200 words.

Sentences of the embedded set's documents, drawn anew for each call, with one word in five of an answer
exchanged. CPU time: a busy machine moves it little.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from itertools import islice

import numpy as np

import argue_bench as ab
from benchmarks._options import options
from benchmarks._table import Line, at_most, show

CALLS, CONTEXTS, WORDS, SENTENCES = 300, 5, 200, 5
LIMIT = 20  # milliseconds that 95 of 100 calls keep to


def milliseconds(draw: random.Random) -> Iterator[float]:
    """What one call after another takes, of those whose answer is read as five statements."""
    texts = [one.text for one in ab.load("core").documents.values()]
    said = [one for text in texts for one in text.split(". ") if 8 <= len(one.split()) <= 30]
    words = " ".join(said).split()
    while True:
        contexts = []
        for _ in range(CONTEXTS):
            drawn = ". ".join(draw.sample(said, WORDS // 8)).split()
            contexts.append(" ".join(drawn[:WORDS]))
        taken = [draw.choice(one.split(". ")).split() for one in contexts[:SENTENCES]]
        changed = [[draw.choice(words) if draw.random() < 0.2 else w for w in one] for one in taken]
        answer = " ".join(f"It says {' '.join(one).rstrip('.')}." for one in changed)
        began = time.process_time()
        found = ab.check(answer, contexts, "What happened?")
        took = time.process_time() - began
        if sum(one.supported is not None for one in found.statements) == SENTENCES:
            yield 1000 * took


def main() -> int:
    """1 where the limit is missed."""
    options(__doc__).parse_args()
    # The first call imports what all need.
    took = list(islice(milliseconds(random.Random(5)), 1, CALLS + 1))
    # Neighbours on the same core double what a call takes.
    quiet = os.getloadavg()[0] < (os.cpu_count() or 1)
    half, most = np.percentile(took, [50, 95])
    return show(
        [
            Line("check, median", f"{half:.1f} ms"),
            at_most("check, 95th percentile", float(most), LIMIT, "ms", looked_at=quiet),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
