"""The words that a citation mark supports: the sentence that holds it, without the marks at its ends.

A report is cut into blocks (paragraphs, list items, headings, quotes, table cells) and those with
marks into sentences. Marks behind a full stop belong to the sentence before it; a link or an
address only if nothing else follows in its block, because it may begin the next sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from argue_bench.text.web.marks import DEAD, PICTURE, WebMark
from argue_bench.text.web.references import TextLine

Span = tuple[int, int]

ABBREVIATIONS = frozenset(
    [
        "al.",
        "e.g.",
        "i.e.",
        "vs.",
        "dr.",
        "mr.",
        "mrs.",
        "ms.",
        "prof.",
        "st.",
        "no.",
        "fig.",
        "eq.",
        "cf.",
        "approx.",
        "ca.",
        "inc.",
        "ltd.",
        "jr.",
        "sr.",
    ]
)
_PREFIX = re.compile(
    r"[ \t]*(?:>[ \t]?)*[ \t]*(?:#{1,6}[ \t]+|(?:[-*+•‣·]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?"
)
_ITEM = re.compile(r"[ \t]*(?:>|#{1,6}[ \t]|(?:[-*+•‣·]|\d{1,3}[.)])[ \t])")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$")
_DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*$")
_STOP = re.compile(r"[.!?…]+|[。！？]+")
_CLOSERS = "\"'”’»)]*_」』）"
_LONGEST_WORD = 20
_INITIAL = re.compile(r"[^\W\d_]\.")
_ITEM_NUMBER = re.compile(r"\(?\d{1,3}\.")
_BAR = re.compile(r"(?<!\\)\||$")
_HIDDEN = DEAD + PICTURE
_TRIM_START = " \t\r\n\xa0,;，；" + PICTURE
_TRIM_END = _TRIM_START + ".!?。！？…:："
_ALPHANUMERIC = re.compile(r"[^\W_]")
_NEAR = 20
"""How many blocks or sentences around a mark without words are searched for its statement."""
_WORDS_STAY = ("link", "reference_link")


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A stretch that no sentence leaves; ``row`` counts the table rows, None outside of tables."""

    start: int
    end: int
    row: int | None = None


class _Words(NamedTuple):
    """The sentences of a block: their ends, their words, and for each the nearest words up to it."""

    ends: list[int]
    words: list[Span | None]
    up_to: list[Span | None]


def with_statements(
    text: str, lines: Sequence[TextLine], marks: Sequence[WebMark]
) -> list[WebMark]:
    """The marks, in order, each with the statement that it supports.

    ``text`` has fillers in its dead zones; ``lines`` are those outside of reference lists.
    """
    return _Statements(text, _blocks(lines), marks).all()


class _Statements:
    """Looks statements up; each block is cut into sentences once, when a mark needs it."""

    def __init__(self, text: str, blocks: list[TextBlock], marks: Sequence[WebMark]) -> None:
        self._text, self._blocks = text, blocks
        starts = [block.start for block in blocks]
        self._marks: dict[int, list[WebMark]] = {}
        for mark in marks:
            at = max(0, bisect_right(starts, mark.start) - 1)
            self._marks.setdefault(at, []).append(mark)
        self._read: dict[int, _Words] = {}

    def all(self) -> list[WebMark]:
        found = []
        for at, own in self._marks.items():
            for mark in own:
                span = self._statement(at, mark) if self._blocks else None
                found.append(
                    WebMark(
                        mark.start, mark.end, mark.kind, mark.ids, mark.urls, mark.locator, span
                    )
                )
        return found

    def _statement(self, at: int, mark: WebMark) -> Span | None:
        """The words of the mark's own sentence, else of its table row, of one before, of one after."""
        own = self._words(at)
        number = min(bisect_left(own.ends, mark.end), len(own.ends) - 1)
        if own.ends and (span := own.words[number]):
            return span
        if self._blocks[at].row is not None:
            return self._row(at)
        before = [own.up_to[number]] if own.ends else []
        near = range(at - 1, max(-1, at - 1 - _NEAR), -1)
        before += [words.up_to[-1] for words in map(self._words, near) if words.ends]
        after = [span for span in own.words[number + 1 : number + 1 + _NEAR] if span]
        if span := next(filter(None, (*before, *after)), None):
            return span
        later = map(self._words, range(at + 1, min(at + 1 + _NEAR, len(self._blocks))))
        return next((span for words in later for span in words.words if span), None)

    def _words(self, at: int) -> _Words:
        if at not in self._read:
            own = self._marks.get(at, [])
            sentences = _sentences(self._text, self._blocks[at], own)
            bare = [one for one in own if one.kind not in _WORDS_STAY and one.end > one.start]
            ends = {mark.start: mark.end for mark in bare}
            starts = {mark.end: mark.start for mark in bare}
            words = [_trim(self._text, span, ends, starts) for span in sentences]
            up_to: list[Span | None] = []
            for span in words:
                up_to.append(span or (up_to[-1] if up_to else None))
            self._read[at] = _Words([end for _, end in sentences], words, up_to)
        return self._read[at]

    def _row(self, at: int) -> Span | None:
        """The first to the last cell of a table row that has words."""
        row, first, last = self._blocks[at].row, at, at
        while first > 0 and self._blocks[first - 1].row == row:
            first -= 1
        while last + 1 < len(self._blocks) and self._blocks[last + 1].row == row:
            last += 1
        cells = [
            words.up_to[-1] for words in map(self._words, range(first, last + 1)) if words.ends
        ]
        filled = [span for span in cells if span]
        return (filled[0][0], filled[-1][1]) if filled else None


def _blocks(lines: Sequence[TextLine]) -> list[TextBlock]:
    blocks: list[TextBlock] = []
    open = False  # whether a line may go on with the last block
    rows = 0
    at_table = _table_lines(lines)
    for index, line in enumerate(lines):
        if not line.text.strip(" \t\r" + _HIDDEN) or _RULE.match(line.text):
            open = False
        elif index in at_table:
            open = False
            rows += 1
            blocks += _cells(line, rows)
        elif open and not _ITEM.match(line.text) and line.start == blocks[-1].end + 1:
            blocks[-1] = TextBlock(blocks[-1].start, line.end)
        else:
            prefix = _PREFIX.match(line.text)
            blocks.append(TextBlock(line.start + (prefix.end() if prefix else 0), line.end))
            open = _HEADING.match(line.text) is None
    return blocks


def _table_lines(lines: Sequence[TextLine]) -> set[int]:
    found: set[int] = set()
    for index, line in enumerate(lines):
        if line.text.lstrip().startswith("|"):
            found.add(index)
        elif "|" in line.text and _DELIMITER.match(line.text):
            found.update((index - 1, index))
            below = index + 1
            while below < len(lines) and "|" in lines[below].text:
                found.add(below)
                below += 1
    return found


def _cells(line: TextLine, row: int) -> list[TextBlock]:
    if _DELIMITER.match(line.text):
        return []
    cells, at = [], 0
    for bar in _BAR.finditer(line.text):
        piece = line.text[at : bar.start()]
        if piece.strip():
            cells.append(TextBlock(line.start + at, line.start + bar.start(), row))
        at = bar.end()
    return cells


def _sentences(text: str, block: TextBlock, marks: Sequence[WebMark]) -> list[Span]:
    """The sentences of a block; ``marks`` are those that lie in it, in order."""
    found: list[Span] = []
    start, position, next_mark = block.start, block.start, 0
    while stop := _STOP.search(text, position, block.end):
        while next_mark < len(marks) and marks[next_mark].end <= stop.start():
            next_mark += 1
        if next_mark < len(marks) and marks[next_mark].start <= stop.start():
            position = marks[next_mark].end
            continue
        end = stop.end()
        while end < block.end and text[end] in _CLOSERS and not _starts_mark(marks, next_mark, end):
            end += 1
        position = end
        behind, used = _marks_behind(text, block, marks, next_mark, end)
        if _ends_sentence(text, start, stop, end, block.end, behind):
            found.append((start, behind))
            start = position = behind
            next_mark += used
    if text[start : block.end].strip():
        found.append((start, block.end))
    return found


def _starts_mark(marks: Sequence[WebMark], next_mark: int, at: int) -> bool:
    return next_mark < len(marks) and marks[next_mark].start == at


def _marks_behind(
    text: str, block: TextBlock, marks: Sequence[WebMark], next_mark: int, end: int
) -> tuple[int, int]:
    """The end of the marks that follow a full stop, and how many they are."""
    at, used, last = end, 0, end
    while next_mark + used < len(marks):
        mark = marks[next_mark + used]
        if text[at : mark.start].strip(" \t\r\n\xa0,;，；"):
            break
        at = mark.end
        used += 1
        enclosed = text.startswith(("(", "（", "<"), mark.start)
        if mark.kind not in _WORDS_STAY and not (mark.kind == "url" and not enclosed):
            last = at
            settled = used
    if at > last:
        rest = text[at : block.end].strip(" \t\r\n\xa0.,;:。" + _HIDDEN)
        if not rest:
            return at, used
    return last, (settled if last > end else 0)


def _ends_sentence(
    text: str, start: int, stop: re.Match[str], end: int, block_end: int, behind: int
) -> bool:
    if not text[behind:block_end].strip():
        return True
    ideographic = stop.group()[0] in "。！？"
    if stop.group() == ".":
        last = text[max(start, stop.end() - _LONGEST_WORD) : stop.end()].split()[-1]
        word = last.lstrip("([\"'“‘*_").casefold()
        if word in ABBREVIATIONS or _INITIAL.fullmatch(word):
            return False
        if start + len(last) == stop.end() and _ITEM_NUMBER.fullmatch(word):
            return False
    if behind > end or ideographic:
        return True
    if not text[end].isspace():
        return False
    following = text[end:block_end].lstrip()
    first = following.lstrip("*_" + _HIDDEN)[:1]
    return bool(first) and (
        first.isupper()
        or first.isdigit()
        or first in "([{\"'“‘«（【「『<"
        or (first.isalpha() and first.lower() == first.upper())  # a letter without case: CJK
        or following[0] in _HIDDEN
    )


def _trim(text: str, span: Span, ends: Mapping[int, int], starts: Mapping[int, int]) -> Span | None:
    """The sentence without white space, punctuation and marks at its ends; None without words.

    ``ends`` gives the end of the mark that starts at a place, ``starts`` the start of one that ends there.
    """
    start, end = span
    while start < end:
        if ends.get(start, end + 1) <= end:
            start = ends[start]
        elif text[start] in _TRIM_START:
            start += 1
        else:
            break
    while end > start:
        if starts.get(end, -1) >= start:
            end = starts[end]
        elif text[end - 1] in _TRIM_END:
            end -= 1
        else:
            break
    return (start, end) if _ALPHANUMERIC.search(text, start, end) else None
