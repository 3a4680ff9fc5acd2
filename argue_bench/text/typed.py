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
* Languages: numbers, months, magnitudes and units as the language of the text writes them: in German
  ``3.500`` is 3500, ``3,5 Mio.`` is 3,500,000 and ``3. Mai 1931`` is ``1931-05-03``. Where a script sets no
  blanks between words, each character is a word (a run of katakana is one).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from html import unescape
from typing import Literal, NamedTuple

from argue_bench.records.display import normalise
from argue_bench.text import vocabulary
from argue_bench.text.language import LETTERS, UNSPACED
from argue_bench.text.vocabulary import Spellings, spellings

Kind = Literal["word", "initial", "number", "ordinal", "percent", "other"]

SPACES_IN_NUMBER = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_SUPERSCRIPT = re.compile(r"(?<=\d)([\u00b2\u00b3\u00b9\u2070-\u2079]+)")
# No blank need stand before a fraction behind a number, around figures in circles, and before raised ones behind a word that
# is longer than a unit ("km²").
_APART = re.compile(
    r"(?<=\d)(?=[\u00bc-\u00be\u2150-\u215e])|(?<=\w)(?=[\u2460-\u24ff\u2776-\u2793])|(?<=[\u2460-\u24ff\u2776-\u2793])(?=\w)"
    r"|(?<=[^\W\d_]{3})(?=[\u00b2\u00b3\u00b9\u2070-\u2079])"
)
# A sign inside a word ("O'Neal", "I-Pace", "U.S.", "R&B", "Covid-19") or a number ("61.6", "3:58") joins it; any other one, a
# raised figure, and the end of a script without blanks, part words that no blank parts.
_JOINT = re.compile(
    r"(?<=[^\W_])['\u2019](?=[^\W_])|(?<=[^\W\d_])[.&](?=[^\W_])|(?<=[^\W_])[-\u2010\u2011](?=[^\W_])"
    r"|(?<=\d)[.,:\u2012\u2013](?=\d)"
    r"|(?P<parts>[^\w\s]|_|[\u00b2\u00b3\u00b9\u1d2c-\u1d6a\u2070-\u207f\u2460-\u24ff\u2776-\u2793]"
    rf"|(?<=[{UNSPACED}])(?=[^\s{UNSPACED}])|(?<=[^\s{UNSPACED}])(?=[{UNSPACED}]))"
)
_FOLDED = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032`\u00b4", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2014\u2015", " — "),
        **dict.fromkeys("\u00ad\u034f\u0488\u0489\u061c\u200b\u200c\u200d\u2060\ufeff", None),
        **dict.fromkeys("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", None),
        **dict.fromkeys(map(chr, range(0x80, 0xA0)), None),
    }
)
# Of Markdown ("J\. Abrams"), of LaTeX ("920{,}000") and of JSON ("350\u2013460").
_ESCAPES = re.compile(
    r"\\(?:(?=[^\w\s])|u(?!d[89a-f])([\da-f]{4})|[a-z]{2,20}(?=\{))|(?<=\d)\{(?=,\}\d)|(?<=\d\{,)\}(?=\d)",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"""
    # Most tokens: a word that no other line could read, so that these are not tried in vain.
    (?<![\w']) (?!usd|eur|gbp|jpy|inr|chf|cny) (?P<plain> [a-z]{2,}+ ) (?=[ ,])
  | (?<![\w-]) (?P<iso> \d{4}-\d{2}-\d{2} ) (?![\w-])
  | (?<![\w:.]) (?P<clock> \d{1,2}(?::\d{2}){1,2} ) (?![\w:])
  | (?<![\w.]) (?P<version> \d+(?:\.\d+){2,} ) (?!\w)
  | (?<![\w/]) (?P<slashed> \d{1,2}/\d{1,2}(?=/\d{2,4}(?![\w/])) )
  | (?<![\w/.]) (?P<fraction> \d{1,3}[/\u2044]\d{1,3} ) (?![\w/])
  | (?: (?<![\w)\]%.-]) (?P<minus>-) )??
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
# Where a comma before digits is a decimal one, points and blanks group thousands, and points part dates.
_COMMA_NUMBER = re.compile(r"(?<![\w,.'])(\d{1,3}(?:[. ']\d{3})+(?!\d)|\d+)(,\d+)?(?![\d']|[.,]\d)")
_POINTED_DATE = re.compile(r"(?<![\w.,])(\d{1,2})\. ?(1[0-2]|0?[1-9])\. ?(\d{4})(?!\w)")
_EAST_DATE = re.compile(
    r"(?:(\d{4}) ?[年년])? ?(?:(1[0-2]|0?[1-9]) ?[月월] ?(?:(\d{1,2}) ?[日일])?)?"
)
_CHARACTER = re.compile(rf"[\u30a0-\u30ff]+|[{UNSPACED}]")
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
# The classes of marks that stay, for they are parts of letters: the voicing of kana, vowels of Hindi. Strokes come off.
_OF_LETTERS = frozenset((0, 6, 7, 8, 9))
# Ends a token in the canonical text; no text holds it, so that tokens are found whole by ``in``.
_END = "\x1f"


# Not a dataclass, whose frozen objects take four times as long to make.
class Token(NamedTuple):
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

    @property
    def words(self) -> list[str]:
        """Its tokens in order, each character of scripts without blanks for itself, as MLQA counts words."""
        return [token for token in self.canonical.split(_END) if token]

    def holds(self, wanted: TypedText) -> bool:
        """Whether this text has the tokens of ``wanted``, which is not empty, one after the other."""
        return wanted.canonical in self.canonical or wanted.written in self.written


def typed_tokens(text: str, language: str = "en") -> list[Token]:
    """The typed tokens of a text in order, whose numbers, months and units are those of ``language``."""
    spelling = spellings(language)
    tokens = _initials(_scan(fold_text(text), spelling))
    tokens = _numerals(tokens) if language == "en" else tokens
    return _dates(_units(tokens, spelling), spelling)


def typed_text(text: str, language: str = "en") -> TypedText:
    """The typed tokens of a text, joined twice."""
    tokens = typed_tokens(text, language)
    return TypedText(
        _END + "".join(token.text + _END for token in tokens if token.text),
        _END + "".join((token.raw or token.text) + _END for token in tokens),
    )


def fold_text(text: str) -> str:
    """Case, accents, width, quotes and dashes folded; no-break spaces in numbers marked by ``'``."""
    if text.isascii():  # all the rest is of other letters
        return text.lower().replace("`", "'")
    text = SPACES_IN_NUMBER.sub("'", text.translate(_FOLDED))
    text = _APART.sub(" ", _SUPERSCRIPT.sub(r"^\1", text))
    # NFKC first, since case folding undoes some of it; NFKD last, so that accents come off.
    text = normalise("NFKD", normalise("NFKC", text).casefold())
    text = "".join(char for char in text if unicodedata.combining(char) in _OF_LETTERS)
    text = normalise("NFC", text.translate(LETTERS))
    text = _OTHER_DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), text)
    return text.translate(_FOLDED)


def parted(text: str) -> str:
    """The text with blanks around what parts its words.

    >>> parted("O'Neal:61.6→U.S.")
    "O'Neal : 61.6 → U.S ."
    """

    def apart(one: re.Match[str]) -> str:
        # Marks belong to the letter before them, and what nobody sees parts nothing.
        return (
            one[0]
            if one["parts"] is None
            or unicodedata.category(one[0] or " ") in ("Mn", "Mc", "Me", "Cc", "Cf")
            else f" {one[0]} "
        )

    return _JOINT.sub(apart, text)


def unescaped(text: str) -> str:
    r"""The text with signs for their entities, and without what escapes them or sets them.

    >>> unescaped(r"J\. \boxed{920{,}000} &amp; caf\u00e9")
    'J. {920,000} & café'
    """
    # No character has so many digits, and Python reads no number of over 4,300.
    return _ESCAPES.sub(
        lambda one: chr(int(one[1], 16)) if one[1] else "", unescape(re.sub(r"&#\d{8,}", " ", text))
    )


def spelled(text: str) -> str:
    """The words of a text as typed tokens are compared, with a blank between."""
    return " ".join(token.raw or token.text for token in _scan(fold_text(text), spellings("en")))


def _scan(text: str, spelling: Spellings) -> list[Token]:
    if not text.isascii():
        text = _CHARACTER.sub(r" \g<0> ", _EAST_DATE.sub(_in_order, text))
    if spelling.comma:
        text = _POINTED_DATE.sub(lambda date: f"{date[3]}-{date[2]:0>2}-{date[1]:0>2}", text)
        text = _COMMA_NUMBER.sub(
            lambda number: re.sub("[. ']", "", number[1]) + (number[2] or "").replace(",", "."),
            text,
        )
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        group = match.lastgroup or ""
        start, end = match.span()
        found = match[0]
        if match["number"] is not None:
            tokens += _number(match)
        elif group == "iso":
            year, month, day = found.split("-")
            # Read as month, day, year, as dates in words are.
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


def _in_order(date: re.Match[str]) -> str:
    """A date of East Asia as month, day and year; a month that stands alone stays."""
    year, month, day = date.groups()
    if not year and not (month and day):
        return date[0]
    return " ".join(
        ["", vocabulary.MONTH_NAMES[int(month)] if month else "", day or "", year or "", ""]
    )


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
    # French and Spanish ordinals too: 1er, 2eme, 3º.
    if attached in ("st", "nd", "rd", "th", "er", "eme", "o"):
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
            joined[-1] = last._replace(text=last.text + token.text, raw="joined", end=token.end)
        else:
            joined.append(token)
    return [
        token._replace(kind="word", raw=token.text) if token.kind == "initial" else token
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
        # "twenty-one" is two words, of one number.
        tens = token.raw in vocabulary.TENS and _near(tokens, at)
        if tens and (digit := vocabulary.DIGITS.get(tokens[at].raw)):
            token = token._replace(raw=f"{token.raw}{_END}{tokens[at].raw}", end=tokens[at].end)
            number += digit
            at += 1
        made.append(token._replace(kind="number", text=str(number)))
    return made


def _units(tokens: list[Token], spelling: Spellings) -> list[Token]:
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
        # A single letter is a magnitude behind an amount of money alone: "$5m", but "5m" are metres.
        letters = vocabulary.MONEY_MAGNITUDES if token.money else {}
        sizes: list[Token] = []
        zeros, gap = 0, 1
        # Several may follow ("3 mil millones"), and one be cut short ("3 Mio. Euro").
        while _near(tokens, at, gap) and tokens[at].kind == "word":
            word = tokens[at].raw
            if not (more := spelling.magnitudes.get(word) or letters.get(word, 0)):
                break
            sizes.append(tokens[at]._replace(text=""))
            zeros, gap, at = zeros + more, 2, at + 1
        if sizes:
            shifted = canonical_number(token.text.lstrip("-"), token.text.startswith("-"), zeros)
            token = token._replace(text=shifted, raw=token.raw or token.text)
        made += [token, *sizes]
        if token.money:
            made.append(Token("other", token.money))
            continue
        unit, length = _unit(tokens, at, spelling) if _near(tokens, at, gap) else (None, 0)
        if unit is not None:
            made.append(unit)
            at += length
    return made


def _near(tokens: list[Token], at: int, most: int = 1) -> bool:
    """Whether a token follows the one before it with at most ``most`` characters between them."""
    return at < len(tokens) and tokens[at].start - tokens[at - 1].end <= most


def _unit(tokens: list[Token], at: int, spelling: Spellings) -> tuple[Token | None, int]:
    """The unit that starts here, in its one spelling, and the number of its tokens."""
    for length in (4, 3, 2, 1):
        words = [token.raw or token.text for token in tokens[at : at + length]]
        if len(words) == length and (unit := spelling.units.get(" ".join(words))):
            return Token("other", unit, " ".join(words) if length == 1 else unit), length
    return None, 0


def _dates(tokens: list[Token], spelling: Spellings) -> list[Token]:
    """Puts the day behind its month, as a number, and the month in its long form."""
    if all(token.raw not in spelling.months for token in tokens):
        return tokens
    gap = 2 if spelling.comma else 1  # "3. Mai"
    made: list[Token] = []
    at = 0
    while at < len(tokens):
        # "14 July", "14th of July", "14 de mai"; then "July 14"; then "July 1999" without a day.
        of = at + 1 < len(tokens) and tokens[at + 1].text in _OF
        month = _month(tokens, at + 2 if of else at + 1, spelling)
        day = _day(tokens, at)
        if day and month and _near(tokens, at + 1, gap) and (of or _day(tokens, at + 2) is None):
            made += [month, tokens[at]._replace(kind="number", text=day, raw="")]
            at += 3 if of else 2
            # "3 de mayo de 1931"
            if of and at + 1 < len(tokens) and tokens[at].text in _OF and _is_year(tokens[at + 1]):
                at += 1
            continue
        month, day = _month(tokens, at, spelling), _day(tokens, at + 1)
        if month and day and _near(tokens, at + 1, 2):
            made += [month, tokens[at + 1]._replace(kind="number", text=day, raw="")]
            at += 2
            continue
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        # A month before a year is one; alone it may be a name ("March", "May").
        made.append(month if month and after and _is_year(after) else tokens[at])
        at += 1
    return made


_OF = frozenset(("of", "de", "del", "d"))


def _is_year(token: Token) -> bool:
    return token.kind == "number" and len(token.text) == 4


def _month(tokens: list[Token], at: int, spelling: Spellings) -> Token | None:
    """The month at this place, in its long form, or None."""
    if not at < len(tokens) or tokens[at].kind != "word":
        return None
    name = spelling.months.get(tokens[at].raw)
    return tokens[at]._replace(text=name) if name else None


def _day(tokens: list[Token], at: int) -> str | None:
    """The day of a month at this place, without leading zeros, or None."""
    if not at < len(tokens) or tokens[at].kind not in ("number", "ordinal"):
        return None
    day = tokens[at].text.removesuffix("th")
    return day if day.isdecimal() and len(day) <= 2 and 1 <= int(day) <= 31 else None
