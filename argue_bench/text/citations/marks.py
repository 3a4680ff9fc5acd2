"""The citation marks of a text: where they are, what they name, and the text without them."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape
from itertools import pairwise
from typing import Literal

from argue_bench.records import MarkCount
from argue_bench.text.citations.index import EMPTY_INDEX, CitationIndex, shape_of
from argue_bench.text.citations.notations import (
    CANDIDATE,
    COUNTED,
    HEADED,
    HEADINGS,
    ID_LIKE,
    LABELLED,
    LEAD,
    LED,
    LONGEST_URL,
    NOTATION,
    NOTATIONS,
    PLACE,
    RAISED,
    SAID,
    SHOWN,
    code_at_the_head,
    fenced,
)
from argue_bench.text.citations.references import ReferenceLists, cut_url, reference_lists
from argue_bench.text.citations.tables import SOURCES, columns, counting_cells
from argue_bench.text.language import UNSPACED
from argue_bench.text.phrases import HIDDEN, OPENING, is_sentence

# Documents of the widest range that is read: a list of sources is seldom longer, and ``[1-999]`` would cite all.
WIDEST_RANGE = 50
_NAME = re.compile(
    r"""\b(?P<key>name|index|ids?|source|src|doc|document)\s?=\s?(?:"(?P<double>[^\n]*?)"|'(?P<single>[^\n]*?)'|(?P<bare>[^\s"'>]+))
                       (?=\s+[\w:-]{1,30}\s?=|\s*/?\s*$)""",
    re.VERBOSE | re.IGNORECASE,
)
_SENTENCE = re.compile(r"\b(\d{1,3})-\d{1,4}(?::\d{1,4})?\b")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«\s*([^»]+?)\s*»")
_AND = r"\s+(?:and|et|und|y|e|en|и|&)\s+"
_PARTS = re.compile(
    rf"[,;，、；](?:{_AND})?|(?<=\d){_AND}(?=\S{{0,80}}\d|{COUNTED})", re.IGNORECASE
)
_RANGE = re.compile(r"(\d{1,9})\s?[-‐‑–—]\s?(\d{1,9})")
# "1. The Wall", "Document 1: The Wall", "The Wall (1)"
_NUMBER_AND_TITLE = re.compile(
    rf"(?:(?:{SHOWN}\s?)?#?(?P<number>\d{{1,3}})(?:\s?[.:–-]\s?|,\s(?=\S+\s)))?(?P<title>\S.*?)(?:\s?[(（][^()（）]{{1,80}}[)）])?",
    re.IGNORECASE,
)
_TAGS = re.compile(r"</?[a-z][^<>]{0,1000}>|\]\([^\s()]{1,2000}\)|[\[\]]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mark:
    """A citation mark: its place in the text in characters, and the ids that it names.

    ``kind``: a ref tag "opens" and "closes" around the words that it supports; where all marks stand before what
    they support, each "leads"; all others are points.
    ``notation`` is the name of one of `NOTATIONS`, ``ids`` are the names as they are printed, ``url`` the
    address that is printed.
    """

    start: int
    end: int
    names: tuple[str, ...]
    kind: Literal["point", "opens", "closes", "leads"] = "point"
    notation: str = ""
    ids: tuple[str, ...] = ()
    url: str = ""


def _raised(words: str, index: CitationIndex) -> tuple[str, ...] | None:
    """The numbers of raised figures, "¹²" as 1 and 2 where there is no 12."""
    figures = words.translate(RAISED).replace("˒", ",")
    apart = not index.counts(figures) and all(map(index.counts, figures))
    return tuple(figures) if apart else _bracket(figures, EMPTY_INDEX)


def _dagger(words: str, index: CitationIndex) -> tuple[str, ...]:
    id, _, place = words.partition("†")
    return (place,) if index.find(place) else (id.strip(),)


def _attribute(words: str, index: CitationIndex) -> tuple[str, ...]:
    name = min(_NAME.finditer(words), key=lambda one: one["key"].casefold() != "name", default=None)
    given = next(filter(None, name.groups()[1:]), "") if name else ""
    # "2-1,2-4" are two sentences of the second document.
    given = _SENTENCE.sub(r"\1", given) if name and name["key"].casefold() == "index" else given
    return tuple(dict.fromkeys(declared_names(unescape(given), index)))


def declared_names(words: str, index: CitationIndex) -> tuple[str, ...]:
    """The names in a notation that always cites."""
    bare = words.strip()
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1].strip()
    if not bare or index.find(bare) is not None:
        return (bare,) if bare else ()
    quoted = [next(filter(None, groups)) for groups in _QUOTED.findall(bare)]
    # Several documents, where every part names one; else the commas are part of a title.
    for parts in (quoted, bare.split(";"), bare.split(",")):
        several = len(parts) > 1 or (parts is quoted and parts)
        if several and all(index.find(part) is not None for part in parts):
            return tuple(parts)
    # Nothing but quoted titles: each is one, known or not.
    if quoted and not _QUOTED.sub("", bare).strip(" ,;&"):
        return tuple(part.strip() for part in quoted)
    return _bracket(bare, index) or (bare,)


def _bracket(inner: str, index: CitationIndex) -> tuple[str, ...] | None:
    """The names in square brackets; None where they hold text. An id names its document beside whatever words."""
    return _listed(inner, index) or index.ids_in(inner) or None


def _listed(inner: str, index: CitationIndex) -> tuple[str, ...] | None:
    """The names of which words are a list; None where a part of them is none."""
    bare = inner.strip(" \t`*.")
    labelled = None if shape_of(bare) in index.shapes else LABELLED.fullmatch(bare)
    titled = _NUMBER_AND_TITLE.fullmatch(bare)
    titles = (bare[titled.start("title") :], titled["title"]) if titled else ()
    if titled and titled["number"] and index.counted_as(titled["number"], titled["title"]):
        return (titled["number"],)
    for whole in (bare, labelled["named"] if labelled else "", *titles):
        if index.find(whole) is not None and (whole == bare or not whole.isdecimal()):
            return (whole,)
    # "Source: Document 1, The Wall"
    if labelled and ": " in bare[: labelled.start("named")]:
        return _listed(labelled["named"], index)
    names: list[str] = []
    for part in map(str.strip, _PARTS.split(bare)):
        # A page belongs to the document before it.
        if names and PLACE.fullmatch(part) and index.find(part) is None:
            continue
        if (one := _part(part, index)) is None:
            return None
        names += one
    return tuple(names)


def _part(part: str, index: CitationIndex) -> tuple[str, ...] | None:
    if index.find(part) is not None:
        return (part,)
    numbers = _numbers(part, index)
    if numbers is not None or not part or len(part) > 200:
        return numbers
    # An id has no blanks; words with blanks are an editor's.
    single = not any(map(str.isspace, part))
    if single and shape_of(part) in index.shapes:
        return (part,)
    # "see doc_1" is that document, and not the first one.
    led = index.ids_in(part.split()[-1]) if LED.fullmatch(part) else ()
    if led and not led[0].isdecimal():
        return led
    if labelled := LABELLED.fullmatch(part):
        numbers = _part(labelled["named"], index)
    return (part,) if numbers is None and single and ID_LIKE.fullmatch(part) else numbers or None


def named_ids(words: str, index: CitationIndex) -> tuple[str, ...]:
    """The ids of letters and digits in a list of them, "see d1", "d1, p. 3", or whatever the word for a source leads to."""
    found = _listed(words, index) or ()
    known = all(one.isdecimal() or index.find(one) is not None for one in found)
    return found if known and (SAID.match(words) or all(map(index.ids_in, found))) else ()


def _bare_ids(words: str, index: CitationIndex) -> tuple[str, ...]:
    """The ids of a cell that holds nothing else: its other words are the answer's."""
    others = [one for one in words.split() if any(map(str.isalnum, one))]
    return named_ids(words, index) if SAID.match(words) or all(map(index.ids_in, others)) else ()


def _numbers(part: str, index: CitationIndex) -> tuple[str, ...] | None:
    """The numbers of a number or a range; None where it is none."""
    if part.isdecimal() and len(part) <= 3:
        return (part if part.isascii() else str(int(part)),)
    span = _RANGE.fullmatch(part)
    if span is None:
        return None
    first, last = int(span[1]), int(span[2])
    if len(span[1]) == 4 and len(span[2]) in (2, 4) and first > len(index.numbered):
        return None  # years
    # Such a range cites, and names nothing that is there.
    if not 0 <= last - first < WIDEST_RANGE:
        return (part,)
    return tuple(str(number) for number in range(first, last + 1))


# How the words of a notation are read; those of all others are names.
READERS: Mapping[str, Callable[[str, CitationIndex], tuple[str, ...] | None]] = {
    **dict.fromkeys(("square", "double", "wide", "escaped"), _bracket),
    "range": lambda words, index: _numbers(re.sub(r"[\[\]\s]", "", words), index),
    "round": lambda words, index: _bracket(words, EMPTY_INDEX),
    **dict.fromkeys(
        ("said", "dash"), lambda words, index: named_ids(words.replace("*", ""), index) or None
    ),
    # An id has to stand in brackets: "<sup>th</sup>" is none.
    "sup": lambda words, index: _bracket(
        _TAGS.sub("", words), index if "[" in words else EMPTY_INDEX
    ),
    "note": lambda words, index: (words,),
    "closes": lambda words, index: (),
    "raised": _raised,
    "dagger": _dagger,
    "opens": _attribute,
}


_BLANK = " \t\xa0\u202f\u2009"
_LEADS, _AHEAD = re.compile(rf"[^\w{HIDDEN}]*{HIDDEN}"), re.compile(r"\w")
_FOLLOWS = re.compile(
    rf"[^\W{HIDDEN}][{_BLANK}*_]*{HIDDEN}|[^\s{HIDDEN}][{_BLANK}]*{HIDDEN}[{HIDDEN}{_BLANK}]*$",
    re.MULTILINE,
)
_GAP = re.compile(rf"(?<![{_BLANK}])[{_BLANK}]*{HIDDEN}[{HIDDEN}{_BLANK}]*")
_SURNAME = re.compile(
    r"([A-ZÀ-ÞĀ-Ž][\w’'-]+)(?:,? (?:and|&|et al\.?)(?: [A-ZÀ-ÞĀ-Ž][\w’'-]+)?)? ?\Z"
)
# What may stand between marks of one group.
_BETWEEN = ("", ",", ";", "，", "and", "et", "&")
# Characters between two of a group at most.
_WIDEST_GAP = 9
_STOPS = '.,;:!?…"”’»。，；：！？'
_WORDY = re.compile(rf"(?:[^\W\d_⁰¹²³⁴-⁹₀-₉]{{3}}|\d{{3}}|[{UNSPACED}])\Z")
_POWER = re.compile(r"[A-Za-z\d⁺⁻ⁿ]")
_BEFORE_END = re.compile(r"[ \t]*(?:$|[.,;!?…。，；！？)])", re.MULTILINE)
# The end of a sentence, right before a link.
_ENDED = re.compile(r"[.!?…。！？][\"'”’»)\]*_]{0,3}[ \t\xa0]{0,3}\n?[ \t]{0,3}\Z")
_GOES_ON = re.compile(r"[ \t\xa0]{0,3}(?:[,:]|[a-zß-öø-ÿ])")
_IN_SUP = re.compile(r"https?://[^\s\"'<>()]{1,2000}", re.IGNORECASE)

# What stands before marks in brackets that go with them, "(see [1])", and before those on a line of their own.
_FRAME = re.compile(
    rf"(?:[(（](?:{LEAD}(?:{SHOWN}|cf|voir|siehe)\b[.]?\s?[:：]?\s{{0,2}}){{0,2}}|<a\b[^<>]{{0,200}}>|<)\Z",
    re.IGNORECASE,
)
_CLOSE = re.compile(r"[\s\xa0]{0,2}[)）]|(?:</a\s?)?>")
_LABEL = re.compile(
    r"^[ \t]{0,8}(?:[-*+>] )?[*_]{0,3}(?:sources?|references?|quellen?)[*_]{0,3}\s?[:：][*_]{0,3}\s?\Z",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL_AT = re.compile(
    rf"(?:^|[.!?…][\"”’»)]{{0,2}}\s|[。！？,;—–]\s?)(?:[\s>+•—–-]|\*\s){{0,8}}(?P<label>[*_]{{0,3}}(?:(?:[^\W\d_][\w’'-]{{0,20}} ){{0,2}}{COUNTED}(?: ids?)?|{HEADINGS})[*_]{{0,3}})[ \xa0\u202f]?\Z",
    re.IGNORECASE | re.MULTILINE,
)
_STOP = re.compile(r"\.\s+(?=\S)|[。！？]")
_LINE_END = re.compile(r"[ \t\r.*_]*$", re.MULTILINE)
_DOUBTFUL = ("raised", "sup", "round")
# What names nothing is text in these, and may hold what cites all the same.
_OPEN = ("labelled", "said", "dash")


def find_marks(text: str, index: CitationIndex) -> list[Mark]:
    """Every citation mark of the text, in order, with the commas and round brackets that frame it.

    Of a link inside a sentence the words stay: its bracket and its target are two marks.
    """
    return settle(text, read_marks(text, index))


def read_marks(text: str, index: CitationIndex, lists: ReferenceLists | None = None) -> list[Mark]:
    """The marks as they are printed, in order, without those inside of reference lists, code and formulas."""
    lists = reference_lists(text, index.is_entry, index.is_listing) if lists is None else lists
    index = index.with_list(lists.entries)
    # Of an answer in a fence only what stands inside is read.
    first, last = fenced(text) or (code_at_the_head(text), len(text))
    ends = [start for start, _ in lists.lines] + [last]
    starts = [first] + [end for _, end in lists.lines]
    found: list[Mark] = []
    for at, end in zip(starts, ends, strict=True):
        while candidate := CANDIDATE.search(text, at, end):
            at = candidate.end()
            if not (match := NOTATION.match(text, candidate.start(), end)):
                continue
            mark = None if match.lastgroup == "dead" else _mark(text, match, index, lists)
            read = at if match.lastgroup in _OPEN else match.end()
            at = mark.end if mark else read
            found += [mark] if mark else []
    # A text with citations in square brackets means something else by "(1)", and so does one with a number
    # that counts nothing: ages and scores.
    counted = not any(mark.notation == "square" for mark in found) and all(
        index.counts(id) for mark in found if mark.notation == "round" for id in mark.ids
    )
    heads = [
        Mark(*one.span("mark"), names, "point", "headed", ids)
        for start, end in zip(starts, ends, strict=True)
        for one in HEADED.finditer(text, start, end)
        for ids in [named_ids(one["named"].strip(), index)]
        for names in [tuple(index.find(id) or "" for id in ids)]
        if ids and all(names)
    ]
    return _with_cells(
        text, [mark for mark in found if counted or mark.notation != "round"], heads, index
    )


def _with_cells(
    text: str, found: Sequence[Mark], heads: Sequence[Mark], index: CitationIndex
) -> list[Mark]:
    """The marks, the heads where no mark is, and those cells of tables that cite, or only count rows and so name nothing."""
    taken = [mark.start for mark in found]

    def marked(start: int, end: int) -> bool:
        return bisect(taken, start - 1) != bisect(taken, end)

    cells = [*heads, *(Mark(start, end, ()) for start, end in counting_cells(text))]
    for head, column, beside in columns(text):
        bare = [one for one in column if not marked(*one)]
        words = [text[slice(*one)] for one in bare]
        of_sources = SOURCES.fullmatch(head) is not None
        reader = declared_names if of_sources else _bare_ids
        ids = [reader(one, index) for one in words]
        known = [
            bool(each) and all(index.counts(id) or index.find(id) for id in each) for each in ids
        ]
        # Under another head all cells are documents. Where other cells cite by marks, or a number counts nothing that is there,
        # these are figures.
        figures = any(
            not there and (not of_sources or one.isdecimal())
            for one, there in zip(words, known, strict=True)
        )
        if figures or any(marked(*one) for one in beside):
            continue
        for (start, end), each, there in zip(bare, ids, known, strict=True):
            if there:
                names = tuple(index.find(id) or id for id in each)
                cells.append(Mark(start, end, names, "point", "column", each))
    free = (one for one in cells if not marked(one.start, one.end))
    return sorted([*found, *free], key=lambda one: one.start)


def settle(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """The marks as they are taken out of the text: see `find_marks`."""
    settled: list[Mark] = []
    first = 0  # of the marks that have nothing but blanks and commas between them
    for at, after in enumerate([*marks[1:], None][: len(marks)]):
        gap = text[marks[at].end : after.start] if after else "."
        if len(gap) <= _WIDEST_GAP and gap.strip() in _BETWEEN:
            continue
        group, first = marks[first : at + 1], at + 1
        points = all(mark.kind == "point" for mark in group)
        frame = enclosed(text, group[0].start, group[-1].end) if points else None
        whole = False
        for mark in group:
            behind, whole = whole, bool(frame) or not _has_words(text, mark)
            whole = whole or _is_behind(text, mark, behind)
            if whole and behind and points:
                settled[-1] = replace(settled[-1], end=mark.start)
            if whole:
                settled.append(mark)
            # An address that cites nothing may be what was asked for: it stays.
            elif mark.notation == "link":
                cut = text.rindex("](", mark.start, mark.end)
                settled += [Mark(mark.start, mark.start + 1, ()), replace(mark, start=cut)]
        if frame:
            settled[-len(group)] = replace(settled[-len(group)], start=frame[0])
            settled[-1] = replace(settled[-1], end=frame[1])
    return _leading(text, settled)


def _leading(text: str, marks: list[Mark]) -> list[Mark]:
    """The marks, where each begins a sentence or a line, the first one the text, and no line of words ends with one: "[1] It fell. [2] It rose."."""
    shown = hide(text, marks)
    leads = marks and _LEADS.match(shown) and _AHEAD.search(shown, marks[-1].end)
    if not leads or _FOLLOWS.search(shown) or any(one.kind != "point" for one in marks):
        return marks
    return [
        replace(one, kind="leads", end=one.end + (text[one.end : one.end + 1] in (":", "：")))
        for one in marks
    ]


def enclosed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The place of these marks with the brackets, or the label of the line, that hold nothing else."""
    for opening, closing in ((_FRAME, _CLOSE), (_LABEL, _LINE_END)):
        before = opening.search(text, max(0, start - 99), start)
        after = closing.match(text, end)
        if before and after:
            return before.start(), after.end()
    return None


def _has_words(text: str, mark: Mark) -> bool:
    """Whether a mark may be part of its sentence: a link with words, or an address that cites nothing."""
    if mark.notation != "link" or mark.ids:
        return mark.notation == "url" and not mark.names
    words = text[mark.start + 1 : text.rindex("](", mark.start, mark.end)].strip().casefold()
    # "[Oslo](https://a.example/Oslo)" says Oslo, "[a.example](https://a.example/1)" nothing.
    printed = words in mark.url.casefold() and not {".", "/"}.isdisjoint(words)
    return bool(words) and not printed


def _is_behind(text: str, mark: Mark, after_one: bool) -> bool:
    """Whether a link or an address follows the end of a sentence or fills a line of its own.

    One that the text goes on from in lower case opens the next sentence.
    """
    start, end = mark.start, mark.end
    alone = start > 1 and text[start - 1] == "\n" and text[end : end + 1] in ("", "\n", "\r")
    return alone or (
        (after_one or _ENDED.search(text, max(0, start - 12), start) is not None)
        and not _GOES_ON.match(text, end)
    )


def count_marks(text: str, marks: Iterable[Mark], index: CitationIndex) -> tuple[MarkCount, ...]:
    """How many marks of each form `find_marks` found, and how many of them name no source."""
    counts: dict[str, list[int]] = {}
    for mark in marks:
        if mark.notation and mark.kind != "closes":
            form = _form(mark.notation, text[mark.start : mark.end])
            read = counts.setdefault(form, [0, 0])
            read[0] += 1
            read[1] += not index.knows(mark)
    return tuple(MarkCount(form, *read) for form, read in counts.items())


@lru_cache(maxsize=1000)
def _form(notation: str, printed: str) -> str:
    """The example of a notation that a mark is most like."""
    forms, figures = _FORMS[notation], _DIGITS.sub("1", printed)
    return next((one for one in forms if _DIGITS.sub("1", one) in figures), forms[0])


_DIGITS = re.compile(r"\d+")
_FORMS = {
    **{one.name: one.examples for one in NOTATIONS},
    "column": ("| 1 |",),
    "headed": ("Document 1:",),
}


def enclosures(marks: Iterable[Mark]) -> dict[int, int]:
    """Where each tag begins that is closed before the next one opens, and where its closing tag does."""
    pairs = pairwise(one for one in marks if one.kind in ("opens", "closes"))
    return {a.start: b.start for a, b in pairs if (a.kind, b.kind) == ("opens", "closes")}


def hide(text: str, marks: Sequence[Mark]) -> str:
    """The text with `HIDDEN` in place of each character of these marks, which are in order.

    A tag that encloses words, and a mark that leads, have `OPENING`: the other marks belong to what they follow.
    """
    pieces, at, opening = [], 0, enclosures(marks)
    for mark in marks:
        shown = OPENING if mark.kind == "leads" or mark.start in opening else HIDDEN
        pieces += [text[at : mark.start], shown * (mark.end - mark.start)]
        at = mark.end
    return "".join([*pieces, text[at:]])


def unhidden(text: str) -> str:
    """The text without what is hidden in it: one blank of two around a mark goes, and the blank before a full
    stop or comma; words that only a mark kept apart get one."""
    return _GAP.sub(_between, text.replace(OPENING, HIDDEN)).lstrip(_BLANK)


def _between(gap: re.Match[str]) -> str:
    start, end = gap.span()
    before, after = gap.string[max(0, start - 1) : start], gap.string[end : end + 1]
    # French sets a blank before a colon.
    stops = ".,;:!?)]" if gap[0].endswith(HIDDEN) else ".,)]"
    if not before or not after or before in "([" or after.isspace() or after in stops:
        return ""
    return gap.group().replace(HIDDEN, "")[:1] or " " * (before.isalnum() and after.isalnum())


def without_marks(text: str, index: CitationIndex = EMPTY_INDEX) -> str:
    """The text without its citation marks and the blanks beside them."""
    return unhidden(hide(text, find_marks(text, index)))


def _mark(
    text: str, match: re.Match[str], index: CitationIndex, lists: ReferenceLists
) -> Mark | None:
    start, end = match.span()
    notation = str(match.lastgroup)
    if notation in ("link", "url"):
        return _page(text, match, index)
    if notation == "author":
        return _author(text, match, index, lists)
    if notation == "labelled":
        return _labelled(text, match, index)
    ids = READERS.get(notation, declared_names)(match[notation], index)
    if ids is None or (notation in _DOUBTFUL and not _is_mark(text, match, ids, index)):
        return None
    if notation in ("tag", "element") and _encloses(text, match, ids, index):
        return Mark(start, match.start(notation), ())
    kind: Literal["point", "opens", "closes"] = "closes" if notation == "closes" else "point"
    if notation == "opens" and not match.group().endswith("/>"):
        kind = "opens"
    url = _IN_SUP.search(match.group()) if notation == "sup" else None
    names = tuple(index.find(id) or id for id in ids)
    return Mark(start, end, names, kind, notation, ids, url.group() if url else "")


def _encloses(text: str, match: re.Match[str], ids: Sequence[str], index: CitationIndex) -> bool:
    """Whether a tag holds words of the answer, and of `<cite>` a sentence, which may be no title that is not there."""
    found = [index.find(id) for id in ids]
    if match.lastgroup == "element":
        return not all(found)
    # Behind the end of a sentence, or at the head of a line.
    before = text[max(0, match.start() - 9) : match.start()].rstrip(" \t*_>|-•")[-1:]
    return (
        before in ("", "\n", *_STOPS, ")", "]")
        and is_sentence(f"{match['tag']}.")
        and not any(found)
    )


def _page(text: str, match: re.Match[str], index: CitationIndex) -> Mark | None:
    """A link or an address. A number in a link counts where no document has the address."""
    start, end = match.span()
    ids: tuple[str, ...] = ()
    if url := match["address"]:
        words = match["words"].strip("[]^ ")
        ids = (words,) if re.fullmatch(r"\d{1,3}", words) else named_ids(words, index)
    else:
        start -= len("https" if text[start - 5 : start].casefold() == "https" else "http")
        url = cut_url(text[start:end])
        end = start + len(url)
    if not len("https://") < len(url) <= LONGEST_URL:
        return None
    page = index.find(url) if index.addresses is not None else None
    names = (page,) if page else tuple(index.find(id) or id for id in ids)
    return Mark(start, end, names, "point", str(match.lastgroup), ids, url)


def _is_mark(text: str, match: re.Match[str], ids: Sequence[str], index: CitationIndex) -> bool:
    """Whether figures are a mark here: "km" and "x" have powers, isotopes stand behind theirs, "(1)" may count
    what follows it, and a raised figure at the head of a line begins a note."""
    before = text[max(0, match.start() - 4) : match.start()]
    there = bool(ids) and all(map(index.counts, ids))
    if match.lastgroup == "round":
        apart = before[-1:] in (" ", "\xa0", *_STOPS) and before.strip(" \t\xa0")[-1:] not in (
            "",
            "\n",
        )
        return bool(ids) and apart and bool(_BEFORE_END.match(text, match.end()))
    noted = (not before[-1:].isalnum() or _WORDY.search(before) is not None) and not (
        _POWER.match(text, match.end())
    )
    if match.lastgroup == "sup":
        return noted
    return before[-1:] != "" and (
        before[-1] in _STOPS or (there and noted and not before[-1].isspace())
    )


def _labelled(text: str, match: re.Match[str], index: CitationIndex) -> Mark | None:
    """What is named behind a word such as "Source:" that begins a line or follows a sentence: to the end of the line, or of
    its own sentence."""
    start, words = match.start("labelled"), match["labelled"].rstrip(" \t*_.")
    label = _LABEL_AT.search(text, max(0, match.start() - 90), match.start())
    if label is None or is_sentence(label["label"]):
        return None
    for named in (words, _STOP.split(words, 1)[0]):
        if ids := named_ids(f"source: {named}", index):
            end = start + len(named)
            # Behind a full stop another one says nothing.
            end += text[end : end + 1] in (".", "。") and label[0][0] not in ",;—–"
            names = tuple(index.find(one) or one for one in ids)
            return Mark(label.start("label"), end, names, "point", "labelled", ids)
    return None


def _author(
    text: str, match: re.Match[str], index: CitationIndex, lists: ReferenceLists
) -> Mark | None:
    """The entries that "(Smith et al., 2020; Jones 2019)" or "Smith (2020)" names; None where one is not there."""
    words = match["author"]
    name = _SURNAME.search(text, max(0, match.start() - 80), match.start())
    parts = (
        [part.strip() for part in words.split(";")]
        if " " in words
        else [f"{name and name[1]} {words}"]
    )
    ids: list[str] = []
    names: list[str] = []
    for part in parts:
        author, year = re.split(r"[\s,]", part, maxsplit=1)[0], part.split()[-1]
        entry = next(
            (one for one in lists.entries if author in one.title[:80] and year in one.title), None
        )
        if entry is None or not author:
            return None
        ids.append(part)
        names.append(index.find_entry(entry) or part)
    return Mark(*match.span(), tuple(names), "point", "author", tuple(ids))
