"""``argue-bench compare``: paired tests of the differences between systems."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, format_option, own_metric_option
from argue_bench.cli.tables import bold, dim, print_as

if TYPE_CHECKING:
    from argue_bench.eval.report import Report
    from argue_bench.metrics import Metric


@command("compare")
@click.argument("runs", nargs=-1, required=True, metavar="[NAME=]RUN...")
@option(
    "-s",
    "--score",
    "scores",
    multiple=True,
    group="Scores",
    help="Score to compare; may be repeated. [default: the headlines]",
)
@option(
    "--all-scores", is_flag=True, group="Scores", help="Test every score, not the headlines alone."
)
@own_metric_option
@option("--bands", type=PATH, group="Output", help="Write bands.json of the first score.")
@option("--cite", is_flag=True, group="Output", help="Print BibTeX of the metrics' papers.")
@format_option
def compare_command(
    runs: tuple[str, ...],
    scores: tuple[str, ...],
    all_scores: bool,
    metrics: list[Metric],
    bands: Path | None,
    cite: bool,
    format: str,
) -> None:
    """Compare systems from run files: intervals, paired tests, rank bands.

    RUN is what `evaluate --out RUN` wrote. Differences are the first system's score minus the
    second's; p is corrected over the whole table (Holm). Systems that were scored differently are
    refused.

    Example: argue-bench compare alpha.run.jsonl beta.run.jsonl
    """
    from argue_bench.analysis.compare import (
        COLUMNS,
        band_table,
        caution_lines,
        compare,
        comparison_lines,
        pair_table,
        system_table,
    )
    from argue_bench.loaders.core import dataset_note

    reports = read_systems(runs, metrics)
    first = next(iter(reports.values()))
    found = compare(
        *reports.values(), names=list(reports), scores=scores or None, all_scores=all_scores
    )
    banded = found.rank_bands()
    if bands is not None:
        _write_bands(bands, banded)
    paper = format in ("md", "latex")  # CSV has one table of numbers
    pairs = pair_table(found.differences, named=not paper or len(reports) > 2, paper=paper)
    tables = [pairs, *([band_table(banded)] if banded else [])]
    if paper:
        tables.insert(0, system_table(found, None if scores or all_scores else COLUMNS))
    if print_as(format, {**found.to_dict(), "bands": banded}, *tables):
        if cite:
            # Behind a LaTeX table it is a comment, so that the output is a file to input.
            sign = "%% " if format == "latex" else ""
            click.echo(indent(f"\n{first.bibtex()}", sign, lambda line: bool(line.strip())))
        return
    for line in comparison_lines(found, banded, bold=bold, dim=dim):
        click.echo(line)
    for line in caution_lines(found):
        click.echo(line, err=True)
    if note := dataset_note(first.dataset):
        click.echo(f"\n{note}", err=True)
    if cite:
        click.echo(f"\n{first.bibtex()}")


def read_systems(runs: Sequence[str], metrics: Sequence[Metric] = ()) -> dict[str, Report]:
    """The reports of run files by system: NAME= where given, else the run's name or the file's."""
    from argue_bench.errors import UsageError
    from argue_bench.eval.run import read_reports, run_name

    systems: dict[str, Report] = {}
    for text in runs:
        name, equals, rest = text.partition("=")
        # A path may hold an equals sign: what exists as a file is no NAME=RUN.
        given, path = (name, Path(rest)) if equals and not Path(text).exists() else ("", Path(text))
        reports = read_reports(path, metrics=metrics)
        if given and len(reports) > 1:
            raise UsageError(f"{text}: the file holds {len(reports)} runs, so it takes no one name")
        for run, report in reports.items():
            system = given or run or run_name(path)
            if system in systems:
                raise UsageError(f"two systems are called {system!r}; name them: NAME={path}")
            systems[system] = report
    return systems


def _write_bands(path: Path, banded: dict[str, Any] | None) -> None:
    from argue_bench.errors import UsageError
    from argue_bench.records.atomic import atomic_write

    if banded is None:
        raise UsageError("no score compared here has a better end, so there are no bands")
    with atomic_write(path) as file:
        file.write(json.dumps(banded, ensure_ascii=False, sort_keys=True, indent=1) + "\n")
    click.echo(f"wrote {path}", err=True)
