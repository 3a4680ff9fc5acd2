"""Chance is named, stable on every platform, and never shared between streams."""

from __future__ import annotations

import pytest

from argue_bench.errors import UsageError
from argue_bench.synthetic.names import TopicNames, WorldNames, make_stem, stop_words
from argue_bench.synthetic.stream import RandomStream, read_seed
from argue_bench.synthetic.world import World, read_size


def test_a_stream_is_shake_256_of_its_name() -> None:
    """Worked by hand with hashlib: SHA-256 of the path, then SHAKE-256 of key and block number."""
    import hashlib

    key = hashlib.sha256(b"a\x1f1").digest()
    block = hashlib.shake_256(key + (0).to_bytes(4, "big")).digest(8)
    stream = RandomStream("a", 1)
    assert stream.bits() == int.from_bytes(block[:4], "big")
    assert stream.bits() == int.from_bytes(block[4:], "big")


def test_opening_a_child_consumes_nothing() -> None:
    plain, with_child = RandomStream("a"), RandomStream("a")
    with_child.child("b").bits()
    assert plain.bits() == with_child.bits()
    assert RandomStream("a").child("b").bits() == RandomStream("a").child("b").bits()
    assert RandomStream("a").child("b").bits() != RandomStream("a").child("c").bits()
    assert RandomStream("ab").bits() != RandomStream("a", "b").bits()


def test_draws_stay_in_their_bounds_and_reach_them() -> None:
    stream = RandomStream("bounds")
    drawn = [stream.between(3, 7) for _ in range(400)]
    assert set(drawn) == {3, 4, 5, 6, 7}
    assert sorted(stream.shuffled(range(50))) == list(range(50))


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


def test_names_of_topics_never_repeat() -> None:
    names = WorldNames(RandomStream("names"))
    made = [names.unique(index) for index in range(20_000)]
    assert len(set(made)) == len(made)


def test_a_stem_on_the_stop_list_gains_a_syllable(monkeypatch: pytest.MonkeyPatch) -> None:
    name = make_stem(4711)
    monkeypatch.setattr("argue_bench.synthetic.names.stop_words", lambda: frozenset({name.lower()}))
    assert make_stem(4711) == name + "ovi"
    assert "paris" in stop_words()


def test_names_of_one_topic_are_no_part_of_each_other() -> None:
    namer = TopicNames(RandomStream("namer"))
    names = [namer.place().lower() for _ in range(60)]
    assert not [(a, b) for a in names for b in names if a is not b and a in b]
