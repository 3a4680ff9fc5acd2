"""Where does chance come from? From SHAKE-256 over a path of names, and from nowhere else.

A stream is named by (version, seed, size, path...). Two streams with different names share
nothing, so neither another size nor another season repeats this one. Integers only: the same
draws on every platform, under every PYTHONHASHSEED.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Sequence
from typing import TypeVar

from argue_bench.errors import UsageError

T = TypeVar("T")
_unpack = struct.Struct(">128I").unpack


class RandomStream:
    """Draws of one name. ``child`` opens another stream; it does not consume this one."""

    __slots__ = ("_block", "_key", "_next", "_words")

    def __init__(self, *path: str | int) -> None:
        self._start("\x1f".join(map(str, path)).encode())

    def _start(self, name: bytes) -> None:
        self._key = hashlib.sha256(name).digest()
        self._block = 0
        self._words: tuple[int, ...] = ()
        self._next = 0

    def child(self, *path: str | int) -> RandomStream:
        """The stream of this name below this one; the same whenever it is opened."""
        stream = RandomStream.__new__(RandomStream)
        stream._start(self._key + "\x1f".join(map(str, path)).encode())
        return stream

    def bits(self) -> int:
        """32 random bits."""
        at = self._next
        if at >= len(self._words):
            name = self._key + self._block.to_bytes(4, "big")
            self._words = _unpack(hashlib.shake_256(name).digest(512))
            self._block += 1
            at = 0
        self._next = at + 1
        return self._words[at]

    def below(self, n: int) -> int:
        """An integer from 0 to n - 1; n up to 2**24 without visible bias."""
        return (self.bits() * n) >> 32

    def between(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """True this many times in a hundred."""
        return self.below(100) < percent

    def pick(self, things: Sequence[T]) -> T:
        return things[self.below(len(things))]

    def shuffled(self, things: Sequence[T]) -> list[T]:
        """A shuffled copy."""
        order = list(things)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    def sample(self, things: Sequence[T], n: int) -> list[T]:
        """Up to n of the things, in random order."""
        return self.shuffled(things)[:n]

    def token(self, length: int) -> str:
        """Lower-case letters and digits without look-alikes, first a letter."""
        letters = "abcdefghjkmnpqrstvwxyz"
        rest = letters + "23456789"
        return self.pick(letters) + "".join(self.pick(rest) for _ in range(length - 1))


def read_seed(seed: str | bytes) -> str:
    """The seed as lower-case hexadecimal. Raises UsageError below 128 bits or if it isn't hex."""
    if isinstance(seed, bytes):
        seed = seed.hex()
    text = seed.strip().lower()
    if not re.fullmatch(r"[0-9a-f]+", text):
        raise UsageError(
            "the seed is not hexadecimal. Expected at least 32 hexadecimal digits (128 bits). "
            "Make one with: openssl rand -hex 32"
        )
    if len(text) < 32:
        raise UsageError(
            f"the seed has {len(text) * 4} bits, at least 128 are needed (32 hexadecimal digits), "
            "or it could be guessed. Make one with: openssl rand -hex 32"
        )
    return text
