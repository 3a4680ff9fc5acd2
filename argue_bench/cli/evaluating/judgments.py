"""Scores stored judgments, without a judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.tables import print_as, show_table
from argue_bench.metrics.argue.tree import Preset
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.loaders.auto_argue.scores import ScoreRow
    from argue_bench.loaders.dataset import Dataset

HEADLINES = {
    "f1_macro": "f1",
    "nugget_coverage_macro": "coverage",
    "sentence_support_macro": "support",
}


@dataclass(frozen=True)
class ScoresFile:
    """The scores.tsv to write, if any; ``older`` leaves out the two rows that Auto-ARGUE got later."""

    path: Path | None = None
    older: bool = False


def print_scores(
    out: ScoresFile,
    judged: Path,
    dataset: Dataset | None,
    rules: Preset | None,
    validate: bool = False,
    format: str = "text",
) -> None:
    """Prints the averages of a judged file, a run a line; writes scores.tsv.

    scores.tsv has a row for each topic and metric, then those of the topic "all".
    """
    from argue_bench.eval.judgments import score_judgments
    from argue_bench.loaders.auto_argue.scores import ALL, MISSING_CITATION, write_scores

    averages: dict[str, dict[str, float]] = {}

    def seen(rows: Iterator[ScoreRow]) -> Iterator[ScoreRow]:
        for row in rows:
            values = averages.setdefault(row.run, {})
            if row.topic == ALL:
                values[row.metric] = row.value
            yield row

    signature, rows = score_judgments(judged, dataset, rules, validate)
    if out.path is not None:
        kept = (row for row in seen(rows) if not (out.older and row.metric in MISSING_CITATION))
        write_scores(out.path, kept)
    else:
        for _ in seen(rows):
            pass
    table = Table(
        ("run", *HEADLINES.values()),
        [
            (run, *(f"{100 * values[n]:.1f}" if n in values else "-" for n in HEADLINES))
            for run, values in averages.items()
        ],
        right=(1, 2, 3),
    )
    if not print_as(format, {"signature": str(signature), "runs": averages}, table):
        show_table(table)
        click.echo(click.style(str(signature), dim=True))
    if out.path is not None:
        click.echo(f"scores: {out.path}", err=True)
