"""A generated world: facts first, then documents and gold printed from the same facts.

Everything follows from (version, seed, size). ``World(seed, size)`` prints topic after topic and keeps
none, so memory does not grow with the number of topics. The same three values give the same bytes on
every platform; a world of another size or seed shares nothing with this one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from argue_bench.errors import UsageError
from argue_bench.synthetic.grammar import Patterns, public_patterns
from argue_bench.synthetic.names import WorldNames
from argue_bench.synthetic.stream import RandomStream, read_seed
from argue_bench.synthetic.topic import GeneratedTopic, kind_of_topic, make_topic

VERSION = "1"
"""Of the generator and its public patterns; changes whenever one byte of output would."""
SIZES = {"tiny": 8, "small": 80, "large": 400}
MOST = 1_000_000
DEV_SEED = b"argue-bench core, development set".hex()
TEST_SEED = b"argue-bench core, rehearsal, season 0".hex()
"""Public on purpose: anyone can print the gold of either set."""


@dataclass(frozen=True)
class World:
    """A world. ``seed`` is hexadecimal text or bytes, ``size`` a name or a number of topics.

    Raises UsageError for a seed below 128 bits or a size out of range, DataError for a bad pattern
    file.
    """

    seed: str | bytes
    size: str | int = "small"
    pack: Path | None = None
    version: str = VERSION

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", read_seed(self.seed))
        object.__setattr__(self, "size", read_size(self.size))
        self.patterns  # noqa: B018  a bad file is an error now, not at the first topic

    @cached_property
    def patterns(self) -> Patterns:
        """The sentence patterns, those of the private pack in place of public ones."""
        public = public_patterns()
        return public.with_pack(Path(self.pack)) if self.pack else public

    @cached_property
    def stream(self) -> RandomStream:
        return RandomStream(
            "argue-bench", self.version, str(self.seed), str(self.size), self.patterns.digest
        )

    @cached_property
    def tag(self) -> str:
        """Four letters that begin each question's id, so that worlds are not mixed up."""
        return self.stream.child("tag").token(4)

    @cached_property
    def canary(self) -> str:
        """The last line of every document: found in training data, it proves a leak."""
        draw = self.stream.child("canary")
        word = "-".join(f"{draw.bits():08x}" for _ in range(4))
        return f"argue-bench core, not for training. Canary {word}"

    @cached_property
    def names(self) -> WorldNames:
        return WorldNames(self.stream.child("stems"))

    def __len__(self) -> int:
        return SIZES.get(str(self.size)) or int(self.size)

    def topic(self, index: int) -> GeneratedTopic:
        """Topic number ``index`` from 0; no other topic needs to be made before."""
        id = f"{self.tag}-{index + 1:0{max(3, len(str(len(self))))}d}"
        stream = self.stream.child("topic", index)
        kind = kind_of_topic(self.stream, index)
        return make_topic(stream, self.names, self.patterns, index, id, self.canary, kind)

    def topics(self) -> Iterator[GeneratedTopic]:
        """All topics, one at a time."""
        return (self.topic(index) for index in range(len(self)))


def read_size(size: str | int) -> str | int:
    """A named size, or a number of topics. Raises UsageError."""
    if isinstance(size, str) and size in SIZES:
        return size
    try:
        topics = int(size)
    except ValueError:
        topics = 0
    if not 1 <= topics <= MOST or isinstance(size, bool):
        raise UsageError(
            f"{size!r} is not a size. Expected {', '.join(SIZES)}, or a number of topics from "
            f"1 to {MOST:,}"
        )
    return topics
