"""Reports that cite the web: printed citation marks, reference lists, and what each mark supports.

The marks are those of `argue_bench.text.citations`; here each has the addresses that it or the report's own list
gives, and the words that it supports: its sentence or cell, without the marks at its ends.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from argue_bench.text.citations import CitationIndex, Mark, enclosed, read_marks, settle
from argue_bench.text.citations.references import Reference, identity_key, reference_lists
from argue_bench.text.sentences import spans
from argue_bench.web.addresses import MOST_CHARACTERS

__all__ = ["Reference", "WebMark", "WebReport", "identity_key", "read_web_report", "statements_of"]

Span = tuple[int, int]
Locator = dict[str, "str | list[int]"]
# The index where every page may be a source.
WEB = CitationIndex(addresses={})
_KINDS = {
    **dict.fromkeys(("square", "double", "wide", "escaped", "range"), "number"),
    "dagger": "dagger",
    "note": "footnote",
    "sup": "sup",
    "raised": "superscript",
    "link": "link",
    "url": "url",
}
_WORDS_STAY = ("link", "reference_link")
_DEFINED = re.compile(r"\[[^\[\]\n]*[^\d\s,;\[\]–-][^\[\]\n]*\]\Z")
_LINES = re.compile(r"L(\d{1,7})(?:\s?[-–]\s?L?(\d{1,7}))?")
_BARE_NUMBER = re.compile(
    r"(?<=[^\s\d])[ \t](\d{1,3})(?=[.!?](?:\s|$)|[ \t]*$)"
    r"|(?<=[.!?])[ \t](\d{1,3})(?=[ \t]+[A-ZÀ-Þ\"“(])",
    re.MULTILINE,
)
_PREFIX = re.compile(
    r"(?:[ \t]*(?:>[ \t]?|#{1,6}[ \t]+|(?:[-*+•‣·]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?))*"
)
_IMAGE = re.compile(r"!\[[^\]\n]{0,300}\]?[^\[\]\n]{0,100}\]\([^)\s]{1,4000}\)")
_ROW = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_CELL = re.compile(r"(?:[^|\\\n]|\\.)+")
_OUTER = " \t\r\n\xa0,;，；|"
_BEHIND = _OUTER + ".!?。！？…:："
# How many sentences around a mark without words are searched for its statement.
_NEAR = 20


@dataclass(frozen=True, slots=True)
class WebMark:
    """A printed citation mark.

    ``start`` and ``end`` count characters, end exclusive. ``kind``: number, link, paren_link, numbered_link,
    reference_link, dagger, sup, superscript, url, footnote or bare_number. ``ids`` are the numbers or names
    that it prints, ``urls`` the addresses that it gives or that the reference list gives for its ids.
    ``locator``: lines or a name inside the source. ``statement``: start and end of the words that
    it supports, None in a text without words.
    """

    start: int
    end: int
    kind: str
    ids: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    locator: Locator | None = None
    statement: Span | None = None


class WebReport(NamedTuple):
    """The citations of a report in the order of its text, and the entries of its reference lists."""

    marks: tuple[WebMark, ...]
    references: tuple[Reference, ...]


def read_web_report(
    text: str, bare_numbers: bool = False, entries: Iterable[Reference] | None = None
) -> WebReport:
    """Read every citation mark of a report and resolve it through the report's own reference list.

    An id without an entry keeps no address. ``bare_numbers`` also reads numbers without brackets
    that end a sentence and have an entry. ``entries`` replace the list where a product sends it
    beside the text.
    """
    lists = reference_lists(text)
    if entries is not None:
        lists = lists._replace(entries=tuple(entries))
    known = {entry.id or "": entry for entry in reversed(lists.entries)}
    printed = read_marks(text, WEB, lists)
    each = _with_brackets(text, printed)
    found = [mark for one in each if (mark := _web_mark(text, one, known, lists.defined))]
    if bare_numbers:
        found += _bare_numbers(text, found, known, lists.lines)
        found.sort(key=lambda mark: mark.start)
    return WebReport(tuple(_Statements(text, lists.lines, found).all()), lists.entries)


def statements_of(text: str, places: Iterable[Span]) -> dict[Span, Span | None]:
    """The statement that a mark at each of these places supports, by place."""
    marks = [WebMark(*place, "number") for place in sorted(set(places))]
    found = _Statements(text, reference_lists(text).lines, marks).all()
    return {(one.start, one.end): one.statement for one in found}


def citation_problems(text: str, report: WebReport | None = None) -> list[str]:
    """What is wrong with the citations of a report, a sentence each: marks that are given twice, links that
    lead to no web page, addresses that are too long."""
    first: dict[str, str | None] = {}
    problems = [
        f"the reference list gives [{entry.id[:20]}] twice; the first is read"
        for entry in (report or read_web_report(text)).references
        if entry.id and first.setdefault(entry.id, entry.url) != entry.url
    ]
    for match in islice(_NO_PAGE.finditer(text), MOST_PROBLEMS):
        what = match[1] or match[0]
        why = "is not an address of the web, so it cites nothing"
        if not match[1]:
            why = f"has {len(what):,} characters, too many for an address"
        problems.append(f"{what[:60]!r} {why}")
    return problems


# Problems of one answer that are told.
MOST_PROBLEMS = 20
_NO_PAGE = re.compile(
    rf"\]\(\s{{0,9}}<?((?:javascript|vbscript|data|file|ftp|blob):[^\s)]{{0,200}})"
    rf"|https?://[^\s)\]>]{{{MOST_CHARACTERS},}}",
    re.IGNORECASE,
)


def _with_brackets(text: str, marks: Sequence[Mark]) -> Iterator[Mark]:
    """The marks; links and addresses that alone stand in round brackets with these."""
    group: list[Mark] = []
    for mark, after in zip(marks, [*marks[1:], None], strict=False):
        group.append(mark)
        if after and not text[mark.end : after.start].strip(" \t\xa0,;，；"):
            continue
        pages = all(one.notation in ("link", "url") for one in group)
        if pages and (frame := enclosed(text, group[0].start, group[-1].end)):
            group = [replace(one, kind="opens") for one in group]
            group[0] = replace(group[0], start=frame[0])
            group[-1] = replace(group[-1], end=frame[1])
        yield from group
        group = []


def _web_mark(
    text: str, mark: Mark, known: Mapping[str, Reference], defined: Container[str]
) -> WebMark | None:
    kind, ids = _KINDS.get(mark.notation, ""), mark.ids
    locator: Locator | None = None
    if kind == "link" and (mark.kind == "opens" or ids):
        kind = "paren_link" if mark.kind == "opens" else "numbered_link"
    elif kind == "number" and not all(one.isdecimal() and len(one) <= 3 for one in ids):
        return None
    elif kind == "number" and (
        words := _DEFINED.search(text, max(0, mark.start - 400), mark.start)
    ):
        if text[mark.start : mark.end].strip("[]") in defined:
            kind, mark = "reference_link", replace(mark, start=words.start())
    elif kind == "superscript":
        if text[mark.start - 1].isalnum() or not all(one in known for one in ids):
            return None
    elif kind == "dagger":
        place = text[mark.start : mark.end - 1].partition("†")[2].strip()
        lines = _LINES.fullmatch(place)
        locator = {"name": place} if place else None
        if lines:
            locator = {"lines": [int(lines[1]), int(lines[2] or lines[1])]}
    urls = tuple(url for id in ids if id in known and (url := known[id].url))
    own = (mark.url,) if mark.url else urls
    return WebMark(mark.start, mark.end, kind, ids, own, locator) if kind else None


def _bare_numbers(
    text: str, marks: Sequence[WebMark], known: Mapping[str, Reference], lines: Iterable[Span]
) -> Iterator[WebMark]:
    taken = sorted([*((mark.start, mark.end) for mark in marks), *lines])
    for match in _BARE_NUMBER.finditer(text):
        start, end = match.span(1 if match[1] else 2)
        after = bisect_left(taken, (end, end))
        if text[start:end] in known and not (after and taken[after - 1][1] > start):
            yield WebMark(
                start, end, "bare_number", (text[start:end],), (known[text[start:end]].url or "",)
            )


class _Statements:
    """The words that marks support: those of the sentence or cell, else of the row, else of one near."""

    def __init__(self, text: str, lines: Iterable[Span], marks: Sequence[WebMark]) -> None:
        self._text, self._marks = text, marks
        bare = [(one.start, one.end) for one in marks if one.kind not in _WORDS_STAY]
        bare += [image.span() for image in _IMAGE.finditer(text)]
        self._ends, self._starts = dict(bare), {end: start for start, end in bare if end > start}
        rows = [row.span() for row in _ROW.finditer(text)]
        blank, at = [], 0
        for start, end in sorted({*rows, *lines}):
            blank += [text[at:start], " " * (end - start)]
            at = end
        body = "".join(blank) + text[at:]
        taken = settle(body, read_marks(body, WEB))
        taken += [Mark(one.start, one.end, ()) for one in marks if one.kind == "bare_number"]
        taken.sort(key=lambda one: one.start)
        units: list[tuple[int, int, Span | None]] = [(*one, None) for one in spans(body, taken)]
        for row in rows:
            cells = [cell.span() for cell in _CELL.finditer(text, *row)]
            words = [one for one in map(self._trim, cells) if one]
            units += [(*cell, (words[0][0], words[-1][1]) if words else None) for cell in cells]
        self._ends_of = [end for _, end, _ in sorted(units)]
        self._words = [self._trim((start, end)) or whole for start, end, whole in sorted(units)]

    def all(self) -> Iterator[WebMark]:
        """The marks, each with its statement."""
        ends = self._ends_of
        for mark in self._marks:
            at = min(bisect_left(ends, mark.end), len(ends) - 1)
            near = [
                *self._words[max(0, at - _NEAR) : at + 1][::-1],
                *self._words[at + 1 : at + _NEAR],
            ]
            yield replace(mark, statement=next(filter(None, near), None) if ends else None)

    def _trim(self, span: Span) -> Span | None:
        """The words without white space, punctuation and marks at their ends; None where there are none."""
        text, (start, end) = self._text, span
        prefix = _PREFIX.match(text, start, end)
        start = prefix.end() if prefix else start
        while start < end and (self._ends.get(start, end + 1) <= end or text[start] in _OUTER):
            start = self._ends[start] if self._ends.get(start, end + 1) <= end else start + 1
        while start < end and (self._starts.get(end, -1) >= start or text[end - 1] in _BEHIND):
            end = self._starts[end] if self._starts.get(end, -1) >= start else end - 1
        return (start, end) if any(map(str.isalnum, text[start:end])) else None
