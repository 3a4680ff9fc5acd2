"""Other people's code that ours is measured against, and how: in CPU time, in turn, in one run.

A peer is looked for where Python looks and in the folder that ARGUE_BENCH_PEERS names:

    pip install --no-deps --target DIR fanoutqa blingfire rouge-score
    git clone https://github.com/hltcoe/rag-run-validator DIR/x && mv DIR/x/rag_run_validator DIR
    git clone https://github.com/princeton-nlp/ALCE DIR/ALCE
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks._table import Line

ROUNDS = 3
FOLDER = os.environ.get("ARGUE_BENCH_PEERS", "")


def find_peers() -> Path | None:
    """Lets Python look into the named folder too, behind what is installed; None where none is named."""
    if FOLDER and FOLDER not in sys.path:
        sys.path.append(FOLDER)
    return Path(FOLDER) if FOLDER else None


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of this process, and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def interleaved(
    ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int = ROUNDS
) -> tuple[float, float, Any, Any]:
    """The least CPU seconds of each, taken in turn, and what they returned."""
    best = [float("inf"), float("inf")]
    results: list[Any] = [None, None]
    for _ in range(rounds):
        for at, work in enumerate((ours, theirs)):
            seconds, results[at] = cpu(work)
            best[at] = min(best[at], seconds)
    return best[0], best[1], results[0], results[1]


def present(parts: Iterable[Callable[[], list[Line]]]) -> list[Line]:
    """The lines of all parts whose peer is there; what is left out is said."""
    find_peers()
    lines: list[Line] = []
    for part in parts:
        try:
            lines += part()
        except ImportError as error:
            print(f"{part.__name__.strip('_')} is left out: {error} (benchmarks/_peers.py)")
    return lines
