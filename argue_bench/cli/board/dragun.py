"""``argue-bench board import dragun``: the track's tables, and run files, from labels and rubrics."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, format_option
from argue_bench.cli.tables import points, print_as, show_table
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.metrics.compat.dragun import DragunRules

Row = Mapping[str, object]


@command()
@click.argument("labels", type=PATH)
@option("--rubrics", type=PATH, required=True)
@option("--reports", type=PATH)
@option("--compound", type=PATH)
@option("--rules", type=click.Choice(["dragun", "default"]), default="dragun")
@option("--out", type=PATH, required=True)
@format_option
def dragun(
    labels: Path,
    rubrics: Path,
    reports: Path | None,
    compound: Path | None,
    rules: DragunRules,
    out: Path,
    format: str,
) -> None:
    """Make TREC DRAGUN's tables of its LABELS and rubrics, and run files for `compare`.

    LABELS is a CSV file of the assessors or of the track's judge. OUT gets per_topic_results.csv and
    per_run_results.csv, and for reports runs/RUN.jsonl.

    Example: argue-bench board import dragun labels.csv --rubrics rubrics.json --out tables
    """
    from argue_bench.eval.labelled_runs import write_labelled_runs
    from argue_bench.loaders.trec import dragun as files
    from argue_bench.metrics.compat.dragun import report_tables, score_questions, score_reports

    read = files.read_rubrics(rubrics)
    if compound is not None:
        if reports is not None or rules != "dragun":
            raise click.UsageError(
                "--compound is of questions: --reports and --rules go without it"
            )
        rows = files.read_question_labels(labels)
        topics, runs = score_questions(read, rows, files.read_compound(compound))
    else:
        scores = score_reports(read, files.read_report_labels(labels), rules)
        words = None if reports is None else files.report_words(reports)
        topics, runs = report_tables(scores, words)
        write_labelled_runs(out / "runs", scores, labels, rules)
    _write(out / "per_topic_results.csv", topics)
    _write(out / "per_run_results.csv", runs)
    names = [name for name in runs[0] if name != "run_tag"]
    cells = [(str(row["run_tag"]), *(_shown(name, row[name]) for name in names)) for row in runs]
    table = Table(("run", *(name.replace("_", " ") for name in names)), cells, right=range(1, 9))
    if not print_as(format, runs, table):
        show_table(table)
    click.echo(f"{out}: {len(runs)} runs, {len(topics):,} rows by topic", err=True)


def _shown(name: str, value: object) -> str:
    if not isinstance(value, (int, float)):
        return "-"
    if "word_count" in name:
        return f"{value:,.1f}".removesuffix(".0")
    return points(value) if not name.startswith("normalized") else f"{value:.6f}"


def _write(path: Path, rows: Sequence[Row]) -> None:
    from argue_bench.records.atomic import atomic_write

    with atomic_write(path) as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
