"""A table as aligned text, CSV, Markdown or LaTeX (booktabs)."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

TableFormat = Literal["text", "csv", "md", "latex"]
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


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
    title: str = ""
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
        rows = [list(map(_markdown, row)) for row in self.rows]
        marked = self._marked(rows, "**{}**", "{}†")
        lines = [list(map(_markdown, self.head)), marks, *marked]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return "\n\n".join([table, *map(_markdown, self.notes)])

    def to_latex(self) -> str:
        """A tabular with the rules of the package booktabs, which any LaTeX compiles; every cell is escaped."""
        from argue_bench.records.latex import latex, with_fallback

        columns = "".join("r" if i in set(self.right) else "l" for i in range(len(self.head)))
        cells = [[latex(_one_line(cell)) for cell in row] for row in (self.head, *self.rows)]
        marked = self._marked(cells[1:], "\\textbf{{{}}}", "{}$^\\dagger$")
        head, *rows = (" & ".join(row) + r" \\" for row in (cells[0], *marked))
        first = [f"\\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule"]
        lines = [*first, *rows, r"\bottomrule", r"\end{tabular}"]
        # In a cell of the tabular a note would widen its last column.
        lines += [rf"\par\smallskip{{\footnotesize {latex(_one_line(n))}\par}}" for n in self.notes]
        return "\n".join(with_fallback(lines))

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
    escaped = _one_line(cell).replace("\\", "\\\\").replace("|", "\\|")
    return escaped.replace("<", "&lt;")
