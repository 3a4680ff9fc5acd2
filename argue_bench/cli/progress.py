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


_ENOUGH = 20
"""Verdicts from which on a rate is told: the first ones wait for the connection and the modules."""


class JudgingMeter:
    """The words beside the bar of a judged run: verdicts, calls, failures, dollars, rate, time left.

    ``cases``: how many there are in all. A run's requests are known only as its cases are begun and verdicts
    come, so totals and the time left are about.
    """

    def __init__(
        self, cases: int, judges: Iterable[Judge], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._cases, self._clock = cases, clock
        self._judges = {id(judge): judge for judge in judges}.values()
        self._began = clock()
        self._standing: Standing | None = None

    def watch(self, standing: Standing) -> None:
        """Follows this run."""
        self._standing, self._began = standing, self._clock()

    def __call__(self) -> str:
        now = self._standing
        if now is None or not now.made:
            return ""
        counts = [judge.counts for judge in self._judges]
        stored = sum(count.stored for count in counts)
        calls, price = sum(c.calls for c in counts), sum(c.price for c in counts)
        settled = now.verdicts + now.failed
        total = self._total(now)
        parts = [f"{settled:,} of {_about(total, now.made)} verdicts"]
        parts += [f"{stored:,} from the store"] if stored else []
        parts += [f"{now.failed:,} failed"] if now.failed else []
        parts += [f"{calls:,} call{'s' if calls > 1 else ''}"] if calls else []
        asked = settled - stored
        if price and asked > 0:
            parts.append(f"${price:.4f} of about ${price * (total - stored) / asked:.2f}")
        seconds = self._clock() - self._began
        if asked >= _ENOUGH and seconds > 0:
            rate = asked / seconds
            parts += [f"{rate:,.0f} a second" if rate >= 1 else f"{60 * rate:,.1f} a minute"]
            parts += (
                [f"about {_duration((total - settled) / rate)} left"] if total > settled else []
            )
        return ", ".join(parts)

    def _total(self, now: Standing) -> float:
        """The requests of all cases, as many for each of those to come as for those begun."""
        if not now.started:
            return now.made
        return now.made * max(1.0, self._cases / now.started)


def _about(total: float, known: int) -> str:
    return f"{known:,}" if total <= known else f"about {total:,.0f}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


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
            self._extra.watch(standing)

    def __call__(self, done: int, total: int | None = None, /) -> None:
        if total is not None:
            self._total = total
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (TERMINAL_SECONDS if self._terminal else LOG_SECONDS)
        if self._bar is None:
            self._bar = self._make()
        if self._extra is not None:
            self._bar.set_postfix_str(self._extra(), refresh=False)
        self._bar.n, self._bar.total = done, self._total
        self._bar.refresh()

    def close(self) -> None:
        """Takes the bar away, where one was shown."""
        if self._bar is not None:
            self._bar.close()

    def _make(self) -> Any:
        from tqdm import tqdm

        # tqdm's monitor would be a thread beside the pools that judges and indexes start, and its own lock
        # would be for several processes.
        tqdm.monitor_interval = 0
        tqdm.set_lock(RLock())
        bar = tqdm(
            desc=self._what,
            total=self._total,
            file=None if self._terminal else _LogLines(),
            delay=QUIET_SECONDS,
            leave=False,
            bar_format=None if self._terminal else "{desc}: {n_fmt} of {total_fmt}{postfix}",
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
