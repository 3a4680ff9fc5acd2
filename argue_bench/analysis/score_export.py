"""Scores written for other programs, in every format that `score_table` reads.

    trec_eval     a folder with one file a run      tot, ir_measures, ranking, jsonl     one file

Ranks in ``ranking`` are within a topic and measure, from 1, the best value first. Names with blanks
cannot stand in columns; they are findings, never silently changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from argue_bench.analysis.score_table import ScoreTable, TopicScore
from argue_bench.errors import Code, DataError, Finding, UnknownName
from argue_bench.records.atomic import atomic_write

Line = Callable[[TopicScore, int], str]
FORMATS: Mapping[str, Line] = {
    "trec_eval": lambda row, rank: f"{row.measure}\t{row.topic}\t{row.value!r}",
    "tot": lambda row, rank: f"{row.run}\t{row.measure}\t{row.topic}\t{row.value!r}",
    "ir_measures": lambda row, rank: f"{row.run}\t{row.topic}\t{row.measure}\t{row.value!r}",
    "ranking": lambda row, rank: f"{row.topic} Q0 {row.run} {rank} {row.value!r} {row.measure}",
    "jsonl": lambda row, rank: json.dumps(
        {"run_id": row.run, "topic_id": row.topic, "measure": row.measure, "value": row.value}
    ),
}
"""Format to its line."""


def export_scores(
    table: ScoreTable, format: str, path: Path, aggregates: bool = False
) -> list[Path]:
    """Writes the scores; returns the files. Raises UnknownName and DataError."""
    if format not in FORMATS:
        raise UnknownName("export format", format, tuple(FORMATS))
    rows = list(table.rows(aggregates))
    if format != "jsonl":
        _refuse_blanks(rows, table.source)
    ranks = _ranks(rows)
    if format == "trec_eval":
        by_run: dict[str, list[TopicScore]] = {}
        for row in rows:
            by_run.setdefault(row.run, []).append(row)
        _refuse_paths(by_run, table.source)
        return [_write(path / run, format, own, ranks) for run, own in by_run.items()]
    return [_write(path, format, rows, ranks)]


def _write(
    path: Path, format: str, rows: Iterable[TopicScore], ranks: Mapping[TopicScore, int]
) -> Path:
    line = FORMATS[format]
    with atomic_write(path) as file:
        file.writelines(line(row, ranks[row]) + "\n" for row in rows)
    return path


def _ranks(rows: Iterable[TopicScore]) -> dict[TopicScore, int]:
    """1 for the best value of each topic and measure; equal values share a rank."""
    lists: dict[tuple[str, str], list[TopicScore]] = {}
    for row in rows:
        lists.setdefault((row.topic, row.measure), []).append(row)
    ranks = {}
    for own in lists.values():
        values = sorted((row.value for row in own), reverse=True)
        first = {value: at for at, value in reversed(list(enumerate(values, 1)))}
        ranks.update({row: first[row.value] for row in own})
    return ranks


def _refuse_blanks(rows: Iterable[TopicScore], source: str) -> None:
    names = dict.fromkeys(name for row in rows for name in (row.run, row.topic, row.measure))
    bad = [name for name in names if name.split() != [name]]
    if bad:
        raise DataError(
            Finding(
                Code.BLANK_IN_NAME,
                f"{name!r} has blanks or is empty, so it cannot stand in a column",
                source,
                hint="Export jsonl, or rename it.",
            )
            for name in bad
        )


def _refuse_paths(runs: Iterable[str], source: str) -> None:
    bad = [run for run in runs if "/" in run or "\0" in run or run.startswith(".")]
    if bad:
        raise DataError(
            Finding(
                Code.NAME_IS_A_PATH,
                f"the run {run!r} cannot be the name of a file",
                source,
                hint="Export another format, or rename it.",
            )
            for run in bad
        )
