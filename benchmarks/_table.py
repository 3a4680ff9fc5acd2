"""The one table that ``python -m benchmarks`` ends in: each script adds the lines that have a limit."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

ROWS = "ARGUE_BENCH_BENCHMARK_ROWS"
"""The variable that names the file to which scripts add their lines; unset, they print only."""


@dataclass(frozen=True)
class Line:
    """A measurement: what was done, whom it is compared with, and what it must keep to."""

    work: str
    ours: str
    limit: str
    good: bool
    peer: str = ""
    theirs: str = ""
    ratio: str = ""
    bound: str = ""
    note: str = ""


def show(lines: Iterable[Line]) -> int:
    """Prints the lines and keeps them for the last table; gives how many missed their limit."""
    lines = list(lines)
    print_table(lines)
    if path := os.environ.get(ROWS):
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(line)) + "\n" for line in lines)
    return sum(not line.good for line in lines)


def kept(path: Path) -> list[Line]:
    """All lines that scripts added."""
    text = path.read_text("utf-8") if path.exists() else ""
    return [Line(**json.loads(line)) for line in text.splitlines()]


def print_table(lines: Iterable[Line]) -> None:
    head = ("work", "peer", "peer took", "ours", "ratio", "limit", "bound", "")
    rows = [
        (
            line.work,
            line.peer,
            line.theirs,
            line.ours,
            line.ratio,
            line.limit,
            line.bound,
            "" if line.good and not line.note else line.note or "MISSED",
        )
        for line in lines
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        first, *others = (
            f"{cell:{'<' if at < 2 else '>'}{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join([first, *others]).rstrip())
