"""Recognises the layout of a file of scores by its first lines.

Source: track-veil 4145744, kept to the letter: tot and ir_measures differ by where an integer is, so that
the topic ``all`` in the second column passes for a measure. It is a guess to be confirmed, never a
reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

_RUN = {"run_id", "runtag", "run", "runid", "system"}
_TOPIC = {"topic_id", "request_id", "query_id", "narrative_id", "topicid", "queryid"}
_MEASURE = {"metric", "measure", "eval_metric"}


@dataclass(frozen=True)
class LayoutGuess:
    """A guessed layout, with the columns (from 0) that may hold the name of a run."""

    format: str
    """``unknown``, or a format of `argue_bench.lab.score_table`."""
    confidence: Literal["high", "medium", "low"]
    run_columns: tuple[int, ...] = ()


def likely_layout(lines: Iterable[str]) -> LayoutGuess:
    """The layout that track-veil recognises in the first ten lines. tot and ir_measures
    differ by the position of an integer."""
    first = [line.split() for line in list(lines)[:10]]
    rows = [row for row in first if row and not row[0].startswith("#")]
    if not rows:
        return LayoutGuess("unknown", "low")
    if guess := _by_head([word.lower() for word in rows[0]]):
        return guess
    widths = [len(row) for row in rows]
    width = max(set(widths), key=widths.count)
    if width == 3:
        return LayoutGuess("trec_eval", "high")
    if width == 4:
        return _of_four(rows[0])
    if width == 6:
        ranking = len(rows[0]) > 1 and rows[0][1] == "Q0"
        return LayoutGuess(*(("ranking", "medium") if ranking else ("unknown", "low")), (5,))
    return LayoutGuess("unknown", "low")


def _by_head(words: Sequence[str]) -> LayoutGuess | None:
    """The layout by column headings; None where the line holds values."""
    if any(_is(float, word) for word in words):
        return None
    runs = tuple(at for at, word in enumerate(words) if word in _RUN)
    measure = not _MEASURE.isdisjoint(words)
    if runs:
        return LayoutGuess("ir_measures" if measure else "ranking", "high", runs)
    if measure and not _TOPIC.isdisjoint(words):
        return LayoutGuess("trec_eval", "high")
    return None


def _of_four(row: Sequence[str]) -> LayoutGuess:
    if len(row) > 1 and _is(int, row[1]):
        return LayoutGuess("ir_measures", "medium", (0,))
    return LayoutGuess("tot", "medium" if len(row) > 2 and _is(int, row[2]) else "low", (0,))


def _is(kind: Callable[[str], Any], word: str) -> bool:
    try:
        kind(word)
    except ValueError:
        return False
    return True
