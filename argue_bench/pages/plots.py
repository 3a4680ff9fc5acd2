"""Pictures of numbers as inline SVG: each with a title for those who can't see it and its table.

    intervals    systems by score with 95 % intervals, bands set apart
    pareto       score against cost (log), the systems that nobody beats on both joined by a line
    over_time    score by day, and the best so far as steps
    heat         systems by category, each cell with its number
    scatter      two rankings of the same things, with the line on which they agree
    bars         a few scores of a few kinds side by side (micro and macro)

Colours come from the style sheet by class, so that light, dark and print need no second picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

WIDTH = 720
MOST = 40
"""Rows that a plot of systems shows; the table of the page has them all."""


@dataclass(frozen=True)
class Plot:
    """A picture and the table that says the same."""

    title: str
    svg: Any
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Point:
    """A thing with a score. ``x`` is cost, day, or the other ranking's score."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    band: int | None = None
    """None where it was not compared with the others."""
    x: float = 0.0
    label: str = ""


class Canvas:
    """Shapes on their way to be an SVG element; every text is escaped."""

    def __init__(self, title: str, height: float) -> None:
        self._title, self._height = title, height
        self._parts: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        self._parts.append(f'<path class="{kind}" d="M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}"/>')

    def path(self, points: Iterable[tuple[float, float]], kind: str) -> None:
        drawn = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        self._parts.append(f'<path class="{kind}" d="M{drawn}"/>')

    def dot(self, x: float, y: float, kind: str = "p-dot", tip: str = "") -> None:
        inside = f"<title>{_e(tip)}</title>" if tip else ""
        self._parts.append(
            f'<circle class="{kind}" cx="{_n(x)}" cy="{_n(y)}" r="4.5">{inside}</circle>'
        )

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        size = f'width="{_n(max(width, 0))}" height="{_n(height)}"'
        self._parts.append(f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" {size} rx="2"/>')

    def text(
        self, x: float, y: float, words: str, kind: str = "p-text", at: str = "start", turn: int = 0
    ) -> None:
        turned = f' transform="rotate({turn} {_n(x)} {_n(y)})"' if turn else ""
        self._parts.append(
            f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}" text-anchor="{at}"{turned}>{_e(words)}</text>'
        )

    def done(self) -> Any:
        from markupsafe import Markup

        inside = "".join(self._parts)
        return Markup(
            f'<svg class="plot-svg" role="img" viewBox="0 0 {WIDTH} {_n(self._height)}">'
            f"<title>{_e(self._title)}</title>{inside}</svg>"
        )


def interval_plot(title: str, points: Sequence[Point], head: tuple[str, str, str]) -> Plot:
    """Systems from the best down; a gap and a line where a new band begins."""
    shown = points[:MOST]
    scale = _Scale([v for p in shown for v in (p.value, p.low, p.high) if v is not None], 250, 700)
    banded = [place for place, point in enumerate(shown) if point.band is not None]
    begins = {b for a, b in pairwise(banded) if shown[a].band != shown[b].band}
    height = 24 * len(shown) + 12 * len(begins)
    canvas = Canvas(title, 40 + height)
    _grid(canvas, scale, 8, 14 + height)
    y = 20.0
    for place, point in enumerate(shown):
        if place in begins:
            canvas.line(8, y + 0, 700, y + 0, "p-band")
            y += 12
        canvas.text(238, y + 4, _cut(point.name, 32), at="end")
        if point.low is not None and point.high is not None:
            canvas.line(scale(point.low), y, scale(point.high), y, "p-range")
        canvas.dot(scale(point.value), y, tip=f"{point.name}: {_x100(point.value)}")
        y += 24
    rows = tuple(
        (p.name, _x100(p.value), "–" if p.low is None else f"{_x100(p.low)}–{_x100(p.high)}")
        for p in shown
    )
    return Plot(title, canvas.done(), head, rows)


def cost_plot(title: str, points: Sequence[Point], head: tuple[str, str, str]) -> Plot:
    """Score against cost on a logarithmic axis; free systems stand at its left end."""
    costs = [p.x for p in points if p.x > 0] or [1.0]
    low, high = math.log10(min(costs)), math.log10(max(costs))
    span = max(high - low, 1e-9)
    across = {id(p): 90 + 560 * ((math.log10(p.x) - low) / span if p.x > 0 else 0) for p in points}
    scale = _Scale([p.value for p in points], 300, 20)
    canvas = Canvas(title, 350)
    _grid_y(canvas, scale)
    front: list[Point] = []
    for point in sorted(points, key=lambda p: (p.x, -p.value)):
        if not front or point.value > front[-1].value:
            front.append(point)
    canvas.path([(across[id(p)], scale(p.value)) for p in front], "p-front")
    for point in points:
        canvas.dot(
            across[id(point)],
            scale(point.value),
            tip=f"{point.name}: {_x100(point.value)}, ${point.x:g}",
        )
    for point in front[:12]:
        right = across[id(point)] > 560
        canvas.text(
            across[id(point)] + (-9 if right else 9),
            scale(point.value) - 7,
            _cut(point.name, 24),
            at="end" if right else "start",
        )
    for cost in (min(costs), max(costs)) if span > 1e-6 else (min(costs),):
        canvas.text(
            90 + 560 * (math.log10(cost) - low) / span, 324, f"${cost:g}", "p-soft", "middle"
        )
    canvas.text(370, 342, head[1], "p-soft", "middle")
    rows = tuple((p.name, f"{p.x:g}", _x100(p.value)) for p in sorted(points, key=lambda p: p.x))
    return Plot(title, canvas.done(), head, rows)


def timeline_plot(title: str, points: Sequence[Point], head: tuple[str, str, str]) -> Plot:
    """Score by day (``x`` in days), with the best so far as a line of steps."""
    ordered = sorted(points, key=lambda p: (p.x, p.value))
    first, last = ordered[0].x, max(ordered[-1].x, ordered[0].x + 1)
    scale = _Scale([p.value for p in points], 300, 20)
    canvas = Canvas(title, 340)
    _grid_y(canvas, scale)
    best = -math.inf
    steps: list[tuple[float, float]] = []
    for point in ordered:
        x = 60 + 620 * (point.x - first) / (last - first)
        if point.value > best:
            if steps:
                steps.append((x, scale(best)))
            best = point.value
            steps.append((x, scale(best)))
        canvas.dot(x, scale(point.value), tip=f"{point.name}: {_x100(point.value)}, {point.label}")
    steps.append((680, scale(best)))
    canvas.path(steps, "p-front")
    canvas.text(60, 326, ordered[0].label, "p-soft")
    canvas.text(680, 326, ordered[-1].label, "p-soft", "end")
    return Plot(
        title, canvas.done(), head, tuple((p.name, p.label, _x100(p.value)) for p in ordered)
    )


def heat_map(
    title: str, table: Mapping[str, Mapping[str, float | None]], head: str, most: int = 12
) -> Plot:
    """Rows by categories; the number stands in each cell, so that colour only helps."""
    names = list(table)[:MOST]
    categories = list(dict.fromkeys(c for name in names for c in table[name]))[:most]
    wide = (WIDTH - 300) / max(1, len(categories))
    longest = max((len(_cut(category, 26)) for category in categories), default=0)
    top = 24 + 4.5 * longest  # heads lean: none of them is cut to a few letters
    canvas = Canvas(title, top + 12 + 26 * len(names))
    for place, category in enumerate(categories):
        canvas.text(210 + wide * (place + 0.4), top - 8, _cut(category, 26), "p-soft", turn=-40)
    for row, name in enumerate(names):
        y = top + 26 * row
        canvas.text(200, y + 16, _cut(name, 27), at="end")
        for place, category in enumerate(categories):
            value = table[name].get(category)
            shade = "none" if value is None else str(min(9, int(10 * value)))
            canvas.box(210 + wide * place, y, wide - 3, 23, f"h{shade}")
            canvas.text(
                210 + wide * (place + 0.5) - 1,
                y + 16,
                "–" if value is None else _x100(value),
                f"t{shade}",
                "middle",
            )
    rows = tuple(
        (name, *("–" if (v := table[name].get(c)) is None else _x100(v) for c in categories))
        for name in names
    )
    return Plot(title, canvas.done(), (head, *categories), rows)


def scatter_plot(title: str, points: Sequence[Point], head: tuple[str, str, str]) -> Plot:
    """One score against another (``x``), both shares, with the line on which they are equal."""
    values = [v for p in points for v in (p.value, p.x)]
    up, across = _Scale(values, 320, 20), _Scale(values, 90, 660)
    canvas = Canvas(title, 370)
    _grid_y(canvas, up)
    for tick in across.ticks():
        canvas.text(across(tick), 340, _x100(tick), "p-soft", "middle")
    canvas.line(across(across.low), up(up.low), across(across.high), up(up.high), "p-equal")
    for point in points:
        canvas.dot(across(point.x), up(point.value), tip=point.name)
    canvas.text(375, 362, head[1], "p-soft", "middle")
    rows = tuple((p.name, _x100(p.x), _x100(p.value)) for p in points)
    return Plot(title, canvas.done(), head, rows)


def bar_chart(title: str, table: Mapping[str, Mapping[str, float | None]], head: str) -> Plot:
    """Groups of bars from 0 to 100, one bar a kind (micro, macro)."""
    kinds = list(dict.fromkeys(kind for row in table.values() for kind in row))
    scale = _Scale([0.0, 1.0], 250, 620)
    step = 22 * len(kinds) + 14
    canvas = Canvas(title, 44 + step * len(table))
    _grid(canvas, scale, 8, 20 + step * len(table))
    for group, (name, row) in enumerate(table.items()):
        y = 14 + step * group
        canvas.text(238, y + 11 * len(kinds) + 4, _cut(name, 32), at="end")
        for place, kind in enumerate(kinds):
            value = row.get(kind)
            top = y + 22 * place
            if value is not None:
                canvas.box(scale(0), top, scale(value) - scale(0), 18, f"k{place % 3}")
            words = "–" if value is None else _x100(value)
            canvas.text(scale(value or 0) + 6, top + 14, f"{words} {kind}", "p-soft")
    rows = tuple(
        (name, *("–" if (v := row.get(kind)) is None else _x100(v) for kind in kinds))
        for name, row in table.items()
    )
    return Plot(title, canvas.done(), (head, *kinds), rows)


class _Scale:
    """Scores to places; rounds its ends outwards so that the ticks are whole numbers."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        low, high = min(values, default=0.0), max(values, default=1.0)
        if low == high:  # all the same: a scale of their own would say nothing
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


def _grid(canvas: Canvas, scale: _Scale, top: float, bottom: float) -> None:
    for tick in scale.ticks():
        canvas.line(scale(tick), top, scale(tick), bottom, "p-grid")
        canvas.text(scale(tick), bottom + 16, f"{100 * tick:.0f}", "p-soft", "middle")


def _grid_y(canvas: Canvas, scale: _Scale) -> None:
    for tick in scale.ticks():
        canvas.line(60, scale(tick), 690, scale(tick), "p-grid")
        canvas.text(52, scale(tick) + 4, f"{100 * tick:.0f}", "p-soft", "end")


def _x100(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _e(words: str) -> str:
    return (
        words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    )
