"""Random draws from SHAKE-256 over a path of names, the world's only source of chance.

A stream is named by (version, seed, size, path...). SHAKE-256 rather than a random generator, because its
output is a standard: the same draws under every version of Python and numpy, on every platform, from
integers only. And because any stream can be opened alone: topic 4,711 is drawn without the others, and a
new draw in one place moves no other. Streams of different names share nothing, so neither another size nor
another season repeats this one; a seed cannot be found from what it drew.
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
    """The draws of one name. ``child`` opens another stream and takes nothing from this one."""

    __slots__ = ("_block", "_key", "_next", "_words")

    def __init__(self, *path: str | int, parent: bytes = b"") -> None:
        self._key = hashlib.sha256(parent + "\x1f".join(map(str, path)).encode()).digest()
        self._block = 0
        self._words: tuple[int, ...] = ()
        self._next = 0

    def child(self, *path: str | int) -> RandomStream:
        """The stream of this name below this one; the same whenever it is opened."""
        return RandomStream(*path, parent=self._key)

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
    text = seed.hex() if isinstance(seed, bytes) else seed.strip().lower()
    how = "Make one with: openssl rand -hex 32"
    if not re.fullmatch(r"[0-9a-f]+", text):
        raise UsageError(
            "the seed is not hexadecimal. Expected at least 32 hexadecimal digits (128 bits). "
            + how
        )
    if len(text) < 32:
        raise UsageError(
            f"the seed has {len(text) * 4} bits, at least 128 are needed (32 hexadecimal digits), "
            f"or it could be guessed. {how}"
        )
    return text
