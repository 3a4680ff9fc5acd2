"""Sources read together, without reading them anew for each set of them.

Which citations a sentence needs is found by asking about many parts of what it cites. Each source is
read once, and remembers which of its sentences state a value and how many words they share with a
sentence, so that a further set of the same sources is looked up. No sentence goes on from one source
into the next.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate, chain
from typing import Any, TypeVar

from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical.reading import Joined, Name, Reading, Readings, read_source
from argue_bench.judges.lexical.values import Value
from argue_bench.records import Source

T = TypeVar("T")


def read_sources(premise: Sequence[Source]) -> Reading:
    """The sources as one text, in their order."""
    if len(premise) == 1:
        return read_source(premise[0].text)
    return _TOGETHER[tuple(source.text for source in premise)]


def once(text: Reading, key: Hashable, find: Callable[[], T]) -> T:
    """What is found out about a text, or was before under the same key."""
    if key not in (memory := text.remembered):
        if len(memory) >= at.REMEMBERED:
            memory.clear()
        memory[key] = find()
    found: T = memory[key]
    return found


def _stating(text: Reading, value: Value) -> tuple[int, ...]:
    return tuple(text.stating(value))


class _Together(Joined):
    """Several sources as one text; what it tells of all is put together from what each tells."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._sources = [*map(read_source, texts)]
        super().__init__(_Chained([one.parts for one in self._sources]))

    def shared_with(self, wanted: frozenset[str]) -> Mapping[int, int]:
        shared: dict[int, int] = {}
        start = 0
        for one in self._sources:
            find = partial(one.shared_with, wanted)
            # Of a long text that would be too much to remember, and its index has it soon.
            found = once(one, wanted, find) if len(one.parts) <= at.SHORT_TEXT else find()
            shared.update((start + number, many) for number, many in found.items())
            start += len(one.parts)
        return shared

    def stating(self, value: Value) -> Iterator[int]:
        start = 0
        for one in self._sources:
            for number in once(one, value, partial(_stating, one, value)):
                yield start + number
            start += len(one.parts)

    def says(self, word: str) -> bool:
        return any(one.says(word) for one in self._sources)

    def says_beginning(self, letters: str) -> bool:
        return any(one.says_beginning(letters) for one in self._sources)

    def names_with(self, initials: str) -> Iterable[Name]:
        return chain.from_iterable(one.names_with(initials) for one in self._sources)

    def names_on(self, last: str) -> Iterable[Name]:
        return chain.from_iterable(one.names_on(last) for one in self._sources)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset().union(*(one.stems for one in self._sources))

    @cached_property
    def plain(self) -> frozenset[str]:
        return frozenset().union(*(one.plain for one in self._sources))

    @cached_property
    def names(self) -> tuple[Name, ...]:
        return tuple(dict.fromkeys(chain.from_iterable(one.names for one in self._sources)))

    @cached_property
    def flat(self) -> str:
        return "".join(one.flat for one in self._sources)


_TOGETHER = Readings[tuple[str, ...]](_Together)


class _Chained(Sequence[Reading]):
    """The sentences of several texts, one after the other; those of a long text are read when looked at."""

    def __init__(self, texts: Sequence[Sequence[Reading]]) -> None:
        self._texts = texts
        self._starts = [0, *accumulate(map(len, texts))]

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return tuple(map(self.__getitem__, range(*at.indices(len(self)))))
        if not 0 <= at < len(self):
            raise IndexError(at)
        text = bisect_right(self._starts, at) - 1
        return self._texts[text][at - self._starts[text]]

    def __iter__(self) -> Iterator[Reading]:
        return chain.from_iterable(self._texts)
