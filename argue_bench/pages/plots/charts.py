"""Plots as inline SVG, each with a title for readers who cannot see it and a table with its numbers.

    interval_plot   systems by score with 95 % intervals, bands set apart
    cost_plot       score against cost (logarithmic), with the line of systems that no other beats on both
    timeline_plot   score by day, and the best so far as steps
    heat_map        systems by category, each cell with its number
    balance_plot    two shares of the same systems, such as support and coverage, with curves of equal F1
    bar_chart       a few scores of a few kinds side by side (micro and macro)

The style sheet gives colours by class, so light, dark and print need no second picture. One drawing
serves every screen: places across are shares of the width, heights and letters keep their size, and only
the names beside dots are laid out twice. A heat map alone is drawn again for telephones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from argue_bench.pages.columns import format_score
from argue_bench.pages.plots.canvas import GUTTER, LEFT, LETTER, RIGHT, Canvas, first_letters

MOST = 40
"""Systems in one plot of intervals; a board goes on with a second one."""
TOP = 34
"""Where the best possible dot stands, so that its name has room above it."""
MOST_DOTS = 200
"""Systems in a plot of dots."""
Head = tuple[str, str, str]
Table = Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True)
class Plot:
    """A picture and the table with its numbers."""

    title: str
    svg: Any
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    slim: Any = ""
    """Another picture for telephones, where one does not serve every width."""
    note: str = ""
    """What the picture does not say of itself."""
    folded: bool = False
    """Whether a reader opens it first: the rest of a long board."""

    @property
    def body(self) -> Any:
        """The rows of its table as HTML; written here, since a large board has thousands of them."""
        from markupsafe import Markup

        return Markup(
            "\n".join(
                f'<tr><th scope="row">{escape(name)}</th>'
                f"{''.join(f'<td>{escape(one)}</td>' for one in cells)}</tr>"
                for name, *cells in self.rows
            )
        )


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


def interval_plot(
    title: str, points: Sequence[Point], head: Head, first: int = 0, folded: bool = False
) -> Plot:
    """Systems from the best down; a gap and a line where a new band begins."""
    chosen = points[first : None if folded else first + MOST]
    ends = [v for p in chosen for v in (p.value, p.low, p.high) if v is not None]
    banded = [place for place, point in enumerate(chosen) if point.band is not None]
    begins = {b for a, b in pairwise(banded) if chosen[a].band != chosen[b].band}
    height = 24 * len(chosen) + 12 * len(begins)
    across, canvas = _Scale(ends, GUTTER, 0.97), Canvas(title, 40 + height)
    _columns(canvas, across, 8, 14 + height)
    y = 20.0
    for place, point in enumerate(chosen):
        if place in begins:
            canvas.path("p-band", (0.01, y), (0.97, y))
            y += 12
        canvas.row_name(y + 4, point.name)
        if point.low is not None and point.high is not None:
            canvas.path("p-range", (across(point.low), y), (across(point.high), y))
        canvas.dot(across(point.value), y, f"{point.name}: {format_score(point.value)}")
        y += 24
    rows = (
        (
            p.name,
            format_score(p.value),
            "–" if p.low is None else f"{format_score(p.low)}–{format_score(p.high)}",
        )
        for p in chosen
    )
    return Plot(title, canvas.svg(), head, tuple(rows), folded=folded)


def cost_plot(title: str, points: Sequence[Point], head: Head) -> Plot:
    """Score against cost on a logarithmic axis; systems without cost are at its left end."""
    points = points[:MOST_DOTS]
    costs = [p.x for p in points if p.x > 0] or [1.0]
    low, high = math.log10(min(costs)), math.log10(max(costs))
    if high - low < 0.5:
        low, high = low - 0.3, high + 0.3
    free = any(p.x <= 0 for p in points)
    start = LEFT + 0.06 * free

    def across(cost: float) -> float:
        if cost <= 0:
            return LEFT
        return start + (RIGHT - start) * (math.log10(cost) - low) / (high - low)

    up, canvas = _Scale([p.value for p in points], 300, TOP), Canvas(title, 360)
    canvas.floor = 308
    _lines(canvas, up, head[2])
    if free:
        canvas.text(LEFT, 320, "0", at="middle")
    for cost in _money(low, high, 5):
        canvas.path("p-grid", (across(cost), TOP), (across(cost), 304))
        canvas.text(across(cost), 320, f"{cost:,.12g}", at="middle")
    canvas.text(0.5, 346, head[1], at="middle")
    front: list[Point] = []
    for point in sorted(points, key=lambda p: (p.x, -p.value)):
        if not front or point.value > front[-1].value:
            front.append(point)
    canvas.path("p-front", *((across(p.x), up(p.value)) for p in front))
    _dots(canvas, points, across, up)
    cheapest = sorted(points, key=lambda p: p.x)
    rows = tuple((p.name, f"{p.x:,.12g}", format_score(p.value)) for p in cheapest)
    return Plot(title, canvas.svg(), head, rows)


def timeline_plot(title: str, points: Sequence[Point], head: Head) -> Plot:
    """Score by day (``x`` in days), with the best so far as a line of steps."""
    ordered = sorted(points, key=lambda p: (p.x, -p.value))  # the best of a day alone is a record
    first, last = ordered[0].x, max(ordered[-1].x, ordered[0].x + 1)
    up, canvas = _Scale([p.value for p in points], 300, TOP), Canvas(title, 340)
    canvas.floor = 308
    _lines(canvas, up, head[2])

    def across(day: float) -> float:
        return LEFT + (RIGHT - LEFT) * (day - first) / (last - first)

    best = -math.inf
    steps: list[tuple[float, float]] = []
    records = []
    for point in ordered:
        x, y = across(point.x), up(point.value)
        if point.value > best:
            steps += [(x, up(best)), (x, y)] if steps else [(x, y)]
            best = point.value
            records.append(point)
        canvas.dot(x, y, f"{point.name}: {format_score(point.value)}, {point.label}")
        canvas.take(x, y, 5)
    canvas.path("p-front", *steps, (RIGHT, up(best)))
    for point in records:
        canvas.name(across(point.x), up(point.value), first_letters(point.name, 22))
    canvas.text(LEFT, 326, ordered[0].label)
    canvas.text(RIGHT, 326, ordered[-1].label, at="end")
    rows = tuple((p.name, p.label, format_score(p.value)) for p in ordered)
    return Plot(title, canvas.svg(), head, rows)


def balance_plot(title: str, points: Sequence[Point], head: Head) -> Plot:
    """One share against another (``x``): along a curve their harmonic mean, F1, is the same."""
    points = points[:MOST_DOTS]
    across, up = _Scale([0.0, 1.0], LEFT, RIGHT), _Scale([0.0, 1.0], 380, TOP)
    canvas = Canvas(title, 436)
    canvas.floor = 388
    _lines(canvas, up, head[2])
    for tick in across.ticks():
        canvas.text(across(tick), 400, f"{100 * tick:.0f}", at="middle")
    canvas.text(0.5, 426, head[1], at="middle")
    for share in (0.2, 0.4, 0.6, 0.8):
        # Of F = 2xy / (x + y), solved for y: both shares are at least F / 2 over a stretch up to 1.
        xs = [1 - (1 - share / (2 - share)) * (1 - (n / 40) ** 2) for n in range(41)]
        canvas.path("p-equal", *((across(x), up(share * x / (2 * x - share))) for x in xs))
        canvas.text(RIGHT, up(share / (2 - share)) + 4, f"{100 * share:.0f}", beside=4)
    _dots(canvas, points, across, up)
    rows = tuple((p.name, format_score(p.x), format_score(p.value)) for p in points)
    return Plot(title, canvas.svg(), head, rows)


def _dots(
    canvas: Canvas,
    points: Sequence[Point],
    across: Callable[[float], float],
    up: Callable[[float], float],
) -> None:
    """A dot for every system, and the names of as many as have room, the best ones first."""
    for point in points:
        x, y = across(point.x), up(point.value)
        canvas.dot(x, y, f"{point.name}: {format_score(point.value)}")
        canvas.take(x, y, 5)
    for point in sorted(points, key=lambda p: -p.value):
        canvas.name(across(point.x), up(point.value), first_letters(point.name, 22))


def _money(low: float, high: float, most: int) -> list[float]:
    """Round amounts from 10^low to 10^high: 1, 2, 5, 10 and so on, or fewer."""
    for steps in ((1, 2, 5), (1, 3), (1,)):
        powers = range(math.floor(low), math.ceil(high) + 1)
        found = [step * 10.0**power for power in powers for step in steps]
        found = [cost for cost in found if low - 1e-9 <= math.log10(cost) <= high + 1e-9]
        if len(found) <= most:
            return found
    return found[:: math.ceil(len(found) / most)]


def heat_map(title: str, table: Table, head: str, most: int = 12) -> Plot:
    """Rows by categories, on a telephone six side by side; the number in each cell spares readers the colour."""
    names = list(table)[:MOST]
    categories = list(dict.fromkeys(c for name in names for c in table[name]))[:most]
    longest = max((len(first_letters(category, 26)) for category in categories), default=0)

    def draw(screen: str) -> Any:
        if screen == "wide":  # heads lean, so that none is cut to a few letters
            letters, beside, turn, begin, top = 27, most, -40, 0.4, 24 + 4.5 * longest
            left, wide = 0.29, 0.585 / max(1, len(categories))
        else:
            letters, beside, turn, begin, top = 17, 6, -90, 0.6, 24 + LETTER * longest
            left, wide = 0.37, 0.63 / 6
        high = top + 12 + 26 * len(names)
        canvas = Canvas(title, high * max(1, math.ceil(len(categories) / beside)))
        for place, category in enumerate(categories):
            x, above = left + wide * (place % beside), high * (place // beside) + top
            canvas.turned(x + wide * begin, above - 8, first_letters(category, 26), turn)
            for row, name in enumerate(names):
                y, value = above + 26 * row, table[name].get(category)
                if place % beside == 0:
                    canvas.text(left, y + 16, first_letters(name, letters), "p-text", "end", -8)
                shade = "none" if value is None else str(min(9, int(10 * value)))
                canvas.box(f"h{shade}", x, y, wide - 0.005, 23)
                middle = x + wide / 2 - 0.0025
                canvas.text(middle, y + 16, format_score(value), "p-text", "middle")
        return canvas.svg(screen)

    rows = _table_rows({name: table[name] for name in names}, categories)
    return Plot(title, draw("wide"), (head, *categories), tuple(rows), draw("slim"))


def bar_chart(title: str, table: Table, head: str) -> Plot:
    """Groups of bars from 0 to 100, one bar a kind (micro, macro)."""
    kinds = list(dict.fromkeys(kind for row in table.values() for kind in row))
    step = 22 * len(kinds) + 14
    across, canvas = _Scale([0.0, 1.0], GUTTER, 0.76), Canvas(title, 44 + step * len(table))
    _columns(canvas, across, 8, 20 + step * len(table))
    for group, (name, row) in enumerate(table.items()):
        y = 14 + step * group
        canvas.row_name(y + 11 * len(kinds) + 4, name)
        for place, kind in enumerate(kinds):
            value, top = row.get(kind), y + 22 * place
            if value is not None:
                canvas.box(f"k{place % 3}", GUTTER, top, across(value) - GUTTER, 18)
            words = f"{format_score(value)} {kind}"
            canvas.text(across(value or 0), top + 14, words, beside=6)
    return Plot(title, canvas.svg(), (head, *kinds), tuple(_table_rows(table, kinds)))


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


def _lines(canvas: Canvas, scale: _Scale, name: str) -> None:
    canvas.text(0.01, 14, name)
    for tick in scale.ticks():
        canvas.path("p-grid", (LEFT, scale(tick)), (RIGHT, scale(tick)))
        canvas.text(LEFT, scale(tick) + 4, f"{100 * tick:.0f}", at="end", beside=-6)


def _table_rows(table: Table, columns: Sequence[str]) -> Iterable[tuple[str, ...]]:
    return ((name, *(format_score(row.get(c)) for c in columns)) for name, row in table.items())
