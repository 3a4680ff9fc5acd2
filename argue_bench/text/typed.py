"""Typed tokens of a text: words, numbers, amounts and dates, each in one spelling.

An answer holds a gold string if the gold's tokens follow each other in it. So 5 is not found in 1985, nor
"art" in "part".

* Letters: Unicode folded (NFKC, case, accents, quotes, dashes). ``C++``, ``R&B``, ``g7``, ``1980s``,
  ``O'Neal`` are one word each; initials are joined (``U.S.`` is ``US``, ``J. R. R.`` is ``JRR``); other
  punctuation only separates.
* Numbers: by value. ``1,000`` is 1000, 3.0 is 3, ``1.4 billion`` is 1,400,000,000, "seven" is 7, 1.2 is
  not 12, -100 is not 100. A hyphen is a minus sign only where no word or number is before it (350-460 is a range).
* Units: ``%``, currencies and common measures follow their number in one spelling (``$5`` is
  ``5 US dollars``, ``5km2`` is ``5 square kilometres``). A gold string with a unit wants that unit; one
  without is found with any, and with "million", since questions ask for "how many millions".
* Ordinals are numbers of their own kind (5th is not 5), but in a date. Dates are read as month,
  day, year: ``14 July 1999`` is ``1999-07-14``. ``3:58`` is one token.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Literal

from argue_bench.records.normal_forms import normalise
from argue_bench.text import vocabulary

Kind = Literal["word", "initial", "number", "ordinal", "percent", "other"]

_SPACES_IN_NUMBER = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_SUPERSCRIPT = re.compile(r"(?<=\d)([\u00b2\u00b3\u00b9\u2070-\u2079]+)")
_MIXED_FRACTION = re.compile(r"(?<=\d)(?=[\u00bc-\u00be\u2150-\u215e])")
_FOLDED = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032`\u00b4", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2014\u2015", " — "),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
    }
)
_TOKEN = re.compile(
    r"""
    (?<![\w-]) (?P<iso> \d{4}-\d{2}-\d{2} ) (?![\w-])
  | (?<![\w:.]) (?P<clock> \d{1,2}(?::\d{2}){1,2} ) (?![\w:])
  | (?<![\w.]) (?P<version> \d+(?:\.\d+){2,} ) (?!\w)
  | (?<![\w/]) (?P<slashed> \d{1,2}/\d{1,2}(?=/\d{2,4}(?![\w/])) )
  | (?<![\w/.]) (?P<fraction> \d{1,3}[/\u2044]\d{1,3} ) (?![\w/])
  | (?: (?<![\w)\]%]) (?P<minus>-) )??
    (?: (?P<money> (?: (?<!\w)(?:us|a|c|hk|nz|s|r) )? [$€£¥₹₩₽฿₺₪]
                 | (?<!\w)(?:usd|eur|gbp|jpy|inr|chf|cny) ) \ ? (?P<minus2>-)? )?
    (?<![^\W_])
    (?P<number> (?: \d{1,3}(?:,\d{3})+ | \d{1,2}(?:,\d{2})+,\d{3} | \d{1,3}(?:\ \d{3}){2,}
                  | \d{1,3}(?:'\d{3})+ ) (?![\d])(?:\.\d+)?
                | \d++(?:\.\d+)? | (?<![\w.])\.\d+ )
    (?P<exponent> e[+-]?\d{1,2}(?!\w) )?
    (?P<attached> [^\W_]* )
  | (?<!\w) (?P<initial> [^\W\d_](?:\.[^\W\d_])+(?!\w)\.? | [^\W\d_]\.(?!\w) )
  | (?P<word> (?:(?<!\w)o'(?=\w))?[^\W_]+(?:_+[^\W_]+|&[^\W\d_]+)* (?: (?:\+\+?|\#)(?![\w+\#]) )? )
  | (?P<clitic> (?<=\w)'(?:s|t|re|ve|ll|d|m)(?!\w) )
  | (?P<percent> % )
  | (?P<and> & )
    """,
    re.VERBOSE,
)
_FRENCH_DECIMAL = re.compile(r"(?<![\d,.])(\d+),(\d+)(?![\d,])")
_FRENCH_GROUPS = re.compile(r"(?<![\w,.'])\d{1,3}(?: \d{3})+(?![\w'])")
_END = "\x1f"


@dataclass(frozen=True, slots=True)
class Token:
    """A typed token. ``text`` is its one spelling, ``raw`` the written one; start and end in characters."""

    kind: Kind
    text: str
    raw: str = ""
    start: int = 0
    end: int = 0
    money: str = ""


@dataclass(frozen=True, slots=True)
class TypedText:
    """A text as typed tokens; twice, since a unit or month may be a name, too ("March")."""

    canonical: str
    written: str

    @property
    def empty(self) -> bool:
        return len(self.canonical) <= 1

    def holds(self, wanted: TypedText) -> bool:
        """Whether this text has the tokens of ``wanted``, which is not empty, one after the other."""
        return wanted.canonical in self.canonical or wanted.written in self.written


def typed_text(text: str, language: str = "en") -> TypedText:
    """The typed tokens of a text. By ``language``, ``3,5`` is a decimal (French) or two numbers."""
    tokens = _initials(_scan(fold_text(text), language))
    tokens = _dates(_units(_numerals(tokens) if language == "en" else tokens))
    return TypedText(
        _END + "".join(token.text + _END for token in tokens if token.text),
        _END + "".join((token.raw or token.text) + _END for token in tokens),
    )


def fold_text(text: str) -> str:
    """Case, accents, width, quotes and dashes folded; no-break spaces in numbers marked by ``'``."""
    text = _SPACES_IN_NUMBER.sub("'", text.translate(_FOLDED))
    text = _MIXED_FRACTION.sub(" ", _SUPERSCRIPT.sub(r"^\1", text))
    text = normalise("NFKD", normalise("NFKC", text).casefold())
    if not text.isascii():
        text = "".join(char for char in text if not unicodedata.combining(char))
    return text.translate(_FOLDED)


def _scan(text: str, language: str) -> list[Token]:
    if language != "en":
        text = _FRENCH_GROUPS.sub(lambda match: match[0].replace(" ", "'"), text)
        text = _FRENCH_DECIMAL.sub(r"\1.\2", text)
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        group = match.lastgroup or ""
        start, end = match.span()
        found = match[0]
        if match["number"] is not None:
            tokens += _number(match)
        elif group == "iso":
            year, month, day = found.split("-")
            name = vocabulary.MONTH_NAMES.get(int(month), month)
            tokens += [
                Token("word", name, name, start, start),
                Token("number", canonical_number(day), "", start, start),
                Token("number", canonical_number(year), "", start, end),
            ]
        elif group in ("clock", "slashed", "fraction"):
            plain = found.replace("\u2044", "/").lstrip("0")
            tokens.append(Token("other", plain or found, "", start, end))
        elif group == "initial":
            tokens.append(Token("initial", found.replace(".", ""), "", start, end))
        elif group == "percent":
            tokens.append(Token("percent", "%", "", start, end))
        elif group == "and":
            tokens.append(Token("word", "and", "", start, end))
        else:
            ordinal = vocabulary.ORDINALS.get(found)
            kind: Kind = "ordinal" if ordinal else "word"
            tokens.append(Token(kind, ordinal or found, found, start, end))
    return tokens


def _number(match: re.Match[str]) -> list[Token]:
    """A number with an attached unit or ending: ``5km``, ``5th``, ``$5bn``; ``3d`` is a word."""
    digits, attached = match["number"], match["attached"]
    start, end = match.span()
    exponent = int((match["exponent"] or "e0")[1:])
    negative = bool(match["minus"] or match["minus2"])
    money = match["money"] or ""
    found = canonical_number(digits, negative, exponent)
    middle = end - len(attached)
    number = Token("number", found, "", start, middle, vocabulary.MONEY.get(money, money))
    if not attached:
        return [number]
    if attached in ("st", "nd", "rd", "th", "er", "eme"):
        return [Token("ordinal", f"{found}th", "", start, end)]
    if (
        attached in vocabulary.UNITS
        or attached in vocabulary.MAGNITUDES
        or (money and attached in vocabulary.MONEY_MAGNITUDES)
    ):
        return [number, Token("word", attached, attached, middle, end)]
    return [Token("word", digits + (match["exponent"] or "") + attached, "", start, end)]


def canonical_number(digits: str, negative: bool = False, exponent: int = 0) -> str:
    """The one spelling of a number: no separators, no needless zeros, no exponent.

    >>> canonical_number("1,027.50", exponent=3)
    '1027500'
    """
    whole, _, fraction = re.sub(r"[,' ]", "", digits).partition(".")
    if exponent >= 0:
        fraction = fraction.ljust(exponent, "0")
        whole, fraction = whole + fraction[:exponent], fraction[exponent:]
    else:
        whole = whole.rjust(-exponent, "0")
        whole, fraction = whole[:exponent], whole[exponent:] + fraction
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    text = f"{whole}.{fraction}" if fraction else whole
    return f"-{text}" if negative and text != "0" else text


def _initials(tokens: list[Token]) -> list[Token]:
    """``J. R. R.`` becomes ``jrr``: single letters in a row, with blanks alone between them."""
    if all(token.kind != "initial" for token in tokens):
        return tokens
    joined: list[Token] = []
    for token in tokens:
        last = joined[-1] if joined else None
        if (
            last is not None
            and token.kind == "initial" == last.kind
            and len(token.text) == 1
            and token.start - last.end <= 1
            and (len(last.text) == 1 or last.raw == "joined")
        ):
            joined[-1] = replace(last, text=last.text + token.text, raw="joined", end=token.end)
        else:
            joined.append(token)
    return [
        replace(token, kind="word", raw=token.text) if token.kind == "initial" else token
        for token in joined
    ]


def _numerals(tokens: list[Token]) -> list[Token]:
    """Numbers in words: ``seven``, ``twenty-one``; as written they stay words."""
    made: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        number = vocabulary.NUMBER_WORDS.get(token.raw) if token.kind == "word" else None
        if number is None:
            made.append(token)
            continue
        if token.raw in vocabulary.TENS and _near(tokens, at):
            digit = vocabulary.DIGITS.get(tokens[at].raw)
            if digit:
                token = replace(token, raw=f"{token.raw}{_END}{tokens[at].raw}", end=tokens[at].end)
                number += digit
                at += 1
        made.append(replace(token, kind="number", text=str(number)))
    return made


def _units(tokens: list[Token]) -> list[Token]:
    """Multiplies numbers by the magnitudes behind them, and puts their units behind those."""
    made: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.kind != "number":
            if token.kind != "percent":
                made.append(token)
            continue
        size = 0  # the zeros that the word behind the number adds to it
        if _near(tokens, at) and tokens[at].kind == "word":
            letters = vocabulary.MONEY_MAGNITUDES if token.money else {}
            size = vocabulary.MAGNITUDES.get(tokens[at].raw) or letters.get(tokens[at].raw, 0)
        if size:
            shifted = canonical_number(token.text.lstrip("-"), token.text.startswith("-"), size)
            made.append(replace(token, text=shifted, raw=token.raw or token.text))
            made.append(replace(tokens[at], text=""))
            at += 1
        else:
            made.append(token)
        if token.money:
            made.append(Token("other", token.money))
            continue
        unit, length = _unit(tokens, at) if _near(tokens, at) else (None, 0)
        if unit is not None:
            made.append(unit)
            at += length
    return made


def _near(tokens: list[Token], at: int, most: int = 1) -> bool:
    """Whether a token follows the one before it with at most ``most`` characters between them."""
    return at < len(tokens) and tokens[at].start - tokens[at - 1].end <= most


def _unit(tokens: list[Token], at: int) -> tuple[Token | None, int]:
    """The unit that starts here, in its one spelling, and the number of its tokens."""
    for length in (3, 2, 1):
        words = [token.raw or token.text for token in tokens[at : at + length]]
        if len(words) == length and (unit := vocabulary.UNITS.get(" ".join(words))):
            return Token("other", unit, " ".join(words) if length == 1 else unit), length
    return None, 0


def _dates(tokens: list[Token]) -> list[Token]:
    """Puts the day behind its month, as a number, and the month in its long form."""
    if all(token.raw not in vocabulary.MONTHS for token in tokens):
        return tokens
    made: list[Token] = []
    at = 0
    while at < len(tokens):
        of = at + 1 < len(tokens) and tokens[at + 1].text in ("of", "de")
        month = _month(tokens, at + 2 if of else at + 1)
        day = _day(tokens, at)
        if day and month and _near(tokens, at + 1) and (of or _day(tokens, at + 2) is None):
            made += [month, replace(tokens[at], kind="number", text=day, raw="")]
            at += 3 if of else 2
            continue
        month, day = _month(tokens, at), _day(tokens, at + 1)
        if month and day and _near(tokens, at + 1, 2):
            made += [month, replace(tokens[at + 1], kind="number", text=day, raw="")]
            at += 2
            continue
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        is_year = after is not None and after.kind == "number" and len(after.text) == 4
        made.append(month if month and is_year else tokens[at])
        at += 1
    return made


def _month(tokens: list[Token], at: int) -> Token | None:
    """The month at this place, in its long form, or None."""
    if not at < len(tokens) or tokens[at].kind != "word":
        return None
    name = vocabulary.MONTHS.get(tokens[at].raw)
    return replace(tokens[at], text=name) if name else None


def _day(tokens: list[Token], at: int) -> str | None:
    """The day of a month at this place, without leading zeros, or None."""
    if not at < len(tokens) or tokens[at].kind not in ("number", "ordinal"):
        return None
    day = tokens[at].text.removesuffix("th")
    return day if day.isdecimal() and len(day) <= 2 and 1 <= int(day) <= 31 else None
