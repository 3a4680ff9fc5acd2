"""Reference lists of a report: where they lie, and the address that each entry gives.

A list stands under a heading ("References", "Sources", "参考文献"), on a last line "Sources: ...", as
definitions ("[^1]: ...", "[1]: ...") anywhere, or as a closing block of numbered lines with
addresses. Its lines are no text of the report: no citation is read inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

LONGEST_URL = 4000
_URL_STOPS = r"\s<>\"`|{}^\\。，、；：！？）】」』》〉“”（【「『《〈"
URL = re.compile(rf"https?://[^{_URL_STOPS}]{{1,{LONGEST_URL}}}+(?![^{_URL_STOPS}])", re.IGNORECASE)
_URL_STOP = re.compile(rf"[{_URL_STOPS}]")
_URL_END = ".,:;!?'\"*_~…"
_PAIRS = {")": "(", "]": "["}

HEADINGS = (
    "references?|sources?|works cited|bibliography|citations?|footnotes?|notes|reference list|"
    "literature|参考文献|参考资料|来源|引用"
)
_HEADING = re.compile(
    rf"\s{{0,3}}(?:#{{1,6}}\s*)?[*_]*\s*(?:\d+[.)]\s*)?(?:{HEADINGS})\s*[:：]?\s*[*_]*\s*[:：]?\s*#*\s*",
    re.IGNORECASE,
)
_LAST_LINE = re.compile(rf"\s{{0,3}}[*_]*(?:{HEADINGS})[*_]*\s*[:：][*_]*\s*", re.IGNORECASE)
_DEFINITION = re.compile(r"\s{0,3}\[(?:\^(?P<note>[^\]\s]{1,80})|(?P<number>\d{1,3}))\]:\s*")
_NUMBER = (
    r"(?:\[\^(?P<note>[^\]\s]{1,80})\]:|\\?\[(?P<square>\d{1,3})\\?\]:?|【(?P<lens>\d{1,3})】:?"
    r"|\^(?P<caret>\d{1,3})\b[.:]?|(?P<item>\d{1,3})[.)](?=\s|$))"
)
_ENTRY = re.compile(rf"\s*(?:[-*+•‣·]\s+)?{_NUMBER}\s*")
_BULLET = re.compile(r"\s*[-*+•‣·]\s+(?=\S)")
_INSIDE = re.compile(r"\\?\[(?P<square>\d{1,3})\\?\]:?(?!\()|【(?P<lens>\d{1,3})】:?")
_LINK = re.compile(
    rf"\[(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]{{0,200}}\]){{0,500}})\]\(<?"
    rf"(?P<url>https?://(?:[^\s<>()]|\([^\s<>()]{{0,500}}\)){{1,{LONGEST_URL}}})>?(?:\s+\"[^\"\n]*\")?\)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(f"{_LINK.pattern}|{URL.pattern}", re.IGNORECASE)
_OUTER = " \t\xa0.,:;|<>()–-—"
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»", "《": "》"}


class Reference(NamedTuple):
    """An entry of a reference list. ``id`` is None for a bullet or a lone address; ``url`` None without one."""

    id: str | None
    title: str
    url: str | None


class TextLine(NamedTuple):
    """A line of the text: its start and end in characters, and what it says, without the line break."""

    start: int
    end: int
    text: str


def lines_of(text: str) -> list[TextLine]:
    """The lines of a text, also the empty ones."""
    found, at = [], 0
    for piece in text.split("\n"):
        found.append(TextLine(at, at + len(piece), piece.rstrip("\r")))
        at += len(piece) + 1
    return found


def end_of_run(text: str, start: int) -> int:
    """Where an address that goes on at ``start`` must end: at a blank, a quote, or the end of the text."""
    stop = _URL_STOP.search(text, start)
    return stop.start() if stop else len(text)


def cut_url(url: str) -> str:
    """The address without the punctuation and the unbalanced brackets that the sentence put behind it.

    >>> cut_url("https://c.example/a_(b)).")
    'https://c.example/a_(b)'
    """
    unbalanced = {close: url.count(close) - url.count(open) for close, open in _PAIRS.items()}
    end = len(url)
    while end:
        last = url[end - 1]
        if last in _PAIRS and unbalanced[last] > 0:
            unbalanced[last] -= 1
        elif last not in _URL_END:
            break
        end -= 1
    return url[:end]


def reference_lists(
    lines: Sequence[TextLine], numbered_mark: re.Pattern[str]
) -> tuple[list[Reference], list[TextLine]]:
    """The entries of every reference list in the order of the text, and the lines that they fill.

    ``numbered_mark`` finds the marks that a closing block "1. ..." needs before it.
    """
    zone = {index for index, line in enumerate(lines) if _DEFINITION.match(line.text)}
    filled = [index for index, line in enumerate(lines) if line.text.strip()]
    last_line = -1
    heading = _last_heading(lines, filled)
    if heading is not None:
        zone.update(range(heading, len(lines)))
    elif filled and _is_source_line(lines[filled[-1]].text):
        last_line = filled[-1]
        zone.add(last_line)
    else:
        zone.update(_closing_block(lines, filled, zone, numbered_mark))
    found: list[Reference] = []
    for index in sorted(zone):
        if index == last_line:
            found += _entries_of_line(lines[index].text)
        elif index != heading and lines[index].text.strip():
            found.append(_entry(lines[index].text))
    return found, [lines[index] for index in sorted(zone)]


def first_entries(references: Iterable[Reference]) -> dict[str, Reference]:
    """The first entry of each id, which wins."""
    found: dict[str, Reference] = {}
    for reference in references:
        if reference.id is not None:
            found.setdefault(reference.id, reference)
    return found


def defined_ids(lines: Iterable[TextLine]) -> frozenset[str]:
    """The ids that lines such as ``[1]: address`` define, which ``[words][1]`` may name."""
    found = (_DEFINITION.match(line.text) for line in lines)
    return frozenset(match["number"] for match in found if match and match["number"])


def _last_heading(lines: Sequence[TextLine], filled: Sequence[int]) -> int | None:
    """The heading that begins the closing list: only entries follow it, and at least one."""
    for position in range(len(filled) - 1, -1, -1):
        index = filled[position]
        text = lines[index].text
        if _HEADING.fullmatch(text):
            return index if position < len(filled) - 1 else None
        if not _is_entry(text):
            return None
    return None


def _is_entry(text: str) -> bool:
    return bool(_ENTRY.match(text) or _BULLET.match(text) or _lone_url(text))


def _lone_url(text: str) -> bool:
    bare = text.strip()
    match = URL.match(bare.removeprefix("<"))
    return match is not None and match.end() >= len(bare.strip("<>"))


def _is_source_line(text: str) -> bool:
    return bool(_LAST_LINE.match(text) and URL.search(text))


def _closing_block(
    lines: Sequence[TextLine], filled: Sequence[int], zone: set[int], numbered_mark: re.Pattern[str]
) -> set[int]:
    """The numbered lines with addresses at the end of the text."""
    block: list[int] = []
    items: list[int] = []
    for index in reversed(filled):
        if index in zone and not block:
            continue
        match = _ENTRY.match(lines[index].text)
        link = match and match["square"] and lines[index].text.startswith("(", match.end())
        if match is None or link or not URL.search(lines[index].text):
            break
        block.append(index)
        if match["item"]:
            items.append(index)
    before = lines[: block[-1]] if block else ()
    if items and not any(numbered_mark.search(line.text) for line in before):
        last = max(items)
        block = [index for index in block if index > last]
    return set(block)


def _entry(text: str) -> Reference:
    match = _ENTRY.match(text) or _DEFINITION.match(text)
    id = next(filter(None, match.groups()), None) if match else None
    start = match.end() if match else 0
    if not match and (bullet := _BULLET.match(text)):
        start = bullet.end()
    return _title_and_url(id, text[start:])


def _entries_of_line(text: str) -> Iterator[Reference]:
    """The entries of "Sources: [1] address [2] address"."""
    head = _LAST_LINE.match(text)
    rest = text[head.end() if head else 0 :]
    numbers = list(_INSIDE.finditer(rest))
    if numbers:
        ends = [*(match.start() for match in numbers[1:]), len(rest)]
        for match, end in zip(numbers, ends, strict=True):
            yield _title_and_url(match["square"] or match["lens"], rest[match.end() : end])
        return
    at = 0
    for found in _ADDRESS.finditer(rest):
        end = found.end() if found["url"] else found.start() + len(cut_url(found.group()))
        yield _title_and_url(None, rest[at:end])
        at = end


def _title_and_url(id: str | None, rest: str) -> Reference:
    link, bare = _LINK.search(rest), URL.search(rest)
    if link and (not bare or link.start() <= bare.start()):
        title = rest[: link.start()] + link["words"] + rest[link.end() :]
        return Reference(id, _bare_title(title), link["url"])
    if not bare:
        return Reference(id, rest.strip(), None)
    url = cut_url(bare.group())
    return Reference(
        id, _bare_title(rest[: bare.start()] + " " + rest[bare.start() + len(url) :]), url
    )


def _bare_title(title: str) -> str:
    title = title.strip(_OUTER)
    if len(title) > 1 and _QUOTES.get(title[0]) == title[-1]:
        title = title[1:-1]
    return title
