"""Talk on stderr about work that takes over a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

_QUIET = 1.0
_ON_A_TERMINAL = 0.1
_IN_A_LOG = 10.0


class Progress:
    """``with Progress("scoring", total) as step: step(done)``; says nothing in the first second.

    On a terminal one line is rewritten; in a log a line is printed every ten seconds. ``extra``
    adds words, such as counts of a judge.
    """

    def __init__(self, what: str, total: int, extra: Callable[[], str] | None = None) -> None:
        self.what, self.total, self.extra = what, total, extra
        self._terminal = sys.stderr.isatty()
        self._wait = _ON_A_TERMINAL if self._terminal else _IN_A_LOG
        self._next = time.monotonic() + _QUIET
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._wait
        self._say(done)

    def _say(self, done: int) -> None:
        share = f"{done:,} of {self.total:,}" if self.total else f"{done:,}"
        text = f"{self.what}: {share}" + (f", {self.extra()}" if self.extra else "")
        sys.stderr.write(f"\r\x1b[K{text}" if self._terminal else f"{text}\n")
        sys.stderr.flush()
        self._shown = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        if self._shown and self._terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
