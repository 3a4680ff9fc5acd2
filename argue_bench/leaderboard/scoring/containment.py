"""The containment of a scoring: its output is captured, and it ends by the clock.

The clock is the timer of the process (SIGALRM). What it raises is a KeyboardInterrupt, for that is what
event loops let through at once and no handler on the way takes for a failure of its own.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from argue_bench.leaderboard.scoring.diagnosis import BYTES as DIAGNOSIS_BYTES

AGAIN = 10.0
"""Seconds after which the clock rings again, where the code that it interrupted went on."""


class OutOfTime(KeyboardInterrupt):
    """A scoring took longer than it may."""


@contextmanager
def clock(seconds: float) -> Iterator[None]:
    """Raises OutOfTime inside once so many seconds are over; 0 sets no clock."""
    if not seconds:
        yield
        return

    def ring(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def silenced(kept: list[str]) -> Iterator[None]:
    """Captures everything that Python or a library prints inside, so that it is not shown."""
    with tempfile.TemporaryFile() as sink, open(os.dup(sink.fileno()), "w", buffering=1) as text:
        sys.stdout.flush()
        sys.stderr.flush()
        saved = [os.dup(1), os.dup(2)]
        try:
            os.dup2(sink.fileno(), 1)
            os.dup2(sink.fileno(), 2)
            with redirect_stdout(text), redirect_stderr(text):
                yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, old in zip((1, 2), saved, strict=True):
                os.dup2(old, number)
                os.close(old)
            sink.seek(0)
            kept.append(sink.read(DIAGNOSIS_BYTES).decode("utf-8", "replace"))
