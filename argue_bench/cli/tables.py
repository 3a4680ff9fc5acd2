"""Reports as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import click

from argue_bench.eval.report import Report
from argue_bench.eval.report_table import failure_lines, metric_tables, score_lines


def show_report(report: Report, all_scores: bool = False) -> None:
    """Scores with intervals, the signature under each metric, what was not run and what failed.

    Shows the headline scores of each metric, or every score.
    """
    styles = {"bold": partial(click.style, bold=True), "dim": partial(click.style, dim=True)}
    for line in score_lines(report, all_scores, **styles):
        click.echo(line)
    if hidden := sum(one.hidden for one in metric_tables(report, all_scores)):
        click.echo(f"\n{hidden} further scores: --all-scores", err=True)
    for line in failure_lines(report):
        click.echo(line, err=True)


def show_note(files: Iterable[Path]) -> None:
    """Says on stderr what a reader of scores on a set must know, where run files are of such a set."""
    from argue_bench.analysis.score_table import is_run_file
    from argue_bench.eval.run import read_header
    from argue_bench.loaders.core import dataset_note

    notes = (dataset_note(read_header(file).dataset) for file in files if is_run_file(file))
    if note := next(filter(None, notes), ""):
        click.echo(f"\n{note}", err=True)
