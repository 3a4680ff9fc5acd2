"""Texts as the lexical judge reads them: sentences with stems, values, names and denials.

A text is cut into tokens once, and each form of a word is looked at once for the whole process. What
only some verdicts need (values, names, denials) is read when it is asked for.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from string import ascii_lowercase
from sys import intern
from typing import Any, ClassVar, TypeVar

from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical import vocabulary as words
from argue_bench.judges.lexical.figures import Figures
from argue_bench.judges.lexical.stems import (
    STEMS,
    TOKEN,
    StemIndex,
    fold,
    forget_stems,
    sentence_bounds,
)
from argue_bench.judges.lexical.values import Value, is_among, read_values
from argue_bench.text.refusals import says_unknown

_BREAKS, _CLOSES = frozenset(".!?,;:()\n"), frozenset(".!?:(\n")
_NOTHING = frozenset({""})
_LETTERS = frozenset(ascii_lowercase)
_REACH = 4
_MOST_CHARS = 500_000
"""Characters of the texts whose readings are kept; a reading takes some forty bytes for each."""
_LONG, _LONG_SOURCE = 100_000, 4_000
"""Characters from which on a text is indexed, and its sentences are read only where they are looked at. In a
source these are few; other texts are looked at from end to end."""
_LEAST_CHARS = 50
"""As how many characters a shorter text counts: a reading takes room also where little stands in it."""

K = TypeVar("K", str, tuple[str, ...])
Name = tuple[str, ...]
"""Words with capitals that stand together, folded."""


class Reading:
    """One sentence, or another text that is read as one."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of its content words, names and numbers included."""
        return frozenset(map(STEMS.__getitem__, self.tokens)) - _NOTHING

    @property
    def parts(self) -> Sequence[Reading]:
        """The sentences that it was joined of."""
        return (self,)

    def shared_with(self, wanted: frozenset[str]) -> Mapping[int, int]:
        """How many of these stems each of its parts has, by number; parts that have none are left out."""
        shared = (len(wanted & one.stems) for one in self.parts)
        return {number: found for number, found in enumerate(shared) if found}

    def states(self, value: Value) -> bool:
        """Whether one of its values agrees with this one."""
        return next(self.stating(value), None) is not None

    def stating(self, value: Value) -> Iterator[int]:
        """The parts that state a value, by number."""
        return (number for number, one in enumerate(self.parts) if is_among(one.values, value))

    @cached_property
    def remembered(self) -> dict[Any, Any]:
        """What was found out about it before, by what was asked (`together.once`)."""
        return {}

    @cached_property
    def flat(self) -> str:
        """Its tokens in lower case, each between blanks."""
        return f" {' '.join(self.tokens).lower()} "

    @cached_property
    def _values(self) -> tuple[tuple[Value, ...], frozenset[int]]:
        if not any(stem[0] == "#" for stem in self.stems):
            return (), frozenset()
        return read_values([token.lower() for token in self.tokens])

    @cached_property
    def values(self) -> tuple[Value, ...]:
        return self._values[0]

    @cached_property
    def names(self) -> tuple[Name, ...]:
        return read_names(self.tokens)

    def names_on(self, last: str) -> Iterable[Name]:
        """Its names that end with a word."""
        return (name for name in self.names if name[-1] == last)

    @cached_property
    def plain(self) -> frozenset[str]:
        """Stems of content words that belong to no name and no value."""
        named = set(chain(*self.names))
        return frozenset(
            stem
            for index, token in enumerate(self.tokens)
            if (stem := STEMS[token])
            and stem[0] != "#"
            and index not in self._values[1]
            and not (token < "[" and token.lower() in named)
        )

    def says(self, word: str) -> bool:
        """Whether one of its words is this one, which is in small letters."""
        return f" {word} " in self.flat

    def says_beginning(self, letters: str) -> bool:
        """Whether one of its words begins with these letters."""
        return f" {letters}" in self.flat

    def names_with(self, initials: str) -> Iterable[Name]:
        """Its names, at least those that have these initials."""
        return self.names

    @cached_property
    def french(self) -> bool | None:
        """Whether it is French; False for English, None where its words do not tell."""
        return _is_french(self.flat)

    @cached_property
    def unknown(self) -> bool:
        """It says that something is not known."""
        return says_unknown(self.flat)

    @cached_property
    def negated(self) -> frozenset[str]:
        """Stems within reach of a negation, and '' where it has any."""
        found: set[str] = set()
        reach = 0
        for token in self.tokens:
            word = token.lower()
            if word in words.NEGATIONS or word.endswith("n't"):
                reach = _REACH
                found.add("")
            elif token in _BREAKS:
                reach = 0
            elif reach and (stem := STEMS[token]):
                found.add(stem)
                reach -= 1
        return frozenset(found)

    @property
    def years(self) -> set[int]:
        return {value.date[0] for value in self.values if value.date[0]}


def _is_french(flat: str) -> bool | None:
    found = set(flat[: at.LANGUAGE].split())
    french, english = len(found & words.TELLS_FR), len(found & words.TELLS_EN)
    return None if french == english else french > english


def _all(name: str, together: Callable[[Iterable[Any]], Any]) -> Any:
    return cached_property(lambda self: together(getattr(one, name) for one in self.parts))


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)


def _distinct(lists: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(chain(*lists)))


class Joined(Reading):
    """Sentences read as one."""

    parts: Sequence[Reading] = ()

    def __init__(self, parts: Sequence[Reading]) -> None:
        self.parts = parts

    stems, plain, negated = _all("stems", _union), _all("plain", _union), _all("negated", _union)
    values, names = _all("values", _distinct), _all("names", _distinct)
    flat, unknown = _all("flat", "".join), _all("unknown", any)

    @cached_property
    def french(self) -> bool | None:
        start = ""
        for one in self.parts:
            if len(start) >= at.LANGUAGE:
                break
            start += one.flat
        return _is_french(start)


class _Sentences(Sequence[Reading]):
    """The sentences of a long text, each read when it is looked at."""

    def __init__(self, text: str) -> None:
        self.text = text
        bounds = (bound for bound in sentence_bounds(text) if TOKEN.search(text, *bound))
        self._bounds = array("I", chain.from_iterable(bounds))

    def __len__(self) -> int:
        return len(self._bounds) // 2

    def said(self, number: int) -> str:
        return self.text[slice(*self._bounds[2 * number : 2 * number + 2])]

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return tuple(map(self.__getitem__, range(*at.indices(len(self)))))
        return _SENTENCES[self.said(at)]

    def __iter__(self) -> Iterator[Reading]:
        # A pass over all of them would drive what is looked at often from the readings that are kept.
        return map(_read, map(self.said, range(len(self))))

    @cached_property
    def _lower(self) -> str:
        return self.text.lower()

    def with_letters(self, letters: Collection[str]) -> Iterator[int]:
        """The sentences in which each of these letters stands, by number."""
        for number in range(len(self)):
            if all(map(self.said(number).__contains__, letters)):
                yield number

    def holding(self, word: str, whole: bool = True) -> Iterator[int]:
        """The sentences that may hold a word in small letters, or one that begins so, by number."""
        lower = self._lower
        at = lower.find(word)
        while at >= 0:
            after = at + len(word)
            if lower[at - 1 : at] in _LETTERS or (whole and lower[after : after + 1] in _LETTERS):
                at = lower.find(word, at + 1)
                continue
            number = bisect_right(self._bounds, at) // 2
            yield number
            at = lower.find(word, self._bounds[2 * number + 1])


class Long(Joined):
    """A long text, as an index from stems to its sentences: their readings would take ten times the room."""

    parts: _Sentences

    def __init__(self, text: str) -> None:
        """``text`` is folded."""
        super().__init__(_Sentences(text))
        self._index = StemIndex(map(self.parts.said, range(len(self.parts))))
        self._figures = Figures(self._index)
        self._values_read: dict[int, tuple[Value, ...]] = {}
        self.stems = self._index.stems

    def shared_with(self, wanted: frozenset[str]) -> Mapping[int, int]:
        return self._index.shared_with(wanted)

    def _values_at(self, number: int) -> tuple[Value, ...]:
        if (found := self._values_read.get(number)) is None:
            found = self._values_read[number] = self.parts[number].values
        return found

    def stating(self, value: Value) -> Iterator[int]:
        near = self._figures.near(value)
        return (number for number in near if is_among(self._values_at(number), value))

    def says(self, word: str) -> bool:
        return any(self.parts[number].says(word) for number in self.parts.holding(word))

    def says_beginning(self, letters: str) -> bool:
        held = self.parts.holding(letters, whole=False)
        return any(self.parts[number].says_beginning(letters) for number in held)

    def names_on(self, last: str) -> Iterable[Name]:
        return chain(*(self.parts[number].names_on(last) for number in self.parts.holding(last)))

    def names_with(self, initials: str) -> Iterable[Name]:
        held = self.parts.with_letters(set(initials.upper()))
        return chain(*(self.parts[number].names for number in held))

    @cached_property
    def values(self) -> tuple[Value, ...]:
        return _distinct(map(self._values_at, self._figures.all()))


def join(parts: Sequence[Reading]) -> Reading:
    """Sentences as one."""
    return parts[0] if len(parts) == 1 else Joined(parts)


class Readings(dict[K, Reading]):
    """The reading of each text, made once, until the texts, be they sentences or books, have too many
    characters: then all go."""

    made: ClassVar[list[Readings[Any]]] = []

    def __init__(self, read: Callable[[K], Reading]) -> None:
        self._read: Callable[[K], Reading] = read
        self._chars = 0
        self.made.append(self)

    def __missing__(self, text: K) -> Reading:
        chars = max(len(text) if isinstance(text, str) else sum(map(len, text)), _LEAST_CHARS)
        reading = self._read(text)
        self._chars += chars
        if self._chars > _MOST_CHARS:
            self.clear()
            self._chars = chars
        self[text] = reading
        return reading


def _read_sentences(text: str) -> Reading:
    text = fold(text)
    read = (_SENTENCES[text[start:end]] for start, end in sentence_bounds(text))
    return join(tuple(sentence for sentence in read if sentence.tokens))


def _read(folded: str) -> Reading:
    return Reading(list(map(intern, TOKEN.findall(folded))))


_SENTENCES = Readings(_read)
_TEXTS = Readings(_read_sentences)
_SOURCES = Readings[str](lambda text: Long(fold(text)))
_LONG_TEXTS = Readings[str](lambda text: Long(fold(text)))
"""Apart from the others: the next short text would drive out a book, which takes seconds to read again."""


def read_text(text: str) -> Reading:
    """A text, sentence by sentence; each is read once, in whatever texts it stands together."""
    return _TEXTS[text] if len(text) < _LONG else _LONG_TEXTS[text]


def read_source(text: str) -> Reading:
    """The same for a text in which a few sentences are sought."""
    return _SOURCES[text] if _LONG_SOURCE <= len(text) < _LONG else read_text(text)


def read_sentence(text: str) -> Reading:
    """A text as one sentence."""
    return _SENTENCES[fold(text)]


def forget_readings() -> None:
    """Drops what was read, for who measures the judge or changes its rules."""
    for kept in Readings.made:
        kept.clear()
    forget_stems()


def read_names(tokens: list[str], first: bool = True) -> tuple[Name, ...]:
    """Runs of words with capitals. The ``first`` word of a sentence is one only if a capital follows."""
    names: dict[Name, None] = {}
    run: list[str] = []
    starts = first  # the run began with a sentence
    for token in (*tokens, "."):
        if "@" < token < "[":
            word = token.lower()
            if not (first and word in words.STOP) and word not in words.NO_NAMES:
                starts = starts if run else first
                run.append(word)
                first = False
                continue
        if not run:  # as at most tokens
            first = not token[0].isalnum() if first else token in _CLOSES
            continue
        if any(len(part) > 1 for part in run) and not (starts and len(run) == 1):
            names[tuple(run)] = None
        run = []
        first = token in _CLOSES
    return tuple(names)[: at.MOST_VALUES]
