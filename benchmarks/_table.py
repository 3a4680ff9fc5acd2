"""The one table that ``python -m benchmarks`` ends in: each script shows its lines here, and they are kept for it."""

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
    """A measurement: what was done, whom it is compared with, and what it must keep to.

    ``bound``: what no program can do without, such as drawing the random numbers. A line without a limit
    is good.
    """

    work: str
    ours: str
    limit: str = ""
    good: bool = True
    peer: str = ""
    theirs: str = ""
    ratio: str = ""
    bound: str = ""
    note: str = ""


def at_most(
    work: str, value: float, limit: float, unit: str, *, digits: int = 1, looked_at: bool = True
) -> Line:
    """A line of a figure that may not be larger; where it is not ``looked_at``, the machine was busy."""
    return _limited(work, value, value <= limit, f"<= {limit:g} {unit}", unit, digits, looked_at)


def at_least(
    work: str, value: float, limit: float, unit: str, *, digits: int = 1, looked_at: bool = True
) -> Line:
    """A line of a figure that may not be smaller; where it is not ``looked_at``, the machine was busy."""
    return _limited(work, value, value >= limit, f">= {limit:g} {unit}", unit, digits, looked_at)


def _limited(
    work: str, value: float, met: bool, limit: str, unit: str, digits: int, looked_at: bool
) -> Line:
    note = "" if met or looked_at else "busy machine"
    shown = f"{value:,.{digits}f} {unit}".rstrip()
    return Line(work, shown, limit.rstrip(), met or not looked_at, note=note)


def compared(
    work: str,
    peer: str,
    theirs: float,
    ours: float,
    limit: float,
    *,
    equal: bool = True,
    bound: float = 0.0,
) -> Line:
    """A line of CPU seconds beside a peer's, who must take at least ``limit`` times ours for equal output."""
    ratio = theirs / ours
    return Line(
        work,
        f"{ours:.3f} s",
        f">= {limit:g} x",
        equal and ratio >= limit,
        peer,
        f"{theirs:.3f} s",
        f"{ratio:.1f} x",
        f"{bound:.3f} s" if bound else "",
        "" if equal else "OTHER OUTPUT",
    )


def show(lines: Iterable[Line]) -> int:
    """Prints the lines and keeps them for the last table; 1 where one missed its limit, else 0."""
    lines = list(lines)
    print_table(lines)
    if path := os.environ.get(ROWS):
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(line)) + "\n" for line in lines)
    return int(not all(line.good for line in lines))


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
            line.note or ("" if line.good else "MISSED"),
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
