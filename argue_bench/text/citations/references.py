"""Reference lists of an answer, where they lie and the source that each entry gives; the keys of addresses.

A list stands under a heading ("References", "Sources", "参考文献"), on a line "Sources: [1] ... [2] ..." that opens or ends
an answer, as notes anywhere (``[^1]: ...``, ``[1]: ...``, ``¹ ...``), or as a closing block of lines with addresses, or that
name documents and say no more. Its lines state nothing, and no mark is read inside.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate, islice, pairwise, takewhile
from typing import NamedTuple

from argue_bench.text.citations.notations import COUNTED, HEADINGS, LINK, RAISED, URL
from argue_bench.text.phrases import is_sentence

_HEADING = re.compile(
    rf"\s{{0,3}}(?:#{{1,6}}\s*)?[^\w\s]{{0,5}}\s*(?:\d+[.)]\s*)?(?:{HEADINGS})\s*[:：]?\s*[*_]*\s*[:：]?\s*#*\s*",
    re.IGNORECASE,
)
_LINE_OF_SOURCES = re.compile(rf"\s{{0,3}}[*_]*(?:{HEADINGS})[*_]*\s*[:：][*_]*\s*", re.IGNORECASE)
_NOTE = re.compile(
    r"\s{0,3}(?:\[\^?(?P<id>(?<=\^)[^\]\s]{1,80}|\d{1,3})\]:|(?P<raised>[⁰¹²³⁴-⁹]{1,3})(?=\s\S|https?:))\s*"
)
_SQUARE = r"\\?[\[［](?P<square>\d{1,3})\\?[\]］]:?|【(?P<lens>\d{1,3})】:?"
_ENTRY = re.compile(
    rf"\s*(?:[-*+•‣·]\s+)?(?:\[\^(?P<note>[^\]\s]{{1,80}})\]:|{_SQUARE}|\^(?P<caret>\d{{1,3}})\b[.:]?"
    r"|(?P<raised>[⁰¹²³⁴-⁹]{1,3})|<sup>\s?(?P<sup>\d{1,3})\s?</sup>|(?P<item>\d{1,3})[.)](?=\s|$)|\((?P<round>\d{1,3})\))\s*"
)
# A label that an answer gives its sources itself: "- S1: d1", "[A] d1", "1 = d1", "**Source 1:** d1".
_LABEL = rf"(?:{COUNTED}\s?(?=\d))?(?P<label>[A-Za-z]{{0,4}}-?\d{{1,3}}|[A-Za-z])"
_OWN = re.compile(
    rf"\s*(?:[-*+•‣·]\s+)?[*_]{{0,3}}[\[［(]?{_LABEL}"
    r"(?P<sign>[\]］)][*_]{0,3}(?:\s?[:：=])?|[*_]{0,3}\s?[:：=]|[*_]{1,3})?(?(sign)\s*|\s+)[*_]{0,3}",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*[-*+•‣·]\s+(?=\S)")
_INSIDE = re.compile(rf"(?:{_SQUARE})(?!\()")
_MARKED = re.compile(
    r"[\[［【(]([^\[\]［］【】()\n]{1,200})[\]］】)]|([⁰¹²³⁴-⁹]{1,3})|<sup>([\d\s,]{1,30})</"
)
_CITED = re.compile(
    rf"(?:^|[,;–^-]|\sand\s)\s?{_LABEL}(?=\s?(?:$|[,;–†:^-]|\sand\s))", re.IGNORECASE
)
# "## ...", "**...**", "...:", "---"; without marks.
_TITLE = re.compile(
    r"(?![^\n]*[\[【(]\w{1,80}[\]】)])\s*(?:#.+|([*_]{1,3})(?=\S)[^.!?]+\1|.+[:：][*_]*|[-*_]{3,})\s*"
)
_RULE = re.compile(r"\s*\|[\s|:-]{1,500}")
_NUMBERED = re.compile(r"[\[［【]\d{1,3}[^\[\]\n]{0,80}[\]］】]|<sup|[⁰¹²³⁴-⁹]")
_LINK = re.compile(LINK, re.IGNORECASE)
# An author's family name begins an entry, its year follows, and nothing is cited: "Smith, J. (2020). The Wall."
_AUTHOR = re.compile(
    r"\s*(?:[-*+•]\s+)?[*_]*(?![^\n]*[\[【]\d)[A-ZÀ-ÞĀ-Ž][^\n]{1,300}?[(,.]\s?(?:1[5-9]|20)\d\d[a-z]?\b"
)
_BLANKS = re.compile(r"\s{4,}")
_OUTER = " \t\xa0.,:;|<>()–-—"
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»", "《": "》"}
_BEHIND = ".,:;!?'\"*_~…"
_TRACKING = re.compile(r"(?:utm_[^=]*|gclid|fbclid)(?:=.*)?", re.IGNORECASE | re.DOTALL)


# Lines between two sources of a list.
MOST_BETWEEN = 2


class Reference(NamedTuple):
    """An entry of a reference list. ``id`` is None for a bullet or a lone address; ``url`` None without one."""

    id: str | None
    title: str
    url: str | None


class ReferenceLists(NamedTuple):
    """The entries of all lists in the order of the text, and start and end of each line that they fill.

    ``defined``: the ids that lines such as ``[1]: address`` define, which ``[words][1]`` may name.
    """

    entries: tuple[Reference, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    defined: frozenset[str] = frozenset()


def cut_url(url: str) -> str:
    """The address without the punctuation and the unbalanced brackets that the sentence put behind it.

    >>> cut_url("https://c.example/a_(b)).")
    'https://c.example/a_(b)'
    """
    spare = {close: url.count(close) - url.count(open) for open, close in ("()", "[]")}
    end = len(url)
    while end and (url[end - 1] in _BEHIND or spare.get(url[end - 1], 0) > 0):
        end -= 1
        spare[url[end]] = spare.get(url[end], 0) - 1
    return url[:end]


def reference_lists(
    text: str,
    is_named: Callable[[str], bool] = lambda _: False,
    is_listing: Callable[[str], bool] = lambda _: False,
) -> ReferenceLists:
    """Every reference list of a text.

    ``is_named``: whether an entry names a document, by its id or title; ``is_listing``: whether a line does, and says no more.
    """
    raw = text.split("\n")
    # Several parts of a pattern may take the same blanks, so a long run would cost a power of its length.
    lines = [_BLANKS.sub("   ", line.rstrip("\r")) for line in raw]
    notes = _notes(lines, is_named)
    lines = [_as_entry(line, is_named) for line in lines]
    filled = [number for number, line in enumerate(lines) if line.strip()]
    zone = set(notes)
    headed = list(_headed(lines, filled, is_named))
    # A line of sources ends an answer, or opens it.
    listed = {
        number: own
        for number in ({*filled[:1], *filled[-1:]} if not headed else ())
        if (own := _listed_in_line(lines[number], is_named))
    }
    zone.update(listed, *(range(number, end) for number, _, end in headed))
    # Headings, and what stands between entries, give no source.
    between = {n for number, own, end in headed for n in {*range(number, end)} - {*own}}
    if zone <= notes.keys():
        block = _closing_block(raw, lines, filled, zone, is_named) or _bare_list(
            lines, filled, is_listing
        )
        zone.update(block, _over(lines, filled, block))
    # An answer that is nothing but a list says what it lists.
    if zone.issuperset(filled):
        return ReferenceLists()
    entries = [
        entry
        for number in sorted(zone - between)
        for entry in listed.get(number) or _entries(lines[number], is_named)
    ]
    starts = [*accumulate((len(line) + 1 for line in raw), initial=0)]
    places = tuple(
        (starts[number], starts[number] + len(raw[number].rstrip("\r")))
        for number in sorted(zone)
        if lines[number]
    )
    defined = frozenset(match["id"] for match in notes.values() if match["id"])
    return ReferenceLists(tuple(entries), places, defined)


def _listed_in_line(line: str, is_named: Callable[[str], bool]) -> list[Reference]:
    """The entries of "Sources: [1] The Wall, [2] address"."""
    if not (head := _LINE_OF_SOURCES.match(line)):
        return []
    there = list(_entries_of_line(rest := line[head.end() :]))
    return there if URL.search(rest) or any(is_named(one.title) for one in there) else []


def _notes(lines: Sequence[str], is_named: Callable[[str], bool]) -> dict[int, re.Match[str]]:
    """The lines "[1]: address" and the like, by number; not statements that begin with what they cite."""
    found = {number: match for number, line in enumerate(lines) if (match := _NOTE.match(line))}
    cited = _cited(line for number, line in enumerate(lines) if number not in found)
    return {
        number: match
        for number, match in found.items()
        if "[^" in match[0] or not _is_statement(lines[number], cited, is_named)
    }


def _cited(lines: Iterable[str]) -> frozenset[str]:
    """The numbers and labels in brackets, and raised ones, of a text."""
    marks = (next(filter(None, groups), "") for line in lines for groups in _MARKED.findall(line))
    return frozenset(
        one["label"] for mark in marks for one in _CITED.finditer(mark.translate(RAISED))
    )


def _is_statement(line: str, cited: Collection[str], is_named: Callable[[str], bool]) -> bool:
    """Whether an entry is a sentence that names no source, by a number which nothing cites."""
    id, start = _head(line)
    return (
        id not in cited
        and is_sentence(line[start:])
        and not (URL.search(line) or _AUTHOR.match(line) or is_named(line[start:]))
    )


def _headed(
    lines: Sequence[str], filled: Sequence[int], is_named: Callable[[str], bool]
) -> Iterator[tuple[int, list[int], int]]:
    """The heading of each list, the entries below it, and where it ends: few of them statements, and if other words follow, all sources.

    Between two sources one or two lines may say more of the first, or head others; as many behind each say more of the last one, too.
    """
    cited, read, end = set[str](), 0, 0  # what the lines over a heading cite, each read once
    for at, number in enumerate(filled):
        if number < end or not _HEADING.fullmatch(lines[number]):
            continue
        below = [*takewhile(lambda one: _is_entry(lines[one]), islice(filled, at + 1, None))]
        cited |= _cited(lines[read:number])
        read = number
        said = sum(_is_statement(lines[one], cited, is_named) for one in below)
        if at + len(below) < len(filled) - 1 or 2 * said >= len(below):
            below = [*_sources(lines, islice(filled, at + 1, None), is_named)]
        if below:
            places = [bisect_left(filled, one) for one in below]
            more = {after - place for place, after in pairwise(places)} or {1}
            end = filled[min(places[-1] + min(more), len(filled)) - 1] + 1
            yield number, below, end


def _sources(
    lines: Sequence[str], numbers: Iterable[int], is_named: Callable[[str], bool]
) -> Iterator[int]:
    """Those of the lines that give a source, until too many in a row give none."""
    # Over the first one stand headings alone.
    between, most = 0, 0
    for number in numbers:
        source = _is_entry(lines[number]) and _is_source(lines[number], is_named)
        between = 0 if source else between + 1
        if source:
            most = MOST_BETWEEN
            yield number
        elif between > most and not lines[number].startswith("#"):
            return


def _is_entry(line: str) -> bool:
    """Whether a line may be one of a list below a heading."""
    begun = _ENTRY.match(line) or _BULLET.match(line) or _AUTHOR.match(line)
    bare = line.strip().removeprefix("<").removesuffix(">")
    return bool(begun or URL.fullmatch(bare)) and not _HEADING.fullmatch(line)


def _is_source(line: str, is_named: Callable[[str], bool]) -> bool:
    """Whether an entry names a source and says nothing of it."""
    words = line[_head(line)[1] :].rstrip()
    return (URL.search(line) is not None or is_named(words)) and not (
        words.endswith((".", "。")) and is_sentence(words)
    )


def _as_entry(line: str, is_named: Callable[[str], bool]) -> str:
    """The row of a table as an entry, "1. The Wall", and one with a label of the answer's own as a note, "[^S1]: The Wall";
    other lines as they are."""
    if line.lstrip().startswith("|"):
        first, *others = (one.strip() for one in line.strip().strip("|").split("|"))
        rest = " ".join(others)
        return f"{first}. {rest}" if first.isdecimal() else f"- {first} {rest}"
    own = None if _ENTRY.match(line) else _OWN.match(line)
    if own is None or not is_named(rest := line[own.end() :]):
        return line
    label, sign = own["label"], own["sign"] or ""
    if not label.isdecimal():
        # A word behind a bullet is no label: "- A school", "- F-16 jets".
        return f"[^{label}]: {rest}" if sign else line
    return f"[{label}] {rest}" if sign[:1] in ("]", "］", ")") else f"{label}. {rest}"


def _closing_block(
    raw: Sequence[str],
    lines: Sequence[str],
    filled: Sequence[int],
    notes: set[int],
    is_named: Callable[[str], bool],
) -> list[int]:
    """The numbered lines with addresses, ids or titles that end a text; lines "1. ..." only behind a mark with a number,
    where they have no address with theirs. Of a table each cell is a name, and its head goes with it."""
    block: list[int] = []
    cited = _cited(raw)
    numbered = any(
        map(_NUMBERED.search, (one for one in raw if not (_ENTRY.match(one) and URL.search(one))))
    )
    for number in reversed(filled):
        line = lines[number]
        if number in notes and not block:
            continue
        match = _ENTRY.match(line)
        if block and _RULE.fullmatch(raw[number]):
            block += [number, number - 1]
        linked = match and match["square"] and line.startswith("(", match.end())
        if not match or linked or (match["item"] and not numbered):
            break
        if not URL.search(line):
            table = raw[number].lstrip().startswith("|")
            cells = raw[number].strip(" |\r").split("|")[1:] if table else [line[match.end() :]]
            id = match["item"] or (number not in notes and match["note"])
            if not all(map(is_named, cells)) or (id and id not in cited):
                break
        block.append(number)
    return block


def _bare_list(
    lines: Sequence[str], filled: Sequence[int], is_listing: Callable[[str], bool]
) -> list[int]:
    """The last lines, if they name documents and say no more, below some that cite; not where others do, each below its words."""
    block = [*takewhile(lambda number: is_listing(lines[number]), reversed(filled))]
    above = [lines[number] for number in filled[: len(filled) - len(block)]]
    # "It was read out in the morning\n[d2]." is one line that was wrapped.
    over = lines[block[-1] - 1] if block else ""
    apart = not over[-1:].isalnum() or _TITLE.fullmatch(over)
    cited = any(map(_MARKED.search, above)) and not any(map(is_listing, above))
    return block if apart and cited else []


def _over(lines: Sequence[str], filled: Sequence[int], block: Sequence[int]) -> list[int]:
    """The line over a closing list, if it is a heading or a label, whatever it says."""
    above = (number for number in reversed(filled) if number < min(block, default=0))
    return [one for one in islice(above, 1) if _TITLE.fullmatch(lines[one])]


def _head(line: str) -> tuple[str | None, int]:
    """The id of an entry, and where its words begin."""
    match = _ENTRY.match(line) or _NOTE.match(line)
    id = next(filter(None, match.groups()), None) if match else None
    start = match or _BULLET.match(line)
    return id and id.translate(RAISED), start.end() if start else 0


def _entries(line: str, is_named: Callable[[str], bool]) -> list[Reference]:
    """The entry of a line, or several, "[1] = d1, [2] = d2"."""
    several = list(_entries_of_line(line)) if _INSIDE.match(line) else []
    if len(several) > 1 and all(is_named(one.title) for one in several):
        return several
    id, start = _head(line)
    return [_title_and_url(id, line[start:])]


def _entries_of_line(rest: str) -> Iterator[Reference]:
    """The entries of "Sources: [1] address [2] address"; none where the line gives one address."""
    starts = list(_INSIDE.finditer(rest)) or (
        found if len(found := list(URL.finditer(rest))) > 1 else []
    )
    ends = [*(match.start() for match in starts[1:]), len(rest)]
    for match, end in zip(starts, ends, strict=False):  # without starts, an end is left
        numbered = match.re is _INSIDE
        id = match["square"] or match["lens"] if numbered else None
        yield _title_and_url(id, rest[match.end() if numbered else match.start() : end])


def _title_and_url(id: str | None, rest: str) -> Reference:
    link, bare = _LINK.search(rest), URL.search(rest)
    if link and (not bare or link.start() <= bare.start()):
        title = rest[: link.start()] + link["words"] + rest[link.end() :]
        return Reference(id, _bare_title(title), link["address"])
    if not bare:
        return Reference(id, rest.strip(" \t,;:="), None)
    url = cut_url(bare.group())
    title = rest[: bare.start()] + " " + rest[bare.start() + len(url) :]
    return Reference(id, _bare_title(title), url)


def _bare_title(title: str) -> str:
    title = title.strip(_OUTER)
    return title[1:-1] if len(title) > 1 and _QUOTES.get(title[0]) == title[-1] else title


def identity_key(url: str) -> str:
    """The address without the parts that do not change the page; an address that cannot be
    parsed is returned as it is.

    Scheme and host in small letters and ASCII (IDNA), the default port, a host's final dot, dot
    segments, the fragment (except ``#/`` and ``#!`` routes), tracking parameters and an empty query
    go, and percent-encoding takes one form. Order of parameters, final slash, ``www`` and
    ``index.html`` may name other pages, so they stay.

    >>> identity_key("HTTPS://A.Example:443/a/../%7eb?utm_source=chat&c=2#top")
    'https://a.example/~b?c=2'
    """
    # Read here: most answers cite no address.
    from yarl import URL as Address

    try:
        read = Address(url.strip())
        if read.scheme not in ("http", "https") or not read.host:
            return url
        page = read.with_host(read.host.rstrip(".")).with_path(read.raw_path or "/", encoded=True)
    except ValueError:
        return url
    kept = [one for one in read.raw_query_string.split("&") if one and not _TRACKING.fullmatch(one)]
    query = "?" + "&".join(kept) if kept else ""
    route = "#" + read.raw_fragment if read.raw_fragment[:1] in ("/", "!") else ""
    return f"{page}{query}{route}"
