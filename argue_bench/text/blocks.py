"""The Markdown structure of an answer: its blocks, and in each the words that a reader sees.

`markdown-it-py` finds the blocks (CommonMark and tables) and the emphasis, code and links inside them.
Every word keeps its place in the text as given. Citation marks are read before, and hidden from the
parser. A text beyond `LONGEST` characters, or without a sign of Markdown, is one block of plain lines.

Reference lists are found before (`argue_bench.text.citations.references`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from argue_bench.text.citations import HIDDEN, OPENING, Mark, hide
from argue_bench.text.citations.notations import fenced
from argue_bench.text.phrases import FEW, has_words
from argue_bench.text.refusals import refuses_in_words
from argue_bench.text.tags import FILLED

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Characters that are parsed as Markdown, 16,000 words: the parser may take a second for them.
LONGEST = 100_000
# Cells that the parser may fill: it gives each line below the head of a table all columns of the head.
MOST_CELLS = 20_000
# Characters of a block in which emphasis and links are looked for.
LONGEST_BLOCK = 20_000

# A record is a row of three cells or more, so that its first one names what it is about.
Kind = Literal[
    "text", "item", "row", "record", "heading", "table header", "rule", "code", "references"
]

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")

_INLINE = re.compile(r"[*_`~]\S|\]\(")
_OPENED = r"[ \t]*(?:(?:[-*+•‣◦▪·–—]|[a-z]\))[ \t]|[>#]|\d\ufe0f?\u20e3|\(?\d{1,3}[.)][ \t]|[-*_]{3}|```|~~~)"
# Also a first line of a paragraph that ends in no stop, as a title does.
_MARKDOWN = re.compile(
    rf"{_INLINE.pattern}|\||^{_OPENED}|(?:\A|\n[ \t]*\r?\n)[^\n]{{1,80}}[\w)]\r?\n", re.M
)
# Lines that hold a row or a heading, and so have not gone on in the next one.
_ALONE = re.compile(r"[ \t]*[|#]")
_OPENED_LINE = re.compile(_OPENED)
# Signs that people use for bullets and numbers, beside those of Markdown.
_BULLET = re.compile(r"^([ \t]*)(?:(?:[•‣◦▪·–—]|[a-z]\))(?=[ \t])|\d\ufe0f?\u20e3)", re.M)
# "1\\." as converters write it.
_ESCAPED_NUMBER = re.compile(r"^([ \t]{0,8}\d{1,3})\\([.)])(?=[ \t])", re.M)
_BRACKETED = re.compile(r"^([ \t]*)\((\d{1,2}\)[ \t])", re.M)
_IN_CELL = re.compile(r"(\|[ \t]*)[-*•‣◦▪·–—](?=[ \t]+[^\s|])")
# "1931." alone or before a sentence is a number: nobody counts a thousand items.
_NO_ITEM = re.compile(r"^[ \t]*(?:\d{4,9}[.)]|\d{1,3}[.)][ \t]*\r?$)", re.M)
_STOP = re.compile(r"[.)]")
# A line that is drawn below a title, and the kind of a callout: "> [!NOTE]".
_DRAWN = re.compile(r"^(?:={3,}|>[ \t]?\[![A-Za-z]{3,12}\])(?=[ \t]*\r?$)", re.M)
# A line of bold words, or one that begins with a label in bold words.
_BOLD_LINE = re.compile(r"(\*\*|__)(?=\S)[^*_\n]{1,200}(?::\1|\1:|\1$)")
# A mark, and what ends an item of a cell behind one; what follows stays with the words before it where it is a mark alone.
_MARKED = re.compile(f"{HIDDEN}+")
_CELL_ITEM = re.compile(rf"(?<={HIDDEN}) {{0,3}};\s*")
_PRODUCT = re.compile(r"(?<=\d)\*(?=\d)")
_TARGET = re.compile(r"\]\((?:[^()\n]|\([^()\n]{0,500}\)){0,4000}\)")
_CLOSERS = re.compile(rf"(?:[*_~`]{{1,3}}|{_TARGET.pattern})*")


class Words(NamedTuple):
    """The words of a block as a reader sees them, and where each run of them lies in the text as given.

    Emphasis, the targets of links and the signs at the head of lines are left out; a citation mark is
    `HIDDEN`. ``bold`` is the number of characters at the beginning that are bold.
    """

    text: str
    # Where each run begins in ``text``.
    begins: tuple[int, ...]
    # Start and end of each run in the text as given.
    runs: tuple[tuple[int, int], ...]
    bold: int = 0

    @classmethod
    def of(cls, body: str, pieces: Sequence[tuple[int, int]]) -> Words:
        """The words in these stretches of lines of a text."""
        runs, bold = list(pieces), 0
        content = "".join(body[start:end] for start, end in pieces)
        if len(content) <= LONGEST_BLOCK and _INLINE.search(content):
            kept, bold = _without_signs(_PRODUCT.sub("∗", content))
            begins = list(accumulate((end - start for start, end in pieces), initial=0))
            runs = []
            for start, end in kept:
                at = bisect_right(begins, start) - 1
                while start < end:
                    stop = min(end, begins[at + 1])
                    shift = pieces[at][0] - begins[at]
                    runs.append((start + shift, stop + shift))
                    start, at = stop, at + 1
        begins = list(accumulate((end - start for start, end in runs[:-1]), initial=0))
        return cls("".join(body[s:e] for s, e in runs), tuple(begins), tuple(runs), bold)

    @property
    def seen(self) -> str:
        """The words without citation marks."""
        return " ".join(self.text.replace(HIDDEN, "").replace(OPENING, "").split())

    def place(self, start: int, end: int, given: str) -> tuple[int, int]:
        """Where a stretch of ``text`` lies in the text as given, with the signs that open and close it."""
        # The names of columns before a cell lie nowhere.
        start = max(start, self.begins[0])
        first, last = bisect_right(self.begins, start) - 1, bisect_right(self.begins, end - 1) - 1
        begin = self.runs[first][0] + start - self.begins[first]
        stop = self.runs[last][0] + end - self.begins[last]
        if start == self.begins[first]:
            low = self.runs[first - 1][1] if first else 0
            signs = given[max(low, begin - 4) : begin]
            begin -= len(signs) - len(signs.rstrip("*_~`["))
        if stop == self.runs[last][1]:
            high = self.runs[last + 1][0] if last + 1 < len(self.runs) else len(given)
            closed = _CLOSERS.match(given, stop, high)
            stop = closed.end() if closed else stop
        return begin, stop


class Block(NamedTuple):
    """A block of an answer. ``intro`` is the place of the block that leads to a list or a table."""

    kind: Kind
    words: Words
    intro: int | None = None
    # How many lists it stands in.
    depth: int = 0


def blocks(
    text: str, marks: Sequence[Mark] = (), lists: Sequence[tuple[int, int]] = ()
) -> list[Block]:
    """The blocks of a text, its reference lists last.

    ``marks``, in order, are its citation marks, ``lists`` start and end of the lines of its reference lists.
    """
    body = hide(text, marks)
    if whole := fenced(body):
        # Models wrap a whole answer in a fence: what stands inside is the answer.
        start, end = whole
        body = " " * start + body[start:end] + " " * (len(body) - end)
    found = [Block("references", Words("", (), (one,))) for one in lists]
    for start, end in lists:
        body = body[:start] + FILLED.sub(" ", body[start:end]) + body[end:]
    body = _ESCAPED_NUMBER.sub(r"\1\2 ", body)
    body = _unwrapped(_DRAWN.sub(lambda one: "-" * len(one.group()), body))
    if len(body) > LONGEST or not _MARKDOWN.search(body):
        return [Block("text", Words.of(body, [(0, len(body))])), *found]
    return [*_Parsed(body).found, *found]


# Characters of the widest line of a text that is taken for wrapped, and line breaks in it, at least.
_WIDE, _BREAKS = 40, 3


def _unwrapped(body: str) -> str:
    """The text with blanks for its line breaks, where a program has set them to fill lines.

    It has where, at each break inside a paragraph or an item, the next word would have made the line wider than
    the widest, and some line goes on in lower case, with a mark or behind a blank.
    """
    lines = [body[slice(*one.span())] for one in _LINE.finditer(body)]
    inside = [
        at
        for at, (line, after) in enumerate(pairwise(lines))
        if line.strip()
        and after.strip()
        and not (_ALONE.match(line) or _OPENED_LINE.match(after) or _ALONE.match(after))
    ]
    bare = [one.rstrip("\r\n") for one in lines]
    widest = max((len(bare[at + more].rstrip()) for at in inside for more in (0, 1)), default=0)
    words = [bare[at + 1].split()[0] for at in inside]
    filled = all(
        len(bare[at].rstrip()) + 1 + len(word) > widest and not bare[at].endswith(("  ", "\\"))
        for at, word in zip(inside, words, strict=True)
    )
    goes_on = any(bare[at + 1][0] in f" {HIDDEN}" or bare[at + 1][0].islower() for at in inside)
    if filled and goes_on and widest >= _WIDE and len(inside) >= _BREAKS:
        for at in inside:
            lines[at] = bare[at].ljust(len(lines[at]))
    return "".join(lines)


# What stands in every text that has such a block, but for lists and paragraphs.
_SIGNS = {
    "table": re.compile(r"\|"),
    "fence": re.compile(r"```|~~~"),
    "blockquote": re.compile(r">"),
    "hr": re.compile(r"([-*_])[ \t]*\1[ \t]*\1"),
    "heading": re.compile(r"#"),
}


def markdown(*without: str) -> MarkdownIt:
    """A parser of what counts as Markdown in an answer: no HTML, indented code and definitions, and none of
    the rules ``without`` which a text is known to be."""
    # Read here: `import argue_bench` must not wait for a parser.
    from markdown_it import MarkdownIt

    off = [
        *("code", "lheading", "reference", "html_block"),
        *("html_inline", "entity", "escape", "autolink"),
    ]
    parser = MarkdownIt("commonmark", {"maxNesting": 20, "html": False})
    return parser.enable(["table", "strikethrough"]).disable([*off, *without])


@cache
def _block_parser(*without: str) -> MarkdownIt:
    parser = markdown(*without)
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@cache
def _inline_parser() -> MarkdownIt:
    return markdown("newline")


def as_markdown(text: str) -> str:
    """The text as it is parsed: with signs for bullets and numbers as Markdown has them, and numbers that
    are no items hidden from it. Every character keeps its place."""
    source = _BRACKETED.sub(
        r"\1 \2",
        _BULLET.sub(lambda one: f"{one[1]}-".ljust(len(one[0])), _IN_CELL.sub(r"\1 ", text)),
    )
    return _NO_ITEM.sub(lambda one: _STOP.sub(HIDDEN, one.group()), source)


class _Parsed:
    """The blocks of a text, from the tokens of the parser."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._source = source = as_markdown(body)
        self._lines = [one.span() for one in _LINE.finditer(source)]
        self.found: list[Block] = []
        # The block that a list or a table which comes next belongs to.
        self._last: int | None = None
        # The first cell of the row before, in words.
        self._above = Words("", (), ())
        self._read()

    def _read(self) -> None:
        kind: Kind = "text"
        intros: list[list[int | None]] = []  # of the lists that are open
        columns: list[str] = []
        cells: list[Words] = []
        number = cursor = 0
        tables: int | None = None  # what leads to the table that is open
        counted = True
        row = None  # the token of the row that is open
        before = ""
        for token in _block_parser(*self._lacking()).parse(self._source):
            if token.type.endswith("_list_open"):
                # "42. That is all." is no item; a list may go on after other blocks.
                first = int(token.attrs.get("start", 1))
                counted = token.type[0] == "b" or first in (0, 1, number + 1)
                inner = (before, token.type) == ("ordered_list_close", "bullet_list_open")
                intros.append(self._inner() if inner else [self._last])
            elif token.type.endswith("_list_close"):
                intros.pop()
                kind, self._last = "text", None  # the last item may be empty
            elif token.type == "list_item_open":
                kind, number = "item", int(token.info) if token.info else number
            elif token.type == "heading_open":
                kind = "heading"
            elif token.type == "tr_open":
                kind, cells, cursor, row = "row", [], 0, token
            elif token.type == "inline" and token.map:
                pieces, cursor = self._pieces(token, cursor if kind == "row" else 0)
                if kind == "item" and not counted:
                    kind, line = "text", self._lines[token.map[0]][0]
                    pieces[0] = (line, pieces[0][1])
                if kind == "row":
                    cells.append(Words.of(self._body, pieces))
                    continue
                intro = intros[-1][0] if kind == "item" else None
                depth = sum(map(len, intros))
                for part in [pieces] if kind == "heading" else self._headed(pieces, kind):
                    self._last = len(self.found)
                    if kind == "item" and part[0] > pieces[0]:
                        # It ends the lists that are open, and leads to what comes next.
                        kind, intro, depth, intros = "text", None, 0, [[self._last] for _ in intros]
                    words = Words.of(self._body, part)
                    self.found.append(Block(kind, words, intro, depth))
                kind = "text"
            elif token.type == "thead_close":
                columns, self._above = [one.seen for one in cells], Words("", (), ())
                self.found.append(Block("table header", _row(cells, [])))
            elif token.type == "tr_close" and columns and row:
                place = Block("row", cells[0], tables, sum(map(len, intros)))
                self.found += self._body_row(row, cells, columns, place)
            elif token.type == "table_open":
                tables = self._last
            elif token.type == "table_close":
                columns, kind, self._last = [], "text", None
            elif token.type in ("fence", "hr") and token.map:
                (start, _), (_, end) = (self._lines[at] for at in (token.map[0], token.map[1] - 1))
                words = Words("", (), ((start, end),))
                self.found.append(Block("code" if token.type == "fence" else "rule", words))
                self._last = None
            before = token.type

    def _lacking(self) -> list[str]:
        """The rules of the parser of which the text has no sign, and that of tables where it would have too many cells."""
        lacking = [rule for rule, sign in _SIGNS.items() if not sign.search(self._source)]
        widest = max((self._source.count("|", *line) for line in self._lines), default=0)
        return [*lacking, "table"] if widest * len(self._lines) > MOST_CELLS else lacking

    def _inner(self) -> list[int | None]:
        """The last item twice, as the list and the item of bullets right below it: a numbered name's own, however far they are
        indented. None behind a sentence."""
        # Of an item that holds nothing, nothing was found.
        ended = not self.found or self.found[-1].words.seen.endswith((".", "!", "?"))
        return [None] if ended else [len(self.found) - 1] * 2

    def _pieces(self, token: Token, cursor: int) -> tuple[list[tuple[int, int]], int]:
        """Where the content of a token lies, line by line, and where the last line of it ends."""
        found: list[tuple[int, int]] = []
        line = token.map[0] if token.map else 0
        for content in token.content.split("\n"):
            start, end = self._lines[line]
            words = content.strip()
            at = self._source.find(words, max(start, cursor), end)
            # In a cell the parser takes the backslash from "\\|".
            if at < 0:
                words = words.replace("|", "\\|")
                at = self._source.find(words, max(start, cursor), end)
            if at < 0:
                at, words = max(start, cursor), self._source[max(start, cursor) : end].strip()
            if found:
                found.append((start - 1, start))  # the line break, which may end a sentence
            found.append((at, at + len(words)))
            cursor = at + len(words)
            line += 1
        return found, cursor

    def _headed(self, pieces: list[tuple[int, int]], kind: Kind) -> Iterator[list[tuple[int, int]]]:
        """The lines of a paragraph, parted before each that is bold as a whole or begins with a bold label; below an item those at
        the margin alone."""
        start = 0
        # Every second piece is a line break.
        for at in range(2, len(pieces), 2):
            begun = kind != "item" or self._source[pieces[at][0] - 1] in "\r\n"
            if begun and _BOLD_LINE.match(self._body, *pieces[at]):
                yield pieces[start : at - 1]
                start = at
        yield pieces[start:]

    def _body_row(
        self, token: Token, cells: Sequence[Words], columns: Sequence[str], row: Block
    ) -> Iterator[Block]:
        """A row of a table; where two cells or more behind its first have marks of their own, or two items of one, one for each of
        them."""
        line = self._lines[token.map[0]] if token.map else (0, 0)
        # An empty first cell means the one above it; one with a mark alone is not empty.
        if not cells[0].text.strip() and any(has_words(one.seen) for one in cells):
            cells = [self._above, *cells[1:]]
        self._above = Words(cells[0].seen, (), ())
        # "n/a" or "?" beside a year is no part of what the year's source says.
        said = [
            x
            for x in cells
            if has_words(x.seen) and not (_is_few(x.seen) and refuses_in_words(x.seen))
        ]
        cells = [x if len(said) < 2 or x in said else self._marks_of(x) for x in cells]
        parts: list[list[tuple[str, Words]]] = [[]]
        for column, cell in zip(columns, cells, strict=True):
            for item in self._items(cell):
                worded = has_words(item.seen)
                parts += [[]] * (worded and bool(parts[-1]))
                parts[-1] = [*parts[-1], (column, item)] if worded or parts[-1] else []
        first, *others = parts
        if sum(has_words(one.seen) for one in cells) > 2:
            row = row._replace(kind="record")
        marked = [HIDDEN in "".join(item.text for _, item in one) for one in parts]
        # The parser takes the line after a table for a row.
        if "|" not in self._source[line[0] : line[1]]:
            yield Block("text", cells[0])
        elif sum(marked) < 2 or marked[0]:
            yield row._replace(words=_row(cells, columns))
        else:
            head = [(column, item._replace(begins=(), runs=())) for column, item in first]
            for one in others:
                names, own = zip(*head, *one, strict=True)
                yield row._replace(words=_row(own, names))

    def _marks_of(self, cell: Words) -> Words:
        """A cell without its words."""
        places = (one.span() for run in cell.runs for one in _MARKED.finditer(self._body, *run))
        return Words.of(self._body, [*places])

    def _items(self, cell: Words) -> list[Words]:
        """The items of a cell that has marks behind two of them, "1931 [1]; 412 m [2]"; else the cell."""
        if not cell.runs or len(_MARKED.findall(cell.text)) < 2:
            return [cell]
        start, end = cell.runs[0][0], cell.runs[-1][1]
        cuts = [
            place for one in _CELL_ITEM.finditer(self._body, start, end) for place in one.span()
        ]
        ends = iter([start, *cuts, end])
        return [Words.of(self._body, [one]) for one in zip(ends, ends, strict=True)]


def _is_few(words: str) -> bool:
    return len(words.split()) <= FEW


def _row(cells: Sequence[Words], columns: Sequence[str]) -> Words:
    """A row of a table as one text: "City: Oslo; Inhabitants: 700,000"; more than a few words that stand alone need no name."""
    text = ""
    # A dash is no word.
    filled = [one.seen for one in cells if has_words(one.seen)]
    columns = () if len(filled) == 1 and not _is_few(filled[0]) else columns
    said = False  # of a cell whose citation, or number, is hidden nothing is
    begins: list[int] = []
    runs: list[tuple[int, int]] = []
    for number, cell in enumerate(cells):
        name = columns[number] if number < len(columns) else ""
        if cell.seen in filled:
            text += f"{'; ' if said else ''}{name}{': ' if name else ''}"
            said = True
        if cell.seen in filled or HIDDEN in cell.text:
            begins += [len(text) + begin for begin in cell.begins]
            runs += cell.runs
            text += cell.text
    return Words(text, tuple(begins), tuple(runs))


def _without_signs(content: str) -> tuple[list[tuple[int, int]], int]:
    """The stretches of a block outside the signs of emphasis, code and links; how many characters at its
    beginning are bold."""
    kept: list[tuple[int, int]] = []
    at = bold = depth = seen = 0
    for token in _inline_parser().parseInline(content)[0].children or ():
        depth += (token.type in ("strong_open", "em_open")) - (
            token.type in ("strong_close", "em_close")
        )
        if token.type == "link_close" and (target := _TARGET.match(content, at)):
            at = target.end()
        if token.content and token.type in ("text", "code_inline", "image"):
            start = content.find(token.content, at)
            # Code over two lines: the parser joins them.
            if start < 0:
                return [(0, len(content))], 0
            at = start + len(token.content)
            kept.append((start, at))
            if depth and seen == bold:
                bold += len(token.content)
            seen += len(token.content)
            if token.type == "image" and (target := _TARGET.match(content, at)):
                at = target.end()
    return kept, bold
