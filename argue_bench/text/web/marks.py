"""Citation marks of reports that cite the web, in every notation that products print.

    [1]  [1, 2]  [1-3]  \\[1\\]  【1】  【15†source】  [15†L10-L12]  [^1]  <sup>1</sup>  words.¹
    [words](address)  ([site](address))  [[1]](address)  [words][1]  <address>  address

Only http and https addresses cite. A number of more than three digits is text. One pass looks at
the characters that may begin a mark; brackets are paired once, so the time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from argue_bench.text.web.references import LONGEST_URL, URL, Reference, cut_url, end_of_run

Kind = Literal[
    "number",
    "link",
    "paren_link",
    "numbered_link",
    "reference_link",
    "dagger",
    "sup",
    "superscript",
    "url",
    "footnote",
    "bare_number",
]
Locator = dict[str, "str | list[int]"]

WIDEST_RANGE = 31
DEAD = "\ufdd0"
"""A noncharacter in place of each character of code, formulas and reference lists."""
PICTURE = "\ufdd1"
"""The same for images, which are no words of a statement either."""
_HIDDEN = DEAD + PICTURE
_CODE = re.compile(
    r"^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n(?:.*?^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|.*\Z)"
    r"|(?P<tick>`{1,3})(?!`)[^`\n]{1,2000}(?P=tick)(?!`)",
    re.DOTALL | re.MULTILINE,
)
_FORMULA = re.compile(r"\$\$[^$]{1,4000}\$\$|\$[^$\n]{0,500}[\\^_{][^$\n]{0,500}\$")
_IMAGE = re.compile(
    r"!\[[^\[\]\n]{0,300}+(?:\[[^\[\]\n]{0,100}+\][^\[\]\n]{0,300}+)?\]\([^)\s]{1,4000}+\)"
)

_LIST = r"\d{1,3}(?:\s?[-‐‑–—]\s?\d{1,3})?(?:\s?[,;，、；]\s?\d{1,3}(?:\s?[-‐‑–—]\s?\d{1,3})?)*"
NUMBERED_MARK = re.compile(rf"\\?\[{_LIST}\\?\]|【{_LIST}】|<sup>\s*\[?{_LIST}")
"""A mark with a number, wherever it stands."""
_START = re.compile(
    rf"<sup\b[^<>]{{0,200}}>(?P<sup>(?:[^<]|<(?!/?sup)){{1,1000}})</sup\s?>"
    rf"|【(?P<lens_id>\d{{1,4}}(?::\d{{1,4}})?)†(?P<lens_at>[^【】\n]{{0,300}})】"
    rf"|\[(?P<square_id>\d{{1,4}}(?::\d{{1,4}})?)†(?P<square_at>[^\[\]\n]{{0,300}})\]"
    rf"|\[\^(?P<note>[^\[\]\s]{{1,80}})\](?!\(<?https?://)"
    rf"|【\s?(?P<lens>{_LIST})\s?】|\\\[\s?(?P<escaped>{_LIST})\s?\\\]"
    rf"|<(?P<angle>https?://[^\s<>]{{1,{LONGEST_URL}}})>"
    rf"|(?P<bare>{URL.pattern})"
    rf"|(?P<open>\[)"
    rf"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:[,˒][⁰¹²³⁴⁵⁶⁷⁸⁹]+)*)",
    re.IGNORECASE,
)
_NUMBERS, _COMMA, _DIGITS = re.compile(_LIST), re.compile(r"[,;，、；]"), re.compile(r"\d+")
_LINK_NUMBER = re.compile(r"\[?\s?\^?(\d{1,3})\s?\]?")
_SQUARE = re.compile(rf"\[\s?(?P<numbers>{_LIST})\s?\]")
_SUP_LINK = re.compile(
    r"""<a\s[^<>]{0,1000}?href\s?=\s?["']?(https?://[^"'\s<>]+)[^<>]{0,1000}>|\]\((https?://[^\s<>()]+)\)""",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-z][^<>]{0,1200}>|\]\([^\s()]{1,4000}\)", re.IGNORECASE)
_TARGET = re.compile(
    rf"""\(\s?(?:<(?P<angle>https?://[^\s<>]{{1,{LONGEST_URL}}})>
           |(?P<plain>https?://(?:[^\s<>()]|\((?:[^\s<>()]|\([^\s<>()]{{0,200}}\)){{0,1000}}\)){{1,{LONGEST_URL}}}))
         (?:\s+(?:"[^"\n]{{0,500}}"|'[^'\n]{{0,500}}'))?\s?\)""",
    re.VERBOSE | re.IGNORECASE,
)
_REFERENCE = re.compile(r"\[(\d{1,3})\]")
_LINES = re.compile(r"L(\d{1,7})(?:\s?[-–]\s?L?(\d{1,7}))?")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_BRACKET = re.compile(r"[\[\]]|\n[ \t\r]*\n")
_CANDIDATE = re.compile(r"[<\[【\\:⁰¹²³⁴⁵⁶⁷⁸⁹]")
"""What begins a mark, or follows the scheme of an address: all other characters are skipped fast."""
_BARE_NUMBER = re.compile(
    r"(?<=[^\s\d])[ \t](\d{1,3})(?=[.!?](?:\s|$)|[ \t]*$)"
    r"|(?<=[.!?])[ \t](\d{1,3})(?=[ \t]+[A-ZÀ-Þ\"“(])",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class WebMark:
    """A printed citation mark.

    ``start`` and ``end`` count characters, end exclusive. ``ids`` are the numbers or names that it
    prints, ``urls`` the addresses that it gives or that the reference list gives for its ids.
    ``locator``: lines or a name inside the source. ``statement``: start and end of the words that
    it supports, None in a text without words.
    """

    start: int
    end: int
    kind: Kind
    ids: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    locator: Locator | None = None
    statement: tuple[int, int] | None = None


def hide(text: str, spans: Iterator[tuple[int, int]], filling: str = DEAD) -> str:
    """The text with a filler in these spans, line breaks kept, so that all offsets hold."""
    pieces, at = [], 0
    for start, end in spans:
        if start < at:
            continue
        filler = "\n".join(filling * len(line) for line in text[start:end].split("\n"))
        pieces += [text[at:start], filler]
        at = end
    return "".join([*pieces, text[at:]])


def hide_code(text: str) -> str:
    """The text with a filler in code, formulas and images, in which nothing cites."""
    for pattern, begins, filling in (
        (_CODE, ("`", "~~~"), DEAD),
        (_FORMULA, ("$",), DEAD),
        (_IMAGE, ("![",), PICTURE),
    ):
        if any(one in text for one in begins):
            text = hide(text, (match.span() for match in pattern.finditer(text)), filling)
    return text


def find_web_marks(
    text: str,
    entries: Mapping[str, Reference],
    defined: Container[str],
    bare_numbers: bool = False,
) -> list[WebMark]:
    """The marks of a text whose dead zones are hidden, in order, with addresses, without statements.

    ``defined`` are the ids that ``[words][1]`` may name. ``bare_numbers`` also reads numbers without
    brackets at the end of a sentence, where the list has an entry for them.
    """
    closings = _closings(text)
    found: list[WebMark] = []
    at = run = 0
    while candidate := _CANDIDATE.search(text, at):
        start = candidate.start()
        if candidate.group() == ":":
            # Each run is read to its end once; addresses in it are tried only where they are short enough.
            run = run if start < run else end_of_run(text, start)
            if run - start - len("://") > LONGEST_URL:
                at = candidate.end()
                continue
            scheme = text[max(at, start - 5) : start].casefold()
            start -= 5 if scheme.endswith("https") else 4
        match = _START.match(text, start) if start >= at else None
        mark = match and _read(text, match, closings, entries, defined)
        if mark:
            found.append(mark)
        at = mark.end if mark else candidate.end()
    if bare_numbers:
        taken = [(mark.start, mark.end) for mark in found]
        found += _bare_numbers(text, taken, entries)
        found.sort(key=lambda mark: mark.start)
    return [_resolve(mark, entries) for mark in _enclose(text, found)]


def _closings(text: str) -> dict[int, int]:
    """Where each square bracket is closed; no pair reaches over a blank line."""
    closed: dict[int, int] = {}
    open: list[int] = []
    for match in _BRACKET.finditer(text):
        place, bracket = match.start(), match.group()
        if bracket[0] == "\n":
            open.clear()
        elif text[place - 1 : place] == "\\":
            continue
        elif bracket == "[":
            open.append(place)
        elif open:
            closed[open.pop()] = place
    return closed


def _read(
    text: str,
    match: re.Match[str],
    closings: Mapping[int, int],
    entries: Mapping[str, Reference],
    defined: Container[str],
) -> WebMark | None:
    start, end = match.span()
    if match["open"]:
        return _square(text, start, closings, defined)
    if match["sup"] is not None:
        return _sup(match)
    if id := match["lens_id"] or match["square_id"]:
        place = match["lens_at"] or match["square_at"] or ""
        return WebMark(start, end, "dagger", (id,), locator=_locator(place))
    if match["note"]:
        return WebMark(start, end, "footnote", (match["note"],))
    if numbers := match["lens"] or match["escaped"]:
        ids = _numbers(numbers)
        return (ids and WebMark(start, end, "number", ids)) or None
    if match["angle"]:
        return WebMark(start, end, "url", urls=(match["angle"],))
    if match["bare"]:
        url = cut_url(match["bare"])
        return WebMark(start, start + len(url), "url", urls=(url,)) if len(url) > 8 else None
    return _raised(text, match, entries)


def _locator(place: str) -> Locator | None:
    lines = _LINES.fullmatch(place.strip())
    if lines:
        return {"lines": [int(lines[1]), int(lines[2] or lines[1])]}
    return {"name": place.strip()} if place.strip() else None


def _square(
    text: str, start: int, closings: Mapping[int, int], defined: Container[str]
) -> WebMark | None:
    """A link, a link by reference, or numbers in brackets."""
    close = closings.get(start)
    if close is not None:
        words = text[start + 1 : min(close, start + 2000)]
        if target := _TARGET.match(text, close + 1):
            number = _LINK_NUMBER.fullmatch(words)
            ids: tuple[str, ...] = (number[1],) if number else ()
            kind: Kind = "numbered_link" if number else "link"
            url = target["angle"] or target["plain"]
            return WebMark(start, target.end(), kind, ids, (url,))
        reference = _REFERENCE.match(text, close + 1)
        if reference and reference[1] in defined and not _NUMBERS.fullmatch(words.strip()):
            return WebMark(start, reference.end(), "reference_link", (reference[1],))
    if numbers := _SQUARE.match(text, start):
        listed = _numbers(numbers["numbers"])
        return WebMark(start, numbers.end(), "number", listed) if listed else None
    return None


def _numbers(words: str) -> tuple[str, ...]:
    """The ids of "1, 3-5"; none where a range runs backwards or is too wide."""
    if words.isdecimal():
        return (words,)
    ids: list[str] = []
    for part in _COMMA.split(words):
        first, *last = map(int, _DIGITS.findall(part))
        until = last[0] if last else first
        if not 0 <= until - first < WIDEST_RANGE:
            return ()
        ids += [str(number) for number in range(first, until + 1)] if last else [part.strip()]
    return tuple(ids)


def _sup(match: re.Match[str]) -> WebMark | None:
    inner = match["sup"]
    urls = tuple(first or second for first, second in _SUP_LINK.findall(inner))
    words = _TAG.sub("", inner).strip()
    words = words.removeprefix("[").removesuffix("]").strip()
    if not _NUMBERS.fullmatch(words):
        return None
    ids = _numbers(words)
    return WebMark(*match.span(), "sup", ids, urls) if ids else None


def _raised(text: str, match: re.Match[str], entries: Mapping[str, Reference]) -> WebMark | None:
    """Raised figures directly after punctuation, if the list has an entry for each."""
    before = text[match.start() - 1 : match.start()]
    if not before or before.isalnum() or before.isspace() or before in _HIDDEN:
        return None
    ids = tuple(part.translate(_RAISED) for part in re.split("[,˒]", match["raised"]))
    if len(ids) == 1 and ids[0] not in entries:
        ids = tuple(ids[0])
    return WebMark(*match.span(), "superscript", ids) if all(id in entries for id in ids) else None


def _bare_numbers(
    text: str, taken: list[tuple[int, int]], entries: Mapping[str, Reference]
) -> Iterator[WebMark]:
    inside = iter([*taken, (len(text) + 1, len(text) + 1)])
    start, end = next(inside)
    for match in _BARE_NUMBER.finditer(text):
        group = 1 if match[1] else 2
        while end <= match.start():
            start, end = next(inside)
        if match.end() <= start and match[group] in entries:
            yield WebMark(*match.span(group), "bare_number", (match[group],))


def _enclose(text: str, marks: list[WebMark]) -> list[WebMark]:
    """Gives round brackets to the links or addresses that alone stand in them."""
    enclosed: list[WebMark] = []
    at = 0
    while at < len(marks):
        last = at
        while (
            last + 1 < len(marks)
            and marks[last].kind in _CLOSABLE
            and marks[last + 1].kind in _CLOSABLE
            and marks[last + 1].start - marks[last].end <= 8
            and not text[marks[last].end : marks[last + 1].start].strip(" \t\xa0,;，；")
        ):
            last += 1
        group = marks[at : last + 1]
        if group[0].kind in _CLOSABLE:
            before = _OPENING.search(text, max(0, group[0].start - 4), group[0].start)
            after = _CLOSING.match(text, group[-1].end)
            if before and after:
                group = [
                    replace(one, kind="url" if one.kind == "url" else "paren_link") for one in group
                ]
                group[0] = replace(group[0], start=before.start())
                group[-1] = replace(group[-1], end=after.end())
        enclosed += group
        at = last + 1
    return enclosed


_CLOSABLE = ("link", "numbered_link", "url")
_OPENING = re.compile(r"[(（]\s{0,2}\Z")
_CLOSING = re.compile(r"\s{0,2}[)）]")


def _resolve(mark: WebMark, entries: Mapping[str, Reference]) -> WebMark:
    if mark.urls or not mark.ids:
        return mark
    urls = (entries[id].url for id in mark.ids if id in entries)
    found = tuple(url for url in urls if url)
    # Made by hand: `replace` takes five times as long, and a report has hundreds of marks.
    return WebMark(mark.start, mark.end, mark.kind, mark.ids, found, mark.locator)
