"""Ctrl-C during a judged run: prints what was spent, and the command that continues."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.cli.evaluating.costs import show_spent
from argue_bench.errors import Interrupted

if TYPE_CHECKING:
    from argue_bench.judges import Judge


@contextmanager
def told_when_stopped(judges: Iterable[Judge], store: Path | None) -> Iterator[None]:
    """Turns Ctrl-C into Interrupted, after it has printed what the judges spent.

    ``store``: where the verdicts are, None where nothing keeps them.
    """
    try:
        yield
    except KeyboardInterrupt:
        show_spent({judge.name: vars(judge.counts) for judge in judges})
        raise stopped(store) from None


def stopped(store: Path | None) -> Interrupted:
    """The error of an interrupted run, with the command that continues it."""
    if store is None:
        return Interrupted("stopped. No store was named, so nothing was kept.")
    again = shlex.join(["argue-bench", *sys.argv[1:]])
    return Interrupted(f"stopped. The verdicts are in {store}; this goes on from there:\n  {again}")
