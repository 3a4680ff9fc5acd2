"""Where does a sentence end? Rules of our own, so that a score does not move with a library.

1. A blank line, a line break and a list item end a unit; a line that goes on in lower case does not
   begin a new one.
2. Inside a unit ``. ! ? …`` end a sentence where white space follows and then no lower-case letter,
   unless the word before the full stop carries it itself (`abbreviations`), is an initial, or is
   the number of a list item.
3. Closing quotes, brackets, tags and citation marks after the full stop stay with the sentence that
   they close: ``It was built in 1931. [1] It stands.`` cites [1] for the first.

Nothing is lost: the sentences are slices of the text, and only white space lies between them. Every
step looks at a bounded stretch around a full stop, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from argue_bench.text.abbreviations import Abbreviations, abbreviations
from argue_bench.text.citations import EMPTY_INDEX, Mark, find_marks
from argue_bench.text.pipelines import rules_for

VERSION = "argue-bench-1"
MARK = "\ufdd0"
"""A noncharacter that stands for each character of a citation mark while sentences are sought."""

_TERMINATOR = re.compile(r"[.!?…‽؟۔।]+|[。！？]+")
_CLOSERS = frozenset(")]}\"'»”’›*_`")
_OPENERS = frozenset("([{\"'«“‘„‹*_`¿¡")
_CLOSING_TAG = re.compile(r"</[A-Za-z][A-Za-z0-9]{0,20}>|<br ?/?>", re.I)
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
    """The rules that split sentences, as they stand in signatures. spaCy has no part in them."""
    return VERSION


def sentences(text: str, language: str = "en") -> list[str]:
    """The sentences of a text, with the citation marks that are theirs."""
    return [text[start:end] for start, end in spans(text, find_marks(text, EMPTY_INDEX), language)]


def spans(text: str, marks: Sequence[Mark] = (), language: str = "en") -> list[tuple[int, int]]:
    """Where each sentence starts and ends, without the white space around it.

    ``marks``, in order, are looked through as if they were not there.
    """
    masked = _mask(text, marks)
    rules = abbreviations(rules_for(language))
    uncased = not any(map(str.isupper, text))
    found: list[tuple[int, int]] = []
    for start, end in _units(masked, uncased):
        for first, last in _split_unit(masked, start, end, rules, uncased):
            found.extend(_stripped(text, first, last))
    return found


def _mask(text: str, marks: Sequence[Mark]) -> str:
    pieces, at = [], 0
    for mark in marks:
        pieces += [text[at : mark.start], MARK * (mark.end - mark.start)]
        at = mark.end
    return "".join([*pieces, text[at:]])


def _stripped(text: str, start: int, end: int) -> list[tuple[int, int]]:
    piece = text[start:end]
    bare = piece.strip()
    if not bare:
        return []
    start += len(piece) - len(piece.lstrip())
    return [(start, start + len(bare))]


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
    """Where the sentence that this punctuation may end is over; None where it goes on."""
    stop, at = terminator.group(), terminator.end()
    close = _close(text, at, end)
    tail = _tail(text, close, end)
    marked = tail > close or MARK in text[at:close]
    following = _skip_blanks(text, tail, end)
    if following == end:
        return None
    spaced = following > tail
    ideographic = stop[0] in "。！？"
    if not spaced and not ideographic and not marked and not text[at:tail].endswith(">"):
        return None
    word = _first_letter(text, following, end)
    if word == end:
        return tail
    if text[word] in ".,;:!?…)]}»%" or text[terminator.start() - 1 : terminator.start()] in (
        "(",
        "[",
    ):
        return None
    before = _word_before(text, start, terminator.start())
    single = stop == "."
    if text[word].islower() and not ideographic and not _mixed(text, word):
        if single and _carries(text, start, terminator.start(), before, word, rules):
            return None
        if marked and tail > close and single and before:
            return close  # "It was built. [2] says not.": the mark is a subject
        return tail if uncased and single and before else None
    if single and _carries(text, start, terminator.start(), before, word, rules, marked):
        return None
    if before + stop in _NOT_ENDING:
        return None
    return tail


def _close(text: str, at: int, end: int) -> int:
    """Behind the quotes, brackets, tags and marks that stand right at the full stop."""
    while at < end:
        if text[at] in _CLOSERS or text[at] == MARK:
            at += 1
        elif text[at] in " \xa0\u202f" and text[at + 1 : at + 2] in ("»", "›") and at + 1 < end:
            at += 2
        elif text[at] == "<" and (tag := _CLOSING_TAG.match(text, at, end)):
            at = tag.end()
        else:
            break
    return at


def _tail(text: str, at: int, end: int) -> int:
    """Behind the marks that follow after blanks, and what closes behind them."""
    while True:
        after = _skip_blanks(text, at, end)
        if after == end or text[after] != MARK:
            return at
        at = after
        while at < end and (text[at] == MARK or text[at] in ")]}"):
            at += 1


def _skip_blanks(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _first_letter(text: str, at: int, end: int) -> int:
    """Behind what opens a sentence: quotes, brackets, dashes, marks."""
    limit = min(end, at + _LOOK_BACK)
    while at < limit and (
        text[at] in _OPENERS or text[at] in "-–—" or text[at].isspace() or text[at] == MARK
    ):
        at += 1
    return min(at, end)


def _word_before(text: str, start: int, stop: int) -> str:
    """What stands before the full stop, up to a blank, without what opens it."""
    stretch = text[max(start, stop - _LOOK_BACK) : stop].replace(MARK, " ")
    if not stretch or stretch[-1].isspace():
        return ""
    word = stretch.split()[-1].lstrip("([{\"'«“‘*_-–—<")
    return re.split("['’/]", word)[-1] or word


def _mixed(text: str, at: int) -> bool:
    """Whether a word begins small and has a capital soon: iPhone, eBay."""
    return text[at + 1 : at + 2].isupper() or text[at + 2 : at + 3].isupper()


def _carries(
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
    if marked:
        return False
    following = _WORD.match(text, word, word + _LOOK_BACK)
    name = following.group() if following else ""
    if len(before) == 1 and before.isalpha():
        if before.islower():
            return text[word].isdigit()
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
