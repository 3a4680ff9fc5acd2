"""Progress on stderr for work that takes longer than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

QUIET_SECONDS = 1.0
TERMINAL_SECONDS, LOG_SECONDS = 0.1, 10.0


class Step(Protocol):
    """Says how many are done, and of how many where that is known by now."""

    def __call__(self, done: int, total: int | None = None, /) -> None: ...


class _LogLines:
    """A stderr that is not a terminal: a line for each state, where tqdm would return the carriage."""

    def write(self, text: str) -> None:
        if text := text.strip("\r\n "):
            sys.stderr.write(f"{text}\n")

    def flush(self) -> None:
        sys.stderr.flush()


@contextmanager
def progress(what: str, total: int, extra: Callable[[], str] | None = None) -> Iterator[Step]:
    """``with progress("scoring", total) as step: step(done)``; silent in the first second.

    ``total`` 0 means that it is not known yet. ``extra`` adds words, such as counts of a judge.
    """
    from tqdm import tqdm

    # tqdm's monitor would be a thread beside the pools that judges and indexes start.
    tqdm.monitor_interval = 0
    terminal = sys.stderr.isatty()
    with tqdm(
        desc=what,
        total=total or None,
        file=None if terminal else _LogLines(),
        delay=QUIET_SECONDS,
        mininterval=TERMINAL_SECONDS if terminal else LOG_SECONDS,
        miniters=1,
        leave=False,
        bar_format=None if terminal else "{desc}: {n_fmt} of {total_fmt}{postfix}",
        dynamic_ncols=terminal,
    ) as bar:

        def step(done: int, total: int | None = None, /) -> None:
            if total is not None:
                bar.total = total
            if extra is not None:
                bar.set_postfix_str(extra(), refresh=False)
            bar.update(done - bar.n)

        yield step
