"""A clock that ends a step of a board: what a stranger sends may take longer than anybody thought of.

It is the timer of the process (SIGALRM), which rings inside a pattern, too. What it raises is a KeyboardInterrupt, for that
is what event loops let through at once and no handler on the way takes for a failure of its own.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

# Seconds after which the clock rings again, where the code that it interrupted went on.
AGAIN = 10.0


class OutOfTime(KeyboardInterrupt):
    """What was begun took longer than it may."""


@contextmanager
def clock(seconds: float) -> Iterator[None]:
    """Raises OutOfTime inside once so many seconds are over; 0 sets no clock."""
    if not seconds:
        yield
        return

    # The handler runs between two steps of Python, so code in C is interrupted when it returns.
    def ring(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
