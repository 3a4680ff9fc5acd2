"""Plots as inline SVG, each with a title for readers who cannot see it and a table with its numbers.

    interval_plot   systems by score with 95 % intervals, bands set apart
    cost_plot       score against cost (logarithmic), with the line of systems that no other beats on both
    timeline_plot   score by day, and the best so far as steps
    heat_map        systems by category, each cell with its number
    scatter_plot    two scores of the same systems, with the line on which they are equal
    bar_chart       a few scores of a few kinds side by side (micro and macro)

The style sheet gives colours by class, so light, dark and print need no second picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from argue_bench.pages.columns import format_score

WIDTH = 720
MOST = 40
"""Systems in a plot; the table of the page has them all."""
Head = tuple[str, str, str]
Table = Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True)
class Plot:
    """A picture and the table with its numbers."""

    title: str
    svg: Any
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Point:
    """A thing with a score. ``x`` is its cost, day, or other score."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    band: int | None = None
    """None where it was not compared with the others."""
    x: float = 0.0
    label: str = ""


class Canvas:
    """Shapes of an SVG element; every text is escaped."""

    def __init__(self, title: str, height: float) -> None:
        self._title, self._height = title, height
        self._parts: list[str] = []

    def path(self, kind: str, *points: tuple[float, float]) -> None:
        drawn = "L".join(f"{_short(x)} {_short(y)}" for x, y in points)
        self._parts.append(f'<path class="{kind}" d="M{drawn}"/>')

    def dot(self, x: float, y: float, tip: str) -> None:
        place = f'cx="{_short(x)}" cy="{_short(y)}"'
        title = f"<title>{escape(tip)}</title>"
        self._parts.append(f'<circle class="p-dot" {place} r="4.5">{title}</circle>')

    def box(self, kind: str, x: float, y: float, width: float, height: float) -> None:
        size = f'width="{_short(max(width, 0))}" height="{_short(height)}"'
        self._parts.append(f'<rect class="{kind}" x="{_short(x)}" y="{_short(y)}" {size} rx="2"/>')

    def text(
        self, x: float, y: float, words: str, kind: str = "p-soft", at: str = "start", turn: int = 0
    ) -> None:
        place = f'x="{_short(x)}" y="{_short(y)}" text-anchor="{at}"'
        if turn:
            place += f' transform="rotate({turn} {_short(x)} {_short(y)})"'
        self._parts.append(f'<text class="{kind}" {place}>{escape(words)}</text>')

    def plot(self, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Plot:
        from markupsafe import Markup

        svg = Markup(
            f'<svg class="plot-svg" role="img" viewBox="0 0 {WIDTH} {_short(self._height)}">'
            f"<title>{escape(self._title)}</title>{''.join(self._parts)}</svg>"
        )
        return Plot(self._title, svg, head, tuple(rows))


def interval_plot(title: str, points: Sequence[Point], head: Head) -> Plot:
    """Systems from the best down; a gap and a line where a new band begins."""
    points = points[:MOST]
    ends = [v for p in points for v in (p.value, p.low, p.high) if v is not None]
    scale = _Scale(ends, 250, 700)
    banded = [place for place, point in enumerate(points) if point.band is not None]
    begins = {b for a, b in pairwise(banded) if points[a].band != points[b].band}
    height = 24 * len(points) + 12 * len(begins)
    canvas = Canvas(title, 40 + height)
    _columns(canvas, scale, 8, 14 + height)
    y, rows = 20.0, []
    for place, point in enumerate(points):
        if place in begins:
            canvas.path("p-band", (8, y), (700, y))
            y += 12
        interval, score = "–", format_score(point.value)
        canvas.text(238, y + 4, _cut(point.name, 32), "p-text", "end")
        if point.low is not None and point.high is not None:
            canvas.path("p-range", (scale(point.low), y), (scale(point.high), y))
            interval = f"{format_score(point.low)}–{format_score(point.high)}"
        canvas.dot(scale(point.value), y, f"{point.name}: {score}")
        rows.append((point.name, score, interval))
        y += 24
    return canvas.plot(head, rows)


def cost_plot(title: str, points: Sequence[Point], head: Head) -> Plot:
    """Score against cost on a logarithmic axis; systems without cost are at its left end."""
    costs = [p.x for p in points if p.x > 0] or [1.0]
    low, high = math.log10(min(costs)), math.log10(max(costs))
    span = max(high - low, 1e-9)

    def across(cost: float) -> float:
        return 90 + 560 * ((math.log10(cost) - low) / span if cost > 0 else 0)

    up, canvas = _Scale([p.value for p in points], 300, 20), Canvas(title, 350)
    _lines(canvas, up)
    front: list[Point] = []
    for point in sorted(points, key=lambda p: (p.x, -p.value)):
        if not front or point.value > front[-1].value:
            front.append(point)
    canvas.path("p-front", *((across(p.x), up(p.value)) for p in front))
    for point in points:
        tip = f"{point.name}: {format_score(point.value)}, ${point.x:g}"
        canvas.dot(across(point.x), up(point.value), tip)
    for point in front[:12]:
        x, y = across(point.x), up(point.value) - 7
        side, at = (-9, "end") if x > 560 else (9, "start")
        canvas.text(x + side, y, _cut(point.name, 24), "p-text", at)
    for cost in dict.fromkeys((min(costs), max(costs))):
        canvas.text(across(cost), 324, f"${cost:g}", at="middle")
    canvas.text(370, 342, head[1], at="middle")
    by_cost = sorted(points, key=lambda p: p.x)
    return canvas.plot(head, ((p.name, f"{p.x:g}", format_score(p.value)) for p in by_cost))


def timeline_plot(title: str, points: Sequence[Point], head: Head) -> Plot:
    """Score by day (``x`` in days), with the best so far as a line of steps."""
    ordered = sorted(points, key=lambda p: (p.x, p.value))
    first, last = ordered[0].x, max(ordered[-1].x, ordered[0].x + 1)
    up, canvas = _Scale([p.value for p in points], 300, 20), Canvas(title, 340)
    _lines(canvas, up)
    best = -math.inf
    steps: list[tuple[float, float]] = []
    for point in ordered:
        x, y = 60 + 620 * (point.x - first) / (last - first), up(point.value)
        if point.value > best:
            steps += [(x, up(best)), (x, y)] if steps else [(x, y)]
            best = point.value
        canvas.dot(x, y, f"{point.name}: {format_score(point.value)}, {point.label}")
    canvas.path("p-front", *steps, (680, up(best)))
    canvas.text(60, 326, ordered[0].label)
    canvas.text(680, 326, ordered[-1].label, at="end")
    return canvas.plot(head, ((p.name, p.label, format_score(p.value)) for p in ordered))


def heat_map(title: str, table: Table, head: str, most: int = 12) -> Plot:
    """Rows by categories; the number is in each cell, so that no reader depends on colour."""
    names = list(table)[:MOST]
    categories = list(dict.fromkeys(c for name in names for c in table[name]))[:most]
    wide = (WIDTH - 300) / max(1, len(categories))
    longest = max((len(_cut(category, 26)) for category in categories), default=0)
    top = 24 + 4.5 * longest  # heads lean, so that none is cut to a few letters
    canvas = Canvas(title, top + 12 + 26 * len(names))
    for place, category in enumerate(categories):
        canvas.text(210 + wide * (place + 0.4), top - 8, _cut(category, 26), turn=-40)
    for row, name in enumerate(names):
        y = top + 26 * row
        canvas.text(200, y + 16, _cut(name, 27), "p-text", "end")
        for place, category in enumerate(categories):
            value, x = table[name].get(category), 210 + wide * place
            shade = "none" if value is None else str(min(9, int(10 * value)))
            canvas.box(f"h{shade}", x, y, wide - 3, 23)
            canvas.text(x + wide / 2 - 1, y + 16, format_score(value), f"t{shade}", "middle")
    return canvas.plot((head, *categories), _table_rows({n: table[n] for n in names}, categories))


def scatter_plot(title: str, points: Sequence[Point], head: Head) -> Plot:
    """One score against another (``x``), both shares, with the line on which they are equal."""
    values = [v for p in points for v in (p.value, p.x)]
    up, across, canvas = _Scale(values, 320, 20), _Scale(values, 90, 660), Canvas(title, 370)
    _lines(canvas, up)
    for tick in across.ticks():
        canvas.text(across(tick), 340, format_score(tick), at="middle")
    canvas.path("p-equal", (across(across.low), up(up.low)), (across(across.high), up(up.high)))
    for point in points:
        canvas.dot(across(point.x), up(point.value), point.name)
    canvas.text(375, 362, head[1], at="middle")
    return canvas.plot(head, ((p.name, format_score(p.x), format_score(p.value)) for p in points))


def bar_chart(title: str, table: Table, head: str) -> Plot:
    """Groups of bars from 0 to 100, one bar a kind (micro, macro)."""
    kinds = list(dict.fromkeys(kind for row in table.values() for kind in row))
    scale, step = _Scale([0.0, 1.0], 250, 620), 22 * len(kinds) + 14
    canvas = Canvas(title, 44 + step * len(table))
    _columns(canvas, scale, 8, 20 + step * len(table))
    for group, (name, row) in enumerate(table.items()):
        y = 14 + step * group
        canvas.text(238, y + 11 * len(kinds) + 4, _cut(name, 32), "p-text", "end")
        for place, kind in enumerate(kinds):
            value, top = row.get(kind), y + 22 * place
            if value is not None:
                canvas.box(f"k{place % 3}", scale(0), top, scale(value) - scale(0), 18)
            canvas.text(scale(value or 0) + 6, top + 14, f"{format_score(value)} {kind}")
    return canvas.plot((head, *kinds), _table_rows(table, kinds))


class _Scale:
    """Scores to places; rounds its ends outwards so that the ticks are whole numbers."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        low, high = min(values, default=0.0), max(values, default=1.0)
        if low == high:  # a scale around a single value would say nothing
            low, high = min(low, 0.0), max(high, 1.0)
        span = max(high - low, 0.02)
        self.step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1e9) if span / s <= 6)
        self.low = math.floor(low / self.step) * self.step
        self.high = max(math.ceil(high / self.step) * self.step, self.low + self.step)
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        return self._start + (self._end - self._start) * (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        count = round((self.high - self.low) / self.step)
        return [self.low + self.step * place for place in range(count + 1)]


def _columns(canvas: Canvas, scale: _Scale, top: float, bottom: float) -> None:
    for tick in scale.ticks():
        canvas.path("p-grid", (scale(tick), top), (scale(tick), bottom))
        canvas.text(scale(tick), bottom + 16, f"{100 * tick:.0f}", at="middle")


def _lines(canvas: Canvas, scale: _Scale) -> None:
    for tick in scale.ticks():
        canvas.path("p-grid", (60, scale(tick)), (690, scale(tick)))
        canvas.text(52, scale(tick) + 4, f"{100 * tick:.0f}", at="end")


def _table_rows(table: Table, columns: Sequence[str]) -> Iterable[tuple[str, ...]]:
    return ((name, *(format_score(row.get(c)) for c in columns)) for name, row in table.items())


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
