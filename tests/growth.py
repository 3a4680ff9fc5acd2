"""Whether work grows with its input or with its square: a guard that a busy machine does not trip."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

SMALL, LARGE = 12_500, 100_000
_TOO_QUICK_TO_TELL = 0.2
_TRIES = 3


def assert_linear(piece: str, work: Callable[[str], object]) -> None:
    """Eight times the text may take 40 times as long at the most; quadratic work takes 64 times.

    The best of three tries counts, in CPU seconds of this process, without the collector.
    """
    small, large = (
        min(_seconds(piece * (size // len(piece)), work) for _ in range(_TRIES))
        for size in (SMALL, LARGE)
    )
    assert large < max(_TOO_QUICK_TO_TELL, 40 * small), (small, large)


def _seconds(text: str, work: Callable[[str], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        work(text)
        return time.process_time() - start
    finally:
        gc.enable()
