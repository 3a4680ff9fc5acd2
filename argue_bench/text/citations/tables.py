"""What the rows of Markdown tables cite in a column of sources, and the numbers that only count rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from argue_bench.text.citations.notations import COUNTED, HEADINGS

_DASHES = re.compile(r":?-+:?")
_LINE, _BAR = re.compile(r"[^\n]+"), re.compile(r"(?<!\\)\|")
_SIGNS = " \t\r>*_`"
SOURCES = re.compile(
    rf"(?:{HEADINGS}|{COUNTED}|evidence|cited(?: in| by)?)(?:\(s\)|\.| ?#| (?:ids?|no\.?|numbers?))?",
    re.IGNORECASE,
)
_COUNT = re.compile(r"(?:#|№|n[or°º]?\.?)?", re.IGNORECASE)
Cell = tuple[int, int]
"""Start and end of the words of a cell in the text."""


def columns(text: str) -> Iterator[tuple[str, list[Cell], list[Cell]]]:
    """Of each column of each table its head, its cells that hold words, and all cells beside it."""
    for head, rows in _tables(text):
        for at, its in enumerate(head):
            # A dash is no word.
            column = [
                row[at]
                for row in rows
                if at < len(row) and any(map(str.isalnum, text[slice(*row[at])]))
            ]
            beside = [one for row in rows for place, one in enumerate(row) if place != at]
            yield text[slice(*its)], column, beside


def counting_cells(text: str) -> Iterator[Cell]:
    """The cells that count the rows of a table: 1, 2, 3 and so on, under "#", "No." or nothing."""
    for head, rows in _tables(text):
        cells = [row[0] for row in rows]
        numbers = [text[start:end].rstrip(".)") for start, end in cells]
        if _COUNT.fullmatch(text, *head[0]) and numbers == [*map(str, range(1, len(cells) + 1))]:
            yield from cells


def _tables(text: str) -> Iterator[tuple[list[Cell], Sequence[list[Cell]]]]:
    """The head and the rows of each table."""
    lines = [one.span() for one in _LINE.finditer(text)] if "|" in text else []
    at = 1
    while at < len(lines):
        rule, head = _cells(text, *lines[at]), _cells(text, *lines[at - 1])
        at += 1
        # The line below the head of a table.
        if head and rule and all(_DASHES.fullmatch(text, *one) for one in rule):
            rows: list[list[Cell]] = []
            while at < len(lines) and (row := _cells(text, *lines[at])):
                rows.append(row)
                at += 1
            yield head, rows


def _cells(text: str, start: int, end: int) -> list[Cell]:
    """The cells of a line; none where no bar stands in it."""
    bars = [one.start() for one in _BAR.finditer(text, start, end)]
    cells: list[Cell] = []
    for left, right in pairwise([start - 1, *bars, end]) if bars else ():
        words = text[left + 1 : right]
        begin = left + 1 + len(words) - len(words.lstrip(_SIGNS))
        cells.append((begin, max(begin, left + 1 + len(words.rstrip(_SIGNS)))))
    # What stands before the first bar and behind the last is no cell, where there is nothing.
    return [one for place, one in enumerate(cells) if one[0] < one[1] or 0 < place < len(cells) - 1]
