"""Reports as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from argue_bench.eval.report import Report, Score, short_key
from argue_bench.metrics import parse


def aligned(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Rows as lines of columns that stand under each other; ``right`` names columns set right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    flush = set(right)
    return [
        "  ".join(
            cell.rjust(width) if i in flush else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def show_report(report: Report, every_score: bool = False) -> None:
    """Scores with intervals, the signature under each metric, what was not run and why.

    Shows the headline scores of each metric, or every score.
    """
    name = f"{report.system} on " if report.system else ""
    click.echo(click.style(f"{name}{report.dataset}, {report.n} questions", bold=True))
    hidden = 0
    for text, signature in report.signature.items():
        metric = parse(text)
        shown = metric.scores if every_score or not metric.headline else metric.headline
        hidden += len(metric.scores) - len(shown)
        rows = [("score", "value", "95 % interval", "n", "")]
        for score in shown:
            key = f"{text}.{score}"
            if key in report.scores:
                share = metric.scores[score].unit == "share"
                rows.append(_row(short_key(key), report.scores[key], share))
        click.echo()
        lines = aligned(rows, right=(1, 3))
        click.echo(click.style(lines[0], dim=True))
        for line in lines[1:]:
            click.echo(line)
        click.echo(click.style(f"{signature}", dim=True))
    if hidden:
        click.echo(f"\n{hidden} further scores: --all-scores", err=True)
    for text, reason in report.not_run.items():
        click.echo(f"\nnot run: {text}: {reason}")
    if report.failures:
        click.echo(f"\n{len(report.failures)} asks or questions failed; the first:", err=True)
        for failure in report.failures[:5]:
            click.echo(f"  {failure}", err=True)


def show_note(files: Iterable[Path]) -> None:
    """Says on stderr what a reader of scores on a set must know, where run files are of such a set."""
    from argue_bench.analysis.score_table import is_run_file
    from argue_bench.eval.run import read_header
    from argue_bench.loaders.core import dataset_note

    notes = (dataset_note(read_header(file).dataset) for file in files if is_run_file(file))
    if note := next(filter(None, notes), ""):
        click.echo(f"\n{note}", err=True)


def _row(key: str, score: Score, share: bool) -> tuple[str, str, str, str, str]:
    def shown(value: float) -> str:
        return f"{100 * value:.1f}" if share else f"{value:,.1f}".removesuffix(".0")

    if score.value is None:
        why = f"{score.failed} failed" if score.failed else "does not apply"
        return key, "-", "", str(score.n), why
    interval = ""
    if score.low is not None and score.high is not None:
        interval = f"{shown(score.low)} to {shown(score.high)}"
    left_out = f"{score.failed} left out" if score.failed else ""
    return key, shown(score.value), interval, str(score.n), left_out
