"""Bootstrap resamples: how often each question is drawn, the same for all scores and systems.

Weights are made in blocks that fit the processor's cache, each used for all scores before the next, and
they are counts of drawn places: for many questions that is ten times faster than drawing a multinomial.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np

from argue_bench.stats.averages import Array

# Weights made at once: as numbers and as counts they fit into a cache of 1 MB.
_BLOCK = 1 << 16
# Bytes of the resamples that are kept for the next score or system of the same size.
_KEPT = 1 << 26


def weights(n: int, resamples: int, seed: int) -> Iterator[Array]:
    """The resamples in blocks of shape (rows, n): how often each of n questions was drawn.

    Each block is written over by the next.
    """
    rows = min(max(1, _BLOCK // max(n, 1)), resamples)
    blocks: Iterable[np.ndarray]
    if n * resamples <= _KEPT:
        kept = kept_counts(n, resamples, seed, rows)
        blocks = (kept[start : start + rows] for start in range(0, resamples, rows))
    else:
        blocks = _blocks(n, resamples, seed, rows)
    unpacked = np.empty((rows, n))
    for block in blocks:
        some = unpacked[: len(block)]
        some[:] = block
        yield some


def _blocks(n: int, resamples: int, seed: int, rows: int) -> Iterator[np.ndarray]:
    """How often each question was drawn, so many rows at a time."""
    offsets = n * np.arange(rows)[:, None]
    # One room for all blocks: fetching memory from the system costs more than filling it.
    room = np.empty(rows * n + 1, np.uint64)
    for index, start in enumerate(range(0, resamples, rows)):
        count = min(rows, resamples - start)
        places = draw_places(np.random.PCG64([seed, n, index]), n, count * n, room)
        by_row = places.reshape(count, n)
        by_row += offsets[:count]
        yield np.bincount(places, minlength=count * n).reshape(count, n)


def draw_places(bits: np.random.PCG64, n: int, count: int, room: np.ndarray) -> np.ndarray:
    """So many whole numbers below n, each as likely as another (Lemire 2019, section 4).

    They are those of ``Generator.integers``, in half its time and whatever numpy's version: a word of
    32 random bits times n has the number above and, below, what says whether the word is to be left
    out, for 2^32 words cannot be shared out evenly among n numbers. They are written into ``room``,
    uint64, which has one place more than wanted, for words come in pairs.
    """
    left_out = (1 << 32) % max(n, 1)
    filled = 0
    while filled < count:
        words = bits.random_raw((count - filled + 1) // 2).astype("<u8", copy=False).view("<u4")
        products = room[filled : filled + len(words)]
        np.multiply(words, n, dtype=np.uint64, out=products)
        below = products.astype(np.uint32)
        if below.min() < left_out:
            kept = products[below >= left_out]
            products[: len(kept)] = kept
            filled += len(kept)
        else:
            filled += len(products)
    places = room[:count]
    places >>= np.uint64(32)
    return places.view(np.int64)


@lru_cache(maxsize=2)
def kept_counts(n: int, resamples: int, seed: int, rows: int) -> np.ndarray:
    """All blocks as bytes, (resamples, n), kept for the next callers: all systems of a data set have one n,
    or two where people labelled some questions.
    """
    # A byte holds every count: the chance that one of n is drawn 256 times is below 1e-500.
    kept = np.empty((resamples, n), np.uint8)
    blocks = _blocks(n, resamples, seed, rows)
    for start, block in zip(range(0, resamples, rows), blocks, strict=True):
        kept[start : start + rows] = block
    return kept
