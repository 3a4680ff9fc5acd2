"""Auto-ARGUE's scores.tsv: run_id, request_id, metric, value; topic ``all`` is the aggregate.

Source: https://github.com/hltcoe/auto-argue.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import click

from argue_bench.cli.tables import points, show_table
from argue_bench.records.atomic import atomic_write
from argue_bench.records.table import Table

HEADER = ("run_id", "request_id", "metric", "value")
ALL = "all"

TOPIC_ROWS = (
    "sentences",
    "character_count",
    "sentences_with_citations_or_requiring_citations",
    "correctly_cited_sentences",
    "nuggets",
    "nuggets_weighted",
    "correct_nuggets",
    "correct_nuggets_weighted",
    "citations",
    "relevant_citations",
    "supporting_citations",
    "citation_relevance",
    "citation_support",
    "sentence_support",
    "nugget_coverage",
    "nugget_coverage_weighted",
    "f1",
    "f1_weighted",
)
"""The 18 metrics of a topic, in the order of the published file."""

MISSING_CITATION = (
    "sentences_missing_citation",
    "first_instance_sentences_missing_citation",
)
"""Two counts that the README lists; files of the older program end without them."""

SHARES = TOPIC_ROWS[11:]
SUMMED = tuple(name for name in TOPIC_ROWS[:11] if name != "character_count")
ALL_ROWS = (
    *SUMMED,
    "character_count_median",
    "character_count_max",
    *(f"{name}_{average}" for name in SHARES for average in ("micro", "macro")),
)
"""The 26 metrics of topic ``all``: ten sums, two of the lengths, seven shares averaged both ways."""

HEADLINES = {
    "f1_macro": "f1",
    "nugget_coverage_macro": "coverage",
    "sentence_support_macro": "support",
}
"""What is printed of the rows, by the heads of columns."""


class ScoreRow(NamedTuple):
    """One line of a scores.tsv."""

    run: str
    topic: str
    metric: str
    value: float


def write_scores(path: Path, rows: Iterable[ScoreRow]) -> None:
    """Writes a scores.tsv, whole or not at all. Raises DataError where the disk refuses."""
    with atomic_write(path) as file:
        file.write("\t".join(HEADER) + "\n")
        for row in rows:
            # Python's shortest form of the number, as the program prints it.
            cells = (row.run, row.topic, row.metric, repr(float(row.value)))
            file.write(
                "\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in cells) + "\n"
            )


def show_averages(rows: Iterable[ScoreRow], signature: str) -> None:
    """Prints the headlines of each run's topic ``all``, a run a line, and how they were made."""
    runs: dict[str, dict[str, float]] = {}
    for row in rows:
        values = runs.setdefault(row.run, {})
        if row.topic == ALL:
            values[row.metric] = row.value
    lines = [
        (run, *(points(values.get(name)) for name in HEADLINES)) for run, values in runs.items()
    ]
    show_table(Table(("run", *HEADLINES.values()), lines, right=(1, 2, 3)))
    click.echo(click.style(signature, dim=True))


def show_topics(rows: Iterable[ScoreRow]) -> None:
    """Prints the headlines of each topic of each run."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        found.setdefault((row.run, row.topic), {})[row.metric] = row.value
    names = [name.removesuffix("_macro") for name in HEADLINES]
    lines = [
        (run, topic, *(points(values.get(name)) for name in names))
        for (run, topic), values in found.items()
        if topic != ALL
    ]
    show_table(Table(("run", "topic", *HEADLINES.values()), lines, right=(2, 3, 4)))
