"""Numbers, dates and measures in a sentence, and whether two of them agree.

A value is read with its scale and unit: '12 million', '1.2 km', 'vingt et un', '3 %', '9 and 10
November 2021'. Units of one dimension are converted; a bare number agrees with any unit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from argue_bench.judges.lexical import cues
from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical import vocabulary as words

_NUMBER = r"\d{1,3}(?:[,' ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
_TOKEN = re.compile(rf"({_NUMBER})|([^\W\d_]+\d?)|([%$€£°])|(\S)")
_MONTH = "|".join(sorted((name for name in words.MONTHS if name != "-"), key=len, reverse=True))
_DATE = re.compile(
    rf"\b(?:(?P<first>\d{{1,2}})(?:st|nd|rd|th|er)? ?(?:and|et|to|au|-|–) ?)?(?:le )?"
    rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|er)? (?:of )?(?P<month>{_MONTH})\b\.?(?:,? (?P<year>\d{{4}})\b)?"
    rf"|\b(?P<month2>{_MONTH})\b\.? (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?![.,]?\d)(?:,? (?P<year2>\d{{4}})\b)?"
    rf"|\b(?P<month3>{_MONTH})\b,? (?:of |de )?(?P<year3>\d{{4}})\b"
    r"|\b(?P<iso>\d{4}-\d\d-\d\d)\b"
)
_CLOCK = re.compile(r"\b(\d{1,2}) ?(?::|h) ?([0-5]\d)\b")
_LASTED = re.compile(
    r"\b(\d+) ?(?:minutes?|min|mn) ?(?:et |and )?(\d{1,2})(?: ?(?:seconde?s?|s|sec))?\b(?![.,]?\d)"
)
_FIRST_YEAR, _LAST_YEAR = 1000, 2100


@dataclass(frozen=True, slots=True)
class Value:
    """A number, measure, date or time of day. ``old``: the text says that it no longer holds."""

    kind: str
    amount: float = 0.0
    scale: float = 1.0
    """What the amount was multiplied with: 1e6 in '58 million'."""
    unit: str = ""
    factor: float = 1.0
    """From its unit to the base of its dimension."""
    date: tuple[int, int, int] = (0, 0, 0)
    """Year, month, day; 0 where not given."""
    hedged: bool = False
    old: bool = False
    weak: bool = False
    """'one', 'un': as often an article or pronoun as a number."""


def agree(wanted: Value, found: Value) -> bool:
    """Whether the value found states the value wanted."""
    if wanted.kind == "date" and found.kind == "date":
        # The parts that both give are the same, and they share one at least.
        shared = [
            (one, other)
            for one, other in zip(wanted.date, found.date, strict=True)
            if one and other
        ]
        if not shared or any(one != other for one, other in shared):
            return False
        # A day is not stated by its month or year.
        return not wanted.date[2] or bool(found.date[2])
    if wanted.kind == "number" and found.kind == "date":
        wanted, found = found, wanted
    if wanted.kind == "date" and found.kind == "number":
        # '1260' looks like a year, '1,260' does not.
        return wanted.date == (found.amount, 0, 0)
    if wanted.kind != found.kind:
        return False
    if wanted.unit and found.unit:
        if wanted.unit != found.unit:
            return False
        one, other = wanted.amount * wanted.factor, found.amount * found.factor
    else:
        one, other = wanted.amount, found.amount
    if abs(one - other) <= 1e-9 * max(abs(one), abs(other)):
        return True
    # 'About 1,300' is said by 1,290; 1,290 is not said by 'about 1,300'.
    return wanted.hedged and not found.hedged and _rounds_to(other, one)


def _rounds_to(exact: float, rough: float) -> bool:
    if not rough or abs(exact - rough) > at.HEDGED * abs(rough):
        return False
    digits = len(f"{rough:.6g}".replace(".", "").strip("0").split("e")[0]) or 1
    return float(f"{exact:.{digits - 1}e}") == rough or float(f"{exact:.0e}") == rough


def keys(values: tuple[Value, ...]) -> frozenset[str]:
    """Texts that values which agree share, mostly: to find likely places fast."""
    found: set[str] = set()
    for value in values:
        if value.kind == "date":
            found.update(
                f"{name}{part}" for name, part in zip("ymd", value.date, strict=True) if part
            )
        else:
            found.update((f"{value.amount:.9g}", f"{value.amount * value.factor:.9g}{value.unit}"))
    return frozenset(found)


def telling(value: Value) -> bool:
    """Whether it is hardly met by chance: no small bare number, no bare year."""
    if value.kind == "date":
        return bool(value.date[2] or (value.date[1] and value.date[0]))
    return bool(value.unit or value.kind != "number" or value.amount >= 100 or value.amount % 1)


def read_values(folded: str, french: bool) -> tuple[tuple[Value, ...], str]:
    """The values of a folded sentence, and the sentence with blanks in their place."""
    values: list[Value] = []
    if not _MAY.search(folded):
        return (), folded
    rest = _take_dates(folded, values)
    rest = _take_times(rest, values)
    tokens = list(_TOKEN.finditer(rest))
    chars = list(rest)
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if not token[1] and token[0] not in _SPELLED:
            position += 1
            continue
        value, after = _read(tokens, position, french)
        if value is None:
            position += 1
            continue
        begin = tokens[position].start()
        end = tokens[after - 1].end()
        value = _range(value, tokens, after, french)
        values.append(_judged(value, rest, begin, end))
        chars[begin:end] = " " * (end - begin)
        position = after
    return tuple(dict.fromkeys(values))[: at.MOST_VALUES], "".join(chars)


def _take_dates(text: str, values: list[Value]) -> str:
    def take(match: re.Match[str]) -> str:
        if match["iso"]:
            year, month, day = (int(part) for part in match["iso"].split("-"))
        else:
            year = int(match["year"] or match["year2"] or match["year3"] or 0)
            month = words.MONTHS[match["month"] or match["month2"] or match["month3"]]
            day = int(match["day"] or match["day2"] or 0)
            if match["first"]:
                values.append(Value("date", date=(year, month, int(match["first"]))))
        values.append(_judged(Value("date", date=(year, month, day)), text, *match.span()))
        return " " * len(match[0])

    return _DATE.sub(take, text) if _HAS_MONTH.search(text) or "-" in text else text


def _take_times(text: str, values: list[Value]) -> str:
    for pattern, kind, unit in ((_LASTED, "number", "time"), (_CLOCK, "clock", "")):
        for match in pattern.finditer(text):
            values.append(Value(kind, int(match[1]) * 60.0 + int(match[2]), unit=unit))
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return text


def _read(tokens: list[re.Match[str]], start: int, french: bool) -> tuple[Value | None, int]:
    """The number that starts at a token, with its scale and unit, and where it ends."""
    token = tokens[start]
    position = start + 1
    grouped = weak = False
    if token[1]:
        amount, grouped = _digits(token[1], french)
    else:
        spelled = _spelled(tokens, start)
        if spelled is None:
            return None, start
        amount, position = spelled
        weak = position == start + 1 and token[0] in ("one", "un", "une")
    digits = bool(token[1])
    total = 1.0
    amount, position = _half(amount, tokens, position)
    while position < len(tokens):
        word = tokens[position][0]
        scale = words.SCALES.get(word)
        if (
            scale is None
            or (word in ("m", "k") and not digits)
            or word in ("hundred", "cent", "cents")
        ):
            break
        if word == "m" and not _money(tokens, start, position):
            break
        amount, total, position = amount * scale, total * scale, position + 1
        amount, position = _half(amount, tokens, position, total)
    unit, factor = "", 1.0
    if start and tokens[start - 1][0] in ("$", "€", "£"):
        unit = words.MEASURES[tokens[start - 1][0]][0]
    else:
        unit, factor, position = _unit(tokens, position, digits)
    hedged = any(t[0] in words.HEDGES for t in tokens[max(0, start - 2) : start])
    if (
        digits
        and not (grouped or unit or hedged or total != 1)
        and len(token[1]) == 4
        and _FIRST_YEAR <= amount <= _LAST_YEAR
    ):
        return Value("date", date=(int(amount), 0, 0)), position
    weak = weak and not unit and total == 1
    return Value("number", amount, total, unit, factor, hedged=hedged, weak=weak), position


def _digits(text: str, french: bool) -> tuple[float, bool]:
    """A number in digits, and whether its thousands were set apart."""
    bare = text.replace("'", "").replace(" ", "")
    if french:
        bare = bare.replace(",", ".")
    elif re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", bare):
        bare = bare.replace(",", "")
    else:
        bare = bare.replace(",", ".")
    return float(bare if bare.count(".") < 2 else bare.replace(".", "")), len(bare) != len(text)


def _spelled(tokens: list[re.Match[str]], start: int) -> tuple[float, int] | None:
    """A number in words, English or French, and where it ends."""
    total = current = 0.0
    position, seen = start, False
    while position < len(tokens):
        word = tokens[position][0]
        if (value := _small(word)) is not None:
            if seen and current % 10 and value < 10 and current % 100 < 20:
                break
            if (word == "vingt" and current % 100 == 4) or word == "vingts":
                current += 76  # quatre-vingt
            else:
                current += value
            seen = True
        elif word in ("hundred", "cent", "cents") and (seen or word == "cent"):
            current = max(current, 1) * 100
            seen = True
        elif word in ("thousand", "mille") and (seen or word == "mille"):
            total, current, seen = total + max(current, 1) * 1000, 0.0, True
        elif word in ("dozen", "douzaine") and not seen:
            current, seen = 12, True
        elif word in ("and", "et", "-") and seen and position + 1 < len(tokens):
            joins = word == "-" or current >= 20 or total > 0
            if (
                not joins
                or _small(tokens[position + 1][0]) is None
                or (word != "-" and current % 100 and current % 10)
                or (word == "and" and current and current % 100)
            ):
                break
        else:
            break
        position += 1
    while position > start and tokens[position - 1][0] in ("and", "et", "-"):
        position -= 1
    return (total + current, position) if seen else None


def _half(
    amount: float, tokens: list[re.Match[str]], position: int, scale: float = 1.0
) -> tuple[float, int]:
    """'two and a half million', 'soixante et un millions et demi'."""
    following = [token[0] for token in tokens[position : position + 3]]
    for half in (["and", "a", "half"], ["et", "demi"], ["et", "demie"]):
        if following[: len(half)] == half:
            return amount + scale / 2, position + len(half)
    return amount, position


def _small(word: str) -> float | None:
    return 80.0 if word == "vingts" else words.NUMBERS.get(word)


def _money(tokens: list[re.Match[str]], start: int, position: int) -> bool:
    """Whether 'm' after a number means million: a currency is before or after."""
    before = tokens[start - 1][0] if start else ""
    after = tokens[position + 1][0] if position + 1 < len(tokens) else ""
    return before in ("$", "€", "£") or after in ("$", "€", "£")


def _unit(tokens: list[re.Match[str]], position: int, digits: bool) -> tuple[str, float, int]:
    at_word = position
    while (
        at_word < len(tokens)
        and at_word < position + 2
        and tokens[at_word][0] in ("de", "d", "'", "of", "-")
    ):
        at_word += 1
    if at_word < len(tokens):
        word = tokens[at_word][0]
        following = tokens[at_word + 1][0] if at_word + 1 < len(tokens) else ""
        if word in ("per", "pour") and following in ("cent", "hundred"):
            return "percent", 1.0, at_word + 2
        if word in words.MEASURES and (digits or word not in words.SHORT_UNITS):
            unit, factor = words.MEASURES[word]
            return unit, factor, at_word + 1
    return "", 1.0, position


def _judged(value: Value, text: str, begin: int, end: int) -> Value:
    """The value, marked old where the words around say so."""
    before = _flat(text[max(0, begin - 60) : begin])
    after = _flat(text[end : end + 60])
    old = bool(cues.OLD_BEFORE.search(before)) or bool(cues.OLD_AFTER.search(" " + after.lstrip()))
    return replace(value, old=old) if old else value


def _flat(text: str) -> str:
    return re.sub(r"[^\w]+", " ", text)


def _range(one: Value, tokens: list[re.Match[str]], after: int, french: bool) -> Value:
    """'from 58 to 61.5 million crowns': the first takes scale and unit of the second."""
    if one.kind != "number" or one.unit or one.scale != 1 or after + 1 >= len(tokens):
        return one
    if tokens[after][0] not in ("to", "and", "or", "-", "–", "a", "et", "ou"):
        return one
    two, _ = _read(tokens, after + 1, french)
    if two is None or two.kind != "number":
        return one
    return replace(
        one, amount=one.amount * two.scale, scale=two.scale, unit=two.unit, factor=two.factor
    )


_HAS_MONTH = re.compile(rf"\b(?:{_MONTH})\b")
_SPELLED = frozenset((*words.NUMBERS, "vingts", "cent", "mille", "dozen", "douzaine"))
_MAY = re.compile(rf"\d|\b(?:{'|'.join(sorted(_SPELLED))}|{_MONTH})\b")
