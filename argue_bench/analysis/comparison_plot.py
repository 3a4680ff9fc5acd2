"""A comparison as a picture: differences with their intervals, and the questions behind the first of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.errors import UsageError
from argue_bench.eval.report import short_key
from argue_bench.eval.report_plot import FAINT, INK, intervals, new_figure, save_figure

if TYPE_CHECKING:
    from argue_bench.analysis.compare import Comparison

_MOST_ROWS = 40


def plot_comparison(found: Comparison, path: str | Path | None = None, score: str = "") -> Any:
    """Left: every difference of shares, times 100, with its interval; what is significant has a star.

    Right: the first pair question by question on ``score`` (the first one by default), largest first.
    Raises UsageError where no share is compared or the score is not.
    """
    shares = [d for d in found.differences if d.unit == "share"]
    if score:
        shares = [d for d in shares if score in (d.score, short_key(d.score))]
    if not shares:
        raise UsageError(f"no share is compared{f' that is called {score}' if score else ''}")
    rows = shares[:_MOST_ROWS]
    figure, (left, right) = new_figure(len(rows), 2, "Comparison.plot")
    several = len(found.systems) > 2
    names = [
        f"{short_key(d.score)}{f', {d.first} − {d.second}' if several else ''}{'*' if d.winner else ''}"
        for d in rows
    ]
    ends = [
        (100 * d.value, *(None if end is None else 100 * end for end in (d.low, d.high)))
        for d in rows
    ]
    intervals(left, names, ends)  # type: ignore[arg-type]
    left.axvline(0, color=FAINT, linewidth=1)
    first = rows[0]
    pair = "first − second system" if several else f"{first.first} − {first.second}"
    left.set_xlabel(f"difference, {pair}; * significant at 5 %")
    _questions(right, found, first)
    save_figure(figure, path)
    return figure


def _questions(axes: Any, found: Comparison, difference: Any) -> None:
    """A bar for each question."""
    a, b = (found.systems.index(name) for name in (difference.first, difference.second))
    gaps = sorted(
        (
            100 * (one - other)
            for row in found.per_question[difference.score].values()
            if (one := row[a]) is not None and (other := row[b]) is not None
        ),
        reverse=True,
    )
    axes.bar(range(len(gaps)), gaps, width=1.0, color=INK)
    axes.axhline(0, color=FAINT, linewidth=1)
    axes.set_xticks([])
    axes.set_xlabel(
        f"{len(gaps)} questions: {difference.won} higher, {difference.tied} tied, {difference.lost} lower"
    )
    axes.set_title(
        f"{short_key(difference.score)}, {difference.first} − {difference.second}",
        loc="left",
        fontsize="medium",
    )
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
