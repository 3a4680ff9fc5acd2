"""A table as aligned text, CSV, Markdown or LaTeX (booktabs)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

TableFormat = Literal["text", "csv", "md", "latex"]
TABLE_FORMATS: tuple[str, ...] = get_args(TableFormat)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "#$%&_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
)


def aligned(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """The rows as lines of aligned columns; ``right`` numbers the columns set flush right."""
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
    """A head, rows of as many cells, and the numbers of the columns that are set flush right."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Iterable[int] = ()
    title: str = ""

    def render(self, format: TableFormat = "text") -> str:
        """The table in one of `TABLE_FORMATS`, without a line break at its end."""
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
        lines = [[_markdown(cell) for cell in row] for row in (self.head, *self.rows)]
        return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], marks, *lines[1:]))

    def to_latex(self) -> str:
        """A tabular with the rules of the package booktabs; every cell is escaped."""
        columns = "".join("r" if i in set(self.right) else "l" for i in range(len(self.head)))
        head, *rows = (
            " & ".join(_one_line(cell).translate(_LATEX) for cell in row) + r" \\"
            for row in (self.head, *self.rows)
        )
        first = [f"\\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule"]
        return "\n".join([*first, *rows, r"\bottomrule", r"\end{tabular}"])


def _one_line(cell: str) -> str:
    return _CONTROL.sub(" ", cell)


def _markdown(cell: str) -> str:
    # A bar would end the cell, and an angle bracket could open an HTML tag on the page.
    escaped = _one_line(cell).replace("\\", "\\\\").replace("|", "\\|")
    return escaped.replace("<", "&lt;")
