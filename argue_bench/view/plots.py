"""Plots as inline SVG: the sheet on which one is drawn, its scale, and bars side by side.

A plot has a title for readers who cannot see it and a table with its numbers. The style sheet gives
colours by class, so light, dark and print need no second picture. One drawing serves every screen: places
across are shares of the width, heights and letters keep their size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from argue_bench.view.columns import format_score

LEFT, RIGHT, GUTTER = 0.09, 0.945, 0.39
"""Where dots stand between two axes, and where bars begin beside names, in shares of the width."""


class Canvas:
    """Shapes of an SVG element; ``x`` is a share of its width, ``y`` in pixels; every text is escaped."""

    def __init__(self, title: str, height: float) -> None:
        self._title, self._height = title, height
        self._lines: list[str] = []
        self.marks: list[str] = []

    def path(self, kind: str, *points: tuple[float, float]) -> None:
        drawn = "L".join(f"{short(1000 * x)} {short(y)}" for x, y in points)
        self._lines.append(f'<path class="{kind}" d="M{drawn}"/>')

    def box(self, kind: str, x: float, y: float, width: float, height: float) -> None:
        size = f'width="{percent(max(width, 0))}" height="{short(height)}"'
        place = f'x="{percent(x)}" y="{short(y)}"'
        self.marks.append(f'<rect class="{kind}" {place} {size} rx="2"/>')

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

    def row_name(self, y: float, words: str, wide: int = 30, slim: int = 18) -> None:
        """A name left of the bars, cut to fewer letters on a telephone."""
        said = escape(words)
        if len(words) > slim:
            more = escape(first_letters(words, wide)[slim - 1 :])
            ends = f'<tspan class="wide">{more}</tspan><tspan class="slim">…</tspan>'
            said = escape(words[: slim - 1]) + ends
        self._text(GUTTER, y, said, "p-text", "end", -10)

    def svg(self, screen: str = "") -> Any:
        """The whole picture, for every screen or for one kind of them."""
        from markupsafe import Markup

        high, kind = short(self._height), f"plot-svg {screen}".strip()
        # Lines alone are stretched to the width, and stay as thin as they are.
        stretched = (
            f'width="100%" height="{high}" viewBox="0 0 1000 {high}" preserveAspectRatio="none"'
        )
        lines = f'<svg class="p-lines" {stretched}>{"".join(self._lines)}</svg>' * bool(self._lines)
        return Markup(
            f'<svg class="{kind}" role="img" width="100%" height="{high}">'
            f"<title>{escape(self._title)}</title>{lines}{''.join(self.marks)}</svg>"
        )

    def _text(self, x: float, y: float, said: str, kind: str, at: str, beside: float) -> None:
        place = f'x="{percent(x)}" y="{short(y)}"'
        place += f' dx="{short(beside)}"' if beside else ""
        place += f' text-anchor="{at}"' if at != "start" else ""
        self.marks.append(f'<text class="{kind}" {place}>{said}</text>')


def first_letters(words: str, most: int) -> str:
    """The words, or their beginning where they have more letters."""
    return words if len(words) <= most else f"{words[: most - 1]}…"


def short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def percent(share: float) -> str:
    return f"{100 * share:.2f}".rstrip("0").removesuffix(".") + "%"


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


def bar_chart(title: str, table: Table, head: str) -> Plot:
    """Groups of bars from 0 to 100, one bar a kind (micro, macro)."""
    kinds = list(dict.fromkeys(kind for row in table.values() for kind in row))
    step = 22 * len(kinds) + 14
    across, canvas = Scale([0.0, 1.0], GUTTER, 0.76), Canvas(title, 44 + step * len(table))
    columns(canvas, across, 8, 20 + step * len(table))
    for group, (name, row) in enumerate(table.items()):
        y = 14 + step * group
        canvas.row_name(y + 11 * len(kinds) + 4, name)
        for place, kind in enumerate(kinds):
            value, top = row.get(kind), y + 22 * place
            if value is not None:
                canvas.box(f"k{place % 3}", GUTTER, top, across(value) - GUTTER, 18)
            words = f"{format_score(value)} {kind}"
            canvas.text(across(value or 0), top + 14, words, beside=6)
    return Plot(title, canvas.svg(), (head, *kinds), tuple(table_rows(table, kinds)))


class Scale:
    """Scores to places; rounds its ends outwards so that the ticks are whole numbers."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        low, high = min(values, default=0.0), max(values, default=1.0)
        if low == high:  # a scale around a single value would say nothing
            low, high = min(low, 0.0), max(high, 1.0)
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


def columns(canvas: Canvas, scale: Scale, top: float, bottom: float) -> None:
    for tick in scale.ticks():
        canvas.path("p-grid", (scale(tick), top), (scale(tick), bottom))
        canvas.text(scale(tick), bottom + 16, f"{100 * tick:.0f}", at="middle")


def table_rows(table: Table, columns: Sequence[str]) -> Iterable[tuple[str, ...]]:
    return ((name, *(format_score(row.get(c)) for c in columns)) for name, row in table.items())
