"""Whether work grows with its input or with its square: a guard that a busy machine does not trip."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

SMALL, LARGE = 5_000, 40_000
_TOO_QUICK_TO_TELL = 0.1
_TRIES = 3


def assert_linear(piece: str, work: Callable[[str], object]) -> None:
    """Eight times the text may take 30 times as long at the most; quadratic work takes 64 times.

    In CPU seconds of this process, without the collector; once is enough, out of three tries.
    """
    for _ in range(_TRIES):
        small, large = (_seconds(piece * (size // len(piece)), work) for size in (SMALL, LARGE))
        if large < max(_TOO_QUICK_TO_TELL, 30 * small):
            return
    raise AssertionError(f"{piece!r}: {small:.3f} s, eight times as long {large:.3f} s")


def _seconds(text: str, work: Callable[[str], object]) -> float:
    gc.disable()
    try:
        start = time.process_time()
        work(text)
        return time.process_time() - start
    finally:
        gc.enable()


def assert_doubles(work: Callable[[int, int], Callable[[], object]], size: int) -> None:
    """Twice the input takes less than 2.3 times as long, in CPU seconds of this process.

    ``work(size, draw)`` makes the input, a new one for each draw (texts that were read are remembered),
    and returns what is timed. The least of several draws counts; once is enough, out of three tries.
    """
    draw = 0
    seen = []
    for _ in range(_TRIES):
        least = []
        for many in (size, 2 * size):
            times = []
            for _ in range(_DRAWS):
                draw += 1
                done = work(many, draw)
                times.append(_cpu(done))
            least.append(min(times))
        if least[1] < max(_TOO_SHORT, 2.3 * least[0]):
            return
        seen.append(f"{least[1] / least[0]:.2f}")
    raise AssertionError(f"twice the input takes {', '.join(seen)} times as long")


_DRAWS = 3
_TOO_SHORT = 0.004


def _cpu(work: Callable[[], object]) -> float:
    return _seconds("", lambda _: work())
