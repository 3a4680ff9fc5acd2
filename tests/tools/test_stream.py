"""Chance is named, stable on every platform, and never shared between streams."""

from __future__ import annotations

import pytest

from argue_bench.errors import UsageError
from tools.core_set.stream import read_seed
from tools.core_set.world import World, read_size


@pytest.mark.parametrize(
    "seed", ["", "00112233445566778899aabbccddee", "not hexadecimal at all, alas", b"short"]
)
def test_a_weak_or_unreadable_seed_is_refused(seed: str | bytes) -> None:
    with pytest.raises(UsageError, match=r"seed.*(128|hexadecimal)"):
        World(seed, "tiny")


def test_a_seed_reads_alike_in_every_spelling() -> None:
    assert read_seed("00112233445566778899AABBCCDDEEFF\n") == read_seed(
        bytes.fromhex("00112233445566778899aabbccddeeff")
    )


@pytest.mark.parametrize("size", ["0", "-3", "huge", "", "1.5", 0, True, 10_000_000])
def test_a_size_that_is_none_is_refused(size: str | int) -> None:
    with pytest.raises(UsageError, match="Expected tiny, small, large, or a number"):
        read_size(size)
