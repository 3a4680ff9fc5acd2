"""Scores written for other programs, in every format that `score_table` reads.

    trec_eval     a folder with one file a run      tot, ir_measures, rag4reports, ranking, jsonl     one file

Ranks in ``ranking`` are within a topic and measure, from 1, the best value first. Names with blanks do
not fit into columns; they are errors and never changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from argue_bench.analysis.score_table import ScoreTable, TopicScore
from argue_bench.errors import Code, DataError, Finding, UnknownName
from argue_bench.records.atomic import atomic_write

Line = Callable[[TopicScore, int], str]
FORMATS: Mapping[str, Line] = {
    "trec_eval": lambda row, rank: f"{row.measure}\t{row.topic}\t{row.value!r}",
    "tot": lambda row, rank: f"{row.run}\t{row.measure}\t{row.topic}\t{row.value!r}",
    "ir_measures": lambda row, rank: f"{row.run}\t{row.topic}\t{row.measure}\t{row.value!r}",
    "rag4reports": lambda row, rank: f"{row.topic}\t{row.run}\t{row.measure}\t{row.value!r}",
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
        names = dict.fromkeys(name for row in rows for name in (row.run, row.topic, row.measure))
        _refuse(
            Code.BLANK_IN_NAME,
            "{!r} has blanks or is empty, so it does not fit into a column",
            [name for name in names if name.split() != [name]],
            table.source,
            "Export jsonl, or rename it.",
        )
    files = {path: rows}
    if format == "trec_eval":
        runs = dict.fromkeys(row.run for row in rows)
        _refuse(
            Code.NAME_IS_A_PATH,
            "the run {!r} cannot be the name of a file",
            [run for run in runs if "/" in run or "\0" in run or run.startswith(".")],
            table.source,
            "Export another format, or rename it.",
        )
        files = {path / run: [] for run in runs}
        for row in rows:
            files[path / row.run].append(row)
    ranks = _ranks(rows)
    for name, own in files.items():
        with atomic_write(name) as file:
            file.writelines(FORMATS[format](row, ranks[row]) + "\n" for row in own)
    return list(files)


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


def _refuse(code: Code, why: str, names: Sequence[str], source: str, hint: str) -> None:
    if names:
        raise DataError(Finding(code, why.format(name), source, hint=hint) for name in names)
