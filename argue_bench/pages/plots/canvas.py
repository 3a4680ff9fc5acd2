"""The sheet on which a plot is drawn: shapes by shares of its width, and names that never collide."""

from __future__ import annotations

from html import escape
from itertools import chain
from typing import Any

SCREENS = {"wide": (600.0, 736.0), "slim": (280.0, 416.0)}
"""The least and the greatest width of a plot on wide screens and on telephones, in pixels."""
LEFT, RIGHT, GUTTER = 0.09, 0.945, 0.39
"""Where dots stand between two axes, and where bars begin beside names, in shares of the width."""
LETTER = 7.3
"""Width of a letter of a name, at most nearly all of the time."""


class Canvas:
    """Shapes of an SVG element; ``x`` is a share of its width, ``y`` in pixels; every text is escaped."""

    def __init__(self, title: str, height: float) -> None:
        self._title, self._height = title, height
        self.floor = height  # where the bottom axis begins, below which no name stands
        self._lines: list[str] = []
        self._marks: list[str] = []
        self._rooms = {screen: _Room(widths) for screen, widths in SCREENS.items()}

    def path(self, kind: str, *points: tuple[float, float]) -> None:
        drawn = "L".join(f"{_short(1000 * x)} {_short(y)}" for x, y in points)
        self._lines.append(f'<path class="{kind}" d="M{drawn}"/>')

    def dot(self, x: float, y: float, tip: str) -> None:
        place = f'cx="{_percent(x)}" cy="{_short(y)}"'
        title = f"<title>{escape(tip)}</title>"
        self._marks.append(f'<circle class="p-dot" {place} r="4.5">{title}</circle>')

    def box(self, kind: str, x: float, y: float, width: float, height: float) -> None:
        size = f'width="{_percent(max(width, 0))}" height="{_short(height)}"'
        place = f'x="{_percent(x)}" y="{_short(y)}"'
        self._marks.append(f'<rect class="{kind}" {place} {size} rx="2"/>')

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

    def turned(self, x: float, y: float, words: str, turn: int) -> None:
        """Words that lean by so many degrees."""
        said = f'<text class="p-soft" transform="rotate({turn})">{escape(words)}</text>'
        place = f'x="{_percent(x)}" y="{_short(y)}"'
        self._marks.append(f'<svg {place} overflow="visible">{said}</svg>')

    def row_name(self, y: float, words: str, wide: int = 30, slim: int = 18) -> None:
        """A name left of the bars, cut to fewer letters on a telephone."""
        said = escape(words)
        if len(words) > slim:
            more = escape(first_letters(words, wide)[slim - 1 :])
            ends = f'<tspan class="wide">{more}</tspan><tspan class="slim">…</tspan>'
            said = escape(words[: slim - 1]) + ends
        self._text(GUTTER, y, said, "p-text", "end", -10)

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

    def svg(self, screen: str = "") -> Any:
        """The whole picture, for every screen or for one kind of them."""
        from markupsafe import Markup

        high, kind = _short(self._height), f"plot-svg {screen}".strip()
        # Lines alone are stretched to the width, and stay as thin as they are.
        stretched = (
            f'width="100%" height="{high}" viewBox="0 0 1000 {high}" preserveAspectRatio="none"'
        )
        lines = f'<svg class="p-lines" {stretched}>{"".join(self._lines)}</svg>' * bool(self._lines)
        return Markup(
            f'<svg class="{kind}" role="img" width="100%" height="{high}">'
            f"<title>{escape(self._title)}</title>{lines}{''.join(self._marks)}</svg>"
        )

    def _text(self, x: float, y: float, said: str, kind: str, at: str, beside: float) -> None:
        place = f'x="{_percent(x)}" y="{_short(y)}"'
        place += f' dx="{_short(beside)}"' if beside else ""
        place += f' text-anchor="{at}"' if at != "start" else ""
        self._marks.append(f'<text class="{kind}" {place}>{said}</text>')


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


def first_letters(words: str, most: int) -> str:
    """The words, or their beginning where they have more letters."""
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _percent(share: float) -> str:
    return f"{100 * share:.2f}".rstrip("0").removesuffix(".") + "%"
