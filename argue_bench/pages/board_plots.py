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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain, pairwise
from typing import Any

from argue_bench.view.columns import format_score
from argue_bench.view.plots import (
    GUTTER,
    LEFT,
    RIGHT,
    Canvas,
    Plot,
    Scale,
    Table,
    columns,
    first_letters,
    percent,
    short,
    table_rows,
)

SCREENS = {"wide": (600.0, 736.0), "slim": (280.0, 416.0)}
"""The least and the greatest width of a plot on wide screens and on telephones, in pixels."""
LETTER = 7.3
"""Width of a letter of a name, at most nearly all of the time."""

MOST = 40
"""Systems in one plot of intervals; a board goes on with a second one."""
TOP = 34
"""Where the best possible dot stands, so that its name has room above it."""
MOST_DOTS = 200
"""Systems in a plot of dots."""
Head = tuple[str, str, str]


Box = tuple[float, float, float, float]
"""Left, top, right, bottom; across in pixels from a place that is a share of the width."""


class _Room:
    """What is taken of a plot, so that no name covers another at any width between two."""

    def __init__(self, widths: tuple[float, float]) -> None:
        self._widths = widths
        self._taken: dict[float, list[tuple[Box, Box]]] = {}  # by stripes, 20 pixels high

    def take(self, x: float, box: Box) -> None:
        left, top, right, bottom = box
        least, most = (x * width for width in self._widths)
        boxes = (left + least, top, right + least, bottom), (left + most, top, right + most, bottom)
        for stripe in range(int(top // 20), int(bottom // 20) + 1):
            self._taken.setdefault(stripe, []).append(boxes)

    def place(
        self, x: float, y: float, wide: float, floor: float
    ) -> tuple[float, float, str] | None:
        """Takes the first free place beside a dot: how far beside and below it, and the anchor."""
        ways = [(8.0, 4.0, 0), (-8 - wide, 4.0, 2)]
        above = ((-wide / 2, 1), (6 - wide, 2), (-6.0, 0))
        ways += [(left, way, at) for way in (-11.0, 19.0) for left, at in above]
        for left, below, at in ways:
            top, bottom = y + below - 13, y + below + 5
            if top >= 16 and bottom <= floor and self._is_free(x, left, top, left + wide, bottom):
                self.take(x, (left, top, left + wide, bottom))
                return left + wide * at / 2, below, ("start", "middle", "end")[at]
        return None

    def _is_free(self, x: float, left: float, top: float, right: float, bottom: float) -> bool:
        """Whether nothing stands there at the least width, at the greatest, nor, as all places grow
        in a line with the width, at any between."""
        least, most = self._widths
        if any(x * w + left < LEFT * w - 6 or x * w + right > RIGHT * w for w in self._widths):
            return False
        a, b = x * least, x * most
        near = chain(*(self._taken.get(one, ()) for one in {top // 20, bottom // 20}))
        return not any(
            top < low[3]
            and low[1] < bottom
            and not (a + right <= low[0] and b + right <= high[0])
            and not (a + left >= low[2] and b + left >= high[2])
            for low, high in near
        )


class BoardCanvas(Canvas):
    """A sheet with dots whose names never collide."""

    def __init__(self, title: str, height: float) -> None:
        super().__init__(title, height)
        self.floor = height  # where the bottom axis begins, below which no name stands
        self._rooms = {screen: _Room(widths) for screen, widths in SCREENS.items()}

    def dot(self, x: float, y: float, tip: str) -> None:
        place = f'cx="{percent(x)}" cy="{short(y)}"'
        title = f"<title>{escape(tip)}</title>"
        self.marks.append(f'<circle class="p-dot" {place} r="4.5">{title}</circle>')

    def turned(self, x: float, y: float, words: str, turn: int) -> None:
        """Words that lean by so many degrees."""
        said = f'<text class="p-soft" transform="rotate({turn})">{escape(words)}</text>'
        place = f'x="{percent(x)}" y="{short(y)}"'
        self.marks.append(f'<svg {place} overflow="visible">{said}</svg>')

    def name(self, x: float, y: float, words: str) -> None:
        """A name beside a dot, where none stands yet; left out where there is no free place."""
        found = {
            screen: place
            for screen, room in self._rooms.items()
            if (place := room.place(x, y, LETTER * len(words), self.floor))
        }
        alike = len(found) == len(SCREENS) and len(set(found.values())) == 1
        for screen, (beside, below, at) in list(found.items())[: 1 if alike else None]:
            kind = "p-text p-name" if alike else f"p-text p-name {screen}"
            self.text(x, y + below, words, kind, at, beside)

    def take(self, x: float, y: float, around: float) -> None:
        """Keeps names away from a dot."""
        for room in self._rooms.values():
            room.take(x, (-around, y - around, around, y + around))


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
    across, canvas = Scale(ends, GUTTER, 0.97), BoardCanvas(title, 40 + height)
    columns(canvas, across, 8, 14 + height)
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
    # Half a power of ten at least, so that costs that hardly differ do not look far apart.
    if high - low < 0.5:
        low, high = low - 0.3, high + 0.3
    free = any(p.x <= 0 for p in points)
    start = LEFT + 0.06 * free

    def across(cost: float) -> float:
        if cost <= 0:
            return LEFT
        return start + (RIGHT - start) * (math.log10(cost) - low) / (high - low)

    up, canvas = Scale([p.value for p in points], 300, TOP), BoardCanvas(title, 360)
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
    up, canvas = Scale([p.value for p in points], 300, TOP), BoardCanvas(title, 340)
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
    across, up = Scale([0.0, 1.0], LEFT, RIGHT), Scale([0.0, 1.0], 380, TOP)
    canvas = BoardCanvas(title, 436)
    canvas.floor = 388
    _lines(canvas, up, head[2])
    for tick in across.ticks():
        canvas.text(across(tick), 400, f"{100 * tick:.0f}", at="middle")
    canvas.text(0.5, 426, head[1], at="middle")
    # Curves of equal F1, every 20 points: closer ones would run into the names.
    for share in (0.2, 0.4, 0.6, 0.8):
        # Of F = 2xy / (x + y), solved for y: both shares are at least F / 2 over a stretch up to 1.
        xs = [1 - (1 - share / (2 - share)) * (1 - (n / 40) ** 2) for n in range(41)]
        canvas.path("p-equal", *((across(x), up(share * x / (2 * x - share))) for x in xs))
        canvas.text(RIGHT, up(share / (2 - share)) + 4, f"{100 * share:.0f}", beside=4)
    _dots(canvas, points, across, up)
    rows = tuple((p.name, format_score(p.x), format_score(p.value)) for p in points)
    return Plot(title, canvas.svg(), head, rows)


def _dots(
    canvas: BoardCanvas,
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
        canvas = BoardCanvas(title, high * max(1, math.ceil(len(categories) / beside)))
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

    rows = table_rows({name: table[name] for name in names}, categories)
    return Plot(title, draw("wide"), (head, *categories), tuple(rows), draw("slim"))


def _lines(canvas: BoardCanvas, scale: Scale, name: str) -> None:
    canvas.text(0.01, 14, name)
    for tick in scale.ticks():
        canvas.path("p-grid", (LEFT, scale(tick)), (RIGHT, scale(tick)))
        canvas.text(LEFT, scale(tick) + 4, f"{100 * tick:.0f}", at="end", beside=-6)
