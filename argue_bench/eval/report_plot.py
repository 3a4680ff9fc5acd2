"""A report as a picture: its headline scores with their intervals (matplotlib, the extra ``plot``)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from argue_bench.eval.report import Report

_ROW, _WIDTH = 0.32, 6.4
INK, FAINT = "#1b4f8f", "#888888"


def new_figure(rows: int, columns: int = 1, asked_by: str = "plot") -> tuple[Any, Any]:
    """A figure high enough for so many rows, and its axes. Raises MissingExtra."""
    try:
        # The figure alone, without pyplot: no window, no global state.
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra(asked_by, "plot") from None
    figure = Figure(figsize=(_WIDTH * columns, 1.1 + _ROW * max(rows, 3)), layout="constrained")
    return figure, figure.subplots(1, columns)


def save_figure(figure: Any, path: str | Path | None) -> None:
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


def intervals(
    axes: Any, names: list[str], rows: list[tuple[float, float | None, float | None]]
) -> None:
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


def plot_report(report: Report, path: str | Path | None = None) -> Any:
    """The headline scores that are shares, times 100, with 95 % intervals."""
    from argue_bench.eval.report import short_key
    from argue_bench.eval.report_table import title

    names, rows = [], []
    for text in report.signature:
        averages = report.averages(text)
        for name in report.metric(text).headline or averages:
            score = report.scores.get(f"{text}.{name}")
            if score is None or score.value is None or averages[name].unit != "share":
                continue
            ends = [None if end is None else 100 * end for end in (score.low, score.high)]
            names.append(f"{short_key(f'{text}.{name}')} (n = {score.n})")
            rows.append((100 * score.value, ends[0], ends[1]))
    figure, axes = new_figure(len(rows), asked_by="Report.plot")
    intervals(axes, names, rows)
    axes.set_xlim(-2, 102)
    axes.set_xlabel("score, with its 95 % interval")
    axes.set_title(title(report), loc="left", fontsize="medium")
    save_figure(figure, path)
    return figure
