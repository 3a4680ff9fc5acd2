"""A table as aligned text, CSV, Markdown or LaTeX (booktabs)."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

TableFormat = Literal["text", "csv", "md", "latex"]
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_MINUS = re.compile(r"(?:^|(?<= ))-(?=\d)")


def points(value: float | None, scale: float = 100, sign: str = "") -> str:
    """A score as it is shown: times 100 with one decimal; "-" where there is none."""
    return "-" if value is None else f"{scale * value:{sign}.1f}"


def interval(low: float | None, high: float | None, scale: float = 100, sign: str = "") -> str:
    """The ends of an interval as they are shown; "-" where there is none."""
    return (
        "-" if None in (low, high) else f"{points(low, scale, sign)} to {points(high, scale, sign)}"
    )


def aligned(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """The rows as lines of aligned columns; ``right`` numbers the columns set flush right."""
    # Wide (Chinese) characters count as one, though most terminals show them as two.
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    flush = set(right)
    return [
        "  ".join(
            cell.rjust(width) if i in flush else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


@dataclass(frozen=True)
class Table:
    """A head, rows of as many cells, and the numbers of the columns that are set flush right.

    ``best`` and ``alike`` are cells, by row and column, that Markdown and LaTeX mark: the best of a
    column, and those that are not significantly worse. ``notes`` stand below the table in the two.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Iterable[int] = ()
    best: Collection[tuple[int, int]] = ()
    alike: Collection[tuple[int, int]] = ()
    notes: Sequence[str] = ()

    def render(self, format: TableFormat = "text") -> str:
        """The table in this format, without a line break at its end."""
        writers = {"text": self._text, "csv": self.to_csv, "md": self.to_markdown}
        return writers.get(format, self.to_latex)()

    def _text(self) -> str:
        return "\n".join(aligned([self.head, *self.rows], self.right))

    def to_csv(self) -> str:
        """The head and the rows, quoted as RFC 4180 wants it; no cell is a formula."""
        import csv

        from argue_bench.records.display import csv_cell

        out = io.StringIO()
        rows = ([csv_cell(cell) for cell in row] for row in (self.head, *self.rows))
        csv.writer(out, lineterminator="\n").writerows(rows)
        return out.getvalue().rstrip("\n")

    def to_markdown(self) -> str:
        """A table of GitHub's Markdown."""
        marks = ["---:" if i in set(self.right) else "---" for i in range(len(self.head))]
        marked = self._marked([list(map(_markdown, row)) for row in self.rows], "**{}**", "{}†")
        lines = [list(map(_markdown, self.head)), marks, *marked]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return "\n\n".join([table, *map(_markdown, self.notes)])

    def to_latex(self) -> str:
        """A tabular with the rules of the package booktabs, which any LaTeX compiles; every cell is escaped."""
        columns = "".join("r" if i in set(self.right) else "l" for i in range(len(self.head)))
        cells = [
            [latex(_MINUS.sub("−", _one_line(cell))) for cell in row]
            for row in (self.head, *self.rows)
        ]
        marked = self._marked(cells[1:], "\\textbf{{{}}}", "{}$^\\dagger$")
        head, *rows = (" & ".join(row) + r" \\" for row in (cells[0], *marked))
        first = [f"\\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule"]
        lines = [*first, *rows, r"\bottomrule", r"\end{tabular}"]
        # In a cell of the tabular a note would widen its last column.
        lines += [rf"\par\smallskip{{\footnotesize {latex(_one_line(n))}\par}}" for n in self.notes]
        if any(_OTHER in line for line in lines):
            lines.insert(0, _FALLBACK)
        return "\n".join(lines)

    def _marked(self, rows: Sequence[Sequence[str]], best: str, alike: str) -> Iterator[list[str]]:
        """The rows with the marked cells in these forms."""
        for number, row in enumerate(rows):
            yield [
                best.format(cell)
                if (number, column) in self.best
                else alike.format(cell)
                if (number, column) in self.alike
                else cell
                for column, cell in enumerate(row)
            ]


def _one_line(cell: str) -> str:
    return _CONTROL.sub(" ", cell)


def _markdown(cell: str) -> str:
    # A bar would end the cell, and an angle bracket could open an HTML tag on the page.
    return _one_line(cell).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


_OTHER = r"\otherscript"
_FALLBACK = (
    rf"\providecommand{_OTHER}[1]{{\ifdefined\Umathchar#1\else?\fi}}"
    " % pdfLaTeX has no font for these characters; LuaLaTeX and XeLaTeX may"
)
_SPECIAL = {
    **{character: f"\\{character}" for character in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "`": r"\textasciigrave{}",
    # Behind the end of a row these two would be read as its options; two hyphens would be a dash.
    "[": "{[}",
    "*": "{*}",
    "-": "{-}",
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "†": r"$^\dagger$",
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "→": r"$\to$",
    "≈": r"$\approx$",
    "°": r"$^\circ$",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "§": r"\S{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "£": r"\pounds{}",
    "\u00a0": "~",
    "¡": "!`",
    "¿": "?`",
}
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0308": '"',
    "\u0304": "=",
    "\u0307": ".",
    "\u0306": "u",
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
    "\u0323": "d",
}
_LONE_HYPHEN = re.compile(r"(?<!-)-(?!-)")
_PART = re.compile(r"[\x20-\x7e]|.[\u0300-\u036f]*", re.DOTALL)


def latex(text: str) -> str:
    r"""The text with every character escaped that means something to LaTeX.

    Latin letters with accents become commands; characters of other scripts stand in a command that
    shows "?" where the program has no font for them (`Table.to_latex` defines it).

    >>> latex("a_b & é, 50 %"), latex("f1-score --all")
    ("a\\_b \\& \\'{e}, 50 \\%", 'f1-score {-}{-}all')
    """
    pieces: list[str] = []
    # A lone hyphen stays; of two, LaTeX would make a dash.
    for part in _PART.findall(_LONE_HYPHEN.sub("\0", unicodedata.normalize("NFC", text))):
        if part == "\0":
            pieces.append("-")
        elif part in _SPECIAL:
            pieces.append(_SPECIAL[part])
        elif len(part) == 1 and " " <= part <= "~":
            pieces.append(part)
        else:
            piece = _accented(part)
            if piece.startswith(_OTHER) and pieces and pieces[-1].startswith(_OTHER):
                piece = pieces.pop()[:-1] + piece[len(_OTHER) + 1 :]
            pieces.append(piece)
    return "".join(pieces)


def _accented(part: str) -> str:
    """A character beyond ASCII, with the accents that follow it."""
    letter, *marks = list(unicodedata.normalize("NFD", part))
    if letter.isascii() and letter.isalpha() and len(marks) == 1 and marks[0] in _ACCENTS:
        return f"\\{_ACCENTS[marks[0]]}{{{letter}}}"
    shown = "".join(one for one in part if unicodedata.category(one) not in ("Cc", "Cf", "Cs"))
    return f"{_OTHER}{{{shown}}}" if shown else ""
