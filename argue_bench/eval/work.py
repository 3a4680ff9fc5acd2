"""The work of one run: what is run, by which judges, and what is kept of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from argue_bench.errors import UsageError
from argue_bench.eval.driver import Case, OnFailure, Progress, run_metrics
from argue_bench.eval.people import Labelling
from argue_bench.eval.run import (
    Entry,
    Header,
    entry_line,
    labelled_line,
    rewrite_header,
    store_name,
    write_run,
)
from argue_bench.judges import Judge
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.source import relative_source
from argue_bench.metrics import Metric

if TYPE_CHECKING:
    from argue_bench.eval.cluster.connecting import ClusterLike
    from argue_bench.judges.batches import Batching
    from argue_bench.store import Store


class FinishedCase(NamedTuple):
    """One case, its entry without the keys of its requests, and its line of the run file."""

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
            # Its requests, with the texts of their sources, are let go: tallies are all that scores need.
            yield FinishedCase(outcome.case, replace(entry, requests={}), entry_line(entry))


async def run_cases(
    cases: Iterable[Case],
    dataset: Dataset,
    metrics: Sequence[Metric],
    judges: Mapping[str, Judge],
    header_of: Callable[[Mapping[str, Judge]], Header],
    take: Callable[[Case, Entry], None],
    *,
    on_failure: OnFailure = "refuse",
    out: str | Path | None = None,
    store: str | Path | None = None,
    batch: Batching | None = None,
    cluster: ClusterLike = None,
    progress: Progress | None = None,
    labelling: Labelling | None = None,
) -> Header:
    """Drives the metrics over the cases of a data set and hands each with its entry to ``take``, in order.

    ``out`` is the run file to write, ``store`` where verdicts are kept (OUT.verdicts by default). ``batch``:
    how prompts to models of providers are sent in batches, which are kept there too. ``cluster``: whose
    workers do the work (`argue_bench.eval.cluster.connecting`). Entries are handed over without requests.
    Returns the header with the signatures as they are after judging. Raises what `run_metrics`
    raises, and DataError for a store or a disk that can't be used.
    """
    header = header_of(judges)
    async with AsyncExitStack() as stack:
        write: Callable[[str], object] | None = None
        opened: Store | None = None
        if batch is not None and out is None and store is None:
            raise UsageError("batches need a store, which keeps them: give out or store")
        if out is not None or store is not None:
            from argue_bench.judges.batches import sent_in_batches
            from argue_bench.judges.stored import open_store
            from argue_bench.store.batches import Batches

            place = Path(store or f"{out}.verdicts")
            opened = stack.enter_context(open_store(place))
            if batch is not None:
                stack.enter_context(sent_in_batches(judges.values(), Batches(opened), batch))
            if out is not None:
                source = relative_source(header.source, Path(out))
                header = replace(header, store=store_name(place, Path(out)), source=source)
                write = stack.enter_context(write_run(Path(out), header))
        work = CaseWork(dataset, cases, metrics, judges, on_failure, opened, progress)
        if cluster is None:
            finished = work.here()
        else:
            from argue_bench.eval.cluster.running import work_on_cluster

            finished = work_on_cluster(work, cluster)
        async with aclosing(finished):
            async for case, entry, line in finished:
                if labelling is not None:
                    entry, line = labelled_line(entry, line, partial(labelling.people, case))
                if write is not None:
                    write(line)
                take(case, entry)
        # A server may have refused a parameter that the judge's identity promised, or another model
        # may have answered: only after judging is it known how the scores were made.
        after = header_of(work.judged)
        final = replace(header, signature=after.signature, served=after.served)
    if out is not None and final != header:
        rewrite_header(Path(out), final)
    return final
