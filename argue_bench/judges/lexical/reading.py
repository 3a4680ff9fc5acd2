"""Texts as the lexical judge reads them: sentences with stems, values, names and denials.

A text is cut into tokens once, and each form of a word is looked at once for the whole process. What
only some verdicts need (values, names, denials) is read when it is asked for.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from sys import intern
from typing import Any, ClassVar, TypeVar

from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical import vocabulary as words
from argue_bench.judges.lexical.figures import Figures
from argue_bench.judges.lexical.values import (
    DIGITS,
    Value,
    amount_of,
    is_among,
    read_values,
    spelled_amounts,
)
from argue_bench.records.normal_forms import normalise
from argue_bench.text.refusals import says_unknown

_SENTENCE_END = re.compile(r"[.!?…][\"'”»)\]]*\s+(?=[\"'“«(\[]*\s?[A-ZÀ-Þ0-9])|\n+")
_NOT_AN_END = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Nos?|Mt|Jr|Sr|vs|approx|ca|cf|art|fig|M|MM|Mme|Mlle|Inc|Ltd|Co"
    r"|Gen|Col|Capt|Rev|Hon|pp?|env)|\b[A-Z])$"
)
_TOKEN = re.compile(rf"[A-Za-z]+(?:'t\b)?|[.!?,;:()$€£%°–\n-]|{DIGITS}|[^\W\d_]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_FOLDS = tuple(
    (pair[0], pair[1:]) for pair in ["’'", "‘'", '“"', '”"', "—;", "œoe", "æae", "ßss", "øo", "łl"]
)
_BREAKS, _CLOSES = frozenset(".!?,;:()\n"), frozenset(".!?:(\n")
_NOTHING = frozenset({""})
_REACH = 4
_MOST_FORMS = 200_000
_MOST_CHARS = 500_000
"""Characters of the texts whose readings are kept; a reading takes some forty bytes for each."""
_LONG = 100_000
"""Characters from which on a text is indexed, and its sentences are read only where they are looked at."""
_LEAST_CHARS = 50
"""As how many characters a shorter text counts: a reading takes room also where little stands in it."""

K = TypeVar("K", str, tuple[str, ...])
Name = tuple[str, ...]
"""Words with capitals that stand together, folded."""


def fold(text: str) -> str:
    """The text without accents, with one kind of apostrophe; capitals stay."""
    if text.isascii():
        return text
    for char, plain in _FOLDS:
        text = text.replace(char, plain)
    if text.isascii():
        return text
    return _ACCENTS.sub("", normalise("NFKD", text))


class _Stems(dict[str, str]):
    """The stem of each token, found once: its first letters without ending.

    Empty for what carries no content; a number begins with '#', so that '11' meets 'eleven'.
    """

    def __missing__(self, token: str) -> str:
        if len(self) >= _MOST_FORMS:
            self.clear()
        word = token.lower()
        if word in words.STOP or not word[0].isalnum():
            found = ""
        elif (amount := amount_of(word)) is not None:
            found = f"#{amount:g}"
        elif word[0].isdigit():
            found = f"#{word}"
        else:
            found = _shortened(word) if len(word) > 1 else ""
        self[token] = found
        return found


def _shortened(word: str) -> str:
    if len(word) > 4:
        for ending in ("ing", "ed", "es", "er", "ly", "s", "e", "x"):
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word[: -len(ending)][: at.PREFIX]
    return word[:-1] if len(word) == 4 and word[-1] in "se" else word[: at.PREFIX]


STEMS = _Stems()


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

    def shared_with(self, wanted: frozenset[str]) -> Sequence[int]:
        """How many of these stems each of its parts has."""
        return [len(wanted & one.stems) for one in self.parts]

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
        return _flat(self.tokens)

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

    @cached_property
    def french(self) -> bool | None:
        """Whether it is French; False for English, None where its words do not tell."""
        found = set(self.flat[: at.LANGUAGE].split())
        french, english = len(found & words.TELLS_FR), len(found & words.TELLS_EN)
        return None if french == english else french > english

    @cached_property
    def unknown(self) -> bool:
        """It says that something is not known."""
        return says_unknown(self.flat)

    @cached_property
    def negated(self) -> frozenset[str]:
        """Stems within reach of a negation, and '' where it has any."""
        found: set[str] = set()
        reach = 0
        for place, token in enumerate(self.tokens):
            word = token.lower()
            if word in words.NEGATIONS or word.endswith("n't"):
                if not (word == "not" and self.tokens[place + 1 : place + 2] == ["only"]):
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


def _flat(tokens: list[str]) -> str:
    return f" {' '.join(tokens).lower()} "


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


class _Sentences(Sequence[Reading]):
    """The sentences of a long text, each read when it is looked at."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return tuple(map(_SENTENCES.__getitem__, self._texts[at]))
        return _SENTENCES[self._texts[at]]

    def __iter__(self) -> Iterator[Reading]:
        # A pass over all of them would drive what is looked at often from the readings that are kept.
        return map(_read, self._texts)


class Long(Joined):
    """A long text, as an index from stems to its sentences: their readings would take ten times the room."""

    def __init__(self, texts: Iterable[str]) -> None:
        kept: list[str] = []
        flat: list[str] = []
        self._index: dict[str, array[int]] = defaultdict(lambda: array("I"))
        spelled: dict[str, array[int]] = defaultdict(lambda: array("I"))
        self._values_read: dict[int, tuple[Value, ...]] = {}
        for text in texts:
            if tokens := _TOKEN.findall(text):
                for stem in set(map(STEMS.__getitem__, tokens)):
                    self._index[stem].append(len(kept))
                kept.append(text)
                flat.append(_flat(tokens))
                for amount in spelled_amounts(tokens):
                    spelled[f"#{amount:g}"].append(len(kept) - 1)
        self._index.pop("", None)
        self._figures = Figures(self._index, spelled, STEMS.__getitem__)
        self.parts = _Sentences(kept)
        self.flat = "".join(flat)
        self.stems = frozenset(self._index)

    def shared_with(self, wanted: frozenset[str]) -> Sequence[int]:
        shared = [0] * len(self.parts)
        for stem in wanted & self.stems:
            for number in self._index[stem]:
                shared[number] += 1
        return shared

    def _values_at(self, number: int) -> tuple[Value, ...]:
        if (found := self._values_read.get(number)) is None:
            found = self._values_read[number] = self.parts[number].values
        return found

    def stating(self, value: Value) -> Iterator[int]:
        near = self._figures.near(value)
        return (number for number in near if is_among(self._values_at(number), value))

    def names_on(self, last: str) -> Iterable[Name]:
        if not (stem := STEMS[last]):
            return super().names_on(last)
        return chain(*(self.parts[number].names_on(last) for number in self._index.get(stem, ())))

    @cached_property
    def values(self) -> tuple[Value, ...]:
        numbered = {n for stem, places in self._index.items() if stem[0] == "#" for n in places}
        return _distinct(map(self._values_at, sorted(numbered)))


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
    read = map(_SENTENCES.__getitem__, _split(fold(text)))
    return join(tuple(sentence for sentence in read if sentence.tokens))


def _read(folded: str) -> Reading:
    return Reading(list(map(intern, _TOKEN.findall(folded))))


_SENTENCES = Readings(_read)
_TEXTS = Readings(_read_sentences)
_LONG_TEXTS = Readings[str](lambda text: Long(_split(fold(text))))
"""Apart from the others: the next short text would drive out a book, which takes seconds to read again."""


def read_text(text: str) -> Reading:
    """A text, sentence by sentence; each is read once, in whatever texts it stands together."""
    return _TEXTS[text] if len(text) < _LONG else _LONG_TEXTS[text]


def read_sentence(text: str) -> Reading:
    """A text as one sentence."""
    return _SENTENCES[fold(text)]


def forget_readings() -> None:
    """Drops what was read, for who measures the judge or changes its rules."""
    for kept in Readings.made:
        kept.clear()
    STEMS.clear()


def _split(text: str) -> Iterator[str]:
    """Sentences as a reader sees them; abbreviations and initials end none."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if text[end.start()] == "." and _NOT_AN_END.search(text, start, end.start()):
            continue
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def read_names(tokens: list[str], first: bool = True) -> tuple[Name, ...]:
    """Runs of words with capitals. The ``first`` word of a sentence is one only if a capital follows."""
    names: dict[Name, None] = {}
    run: list[str] = []
    starts = first  # the run began with a sentence
    for place, token in enumerate([*tokens, "."]):
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
        joins = token == "-" or (token == "." and len(run[-1]) == 1)
        if joins and "@" < (tokens[place + 1 : place + 2] or ".")[0] < "[":
            continue
        while len(run) > 1 and run[0] in words.STOP:
            del run[0]
        if any(len(part) > 1 for part in run) and not (starts and len(run) == 1):
            names[tuple(run)] = None
        run = []
        first = token in _CLOSES
    return tuple(names)[: at.MOST_VALUES]
