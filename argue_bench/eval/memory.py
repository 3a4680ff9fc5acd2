"""Memory of a run: how many cases are under way at once, and how seldom garbage is looked for.

By default Python looks for circles of garbage after every 700 new objects, which costs a run of short replies an
eighth of its time and finds next to nothing: its many small objects are freed by reference counts.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Lock

from argue_bench.judges.base import Judge, is_free, is_patient
from argue_bench.records import Answer

_NEW_OBJECTS = 20_000
"""Objects after which garbage is looked for."""
_lock = Lock()
_runs: list[tuple[int, int, int]] = []
"""The thresholds that each run now going on found."""
WINDOW = 512
"""Cases under way at once, where a judge is neither free nor patient: enough to fill its batches."""
FREE_WINDOW = 64
"""Cases, where all judges are free and have no use for batches: so few that what the lexical judge read
of a case's sources is still there when the next round of requests asks of it."""
FREE_CITATIONS = 500
"""Citations of these cases together, from which on no further case begins, for the same reason."""
PATIENT_WINDOW = 20_000
"""Cases, where a judge takes hours for each round of requests."""


class Window:
    """The room for cases. What is put in must be taken out."""

    def __init__(self, judges: Iterable[Judge]) -> None:
        judges = list(judges)
        self.cases = self.citations = 0
        self.most_citations: float = math.inf
        if all(map(is_free, judges)):
            self.most, self.most_citations = FREE_WINDOW, FREE_CITATIONS
        elif any(map(is_patient, judges)):
            self.most = PATIENT_WINDOW
        else:
            self.most = max(WINDOW, *(judge.batch for judge in judges))

    @property
    def has_room(self) -> bool:
        """Whether another case may begin; one always may where none is under way."""
        return self.cases < self.most and self.citations < self.most_citations

    def put(self, answer: Answer, count: int = 1) -> None:
        """Counts the case of an answer as begun."""
        self.cases += count
        self.citations += count * sum(len(one.citations) for one in answer.sentences)

    def take(self, answer: Answer) -> None:
        """Counts it as done."""
        self.put(answer, -1)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Collects garbage less often until the last of the current runs has ended."""
    with _lock:
        before = gc.get_threshold()
        _runs.append(before)
        if 0 < before[0] < _NEW_OBJECTS:  # 0: somebody has turned it off
            gc.set_threshold(_NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        with _lock:
            first = _runs[0]
            _runs.pop()
            if not _runs:
                gc.set_threshold(*first)
