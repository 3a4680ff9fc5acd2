"""Warnings on odd rows that are read nevertheless: one line for each kind, with the first row and
how many more."""

from __future__ import annotations

from collections.abc import Iterator

from argue_bench.errors import Code, Finding


class Oddities:
    """Kinds of odd rows with their numbers; a file of ten thousand such rows gives one line a kind."""

    def __init__(self) -> None:
        self.file = ""
        self._rows: dict[tuple[Code, str], tuple[str, int, int]] = {}
        self._asked: dict[str, tuple[str, int]] = {}

    def note(self, code: Code, message: str, row: int) -> None:
        """Counts one more row of a kind; the message names the column."""
        file, first, count = self._rows.get((code, message), (self.file, row, 0))
        self._rows[code, message] = file, first, count + 1

    def question(self, text: str, column: str, row: int) -> None:
        """Notes a question that an earlier row asks in the same words."""
        # Case and blanks do not make another question.
        here = self.file, row
        if self._asked.setdefault(" ".join(text.split()).casefold(), here) != here:
            message = f"the column {column!r} repeats an earlier row's question; both are scored"
            self.note(Code.ROW_COLUMNS, message, row)

    def findings(self) -> Iterator[Finding]:
        """A warning for each kind, at its first row."""
        for (code, message), (file, first, count) in self._rows.items():
            more = f" (and {count - 1:,} more rows)" if count > 1 else ""
            yield Finding(code, f"{message}{more}", file, first, level="warning")
