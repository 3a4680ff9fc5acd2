"""Leaderboards as trec-auto-judge writes them: rows, what is missing, means.

Source: trec-auto-judge base d58f174, kept to the letter with what is questionable: a row that is there
twice counts twice, and the layout ``trec_eval`` loses the names of the runs. `score_export` writes files
that `score_table` can read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean
from typing import Literal, NamedTuple

from argue_bench.errors import Code, DataError, Finding, UnknownName

AGGREGATE = "all"
MISSING_TOPIC = Literal["default", "warn", "fix_aggregate", "error"]
"""What becomes of a topic that a run lacks: a row with 0, the same with a warning, 0 in the mean
alone, or an error."""
_COLUMNS: Mapping[str, Callable[[str, str, str], tuple[str, ...]]] = {
    "trec_eval": lambda run, topic, measure: (measure, topic),
    "tot": lambda run, topic, measure: (run, measure, topic),
    "ir_measures": lambda run, topic, measure: (run, topic, measure),
    "rag4reports": lambda run, topic, measure: (topic, run, measure),
}


class BoardRow(NamedTuple):
    """The values of one run on one topic."""

    run: str
    topic: str
    values: Mapping[str, float]


def complete_rows(
    rows: Iterable[BoardRow],
    measures: Sequence[str],
    topics: Sequence[str] | None = None,
    on_missing: MISSING_TOPIC = "default",
) -> list[BoardRow]:
    """The rows, those that are filled in, and for each run a row of means for the topic ``all``.

    Raises DataError: a row that lacks a measure or has another one, values that are no numbers, and
    with "error" topics that are missing.
    """
    given = [_checked(row, measures) for row in rows]
    by_run: dict[str, list[BoardRow]] = {}
    for row in given:
        if row.topic != AGGREGATE:
            by_run.setdefault(row.run, []).append(row)
    nothing = dict.fromkeys(measures, 0.0)
    missing = [
        BoardRow(run, topic, nothing)
        for run, own in by_run.items()
        for topic in dict.fromkeys(topics or ())
        if topic not in {row.topic for row in own}
    ]
    if missing and on_missing == "error":
        hint = "Score them, or say what they count."
        raise DataError(
            Finding(Code.MISSING_TOPICS, f"no row of {row.run} on the topic {row.topic}", hint=hint)
            for row in missing
        )
    for row in missing:
        by_run[row.run].append(row)
    means = [
        BoardRow(run, AGGREGATE, {name: mean(row.values[name] for row in own) for name in measures})
        for run, own in by_run.items()
    ]
    return [*given, *(() if on_missing == "fix_aggregate" else missing), *means]


def board_text(rows: Iterable[BoardRow], measures: Sequence[str], layout: str) -> str:
    """The text of a leaderboard's file. Raises UnknownName."""
    if layout not in _COLUMNS:
        raise UnknownName("layout of a leaderboard", layout, tuple(_COLUMNS))
    columns = _COLUMNS[layout]
    lines = (
        "\t".join((*columns(row.run, row.topic, name), str(row.values[name])))
        for row in rows
        for name in measures
    )
    return "\n".join(lines) + "\n"


def _checked(row: BoardRow, measures: Sequence[str]) -> BoardRow:
    place = f"{row.run} on {row.topic}"
    if row.values.keys() != set(measures):
        lacking = sorted(set(measures) - row.values.keys())
        why = f"lacks {', '.join(lacking)}" if lacking else "has a measure that was not declared"
        hint = f"A row has {', '.join(measures)}."
        raise DataError.of(Code.WRONG_SHAPE, f"{place} {why}", hint=hint)
    try:
        return row._replace(values={name: float(row.values[name]) for name in measures})
    except (TypeError, ValueError):
        hint = "Write a number, or leave the row out: it then counts as missing."
        raise DataError.of(Code.WRONG_VALUE, f"{place} has no number", hint=hint) from None
