"""Results as tables: aligned for a terminal, or JSON, CSV, Markdown, LaTeX."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.commands import TABLES
from argue_bench.records.table import Table

if TYPE_CHECKING:
    from argue_bench.errors import Finding
    from argue_bench.eval.report import Report

bold = partial(click.style, bold=True)
dim = partial(click.style, dim=True)


def print_as(format: str, data: Any, *tables: Table, indent: int | None = None) -> bool:
    """Prints ``data`` as JSON or the tables in another format; False for text, left to the caller."""
    if format == "text":
        return False
    if format == "json":
        click.echo(json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent))
    else:
        click.echo("\n\n".join(table.render(format) for table in tables))  # type: ignore[arg-type]
    return True


def show_table(table: Table, dim_head: bool = False) -> None:
    """The table as aligned text, or for the command's JSON."""
    ctx = click.get_current_context(silent=True)
    if ctx is not None and TABLES in ctx.meta:
        ctx.meta[TABLES].append({"columns": list(table.head), "rows": table.rows})
        return
    head, *rows = table.render().splitlines()
    click.echo("\n".join([dim(head) if dim_head else head, *rows]))


def show_findings(findings: Iterable[Finding], most: int | None = None, err: bool = True) -> None:
    """Each finding on a line; of very many the first."""
    findings = list(findings)
    for finding in findings[:most]:
        click.echo(str(finding), err=err)
    if most is not None and len(findings) > most:
        click.echo(f"... and {len(findings) - most:,} more findings.", err=err)


def findings_table(findings: Iterable[Finding]) -> Table:
    """A row for each finding."""
    rows = [
        (one.file, "" if one.line is None else str(one.line), one.level, str(one.code), one.message)
        for one in findings
    ]
    return Table(("file", "line", "level", "code", "message"), rows, right=(1,))


def show_report(report: Report, all_scores: bool = False) -> None:
    """Scores with intervals, the signature under each metric, what was not run and what failed.

    Shows the headline scores of each metric, or every score.
    """
    from argue_bench.eval.report import failure_lines, metric_tables, score_lines

    click.echo("\n".join(score_lines(report, all_scores, bold=bold, dim=dim)))
    if hidden := sum(one.hidden for one in metric_tables(report, all_scores)):
        click.echo(f"\nFurther scores with --all-scores: {hidden}", err=True)
    for line in failure_lines(report):
        click.echo(line, err=True)


def show_note(files: Iterable[Path]) -> None:
    """On stderr what a reader of scores on a set must know, where run files are of such a set."""
    from argue_bench.eval.run import is_run_file, read_header
    from argue_bench.loaders.core import dataset_note

    notes = (dataset_note(read_header(file).dataset) for file in files if is_run_file(file))
    if note := next(filter(None, notes), ""):
        click.echo(f"\n{note}", err=True)


def count_levels(findings: Iterable[Finding]) -> str:
    """How many errors, warnings and notices there are, in words."""
    levels = [finding.level for finding in findings]
    counts: Mapping[str, int] = {
        level: levels.count(level) for level in ("error", "warning", "notice")
    }
    words = [f"{n} {level}{'s' if n != 1 else ''}" for level, n in counts.items() if n]
    return ", ".join(words) or "no findings"
