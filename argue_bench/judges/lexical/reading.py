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
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from argue_bench.records.display import normalise
from argue_bench.text import language as languages
from argue_bench.text import vocabulary
from argue_bench.text.refusals import says_unknown
from argue_bench.text.typed import Token, typed_tokens

CLOCK = "o'clock"
# Its patterns are those of `support`.
WORDS: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("vocabulary.toml").read_text("utf-8")
)
_LISTED = {name: words.split() for name, words in WORDS["words"].items()}
_FRENCH = dict(zip(_LISTED["numbers"], range(2, 17), strict=True))
# Numbers in words, English and French.
NUMBERS = _FRENCH | vocabulary.NUMBER_WORDS
_FRENCH_WORD = re.compile(rf"\b(?:{'|'.join(_FRENCH)})\b")
_TIME = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)\Z")
_BASES = {
    "km": ("m", 1000.0),
    "cm": ("m", 0.01),
    "mm": ("m", 0.001),
    "g": ("kg", 0.001),
    "h": ("sec", 3600.0),
    "min": ("sec", 60.0),
    "km2": ("m2", 1e6),
    "ha": ("m2", 1e4),
}
# Spans of time have no sign; a month is no number of days.
_SPANS = {
    "day days jour jours": ("sec", 86400.0),
    "week weeks semaine semaines": ("sec", 604800.0),
    "month months mois": ("month", 1.0),
    "year years ans": ("month", 12.0),
}
_UNITS = {
    **{unit: (unit, 1.0) for unit in (*vocabulary.UNITS.values(), *vocabulary.MONEY.values())},
    **_BASES,
    **{word: span for words, span in _SPANS.items() for word in words.split()},
}
_MONTHS = {name: number for number, name in vocabulary.MONTH_NAMES.items()}
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
# Values that are read of one sentence; no honest one has more.
_MOST = 200


class Value(NamedTuple):
    """A number, measure or date."""

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
        amount = f"{self.amount:{',' if self.amount >= 1e6 else ''}.12g}"
        return f"{amount} {self.said}".strip()


def agree(wanted: Value, found: Value) -> bool:
    """Whether the value found states the value wanted."""
    if any(wanted.date) and any(found.date):
        # The parts that both give are the same, and they share one; a day is not stated by its month or year.
        shared = [pair for pair in zip(wanted.date, found.date, strict=True) if all(pair)]
        same = bool(shared) and all(one == other for one, other in shared)
        return same and not (wanted.date[2] and not found.date[2])
    if any(wanted.date) or any(found.date):
        dated, number = (wanted, found) if any(wanted.date) else (found, wanted)
        return dated.date == (number.amount, 0, 0) and not number.unit
    one, other = wanted.amount, found.amount
    if wanted.unit and found.unit:
        if wanted.unit != found.unit:
            return False
        one, other = one * wanted.factor, other * found.factor
    if CLOCK in (wanted.unit, found.unit):
        return abs(one - other) % 12 < 1e-9  # '9:15' may be 21:15
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))


def is_among(values: Iterable[Value], wanted: Value) -> bool:
    """Whether one of the values states the value wanted."""
    return any(agree(wanted, found) for found in values)


def read_values(text: str, language: str = "en") -> tuple[Value, ...]:
    """The values of a sentence in their order.

    >>> [str(one) for one in read_values("On 3 May 1931 it cost 1.2 million crowns, or 5 km at 9:15.")]
    ['1931-05-03', '1,200,000', '5 km', '9:15']
    >>> [str(one) for one in read_values("3.500 Einwohner", "de")]
    ['3500']
    """
    text = _FRENCH_WORD.sub(lambda word: str(_FRENCH[word[0]]), text)
    values: list[Value] = []
    tokens = [token for token in typed_tokens(text, language) if token.text]
    date: list[int] = []
    for token, after in pairwise((*tokens, Token("other", ""))):
        if token.text in _MONTHS and after.kind == "number":
            date = [0, _MONTHS[token.text], 0]
        elif token.kind == "number" and (found := _part_of_date(date, token.text)):
            date = found
            if not (found[2] and _is_year(after.text) and not found[0]):
                values.append(Value(date=(date[0], date[1], date[2])))
                date = []
        elif token.kind == "number":
            date = []
            values += _number(token.text, after)
        elif time := _TIME.match(token.text):
            values.append(Value(int(time[1]) + int(time[2]) / 60, CLOCK))
    return tuple(dict.fromkeys(values[:_MOST]))


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdecimal() and _FIRST_YEAR <= int(text) <= _LAST_YEAR


def _part_of_date(date: list[int], said: str) -> list[int]:
    """The date with its day or year; empty where the number is neither."""
    if date and _is_year(said):
        return [int(said), *date[1:]]
    return (
        [0, date[1], int(said)]
        if date and not date[2] and said.isdecimal() and int(said) <= 31
        else []
    )


def _number(said: str, after: Token) -> list[Value]:
    """The number, with the unit behind it; none for a bare 1, which is as often a mark."""
    amount, written = float(said), after.raw or after.text
    if (unit := _UNITS.get(after.text)) and written != "in":
        return [Value(amount, *unit, said=written)]
    if _is_year(said):
        return [Value(date=(int(said), 0, 0))]
    return [Value(amount)] if amount != 1 else []


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
# Letters of a stem that count: "designed" and "designer" are alike (McNamee 2004).
_PREFIX = 6
# How many words after a negation it denies, within its clause.
_REACH = 4
# Sources by which the language of all is told.
_TOLD_BY = 20
# Fields of a context in JSON; what lies behind them is not read.
_MOST_FIELDS = 20_000
_MOST_NAMES = 200  # of one sentence; no honest one has more
# Characters and number of the sources whose readings are kept: an index takes some five bytes for each.
_MOST_CHARS, _MOST_SOURCES = 5_000_000, 1_000
# Languages that write every noun with a capital, so that a capital tells no name.
_CAPITAL_NOUNS = frozenset(("de", "lb"))
_TITLES, _NEGATIONS = frozenset(_LISTED["titles"]), frozenset(_LISTED["negations"])
_NO_NAMES = frozenset(_LISTED["nameless"]).union(vocabulary.MONTHS, NUMBERS)
# What a field of a record says yes or no with.
_SAYS = {"true": True, "yes": True, "free": True, "false": False, "no": False, "none": False}

# Words with capitals that stand together, folded, without titles.
Name = tuple[str, ...]
# The stems of a field's name, and whether it says yes, no or nothing.
Field = tuple[frozenset[str], bool | None]


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

    def __init__(self, *sources: str) -> None:
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
        # Counted at some of them: of a long run counting took a twentieth of the time.
        full = len(_kept) % 50 == 49 and sum(len(one) for one, _ in _kept) > _MOST_CHARS
        if full or len(_kept) >= _MOST_SOURCES:
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
