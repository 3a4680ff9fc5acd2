"""The work of one run, and how one process does it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from argue_bench.eval.driver import Case, OnFailure, Progress, run_metrics
from argue_bench.eval.run import (
    Entry,
    entry_line,
)
from argue_bench.judges import Judge
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric

if TYPE_CHECKING:
    from argue_bench.store import Store


class FinishedCase(NamedTuple):
    """One case, its entry without answer and requests, and its line of the run file."""

    case: Case
    entry: Entry
    line: str


@dataclass
class CaseWork:
    """Cases of a data set, the metrics that count them, the judges that these ask, and the open store."""

    dataset: Dataset
    cases: Iterable[Case]
    metrics: Sequence[Metric]
    judges: Mapping[str, Judge]
    on_failure: OnFailure = "refuse"
    store: Store | None = None
    progress: Progress | None = None
    judged: Mapping[str, Judge] = field(init=False)
    """The judges as they were asked, which know what only asking shows."""

    def __post_init__(self) -> None:
        self.judged = self.judges

    async def here(self, judges: Mapping[str, Judge] | None = None) -> AsyncGenerator[FinishedCase]:
        """The cases in order; ``judges`` are asked in place of those of the work."""
        self.judged = dict(self.judges if judges is None else judges)
        if self.store is not None:
            from argue_bench.judges.stored import Stored

            self.judged = {name: Stored(one, self.store) for name, one in self.judged.items()}
        async for outcome in run_metrics(
            self.cases, self.metrics, self.judged, self.on_failure, self.progress
        ):
            entry = Entry.of(outcome)
            yield FinishedCase(outcome.case, entry.tallied, entry_line(entry))
