"""Scores and differences as pictures, from plain numbers (matplotlib, the extra ``plot``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from argue_bench.errors import MissingExtra, UsageError

Row = tuple[float, float | None, float | None]
"""A value and the ends of its interval, times 100."""
_ROW, _WIDTH = 0.32, 6.4
INK, FAINT = "#1b4f8f", "#888888"


def _new_figure(rows: int, columns: int = 1, asked_by: str = "plot") -> tuple[Any, Any]:
    """A figure high enough for so many rows, and its axes. Raises MissingExtra."""
    try:
        # The figure alone, without pyplot: no window, no global state.
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra(asked_by, "plot") from None
    figure = Figure(figsize=(_WIDTH * columns, 1.1 + _ROW * max(rows, 3)), layout="constrained")
    return figure, figure.subplots(1, columns)


def _save_figure(figure: Any, path: str | Path | None) -> None:
    """Writes the figure where a path is given, by its ending; an SVG has the same bytes each time."""
    if path is None:
        return
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "argue-bench"}):
        ending = Path(path).suffix.lower()
        try:
            figure.savefig(path, metadata={"Date": None} if ending == ".svg" else None)
        except (OSError, ValueError) as error:
            raise UsageError(f"the plot could not be written: {error}") from None


def _intervals(axes: Any, names: list[str], rows: list[Row]) -> None:
    """A point and its interval for each row, the first on top."""
    for place, (value, low, high) in enumerate(rows):
        if low is not None and high is not None:
            axes.plot([low, high], [place, place], color=INK, linewidth=2)
        axes.plot([value], [place], "o", color=INK, markersize=5)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def difference_figure(
    names: list[str],
    rows: list[Row],
    pair: str,
    gaps: list[float],
    counts: str,
    title: str,
    path: str | Path | None = None,
) -> Any:
    """Left differences with their intervals, right ``gaps``: a bar a question, the largest first.

    Raises MissingExtra, and UsageError where it cannot be written.
    """
    figure, (left, right) = _new_figure(len(rows), 2, "Comparison.plot")
    _intervals(left, names, rows)
    left.axvline(0, color=FAINT, linewidth=1)
    left.set_xlabel(f"difference, {pair}; * significant at 5 %")
    right.bar(range(len(gaps)), sorted(gaps, reverse=True), width=1.0, color=INK)
    right.axhline(0, color=FAINT, linewidth=1)
    right.set_xticks([])
    right.set_xlabel(counts)
    right.set_title(title, loc="left", fontsize="medium")
    for side in ("top", "right", "bottom"):
        right.spines[side].set_visible(False)
    _save_figure(figure, path)
    return figure
