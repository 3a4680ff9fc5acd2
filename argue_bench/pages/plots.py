"""Plots as inline SVG, each with a title for readers who cannot see it and a table with its numbers.

    interval_plot   systems by score with 95 % intervals, bands set apart
    cost_plot       score against cost (logarithmic), with the line of systems that no other beats on both
    timeline_plot   score by day, and the best so far as steps
    heat_map        systems by category, each cell with its number
    balance_plot    two shares of the same systems, such as support and coverage, with curves of equal F1
    bar_chart       a few scores of a few kinds side by side (micro and macro)

The style sheet gives colours by class, so light, dark and print need no second picture. Each plot
is drawn twice, the second time for a telephone, where letters would shrink otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import chain, pairwise
from typing import Any

from argue_bench.pages.columns import format_score

WIDTH, SLIM = 720, 360
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
    slim: Any
    """The same for narrow screens."""
    note: str = ""
    """What the picture does not say of itself."""
    folded: bool = False
    """Whether a reader opens it first: the rest of a long board."""


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

    def __init__(self, title: str, height: float, width: float = WIDTH) -> None:
        self._title, self._height, self.width = title, height, width
        self.floor = height  # where the bottom axis begins, below which no name stands
        self._parts: list[str] = []
        self._taken: dict[float, list[tuple[float, ...]]] = {}  # by stripes, 20 units high

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

    def label(self, x: float, y: float, words: str) -> None:
        """A name beside a dot, where none stands yet; left out where there is no free place."""
        wide, ways = LETTER * len(words), ("start", "middle", "end")
        beside = [(x + 8, y + 4, 0), (x - 8 - wide, y + 4, 2)]
        places = ((x - wide / 2, 1), (x + 6 - wide, 2), (x - 6, 0))
        beside += [(left, y + way, at) for way in (-11, 19) for left, at in places]
        for left, base, at in beside:
            box, room = (left, base - 13, left + wide, base + 5), self.width - 38
            inside = left >= 58 and box[2] <= room and box[1] >= 16 and box[3] <= self.floor
            near = chain(*(self._taken.get(one, ()) for one in {box[1] // 20, box[3] // 20}))
            if inside and not any(_overlap(box, other) for other in near):
                self.take(*box)
                self.text(left + wide * at / 2, base, words, "p-text p-name", ways[at])
                return

    def take(self, left: float, top: float, right: float, bottom: float) -> None:
        """Keeps names away from a place."""
        for stripe in range(int(top // 20), int(bottom // 20) + 1):
            self._taken.setdefault(stripe, []).append((left, top, right, bottom))

    def svg(self, kind: str) -> Any:
        """The whole picture."""
        from markupsafe import Markup

        return Markup(
            f'<svg class="plot-svg{kind}" role="img" viewBox="0 0 {_short(self.width)} {_short(self._height)}">'
            f"<title>{escape(self._title)}</title>{''.join(self._parts)}</svg>"
        )


LETTER = 7.3
"""Width of a letter of a name, at most nearly all of the time."""
Draw = Callable[[float], Canvas]


def interval_plot(
    title: str, points: Sequence[Point], head: Head, first: int = 0, folded: bool = False
) -> Plot:
    """Systems from the best down; a gap and a line where a new band begins."""
    chosen = points[first : None if folded else first + MOST]
    ends = [v for p in chosen for v in (p.value, p.low, p.high) if v is not None]
    banded = [place for place, point in enumerate(chosen) if point.band is not None]
    begins = {b for a, b in pairwise(banded) if chosen[a].band != chosen[b].band}
    height = 24 * len(chosen) + 12 * len(begins)

    def draw(width: float) -> Canvas:
        gutter, letters = (250.0, 32) if width == WIDTH else (150.0, 19)
        scale = _Scale(ends, gutter, width - 20)
        canvas = Canvas(title, 40 + height, width)
        _columns(canvas, scale, 8, 14 + height)
        y = 20.0
        for place, point in enumerate(chosen):
            if place in begins:
                canvas.path("p-band", (8, y), (width - 20, y))
                y += 12
            canvas.text(gutter - 12, y + 4, _cut(point.name, letters), "p-text", "end")
            if point.low is not None and point.high is not None:
                canvas.path("p-range", (scale(point.low), y), (scale(point.high), y))
            canvas.dot(scale(point.value), y, f"{point.name}: {format_score(point.value)}")
            y += 24
        return canvas

    rows = (
        (
            p.name,
            format_score(p.value),
            "–" if p.low is None else f"{format_score(p.low)}–{format_score(p.high)}",
        )
        for p in chosen
    )
    return replace(_twice(title, draw, head, rows), folded=folded)


def cost_plot(title: str, points: Sequence[Point], head: Head) -> Plot:
    """Score against cost on a logarithmic axis; systems without cost are at its left end."""
    points = points[:MOST_DOTS]
    costs = [p.x for p in points if p.x > 0] or [1.0]
    low, high = math.log10(min(costs)), math.log10(max(costs))
    if high - low < 0.5:
        low, high = low - 0.3, high + 0.3
    free = any(p.x <= 0 for p in points)

    def draw(width: float) -> Canvas:
        start = 90 if free else 60

        def across(cost: float) -> float:
            if cost <= 0:
                return 60
            return start + (width - 30 - start) * (math.log10(cost) - low) / (high - low)

        up, canvas = _Scale([p.value for p in points], 300, TOP), Canvas(title, 360, width)
        canvas.floor = 308
        _lines(canvas, up, head[2])
        if free:
            canvas.text(60, 320, "0", at="middle")
        for cost in _money(low, high, 6 if width == WIDTH else 3):
            canvas.path("p-grid", (across(cost), TOP), (across(cost), 304))
            canvas.text(across(cost), 320, f"{cost:g}", at="middle")
        canvas.text(width / 2, 346, head[1], at="middle")
        front: list[Point] = []
        for point in sorted(points, key=lambda p: (p.x, -p.value)):
            if not front or point.value > front[-1].value:
                front.append(point)
        canvas.path("p-front", *((across(p.x), up(p.value)) for p in front))
        _dots(canvas, points, across, up)
        return canvas

    cheapest = sorted(points, key=lambda p: p.x)
    rows = ((p.name, f"{p.x:g}", format_score(p.value)) for p in cheapest)
    return _twice(title, draw, head, rows)


def timeline_plot(title: str, points: Sequence[Point], head: Head) -> Plot:
    """Score by day (``x`` in days), with the best so far as a line of steps."""
    ordered = sorted(points, key=lambda p: (p.x, p.value))
    first, last = ordered[0].x, max(ordered[-1].x, ordered[0].x + 1)

    def draw(width: float) -> Canvas:
        up, canvas = _Scale([p.value for p in points], 300, TOP), Canvas(title, 340, width)
        canvas.floor = 308
        _lines(canvas, up, head[2])

        def across(day: float) -> float:
            return 60 + (width - 100) * (day - first) / (last - first)

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
        canvas.path("p-front", *steps, (width - 40, up(best)))
        for point in records:
            canvas.label(across(point.x), up(point.value), _cut(point.name, 22))
        canvas.text(60, 326, ordered[0].label)
        canvas.text(width - 40, 326, ordered[-1].label, at="end")
        return canvas

    rows = ((p.name, p.label, format_score(p.value)) for p in ordered)
    return _twice(title, draw, head, rows)


def balance_plot(title: str, points: Sequence[Point], head: Head) -> Plot:
    """One share against another (``x``): along a curve their harmonic mean, F1, is the same."""
    points = points[:MOST_DOTS]

    def draw(width: float) -> Canvas:
        high = 380 if width == WIDTH else 300
        across, up = _Scale([0.0, 1.0], 60, width - 40), _Scale([0.0, 1.0], high, TOP)
        canvas = Canvas(title, high + 56, width)
        canvas.floor = high + 8
        _lines(canvas, up, head[2])
        for tick in across.ticks():
            canvas.text(across(tick), high + 20, f"{100 * tick:.0f}", at="middle")
        canvas.text(width / 2, high + 46, head[1], at="middle")
        for share in (0.2, 0.4, 0.6, 0.8):
            # Of F = 2xy / (x + y), solved for y: both shares are at least F / 2 over a stretch up to 1.
            xs = [1 - (1 - share / (2 - share)) * (1 - (n / 40) ** 2) for n in range(41)]
            canvas.path("p-equal", *((across(x), up(share * x / (2 * x - share))) for x in xs))
            end = up(share / (2 - share))
            canvas.text(width - 36, end + 4, f"{100 * share:.0f}", "p-soft")
        _dots(canvas, points, across, up)
        return canvas

    rows = ((p.name, format_score(p.x), format_score(p.value)) for p in points)
    return _twice(title, draw, head, rows)


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
        canvas.take(x - 5, y - 5, x + 5, y + 5)
    for point in sorted(points, key=lambda p: -p.value):
        canvas.label(across(point.x), up(point.value), _cut(point.name, 22))


def _money(low: float, high: float, most: int) -> list[float]:
    """Round amounts from 10^low to 10^high: 1, 2, 5, 10 and so on, or fewer."""
    for steps in ((1, 2, 5), (1, 3), (1,)):
        powers = range(math.floor(low), math.ceil(high) + 1)
        found = [step * 10.0**power for power in powers for step in steps]
        found = [cost for cost in found if low - 1e-9 <= math.log10(cost) <= high + 1e-9]
        if len(found) <= most:
            return found
    return found[:: math.ceil(len(found) / most)]


def _twice(title: str, draw: Draw, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Plot:
    """The plot for wide and for narrow screens."""
    return Plot(title, draw(WIDTH).svg(" wide"), head, tuple(rows), draw(SLIM).svg(" slim"))


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def heat_map(title: str, table: Table, head: str, most: int = 12) -> Plot:
    """Rows by categories, on a telephone six side by side; the number in each cell spares readers the colour."""
    names = list(table)[:MOST]
    categories = list(dict.fromkeys(c for name in names for c in table[name]))[:most]
    longest = max((len(_cut(category, 26)) for category in categories), default=0)

    def draw(width: float) -> Canvas:
        if width == WIDTH:  # heads lean, so that none is cut to a few letters
            left, letters, beside, turn, begin, top = 210.0, 27, most, -40, 0.4, 24 + 4.5 * longest
            wide = (WIDTH - 300) / max(1, len(categories))
        else:
            left, letters, beside, turn, begin, top = 132.0, 17, 6, -90, 0.6, 24 + LETTER * longest
            wide = (SLIM - 134) / beside
        high = top + 12 + 26 * len(names)
        canvas = Canvas(title, high * max(1, math.ceil(len(categories) / beside)), width)
        for place, category in enumerate(categories):
            x, above = left + wide * (place % beside), high * (place // beside) + top
            canvas.text(x + wide * begin, above - 8, _cut(category, 26), turn=turn)
            for row, name in enumerate(names):
                y, value = above + 26 * row, table[name].get(category)
                if place % beside == 0:
                    canvas.text(left - 10, y + 16, _cut(name, letters), "p-text", "end")
                shade = "none" if value is None else str(min(9, int(10 * value)))
                canvas.box(f"h{shade}", x, y, wide - 3, 23)
                canvas.text(x + wide / 2 - 1, y + 16, format_score(value), "p-text", "middle")
        return canvas

    rows = _table_rows({name: table[name] for name in names}, categories)
    return _twice(title, draw, (head, *categories), rows)


def bar_chart(title: str, table: Table, head: str) -> Plot:
    """Groups of bars from 0 to 100, one bar a kind (micro, macro)."""
    kinds = list(dict.fromkeys(kind for row in table.values() for kind in row))
    step = 22 * len(kinds) + 14

    def draw(width: float) -> Canvas:
        left, letters = (250.0, 32) if width == WIDTH else (150.0, 19)
        scale = _Scale([0.0, 1.0], left, width - (100 if width == WIDTH else 86))
        canvas = Canvas(title, 44 + step * len(table), width)
        _columns(canvas, scale, 8, 20 + step * len(table))
        for group, (name, row) in enumerate(table.items()):
            y = 14 + step * group
            canvas.text(left - 12, y + 11 * len(kinds) + 4, _cut(name, letters), "p-text", "end")
            for place, kind in enumerate(kinds):
                value, top = row.get(kind), y + 22 * place
                if value is not None:
                    canvas.box(f"k{place % 3}", scale(0), top, scale(value) - scale(0), 18)
                canvas.text(scale(value or 0) + 6, top + 14, f"{format_score(value)} {kind}")
        return canvas

    return _twice(title, draw, (head, *kinds), _table_rows(table, kinds))


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
    canvas.text(8, 14, name)
    for tick in scale.ticks():
        canvas.path("p-grid", (60, scale(tick)), (canvas.width - 30, scale(tick)))
        canvas.text(52, scale(tick) + 4, f"{100 * tick:.0f}", at="end")


def _table_rows(table: Table, columns: Sequence[str]) -> Iterable[tuple[str, ...]]:
    return ((name, *(format_score(row.get(c)) for c in columns)) for name, row in table.items())


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
