"""The judges of a command: who they are, what they may cost, where they work, and what they have spent."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import as_field
from argue_bench.cli.evaluating.costs import show_spent
from argue_bench.cli.options import (
    batch_option,
    budget_option,
    cluster_of,
    cluster_option,
    dry_run_option,
    judge_option,
    limit_spending,
    on_failure_option,
    store_option,
    workers_option,
)
from argue_bench.errors import Interrupted
from argue_bench.satellites import SCALE, import_text

if TYPE_CHECKING:
    from argue_bench.judges import Judge


@dataclass(frozen=True)
class JudgingOptions:
    """Who judges, how much it may cost, where the work is done, and where verdicts are kept."""

    judges: dict[str, str] = as_field(judge_option)
    budget: float | None = as_field(budget_option)
    store: Path | None = as_field(store_option)
    workers: int | None = as_field(workers_option)
    cluster: str = as_field(cluster_option)
    dry_run: bool = as_field(dry_run_option)
    on_failure: str = as_field(on_failure_option)
    batch: bool = as_field(batch_option)

    @contextmanager
    def at_work(
        self, judges: Mapping[str, Judge], store: Path | None
    ) -> Iterator[Mapping[str, Judge]]:
        """The judges, held to the limits, while they work where the options say.

        ``store``: where their verdicts are kept, None where nothing keeps them. Ctrl-C becomes Interrupted,
        after what was spent is printed. Raises click.UsageError, and what the satellite raises.
        """
        cluster = cluster_of(self.workers, self.cluster)
        if self.batch and (cluster is not None or store is None):
            raise click.UsageError(
                "--batch sends everything from one process, and needs --out or --store: leave out "
                "--workers and --cluster"
            )
        limit_spending(self.budget, judges.values(), stored=store is not None)
        # Limits first: a judge whose work is done elsewhere takes its budget along.
        with ExitStack() as stack:
            working = judges
            if cluster is not None:
                spread = import_text(SCALE["cluster"])
                working = stack.enter_context(spread(judges, cluster))
            elif self.batch:
                say = partial(click.echo, err=True)
                working = stack.enter_context(import_text(SCALE["batch"])(judges, store, say))
            try:
                yield working
            except KeyboardInterrupt:
                show_spent({judge.name: vars(judge.counts) for judge in judges.values()})
                raise _stopped(store) from None


def _stopped(store: Path | None) -> Interrupted:
    """The error of an interrupted run, with the command that continues it."""
    if store is None:
        return Interrupted("stopped. No store was named, so nothing was kept.")
    again = shlex.join(["argue-bench", *sys.argv[1:]])
    return Interrupted(f"stopped. The verdicts are in {store}; this goes on from there:\n  {again}")
