"""Texts as the lexical judge reads them: sentences with stems, values, names and denials.

A source is split and indexed once, from stems to its sentences; what only some verdicts need (values, names,
denials) is read of a sentence when it is asked for. A context that is JSON is read field by field.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

from argue_bench.judges.lexical.values import NUMBERS, Value, is_among, read_values
from argue_bench.records import Source
from argue_bench.records.normal_forms import normalise
from argue_bench.text import language as languages
from argue_bench.text import vocabulary
from argue_bench.text.refusals import says_unknown

_TOKEN = re.compile(
    r"[A-Za-z]+(?:'t\b)?|[.!?,;:()\n-]|\d{1,2}:\d\d(?!\d)|\d{1,3}(?:[., ']\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[^\W\d_]+"
)
_BREAKS, _CLOSES = frozenset(".!?,;:()\n"), frozenset(".!?:(\n")
_END = re.compile(
    r"[.!?…\n。！？](?:(?<=[\n。！？])\n*|(?<![\n。！？])[\"'”»)\]]*\s+(?=[\"'“«(\[]*\s?[A-ZÀ-Þ0-9]))"
)
_NO_END = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Nos?|Mt|Jr|Sr|vs|approx|ca|cf|art|fig|Inc|Ltd|Co|Gen|Col|Capt|env)|\b[A-Z]|(?<![\w.,])\d{1,2})$"
)
_FOLDS = languages.LETTERS | str.maketrans("’‘“”—", "''\"\";")
_ACCENTS = re.compile("[\u0300-\u036f]+")
# What groups thousands where the decimal sign is a point, and where it is a comma.
_GROUPS = tuple(re.compile(rf"(?<=\d)[{sign}' ](?=\d{{3}}(?!\d))") for sign in ",.")
# "6,71" is a decimal in any language; in "1,2,3" no comma is one.
_DECIMAL = re.compile(r"(?<![\d.,])(\d+),(\d{1,2})(?![\d,])")
_CAMEL, _CLOCK = re.compile(r"(?<=[a-z])(?=[A-Z])|_"), re.compile(r"\b(\d{1,2}):(\d)\b")
_PREFIX = 6
"""Letters of a stem that count: "designed" and "designer" are alike (McNamee 2004)."""
_REACH = 4
"""How many words after a negation it denies, within its clause."""
_TOLD_BY = 20
"""Sources by which the language of all is told."""
_MOST_FIELDS = 20_000
"""Fields of a context in JSON; what lies behind them is not read."""
_MOST_NAMES = 200  # of one sentence; no honest one has more
_MOST_CHARS, _MOST_SOURCES = 5_000_000, 1_000
"""Characters and number of the sources whose readings are kept: an index takes some five bytes for each."""
_CAPITAL_NOUNS = frozenset(("de", "lb"))
"""Languages that write every noun with a capital, so that a capital tells no name."""
_TITLES = frozenset(
    [
        "captain",
        "colonel",
        "count",
        "dr",
        "duke",
        "emperor",
        "general",
        "governor",
        "judge",
        "justice",
        "king",
        "lady",
        "lord",
        "m",
        "madame",
        "mayor",
        "minister",
        "miss",
        "mlle",
        "mme",
        "monsieur",
        "mr",
        "mrs",
        "ms",
        "pope",
        "president",
        "prince",
        "princess",
        "prof",
        "professor",
        "queen",
        "saint",
        "senator",
        "sir",
    ]
)
_NO_NAMES = frozenset(
    ["i", "friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"]
) | (vocabulary.MONTHS.keys() | NUMBERS.keys())
_NEGATIONS = frozenset(
    [
        "aucun",
        "aucune",
        "cannot",
        "jamais",
        "never",
        "no",
        "nor",
        "not",
        "pas",
        "rien",
        "sans",
        "without",
    ]
)
_SAYS = {"true": True, "yes": True, "free": True, "false": False, "no": False, "none": False}
"""What a field of a record says yes or no with."""

Name = tuple[str, ...]
"""Words with capitals that stand together, folded, without titles."""
Field = tuple[frozenset[str], bool | None]
"""The stems of a field's name, and whether it says yes, no or nothing."""


def fold(text: str) -> str:
    """The text without accents, with one kind of apostrophe; capitals stay."""
    if "," in text:
        text = _DECIMAL.sub(r"\1.\2", text)
    if text.isascii():
        return text
    return _ACCENTS.sub("", normalise("NFKD", text.translate(_FOLDS)))


def sentence_bounds(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences begin and end as a reader sees them; abbreviations and initials end none."""
    start = 0
    for found in _END.finditer(text):
        stop, end = found.span()
        if text[stop] != "." or not _NO_END.search(text, max(start, stop - 8), stop):
            yield start, end
            start = end
    yield start, len(text)


class _Stems(dict[str, str]):
    """The stem of each token in a language, found once: its first letters without ending.

    Empty for what carries no content; a number begins with '#', so that '11' meets 'eleven'.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        own = languages.stop_words(language) if language not in ("en", "fr") else frozenset()
        self._stop = own or vocabulary.STOP
        self._comma = vocabulary.spellings(language).comma

    def __missing__(self, token: str) -> str:
        word = token.lower()
        if word in self._stop or not word[0].isalnum():
            found = ""
        elif word in NUMBERS:
            found = f"#{NUMBERS[word]}"
        elif word[0].isdecimal():
            found = f"#{_plain(word, self._comma)}"
        else:
            found = languages.stem(word, self._language)[:_PREFIX] if len(word) > 1 else ""
        if len(self) < 50_000:
            self[token] = found
        return found


@lru_cache(maxsize=64)
def stems_of(language: str) -> dict[str, str]:
    """The stems of a language's words, filled as they are met."""
    return _Stems(language)


def _plain(number: str, comma: bool) -> str:
    plain = _GROUPS[comma].sub("", number)
    try:
        return f"{float(plain.replace(',', '.') if comma else plain):g}"
    except ValueError:  # a time, or figures with several points
        return number


def _tokens(folded: str) -> list[str]:
    found = _TOKEN.findall(folded)
    if folded.isascii():
        return found
    # Scripts without blanks are read by pairs of characters.
    split = ([token] if token < "\u0e00" else languages.words(token) for token in found)
    return list(chain.from_iterable(split))


class Reading:
    """One sentence, or several that stand together, read as one."""

    def __init__(
        self, text: str, language: str = "en", parts: Sequence[Reading] | None = None
    ) -> None:
        self.text, self.language, self._parts = text, language, parts

    @property
    def parts(self) -> Sequence[Reading]:
        """The sentences that it was joined of."""
        return (self,) if self._parts is None else self._parts

    @cached_property
    def tokens(self) -> list[str]:
        return _tokens(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of its content words, names and numbers included."""
        if self._parts:
            return frozenset().union(*(one.stems for one in self._parts))
        known = stems_of(self.language)
        return frozenset(stem for token in self.tokens if (stem := known[token]))

    @cached_property
    def flat(self) -> str:
        """Its tokens in lower case, each between blanks."""
        return f" {' '.join(self.tokens).lower()} "

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Its numbers, dates and measures."""
        if self._parts:
            return tuple(dict.fromkeys(chain(*(one.values for one in self._parts))))
        numbered = any(stem[0] == "#" for stem in self.stems)
        return read_values(self.text.lower(), self.language) if numbered else ()

    @cached_property
    def names(self) -> tuple[Name, ...]:
        return () if self.language in _CAPITAL_NOUNS else read_names(self.tokens)

    @cached_property
    def plain(self) -> frozenset[str]:
        """Stems of content words that belong to no name and are no number."""
        known = stems_of(self.language)
        named = {known[part] for part in chain(*self.names)}
        return frozenset(stem for stem in self.stems - named if stem[0] != "#")

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
            if word in _NEGATIONS or word.endswith("n't"):
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

    def has(self, name: Name) -> bool:
        """Whether it has a name: more than half of its words that are not small ones."""
        known = stems_of(self.language)
        missing = sum(bool(stem := known[part]) and stem not in self.stems for part in name)
        return 2 * missing < len(name)

    def unmatched(self, wanted: Reading) -> list[Value]:
        """The values of a sentence that it does not state."""
        return [one for one in wanted.values if not is_among(self.values, one)]

    def shared_with(self, wanted: frozenset[str]) -> Counter[int]:
        """How many of these stems each of its parts has, by number; parts that have none are left out."""
        shared = {number: len(wanted & one.stems) for number, one in enumerate(self.parts)}
        return Counter({number: found for number, found in shared.items() if found})


def join(parts: Sequence[Reading]) -> Reading:
    """Sentences as one."""
    if len(parts) == 1:
        return parts[0]
    return Reading("\n".join(one.text for one in parts), parts[0].language, parts)


class _Indexed:
    """One source: its sentences, which of them have a stem, and the fields that say yes, no or nothing."""

    def __init__(self, source: str, language: str) -> None:
        text, fields = _record(source) or (source, [])
        folded = fold(text)
        said = (folded[start:end] for start, end in sentence_bounds(folded))
        self.parts = [Reading(one, language) for one in said if _TOKEN.search(one)]
        self.fields = [(Reading(fold(name).lower(), language).stems, told) for name, told in fields]
        self.index: dict[str, array[int]] = {}
        known = stems_of(language)
        for number, one in enumerate(self.parts):
            # The tokens are not kept: of a book few sentences are looked at.
            for stem in {known[token] for token in _tokens(one.text)} - {""}:
                self.index.setdefault(stem, array("I")).append(number)

    @cached_property
    def values(self) -> tuple[Value, ...]:
        numbers = chain(*(places for stem, places in self.index.items() if stem[0] == "#"))
        return tuple(chain(*(self.parts[n].values for n in sorted(set(numbers)))))


class Text(Reading):
    """Sources as one text, in their order; no sentence goes on from one into the next."""

    def __init__(self, sources: Sequence[str]) -> None:
        some = sources[:_TOLD_BY]
        # Most texts in which no language shows are names and figures.
        self.language = languages.language_of(" ".join(one[:200] for one in some), "en")
        self.languages = {languages.detect(one) for one in some}
        self.sources = [_indexed(one, self.language) for one in sources]
        self._parts = list(chain(*(one.parts for one in self.sources)))
        self.fields = list(chain(*(one.fields for one in self.sources)))
        self.text = "\n".join(one.text for one in self._parts)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset().union(*(one.index for one in self.sources))

    @cached_property
    def values(self) -> tuple[Value, ...]:
        return tuple(dict.fromkeys(chain(*(one.values for one in self.sources))))

    def shared_with(self, wanted: frozenset[str]) -> Counter[int]:
        found: Counter[int] = Counter()
        before = 0
        for one in self.sources:
            places = chain(*(one.index.get(stem, ()) for stem in wanted))
            found.update(before + place for place in places)
            before += len(one.parts)
        return found


def _record(source: str) -> tuple[str, list[tuple[str, bool | None]]] | None:
    """The fields of a context in JSON, each on a line, and those that say yes, no or nothing; None for a text."""
    if source[:1] not in ("{", "[") or source[-1:] not in ("}", "]"):
        return None
    try:
        waiting: list[tuple[tuple[str, ...], Any]] = [((), json.loads(source))]
    except (ValueError, RecursionError):
        return None
    lines: list[str] = []
    fields: list[tuple[str, bool | None]] = []
    while waiting and len(lines) < _MOST_FIELDS:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [
                ((*path[-3:], _CAMEL.sub(" ", key)), one) for key, one in reversed(value.items())
            ]
        elif isinstance(value, list):
            waiting += [(path, one) for one in reversed(value)]
        else:
            name, blank = " ".join(path), value is None or value == ""
            said = None if blank else _SAYS.get(str(value).lower())
            if path and (blank or said is not None):
                fields.append((path[-1], said))
            plain = {None: f"{name}: {value}", True: name, False: f"no {name.lower()}"}[said]
            lines.append(f"{name} unknown" if blank else _CLOCK.sub(r"\1:0\2", plain))
    return "\n".join(lines), fields


_kept: dict[tuple[str, str], _Indexed] = {}


def _indexed(source: str, language: str) -> _Indexed:
    """A source, indexed once for all sentences and combinations with others."""
    key = (source, language)
    if key not in _kept:
        if len(_kept) >= _MOST_SOURCES or sum(len(one) for one, _ in _kept) > _MOST_CHARS:
            _kept.clear()
        _kept[key] = _Indexed(source, language)
    return _kept[key]


@lru_cache(maxsize=32)
def _text(sources: tuple[str, ...]) -> Text:
    return Text(sources)


def read_text(text: str) -> Text:
    """A text, sentence by sentence."""
    return _text((text,))


def read_sources(premise: Sequence[Source]) -> Text:
    """The sources as one text."""
    return _text(tuple(source.text for source in premise))


@lru_cache(maxsize=20_000)
def read_sentence(text: str, language: str = "en") -> Reading:
    """A text as one sentence."""
    return Reading(fold(text), language)


def forget_readings() -> None:
    """Drops what was read, for who measures the judge or changes its rules."""
    _kept.clear()
    for one in (_text, read_sentence, stems_of):
        one.cache_clear()


def read_names(tokens: Sequence[str], first: bool = True) -> tuple[Name, ...]:
    """Runs of words with capitals. The ``first`` word of a sentence is one only if a capital follows."""
    names: dict[Name, None] = {}
    run: list[str] = []
    starts = first  # the run began with a sentence
    for token in (*tokens, "."):
        word = token.lower()
        if "@" < token < "[" and word not in _NO_NAMES and not (first and word in vocabulary.STOP):
            starts = starts if run else first
            run.append(word)
            first = False
            continue
        # Before a colon stands the label of what follows: a heading, a column.
        if token != ":" and any(len(part) > 1 for part in run) and not (starts and len(run) == 1):
            names[tuple(part for part in run if part not in _TITLES)] = None
        first = token in _CLOSES or (first and not run and not token[0].isalnum())
        run = []
    return tuple(name for name in names if name)[:_MOST_NAMES]
