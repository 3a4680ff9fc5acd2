"""Plots as inline SVG, each with a title for readers who cannot see it and a table with its numbers.

    interval_plot   systems by score with 95 % intervals, bands set apart
    cost_plot       score against cost (logarithmic), with the line of systems that no other beats on both

The style sheet gives colours by class, so light, dark and print need no second picture. One drawing
serves every screen: places across are shares of the width, heights and letters keep their size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from argue_bench.view.columns import format_score

# Where dots stand between two axes, and where intervals begin beside names, in shares of the width.
LEFT, RIGHT, GUTTER = 0.09, 0.945, 0.39
# Systems in one plot of intervals; its table has them all.
MOST = 40
# Systems in a plot of dots.
MOST_DOTS = 200
# Letters of a name beside a row that fit on a wide screen and on a telephone.
WIDE, SLIM = 30, 18
# Height of a name beside a dot, in pixels.
LINE = 14
Head = tuple[str, str, str]


class Canvas:
    """Shapes of an SVG element; ``x`` is a share of its width, ``y`` in pixels; every text is escaped."""

    def __init__(self, title: str, height: float) -> None:
        self._title, self._height = title, height
        self._lines: list[str] = []
        self._marks: list[str] = []

    def path(self, kind: str, *points: tuple[float, float]) -> None:
        drawn = "L".join(f"{_short(1000 * x)} {_short(y)}" for x, y in points)
        self._lines.append(f'<path class="{kind}" d="M{drawn}"/>')

    def dot(self, x: float, y: float, tip: str) -> None:
        place = f'cx="{_percent(x)}" cy="{_short(y)}"'
        title = f"<title>{escape(tip)}</title>"
        self._marks.append(f'<circle class="p-dot" {place} r="4.5">{title}</circle>')

    def text(
        self,
        x: float,
        y: float,
        words: str,
        kind: str = "p-soft",
        at: str = "start",
        beside: float = 0,
    ) -> None:
        """Words at a place, or so many pixels beside it."""
        self._text(x, y, escape(words), kind, at, beside)

    def row_name(self, y: float, words: str) -> None:
        """A name left of its row, cut to fewer letters on a telephone."""
        said = escape(words)
        if len(words) > SLIM:
            more = escape(first_letters(words, WIDE)[SLIM - 1 :])
            ends = f'<tspan class="wide">{more}</tspan><tspan class="slim">…</tspan>'
            said = escape(words[: SLIM - 1]) + ends
        self._text(GUTTER, y, said, "p-text", "end", -10)

    def svg(self) -> Any:
        """The whole picture."""
        from markupsafe import Markup

        high = _short(self._height)
        # Lines alone are stretched to the width, and stay as thin as they are.
        stretched = (
            f'width="100%" height="{high}" viewBox="0 0 1000 {high}" preserveAspectRatio="none"'
        )
        return Markup(
            f'<svg class="plot-svg" role="img" width="100%" height="{high}">'
            f"<title>{escape(self._title)}</title>"
            f'<svg class="p-lines" {stretched}>{"".join(self._lines)}</svg>'
            f"{''.join(self._marks)}</svg>"
        )

    def _text(self, x: float, y: float, said: str, kind: str, at: str, beside: float) -> None:
        place = f'x="{_percent(x)}" y="{_short(y)}"'
        place += f' dx="{_short(beside)}"' if beside else ""
        place += f' text-anchor="{at}"' if at != "start" else ""
        self._marks.append(f'<text class="{kind}" {place}>{said}</text>')


def first_letters(words: str, most: int) -> str:
    """The words, or their beginning where they have more letters."""
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _percent(share: float) -> str:
    return f"{100 * share:.2f}".rstrip("0").removesuffix(".") + "%"


@dataclass(frozen=True)
class Plot:
    """A picture and the table with its numbers."""

    title: str
    svg: Any
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    # What the picture does not say of itself.
    note: str = ""

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


class Scale:
    """Scores to places; rounds its ends outwards so that the ticks are whole numbers."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        low, high = min(values), max(values)
        # Two points at least, so that noise is not drawn as a large difference; at most six steps on an axis.
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


@dataclass(frozen=True)
class Point:
    """A thing with a score. ``x`` is its cost or size."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    # None where it was not compared with the others.
    band: int | None = None
    x: float = 0.0


def interval_plot(title: str, points: Sequence[Point], head: Head) -> Plot:
    """Systems from the best down; a gap and a line where a new band begins."""
    chosen = points[:MOST]
    ends = [v for p in chosen for v in (p.value, p.low, p.high) if v is not None]
    banded = [place for place, point in enumerate(chosen) if point.band is not None]
    begins = {b for a, b in pairwise(banded) if chosen[a].band != chosen[b].band}
    height = 24 * len(chosen) + 12 * len(begins)
    across, canvas = Scale(ends, GUTTER, 0.97), Canvas(title, 40 + height)
    for tick in across.ticks():
        canvas.path("p-grid", (across(tick), 8), (across(tick), 14 + height))
        canvas.text(across(tick), 30 + height, f"{100 * tick:.0f}", at="middle")
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
        for p in points
    )
    return Plot(title, canvas.svg(), head, tuple(rows))


def cost_plot(title: str, points: Sequence[Point], head: Head) -> Plot:
    """Score against cost on a logarithmic axis; systems without cost are at its left end.

    Those that no other beats on both are joined by a line and named.
    """
    points = sorted(points[:MOST_DOTS], key=lambda p: (p.x, -p.value))
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

    # The best dot stands so low that its name has room above it.
    up, canvas = Scale([p.value for p in points], 300, 34), Canvas(title, 360)
    canvas.text(0.01, 14, head[2])
    for tick in up.ticks():
        canvas.path("p-grid", (LEFT, up(tick)), (RIGHT, up(tick)))
        canvas.text(LEFT, up(tick) + 4, f"{100 * tick:.0f}", at="end", beside=-6)
    if free:
        canvas.text(LEFT, 320, "0", at="middle")
    for cost in _money(low, high, 5):
        canvas.path("p-grid", (across(cost), 34), (across(cost), 304))
        canvas.text(across(cost), 320, f"{cost:,.12g}", at="middle")
    canvas.text(0.5, 346, head[1], at="middle")
    front: list[Point] = []
    for point in points:
        canvas.dot(across(point.x), up(point.value), f"{point.name}: {format_score(point.value)}")
        if not front or point.value > front[-1].value:
            front.append(point)
    canvas.path("p-front", *((across(p.x), up(p.value)) for p in front))
    free_above = math.inf
    for point in reversed(front):
        # Up the line each name stands higher than the one before, so none can cover another.
        x, y = across(point.x), up(point.value)
        if free_above == math.inf or y >= free_above + LINE:
            left = x < 0.4
            name = first_letters(point.name, 22)
            canvas.text(x, y - 8, name, "p-text p-name", "start" if left else "end")
            free_above = y
    rows = tuple((p.name, f"{p.x:,.12g}", format_score(p.value)) for p in points)
    return Plot(title, canvas.svg(), head, rows)


def _money(low: float, high: float, most: int) -> list[float]:
    """At most so many round amounts from 10^low to 10^high: some of 1, 2, 5, 10 and so on."""
    powers = range(math.floor(low), math.ceil(high) + 1)
    found = [step * 10.0**power for power in powers for step in (1, 2, 5)]
    found = [cost for cost in found if low - 1e-9 <= math.log10(cost) <= high + 1e-9]
    return found[:: math.ceil(len(found) / most)]
