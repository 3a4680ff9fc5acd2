"""Texts as the lexical judge reads them: sentences with stems, values, names and denials.

A source is split and indexed once, from stems to its sentences; what only some verdicts need (values, names,
denials) is read of a sentence when it is asked for. A context that is JSON is read field by field. Values are
read by `text.typed`, as the language of the text writes them; units of one dimension are converted, and a bare
number agrees with any unit.
"""

from __future__ import annotations

import json
import re
import tomllib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain, islice, pairwise
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from argue_bench.records.display import normalise
from argue_bench.text import language as languages
from argue_bench.text import vocabulary
from argue_bench.text.refusals import says_unknown
from argue_bench.text.typed import SPACES_IN_NUMBER, typed_tokens

CLOCK = "o'clock"
# Its patterns are those of `support`.
WORDS: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("vocabulary.toml").read_text("utf-8")
)
_LISTED = {name: words.split() for name, words in WORDS["words"].items()}
_FRENCH = dict(zip(_LISTED["numbers"], range(2, 17), strict=True))
# Numbers in words, English and French.
NUMBERS = _FRENCH | vocabulary.NUMBER_WORDS
_FRENCH_WORD = re.compile(rf"\b(?:{'|'.join(_FRENCH)})\b")
# The base of each unit's dimension, and the factor to it.
_UNITS: dict[str, tuple[str, float]] = {
    **{unit: (unit, 1.0) for unit in (*vocabulary.UNITS.values(), *vocabulary.MONEY.values())},
    **{unit: (base, factor) for units, base, factor in WORDS["units"] for unit in units.split()},
}
_MONTHS = {name: number for number, name in vocabulary.MONTH_NAMES.items()}
_DAY, _YEAR = r"(?:3[01]|[12]?\d)", r"(?:1\d{3}|20\d\d|2100)"
# A date, a time or a number with the word behind it, in typed tokens between bars.
_VALUE = re.compile(
    rf"(?<=\|)(?:({'|'.join(_MONTHS)})(?=\|(?:{_DAY}|{_YEAR})\|)(?:\|({_DAY})(?=\|))?(?:\|({_YEAR})(?=\|))?"
    r"|([01]?\d|2[0-4]):([0-5]\d)|(-?\d+(?:\.\d+)?))(?=~?\|([^|]*))"
)
_DEGREES = re.compile(r"(?<=\d)[fc]\b")  # "250F"
# Values and names that are read of one sentence; no honest one has more.
_MOST = 200


class Value(NamedTuple):
    """A number, measure or date."""

    # A year by itself is its number, "1350 lbs" beside "1350 pounds"; of another date it is infinite.
    amount: float = 0.0
    # The base of its dimension; empty for a bare number.
    unit: str = ""
    # From its unit to the base.
    factor: float = 1.0
    # Year, month, day; 0 where not given; a number has none of them.
    date: tuple[int, int, int] = (0, 0, 0)
    # The unit as the text writes it, for what people read.
    said: str = ""

    @property
    def telling(self) -> bool:
        """Whether it is hardly met by chance: no small bare number."""
        return any(self.date) or bool(self.unit or self.amount >= 100 or self.amount % 1)

    def __str__(self) -> str:
        if any(self.date):
            return "-".join(f"{part:02}" for part in self.date if part)
        if self.unit == CLOCK:
            return f"{int(self.amount)}:{round(self.amount % 1 * 60):02}"
        return f"{self.amount:{',' if self.amount >= 1e6 else ''}.12g} {self.said}".strip()


def agree(wanted: Value, found: Value) -> bool:
    """Whether the value found states the value wanted."""
    if any(wanted.date) and any(found.date):
        # The parts that both give are the same, and they share one; a day is not stated by its month or year.
        shared = [
            one == other
            for one, other in zip(wanted.date, found.date, strict=True)
            if one and other
        ]
        return any(shared) and all(shared) and bool(found.date[2] or not wanted.date[2])
    both = bool(wanted.unit and found.unit)
    if both and wanted.unit != found.unit:
        return False
    one, other = (each.amount * (each.factor if both else 1.0) for each in (wanted, found))
    # '9:15' may be 21:15.
    apart = abs(one - other) % (12 if CLOCK in (wanted.unit, found.unit) else inf)
    return apart <= 1e-9 * max(abs(one), abs(other))


def is_among(values: Iterable[Value], wanted: Value) -> bool:
    """Whether one of the values states the value wanted."""
    return any(agree(wanted, found) for found in values)


def read_values(text: str, language: str = "en") -> tuple[Value, ...]:
    """The values of a sentence in their order, but for a bare 1, which is as often a mark.

    >>> [str(one) for one in read_values("On 3 May 1931 it cost 1.2 million crowns, or 5 km at 9:15.")]
    ['1931-05-03', '1,200,000', '5 km', '9:15']
    >>> [str(one) for one in read_values("3.500 Einwohner", "de")]
    ['3500']
    """
    text = _FRENCH_WORD.sub(lambda word: str(_FRENCH[word[0]]), _DEGREES.sub("", text))
    tokens = (token for token in typed_tokens(text, language) if token.text)
    # A unit stands there with the word for it.
    typed = "|".join(f"{one.text}~{one.raw}" if one.kind == "other" else one.text for one in tokens)
    found = map(_value, islice(_VALUE.finditer(f"|{typed}|"), _MOST))
    return tuple(value for value in dict.fromkeys(found) if value != Value(1.0))


def _value(found: re.Match[str]) -> Value:
    month, day, year, hour, minute, number, behind = found.groups()
    if month:
        return Value(inf, date=(int(year or 0), _MONTHS[month], int(day or 0)))
    if hour:
        return Value(int(hour) + int(minute) / 60, CLOCK)
    sign, _, word = behind.partition("~")
    if unit := _UNITS.get(sign):
        return Value(float(number), *unit, said=word or sign)
    year_alone = (int(number), 0, 0) if re.fullmatch(_YEAR, number) else (0, 0, 0)
    return Value(float(number), date=year_alone)


_TOKEN = re.compile(
    r"[A-Za-z]+(?:'t\b)?|[.!?,;:()\n-]|\d{1,2}:\d\d(?!\d)|\d{1,3}(?:[., ']\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[^\W\d_]+"
)
_CLOSES = frozenset(".!?:;(\n")
_END = re.compile(
    r"[.!?…\n。！？](?:(?<=[\n。！？])\n*|(?<![\n。！？])[\"'”»)\]]*\s+(?=[\"'“«(\[]*\s?[A-ZÀ-Þ0-9]))"
)
_SHORT_MONTHS = [
    one.title() for one, name in vocabulary.MONTHS.items() if one != name and name.startswith(one)
]
_NO_END = re.compile(
    rf"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Nos?|Mt|Jr|Sr|vs|approx|ca|cf|art|fig|Inc|Ltd|Co|Gen|Col|Capt|env|{'|'.join(_SHORT_MONTHS)})|\b[A-Z]|(?<![\w.,])\d{{1,2}})$"
)
_FOLDS = languages.LETTERS | str.maketrans("’‘“”—–", "''\"\";-")
# What stands behind it begins anew, so that a capital there makes no name.
_SPACED_DASH = re.compile(r"(?<=\s)[-–](?=\s)")
# What groups thousands where the decimal sign is a point, and where it is a comma.
_GROUPS = tuple(re.compile(rf"(?<=\d)[{sign}' ](?=\d{{3}}(?!\d))") for sign in ",.")
# "8.05M"; a small letter is a metre.
_MILLIONS = re.compile(r"(?<=\d)M\b")
# "6,71" is a decimal in any language; in "1,2,3" no comma is one.
_DECIMAL = re.compile(r"(?<![\d.,])(\d+),(\d{1,2})(?![\d,])")
_CAMEL, _CLOCK = re.compile(r"(?<=[a-z])(?=[A-Z])|_"), re.compile(r"\b(\d{1,2}):(\d)\b")
# Letters of a stem that count: "designed" and "designer" are alike (McNamee 2004).
_PREFIX = 6
# Sources by which the language of all is told.
_TOLD_BY = 20
# Fields of a context in JSON; what lies behind them is not read.
_MOST_FIELDS = 20_000
# Characters of the sources whose readings are kept, and what a short one takes beside: an index takes some five
# bytes for each.
_MOST_CHARS, _LEAST = 8_000_000, 3_000
# Languages that write every noun with a capital, so that a capital tells no name.
_CAPITAL_NOUNS = frozenset(("de", "lb"))
_TITLES = frozenset(_LISTED["titles"])
# Where a clause ends, for which a comma goes on with a list, and what denies it.
_TURNS = re.compile(r"[.!?;:()\n]|\b(?:but|while|although|though)\b")
_NEGATION = re.compile(rf"\b(?:{'|'.join(_LISTED['negations'])})\b|n't\b")
_NO_NAMES = frozenset(_LISTED["nameless"]).union(vocabulary.MONTHS, NUMBERS)
# What a field of a record says yes or no with.
_SAYS = {"true": True, "yes": True, "free": True, "false": False, "no": False, "none": False}

# Words with capitals that stand together, folded, without titles.
Name = tuple[str, ...]
# The stems of a field's name, and whether it says yes, no or nothing.
Field = tuple[frozenset[str], bool | None]


def fold(text: str) -> str:
    """The text without accents, with one kind of apostrophe and no blanks in numbers; capitals stay."""
    text = _SPACED_DASH.sub(";", _DECIMAL.sub(r"\1.\2", SPACES_IN_NUMBER.sub("", text)))
    return (
        text
        if text.isascii()
        else languages.ACCENTS.sub("", normalise("NFKD", text.translate(_FOLDS)))
    )


def sentence_bounds(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences begin and end as a reader sees them; abbreviations and initials end none."""
    ends = (
        found.end()
        for found in _END.finditer(text)
        if found[0][0] != "." or not _NO_END.search(text, max(0, found.start() - 8), found.start())
    )
    return pairwise(chain([0], ends, [len(text)]))


class _Stems(dict[str, str]):
    """The stem of each token in a language, found once: its first letters without ending.

    Empty for what carries no content; a number begins with '#', so that '11' meets 'eleven'.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._stop = (
            language not in ("en", "fr") and languages.stop_words(language)
        ) or vocabulary.STOP
        self._comma = vocabulary.spellings(language).comma

    def __missing__(self, token: str) -> str:
        word, found = token.lower(), ""
        if word not in self._stop and word[0].isalnum():
            word = str(NUMBERS.get(word, word))
            plain = languages.stem(word, self._language)[:_PREFIX] if len(word) > 1 else ""
            found = f"#{_plain(word, self._comma)}" if word[0].isdecimal() else plain
        if len(self) < 50_000:
            self[token] = found
        return found


# The stems of a language's words, filled as they are met.
stems_of = lru_cache(maxsize=64)(_Stems)


def _plain(number: str, comma: bool) -> str:
    plain = _GROUPS[comma].sub("", number)
    try:
        return f"{float(plain.replace(',', '.') if comma else plain):g}"
    except ValueError:  # a time, or figures with several points
        return number


def _tokens(folded: str) -> list[str]:
    found = _TOKEN.findall(folded)
    # Scripts without blanks are read by pairs of characters.
    pairs = ([token] if token < "\u0e00" else languages.words(token) for token in found)
    return found if folded.isascii() else list(chain(*pairs))


class Reading:
    """A text read as one sentence."""

    def __init__(self, text: str, language: str = "en") -> None:
        self.text, self.language = text, language

    @cached_property
    def tokens(self) -> list[str]:
        return _tokens(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of its content words, names and numbers included."""
        return frozenset(map(stems_of(self.language).__getitem__, self.tokens)) - {""}

    @cached_property
    def flat(self) -> str:
        """Its tokens in lower case, each between blanks."""
        return f" {' '.join(self.tokens).lower()} "

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Its numbers, dates and measures."""
        numbered = any(stem[0] == "#" for stem in self.stems)
        return (
            read_values(_MILLIONS.sub(" million", self.text).lower(), self.language)
            if numbered
            else ()
        )

    @cached_property
    def whole_stems(self) -> frozenset[str]:
        """Stems of any length, by which "classy" is not "classic"."""
        known = stems_of(self.language)
        return frozenset(
            languages.stem(token.lower(), self.language) for token in self.tokens if known[token]
        )

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
        """Stems of the clauses that hold a negation."""
        denied = [one for one in _TURNS.split(self.text.lower()) if _NEGATION.search(one)]
        return frozenset().union(*(Reading(one, self.language).stems for one in denied))

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


def join(parts: Sequence[Reading]) -> Reading:
    """Sentences as one."""
    joined = Reading("\n".join(one.text for one in parts), parts[0].language)
    joined.stems = frozenset().union(*(one.stems for one in parts))
    return joined


class _Indexed:
    """One source: its sentences, which of them have a stem, and the fields that say yes, no or nothing."""

    def __init__(self, source: str, language: str) -> None:
        text, fields = _record(source) or (source, [])
        folded = fold(text)
        said = (folded[start:end] for start, end in sentence_bounds(folded))
        self.parts = [Reading(one, language) for one in said if _TOKEN.search(one)]
        self.fields = [(Reading(fold(name).lower(), language), told) for name, told in fields]
        self.index: dict[str, array[int]] = {}
        known = stems_of(language)
        for number, one in enumerate(self.parts):
            # The tokens are not kept: of a book few sentences are looked at.
            for stem in {known[token] for token in _tokens(one.text)} - {""}:
                self.index.setdefault(stem, array("I")).append(number)


class Text(Reading):
    """Sources as one text, in their order; no sentence goes on from one into the next."""

    def __init__(self, *sources: str) -> None:
        # Most texts in which no language shows are names and figures.
        self.language = languages.language_of(
            " ".join(one[:200] for one in sources[:_TOLD_BY]), "en"
        )
        self.languages = {languages.detect(one) for one in sources[:_TOLD_BY]}
        self.sources = [_indexed(one, self.language) for one in sources]
        self.parts = list(chain(*(one.parts for one in self.sources)))
        self.fields = list(chain(*(one.fields for one in self.sources)))
        self.text = "\n".join(one.text for one in self.parts)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset().union(*(one.index for one in self.sources))

    @cached_property
    def values(self) -> tuple[Value, ...]:
        numbers = frozenset(stem for stem in self.stems if stem[0] == "#")
        said = (self.parts[number].values for number in sorted(self.shared_with(numbers)))
        return tuple(dict.fromkeys(chain(*said)))

    def shared_with(self, wanted: frozenset[str]) -> Counter[int]:
        """How many of these stems each of its parts has, by number; parts that have none are left out."""
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
            waiting += [((*path[-3:], key), one) for key, one in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(path, one) for one in reversed(value)]
        else:
            parted = [_CAMEL.sub(" ", key) for key in path]
            # A key is written as it stands, too: "free WiFi".
            name = " ".join(dict.fromkeys((*parted, *path)))
            blank = value is None or value == ""
            said = None if blank else _SAYS.get(str(value).lower())
            if path and (blank or said is not None):
                fields.append((parted[-1], said))
            plain = {None: f"{name}: {value}", True: name, False: f"no {name.lower()}"}[said]
            lines.append(f"{name} unknown" if blank else _CLOCK.sub(r"\1:0\2", plain))
    return "\n".join(lines), fields


_kept: dict[tuple[str, str], _Indexed] = {}


def _indexed(source: str, language: str) -> _Indexed:
    """A source, indexed once for all sentences and combinations with others."""
    key = (source, language)
    if key not in _kept:
        # Counted at some of them: of a long run counting took a twentieth of the time.
        if len(_kept) % 50 == 49 and sum(len(one) + _LEAST for one, _ in _kept) > _MOST_CHARS:
            _kept.clear()
        _kept[key] = _Indexed(source, language)
    return _kept[key]


# Texts as one, sentence by sentence.
read_text = lru_cache(maxsize=32)(Text)


@lru_cache(maxsize=20_000)
def read_sentence(text: str, language: str = "en") -> Reading:
    """A text as one sentence."""
    return Reading(fold(text), language)


def forget_readings() -> None:
    """Drops what was read, for who measures the judge or changes its rules."""
    _kept.clear()
    for one in (read_text, read_sentence, stems_of):
        one.cache_clear()


def read_names(tokens: Sequence[str], first: bool = True) -> tuple[Name, ...]:
    """Runs of words with capitals. The ``first`` word of a sentence is one only if a capital follows."""
    names: dict[Name, None] = {}
    run: list[str] = []
    starts = first  # the run began with a sentence
    for token in (*tokens, "."):
        word = token.lower()
        if "@" < token < "[" and word not in _NO_NAMES and not (first and word in vocabulary.STOP):
            starts, first = starts if run else first, False
            run.append(word)
            continue
        # Before a colon stands the label of what follows: a heading, a column.
        if token != ":" and any(len(part) > 1 for part in run) and not (starts and len(run) == 1):
            names[tuple(part for part in run if part not in _TITLES)] = None
        first = token in _CLOSES or (first and not run and not token[0].isalnum())
        run = []
    return tuple(name for name in names if name)[:_MOST]
