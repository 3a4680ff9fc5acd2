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
