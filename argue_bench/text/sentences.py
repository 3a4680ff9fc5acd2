"""Sentences of a text, by rules of our own, so that a score does not change with a library.

1. A blank line, a line break and a list item end a unit; a line that goes on in lower case does not
   begin a new one.
2. Inside a unit ``. ! ? …`` end a sentence where white space follows and then no lower-case letter,
   unless the full stop belongs to an abbreviation (`abbreviations`), an initial or the number of a
   list item.
3. Closing quotes, brackets, tags and citation marks after the full stop stay with the sentence that
   they close: ``It was built in 1931. [1] It stands.`` cites [1] for the first.

Nothing is lost: the sentences are slices of the text, and only white space lies between them. Every
step looks at a bounded stretch around a full stop, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from argue_bench.text.abbreviations import Abbreviations, abbreviations, rules_for
from argue_bench.text.citations import EMPTY_INDEX, Mark, find_marks

VERSION = "argue-bench-1"
MARK = "\ufdd0"
"""A noncharacter in place of each character of a citation mark while sentences are found."""

_TERMINATOR = re.compile(r"[.!?…‽؟۔।]+|[。！？]+")
_BLANKS = re.compile(r"\s*")
_CLOSE = re.compile(
    rf"(?:[)\]}}\"'»”’›*_`{MARK}]|[ \xa0\u202f][»›]|</[A-Za-z][A-Za-z0-9]{{0,20}}>|<br ?/?>)*+",
    re.IGNORECASE,
)
"""Quotes, brackets, tags and marks that close a sentence right behind its full stop."""
_TAIL = re.compile(rf"(?:\s*+{MARK}[{MARK})\]}}]*+)*+")
"""Marks that follow after blanks, and brackets that close behind them."""
_OPEN = re.compile(rf"[(\[{{\"'«“‘„‹*_`¿¡\-–—\s{MARK}]*")
"""Quotes, brackets, dashes and marks that open a sentence."""
_ITEM = re.compile(
    r"[ \t]*(?:[-*+•‣◦·▪–—]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)]|\(?[ivxIVX]{1,5}[.)]|#{1,6}|\||>)(?=\s|$)"
)
_NUMBER_ONLY = re.compile(r"\W*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})")
_LISTED = re.compile(r"[:;][ \t\xa0]+\(?\d{1,3}")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.-?)+[^\W\d_]{1,2}")
_ROMAN_OR_DIGIT = re.compile(r"\d|[IVXLC]+\b")
_WORD = re.compile(r"[^\W\d_]+")
_NOT_ENDING = frozenset({"Yahoo!", "Jeopardy!", "Wham!"})
_LOOK_BACK = 40


def splitter() -> str:
    """The name of the splitting rules in signatures."""
    return VERSION


def sentences(text: str, language: str = "en") -> list[str]:
    """The sentences of a text, with the citation marks that are theirs."""
    return [text[start:end] for start, end in spans(text, find_marks(text, EMPTY_INDEX), language)]


def spans(text: str, marks: Sequence[Mark] = (), language: str = "en") -> list[tuple[int, int]]:
    """Start and end of each sentence in characters, without the white space around it.

    ``marks``, in order, are ignored as if they were not there.
    """
    masked = _mask(text, marks)
    rules = abbreviations(rules_for(language))
    uncased = not any(map(str.isupper, text))
    found: list[tuple[int, int]] = []
    for start, end in _units(masked, uncased):
        for first, last in _split_unit(masked, start, end, rules, uncased):
            piece = text[first:last]
            bare = piece.strip()
            at = first + len(piece) - len(piece.lstrip())
            if bare:
                found.append((at, at + len(bare)))
    return found


def _mask(text: str, marks: Sequence[Mark]) -> str:
    pieces, at = [], 0
    for mark in marks:
        pieces += [text[at : mark.start], MARK * (mark.end - mark.start)]
        at = mark.end
    return "".join([*pieces, text[at:]])


def _units(text: str, uncased: bool) -> Iterator[tuple[int, int]]:
    """Stretches that no sentence crosses: paragraphs, list items, lines.

    In a text without capitals a small letter says nothing, and every line is one.
    """
    start, at, open_end = 0, 0, False
    for line in text.splitlines(keepends=True):
        bare = line.lstrip(" \t\xa0*_\"'«“(" + MARK)
        goes_on = open_end and not uncased and bare[:1].islower() and not _ITEM.match(line)
        if not goes_on and at > start:
            yield start, at
            start = at
        at += len(line)
        closing = line.rstrip().rstrip(MARK + " ")
        open_end = bool(closing) and not closing.endswith((".", "!", "?", ":", "…", "|"))
    if at > start:
        yield start, at


def _split_unit(
    text: str, start: int, end: int, rules: Abbreviations, uncased: bool
) -> Iterator[tuple[int, int]]:
    item = _ITEM.match(text, start, end)
    position = item.end() if item else start
    while terminator := _TERMINATOR.search(text, position, end):
        position = terminator.end()
        cut = _cut(text, start, end, terminator, rules, uncased)
        if cut is not None:
            yield start, cut
            start = cut
            position = max(position, cut)
    yield start, end


def _cut(
    text: str, start: int, end: int, terminator: re.Match[str], rules: Abbreviations, uncased: bool
) -> int | None:
    """The end of the sentence that this punctuation may end; None where the sentence goes on."""
    stop, at = terminator.group(), terminator.end()
    close = _end(_CLOSE, text, at, end)
    tail = _end(_TAIL, text, close, end)
    marked = tail > close or MARK in text[at:close]
    following = _end(_BLANKS, text, tail, end)
    if following == end:
        return None
    ideographic = stop[0] in "。！？"
    separated = following > tail or ideographic or marked or text[at:tail].endswith(">")
    if not separated:  # 3.5, example.org, wait...what
        return None
    word = _end(_OPEN, text, following, min(end, following + _LOOK_BACK))
    if word == end:
        return tail
    previous = text[terminator.start() - 1 : terminator.start()]
    if text[word] in ".,;:!?…)]}»%" or previous in ("(", "["):  # (?) [...]
        return None
    before = _word_before(text, start, terminator.start())
    single = stop == "."
    mixed_case = any(map(str.isupper, text[word + 1 : word + 3]))  # iPhone, eBay
    if text[word].islower() and not ideographic and not mixed_case:
        if single and _belongs_to_word(text, start, terminator.start(), before, word, rules):
            return None
        if marked and tail > close and single and before:
            return close  # "It was built. [2] says not.": the mark is a subject, not a citation
        # In a text without capitals a small letter may begin a sentence.
        return tail if uncased and single and before else None
    if single and _belongs_to_word(text, start, terminator.start(), before, word, rules, marked):
        return None
    if before + stop in _NOT_ENDING:
        return None
    return tail


def _end(pattern: re.Pattern[str], text: str, at: int, end: int) -> int:
    """The end of the match of a pattern at this place."""
    match = pattern.match(text, at, end)
    return match.end() if match else at


def _word_before(text: str, start: int, stop: int) -> str:
    """The word before the full stop, without the quotes and brackets that open it."""
    stretch = text[max(start, stop - _LOOK_BACK) : stop].replace(MARK, " ")
    if not stretch or stretch[-1].isspace():
        return ""
    word = stretch.split()[-1].lstrip("([{\"'«“‘*_-–—<")
    return re.split("['’/]", word)[-1] or word


def _belongs_to_word(
    text: str,
    start: int,
    stop: int,
    before: str,
    word: int,
    rules: Abbreviations,
    marked: bool = False,
) -> bool:
    """Whether the full stop at ``stop`` belongs to the word before it and ends no sentence."""
    number = _ROMAN_OR_DIGIT.match(text, word) is not None
    if _is_number_of_item(text, start, stop, before):
        return True
    if before in rules.numbered and number:
        return True
    if before in rules.words:
        return False
    if before in rules.titles:
        return True
    if marked:  # a citation follows the ends of sentences, seldom an abbreviation inside one
        return False
    following = _WORD.match(text, word, word + _LOOK_BACK)
    name = following.group() if following else ""
    if len(before) == 1 and before.isalpha():
        if before.islower():  # "p. 5", but "as shown in panel a. The next"
            return text[word].isdigit()
        # "J. Smith" is an initial; "vitamin C. It" and "Plan B. The" are not.
        kind = text[max(start, stop - _LOOK_BACK) : stop - 1].split()[-1:]
        return not (kind and kind[0] in rules.kinds) and name not in rules.after_initial
    if before in rules.others or before in rules.numbered or _DOTTED.fullmatch(before):
        return before.rstrip(".") not in ("etc", "Etc") and name not in rules.starters
    return False


def _is_number_of_item(text: str, start: int, stop: int, before: str) -> bool:
    """Whether this is the full stop of "1." before an item, at the head of a sentence or a list."""
    if len(before) > 5 or stop - start > 200_000:
        return False
    if stop - start <= _LOOK_BACK and _NUMBER_ONLY.fullmatch(text, start, stop):
        return True
    return _LISTED.fullmatch(text, max(start, stop - len(before) - 2), stop) is not None
