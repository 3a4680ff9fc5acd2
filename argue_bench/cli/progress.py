"""Progress on stderr for work that takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from argue_bench.eval.driver import Standing
    from argue_bench.judges import Judge

# Nobody waits for a bar in the first second. A terminal shows five states a second, which an eye can
# follow; a log file gets six lines a minute.
QUIET_SECONDS = 1.0
TERMINAL_SECONDS, LOG_SECONDS = 0.2, 10.0


class Step(Protocol):
    """Reports how many are done, and the total where it is known."""

    def __call__(self, done: int, total: int | None = None, /) -> None: ...


class _LogLines:
    """A stderr that is not a terminal: a line for each state, where tqdm would return the carriage."""

    def write(self, text: str) -> None:
        if text := text.strip("\r\n "):
            sys.stderr.write(f"{text}\n")

    def flush(self) -> None:
        sys.stderr.flush()


class JudgingMeter:
    """The words beside the bar of a judged run: verdicts, calls, failures and dollars so far."""

    def __init__(self, judges: Iterable[Judge]) -> None:
        self._judges = {id(judge): judge for judge in judges}.values()
        # The run that it follows.
        self.standing: Standing | None = None

    def __call__(self) -> str:
        if self.standing is None or not self.standing.made:
            return ""
        counts = [judge.counts for judge in self._judges]
        calls = sum(count.calls for count in counts)
        told = {
            "from the store": sum(count.stored for count in counts),
            "failed": self.standing.failed,
            f"call{'s' * (calls > 1)}": calls,
        }
        settled = self.standing.verdicts + self.standing.failed
        parts = [
            f"{settled:,} of {self.standing.made:,} verdicts",
            *(f"{n:,} {what}" for what, n in told.items() if n),
        ]
        price = sum(count.price for count in counts)
        return ", ".join([*parts, f"${price:.4f}"] if price else parts)


class _Bar:
    """A step that updates a bar only so often: writing the words for every verdict would take too long.

    The bar is made when it is first shown: most work ends before, and tqdm takes as long to import as
    a question to score.
    """

    def __init__(self, what: str, total: int, extra: Callable[[], str] | None) -> None:
        self._what, self._total, self._extra = what, total or None, extra
        self._terminal = sys.stderr.isatty()
        self._began = time.monotonic()
        self._next = self._began + QUIET_SECONDS
        self._bar: Any = None

    def watch(self, standing: Standing) -> None:
        """Passes the state of a run to the text beside the bar, if the text is about a run."""
        if isinstance(self._extra, JudgingMeter):
            self._extra.standing = standing

    def __call__(self, done: int, total: int | None = None, /) -> None:
        if total is not None:
            self._total = total
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (TERMINAL_SECONDS if self._terminal else LOG_SECONDS)
        if self._bar is None:
            self._bar = self._make(done)
        if self._extra is not None:
            self._bar.set_postfix_str(self._extra(), refresh=False)
        self._bar.n, self._bar.total = done, self._total
        self._bar.refresh()

    def close(self) -> None:
        """Takes the bar away, where one was shown."""
        if self._bar is not None:
            self._bar.close()

    def _make(self, done: int) -> Any:
        from tqdm import tqdm

        # tqdm's monitor would be a thread beside the pools that judges and indexes start, and its own lock
        # would be for several processes.
        tqdm.monitor_interval = 0
        tqdm.set_lock(RLock())
        bar = tqdm(
            desc=self._what,
            total=self._total,
            # The first one waits for all that is read before it: it says nothing of the rest's time.
            initial=min(done, 1),
            file=None if self._terminal else _LogLines(),
            delay=QUIET_SECONDS,
            leave=False,
            bar_format=None
            if self._terminal
            else "{desc}: {n_fmt} of {total_fmt} [{elapsed}<{remaining}]{postfix}",
            dynamic_ncols=self._terminal,
        )
        bar.start_t -= time.monotonic() - self._began
        return bar


@contextmanager
def progress(what: str, total: int, extra: Callable[[], str] | None = None) -> Iterator[Step]:
    """``with progress("scoring", total) as step: step(done)``; silent in the first second.

    ``total`` 0 means that it is not known yet. ``extra`` adds words, such as a `JudgingMeter`'s.
    """
    with closing(_Bar(what, total, extra)) as bar:
        yield bar
