"""Texts as the lexical judge reads them: sentences with stems, values, names and denials.

A source is an index from words to its sentences; a sentence is read when it is looked at, and what only
some verdicts need (values, names, denials) when it is asked for. A context that is JSON is read field
by field.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from sys import intern
from typing import Any, TypeVar

from argue_bench.judges.lexical import known_words as words
from argue_bench.judges.lexical.values import DIGITS, Value, amount_of, is_among, read_values
from argue_bench.records import Source
from argue_bench.records.normal_forms import normalise
from argue_bench.text import language as languages
from argue_bench.text.refusals import says_unknown

Kind = TypeVar("Kind")

_BREAKS, _CLOSES = frozenset(".!?,;:()\n"), frozenset(".!?:(\n")
TOKEN = re.compile(rf"[A-Za-z]+(?:'t\b)?|[.!?,;:()$€£%°–\n-]|{DIGITS}|[^\W\d_]+")
# Both ends begin with one set of characters, so that the engine leaps from one to the next.
_SENTENCE_END = re.compile(
    r"[.!?…\n。！？](?:(?<=[\n。！？])\n*|(?<![\n。！？])[\"'”»)\]]*\s+(?=[\"'“«(\[]*\s?[A-ZÀ-Þ0-9]))"
)
_NOT_AN_END = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Nos?|Mt|Jr|Sr|vs|approx|ca|cf|art|fig|M|MM|Mme|Mlle|Inc|Ltd|Co"
    r"|Gen|Col|Capt|Rev|Hon|pp?|env)|\b[A-Z])$"
)
# Characters before a full stop in which an abbreviation stands; a word of more letters is none.
_ABBREVIATED = 8
_ACCENTS = re.compile("[\u0300-\u036f]+")
_FOLDS = tuple(
    (pair[0], pair[1:]) for pair in ["’'", "‘'", '“"', '”"', "—;", "œoe", "æae", "ßss", "øo", "łl"]
)
_PREFIX = 5
"""Letters of a word that count: 'design', 'designed', 'designer' are alike (McNamee 2004)."""
# Forms of words whose stems are kept: more than a language has in a book.
_MOST_FORMS = 50_000


def fold(text: str) -> str:
    """The text without accents, with one kind of apostrophe; capitals stay."""
    if text.isascii():
        return text
    for char, plain in _FOLDS:
        text = text.replace(char, plain)
    if text.isascii():
        return text
    return _ACCENTS.sub("", normalise("NFKD", text))


def sentence_bounds(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences begin and end as a reader sees them; abbreviations and initials end none."""
    start = 0
    for found in _SENTENCE_END.finditer(text):
        stop, end = found.span()
        if text[stop] == "." and _NOT_AN_END.search(text, max(start, stop - _ABBREVIATED), stop):
            continue
        yield start, end
        start = end
    yield start, len(text)


class _Stems(dict[str, str]):
    """The stem of each token in a language, found once: its first letters without ending.

    Empty for what carries no content; a number begins with '#', so that '11' meets 'eleven'.
    """

    def __init__(self, language: str) -> None:
        # Most texts in which no language shows are names and figures.
        own = languages.stop_words(language) if language not in ("en", "fr", "und") else frozenset()
        self._stop = own or words.STOP

    def __missing__(self, token: str) -> str:
        if len(self) >= _MOST_FORMS:
            self.clear()
        word = token.lower()
        if word in self._stop or not word[0].isalnum():
            found = ""
        elif (amount := amount_of(word)) is not None:
            found = f"#{amount:g}"
        elif word[0].isdigit():
            found = f"#{word}"
        else:
            found = _shortened(word) if len(word) > 1 else ""
        self[token] = found
        return found


@lru_cache(maxsize=64)
def stems_of(language: str) -> dict[str, str]:
    """The stems of a language's words, filled as they are met."""
    return _Stems(language)


def _shortened(word: str) -> str:
    if len(word) > 4:
        for ending in ("ing", "ed", "es", "er", "ly", "s", "e", "x"):
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word[: -len(ending)][:_PREFIX]
    return word[:-1] if len(word) == 4 and word[-1] in "se" else word[:_PREFIX]


_REACH = 4
"""How many words after a negation it denies, within its clause."""
_MOST_CHARS = 5_000_000
"""Characters of the texts whose readings are kept: an index takes some five bytes for each."""
# Sentences whose readings are kept: those of some hundred long answers.
_MOST_SENTENCES = 20_000
_TOLD_BY = 20
"""Sources by which the language of all is told."""
_MOST_NAMES = 200
"""Names that are read of one sentence; no honest one has more."""
_MOST_FIELDS = 20_000
"""Fields of a context in JSON; what lies behind them is not read."""
_CAPITAL_NOUNS = frozenset(("de", "lb"))
"""Languages that write every noun with a capital, so that a capital tells no name."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_CLOCK = re.compile(r"\b(\d{1,2}):(\d)\b")

Name = tuple[str, ...]
"""Words with capitals that stand together, folded."""
Field = tuple[frozenset[str], bool | None]
"""The stems of a field's name, and whether it says yes, no or nothing."""


class Reading:
    """One sentence, or another text that is read as one."""

    def __init__(self, tokens: Sequence[str], language: str = "en") -> None:
        self.tokens, self.language = tokens, language

    @cached_property
    def sequence(self) -> list[str]:
        """Stems of its content words in their order, names and numbers included."""
        known = stems_of(self.language)
        return [stem for token in self.tokens if (stem := known[token])]

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(self.sequence)

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Stems that stand beside each other, in their order; one word may lie between."""
        said = self.sequence
        return frozenset(chain(pairwise(said), zip(said, said[2:], strict=False)))

    @property
    def parts(self) -> Sequence[Reading]:
        """The sentences that it was joined of."""
        return (self,)

    def shared_with(self, wanted: frozenset[str]) -> dict[int, int]:
        """How many of these stems each of its parts has, by number; parts that have none are left out."""
        shared = (len(wanted & one.stems) for one in self.parts)
        return {number: found for number, found in enumerate(shared) if found}

    def states(self, value: Value) -> bool:
        """Whether one of its values agrees with this one."""
        return is_among(self.values, value)

    def stating(self, value: Value) -> Iterator[int]:
        """The parts that state a value, by number."""
        return (number for number, one in enumerate(self.parts) if is_among(one.values, value))

    @cached_property
    def flat(self) -> str:
        """Its tokens in lower case, each between blanks."""
        return f" {' '.join(self.tokens).lower()} "

    @cached_property
    def _values(self) -> tuple[tuple[Value, ...], frozenset[int]]:
        if not any(stem[0] == "#" for stem in self.stems):
            return (), frozenset()
        return read_values([token.lower() for token in self.tokens])

    @property
    def values(self) -> tuple[Value, ...]:
        return self._values[0]

    @cached_property
    def names(self) -> tuple[Name, ...]:
        return () if self.language in _CAPITAL_NOUNS else read_names(self.tokens)

    def names_on(self, last: str) -> Iterable[Name]:
        """Its names that end with a word."""
        return (name for name in self.names if name[-1] == last)

    @cached_property
    def plain(self) -> frozenset[str]:
        """Stems of content words that belong to no name and no value."""
        named, known = set(chain(*self.names)), stems_of(self.language)
        return frozenset(
            stem
            for index, token in enumerate(self.tokens)
            if (stem := known[token])
            and stem[0] != "#"
            and index not in self._values[1]
            and not (token < "[" and token.lower() in named)
        )

    def says(self, word: str) -> bool:
        """Whether one of its words is this one, in small letters, or has its stem."""
        return f" {word} " in self.flat or stems_of(self.language)[word] in self.stems - {""}

    @cached_property
    def initials(self) -> frozenset[str]:
        """'who' of World Health Organization, 'un' of the United Nations, of each of its names."""
        return frozenset(map(initials, self.names))

    @cached_property
    def unknown(self) -> bool:
        """It says that something is not known."""
        return says_unknown(self.flat)

    @cached_property
    def negated(self) -> frozenset[str]:
        """Stems within reach of a negation, and '' where it has any."""
        found: set[str] = set()
        reach, known = 0, stems_of(self.language)
        for token in self.tokens:
            word = token.lower()
            if word in words.NEGATIONS or word.endswith("n't"):
                reach = _REACH
                found.add("")
            elif token in _BREAKS:
                reach = 0
            elif reach and (stem := known[token]):
                found.add(stem)
                reach -= 1
        return frozenset(found)

    @property
    def years(self) -> set[int]:
        return {value.date[0] for value in self.values if value.date[0]}


class Joined(Reading):
    """Sentences read as one."""

    def __init__(self, parts: Sequence[Reading]) -> None:
        self._parts = parts
        self.language = parts[0].language if parts else "en"

    @property
    def parts(self) -> Sequence[Reading]:
        return self._parts

    def _union(self, name: str) -> Any:
        return frozenset().union(*(getattr(one, name) for one in self.parts))

    stems = cached_property(lambda self: self._union("stems"))
    pairs = cached_property(lambda self: self._union("pairs"))
    plain = cached_property(lambda self: self._union("plain"))
    negated = cached_property(lambda self: self._union("negated"))
    initials = cached_property(lambda self: self._union("initials"))
    flat = cached_property(lambda self: "".join(one.flat for one in self.parts))
    unknown = cached_property(lambda self: any(one.unknown for one in self.parts))
    names = cached_property(lambda self: tuple(chain(*(one.names for one in self.parts))))

    @cached_property
    def _values(self) -> tuple[tuple[Value, ...], frozenset[int]]:
        return tuple(chain(*(one.values for one in self.parts))), frozenset()


class Text(Joined):
    """Sources as an index from words to sentences; these are read when they are looked at."""

    def __init__(self, sources: Sequence[str]) -> None:
        self.languages = {languages.detect(one) for one in sources[:_TOLD_BY]}
        self.language = languages.detect(" ".join(one[:200] for one in sources[:_TOLD_BY]))
        self.fields: tuple[Field, ...] = ()
        said: list[str] = []
        for source in sources:
            if (record := _record(source)) is not None:
                lines = list(_lines(record))
                said += (line for line, _ in lines)
                self.fields += tuple(self._field(*one) for one in _yes_or_no(record))
            else:
                said += _SENTENCES[(source,)]
        self._said = [one for one in said if TOKEN.search(one)]
        self._index: dict[str, array[int]] = {}
        for number, one in enumerate(self._said):
            for word in set(map(str.lower, _tokens(one))):
                self._index.setdefault(intern(word), array("I")).append(number)
        known, self._of_stem = stems_of(self.language), dict[str, list[str]]()
        for word in self._index:
            self._of_stem.setdefault(known[word], []).append(word)
        self._of_stem.pop("", None)
        self.stems = frozenset(self._of_stem)

    def _field(self, name: str, said: bool | None) -> Field:
        return read_sentence(name.lower(), self.language).stems, said

    @cached_property
    def parts(self) -> Sequence[Reading]:
        return _Sentences(self._said, self.language)

    def _places(self, stem: str) -> set[int]:
        return set(chain(*map(self._index.__getitem__, self._of_stem.get(stem, ()))))

    def shared_with(self, wanted: frozenset[str]) -> dict[int, int]:
        return Counter(chain.from_iterable(map(self._places, wanted)))

    @cached_property
    def _valued(self) -> dict[int, tuple[Value, ...]]:
        """The values of the sentences that hold a number, by number, in their order."""
        numbers = (stem for stem in self._of_stem if stem[0] == "#")
        return {n: self.parts[n].values for n in sorted(set(chain(*map(self._places, numbers))))}

    @cached_property
    def _values(self) -> tuple[tuple[Value, ...], frozenset[int]]:
        return tuple(dict.fromkeys(chain(*self._valued.values()))), frozenset()

    def stating(self, value: Value) -> Iterator[int]:
        return (n for n, values in self._valued.items() if is_among(values, value))

    def says(self, word: str) -> bool:
        return word in self._index or stems_of(self.language)[word] in self._of_stem

    def names_on(self, last: str) -> Iterable[Name]:
        return chain(*(self.parts[n].names_on(last) for n in self._index.get(last, ())))


class _Sentences(Sequence[Reading]):
    """The sentences of a text, each read when it is looked at."""

    def __init__(self, said: list[str], language: str) -> None:
        self._said, self._language = said, language

    def __len__(self) -> int:
        return len(self._said)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return tuple(map(self.__getitem__, range(*at.indices(len(self)))))
        return _read(self._said[at], self._language)


def _record(source: str) -> Any:
    """The object or list that a context in JSON holds; None for any other text."""
    if source[:1] not in ("{", "[") or source[-1:] not in ("}", "]"):
        return None
    try:
        return json.loads(source)
    except (ValueError, RecursionError):
        return None


def _leaves(record: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values of an object with the names that lead to each; not by recursion, for it may be deep."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), record)]
    for _ in range(_MOST_FIELDS):
        if not waiting:
            return
        path, value = waiting.pop()
        if isinstance(value, dict):
            named = ((*path[-3:], _CAMEL.sub(" ", key)) for key in value)
            waiting += reversed(list(zip(named, value.values(), strict=True)))
        elif isinstance(value, list):
            waiting += ((path, one) for one in reversed(value))
        else:
            yield path, value


def _lines(record: Any) -> Iterator[tuple[str, Any]]:
    """Each field as a sentence: its names and its value, "no" before what is false."""
    for path, value in _leaves(record):
        name, said = fold(" ".join(path)), fold(_CLOCK.sub(r"\1:0\2", str(value)))
        if value is None or value == "":
            yield f"{name} unknown", value
        elif isinstance(value, bool):
            yield name if value else f"no {name.lower()}", value
        else:
            bounds = sentence_bounds(said)
            start, end = next(bounds)
            yield f"{name}: {said[start:end]}", value
            yield from ((said[start:end], value) for start, end in bounds)


def _yes_or_no(record: Any) -> Iterator[tuple[str, bool | None]]:
    """The fields that say yes, no or nothing, by their own names."""
    for path, value in _leaves(record):
        word = value.lower() if isinstance(value, str) else value
        if path and (word in words.YES_NO or isinstance(word, bool) or word is None):
            yield path[-1], words.YES_NO[word] if isinstance(word, str) else word


def join(parts: Sequence[Reading]) -> Reading:
    """Sentences as one."""
    return parts[0] if len(parts) == 1 else Joined(parts)


def _tokens(folded: str) -> list[str]:
    found = TOKEN.findall(folded)
    if folded.isascii():
        return found
    # Scripts without blanks are read by pairs of characters.
    split = ([token] if token < "\u0e00" else languages.words(token) for token in found)
    return list(chain.from_iterable(split))


@lru_cache(maxsize=_MOST_SENTENCES)
def _read(folded: str, language: str) -> Reading:
    return Reading(list(map(intern, _tokens(folded))), language)


def _sentences(sources: tuple[str, ...]) -> list[str]:
    text = fold(sources[0])
    return [text[start:end] for start, end in sentence_bounds(text)]


class _Kept(dict[tuple[str, ...], Kind]):
    """What is made of texts, each made once, until there are too many characters: then all go."""

    chars = 0

    def __init__(self, make: Callable[[tuple[str, ...]], Kind]) -> None:
        self.make = make

    def __missing__(self, sources: tuple[str, ...]) -> Kind:
        reading, chars = self.make(sources), sum(map(len, sources)) + 50 * len(sources)
        self.chars += chars
        if self.chars > _MOST_CHARS:
            self.clear()
            self.chars = chars
        self[sources] = reading
        return reading

    def forget(self) -> None:
        self.clear()
        self.chars = 0


_TEXTS = _Kept(Text)
_SENTENCES = _Kept(_sentences)
"""Of single sources: a sentence's citations are judged alone, together and in parts, and each part splits none anew."""


def read_text(text: str) -> Text:
    """A text, sentence by sentence."""
    return _TEXTS[(text,)]


def read_sources(premise: Sequence[Source]) -> Text:
    """The sources as one text, in their order; no sentence goes on from one into the next."""
    return _TEXTS[tuple(source.text for source in premise)]


def read_sentence(text: str, language: str = "en") -> Reading:
    """A text as one sentence."""
    return _read(fold(text), language)


def forget_readings() -> None:
    """Drops what was read, for who measures the judge or changes its rules."""
    _TEXTS.forget()
    _SENTENCES.forget()
    _read.cache_clear()
    stems_of.cache_clear()


def initials(name: Name) -> str:
    """The first letters of a name of several words."""
    return "".join(part[0] for part in name if part not in words.STOP) if len(name) > 1 else ""


def read_names(tokens: Sequence[str], first: bool = True) -> tuple[Name, ...]:
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
    return tuple(names)[:_MOST_NAMES]
