"""``argue-bench compare``: paired tests of the differences between systems."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import (
    PATH,
    TIMES,
    DatasetOptions,
    cite_option,
    dataset_options,
    format_option,
    own_metric_option,
    seed_option,
)
from argue_bench.cli.tables import bold, dim, print_as, show_papers

if TYPE_CHECKING:
    from argue_bench.eval.report import Report
    from argue_bench.metrics import Metric


@command("compare")
@click.argument("runs", nargs=-1, required=True, metavar="[NAME=]RUN...")
@option("-s", "--score", "scores", multiple=True)
@option("--all-scores", is_flag=True)
@dataset_options(default="")
@option("--resamples", type=TIMES, default=10000)
@option("--permutations", type=TIMES)
@seed_option
@own_metric_option
@option("--bands", type=PATH)
@option("--plot", type=PATH, metavar="FILE")
@cite_option
@format_option
def compare_command(
    runs: tuple[str, ...],
    scores: tuple[str, ...],
    all_scores: bool,
    chosen: DatasetOptions,
    resamples: int,
    permutations: int | None,
    seed: int | None,
    metrics: list[Metric],
    bands: Path | None,
    plot: Path | None,
    cite: bool,
    format: str,
) -> None:
    """Compare systems from run files: intervals, paired tests, rank bands.

    RUN is what `evaluate --out RUN` wrote. Differences are the first system's score minus the
    second's; p is corrected over the whole table (Holm). Systems that were scored differently are
    refused.

    Example: argue-bench compare alpha.run.jsonl beta.run.jsonl
    """
    from argue_bench.analysis.compare import compare_reports, headline_scores
    from argue_bench.analysis.comparison_table import (
        band_table,
        caution_lines,
        comparison_lines,
        pair_table,
        system_table,
    )
    from argue_bench.loaders.core import dataset_note
    from argue_bench.stats.bootstrap import SEED

    reports = read_systems(runs, metrics)
    first = next(iter(reports.values()))
    found = compare_reports(
        reports,
        scores=list(scores) or (None if all_scores else headline_scores(reports)),
        resamples=resamples,
        categories=_categories(chosen, first.dataset),
        permutations=permutations,
        seed=SEED if seed is None else seed,
    )
    banded = found.rank_bands()
    if bands is not None:
        _write_bands(bands, banded)
    if plot is not None:
        found.plot(plot)
        click.echo(f"wrote {plot}", err=True)
    tables = [pair_table(found.differences), *([band_table(banded)] if banded else [])]
    if format in ("md", "latex"):  # the table of a paper; CSV has one table of numbers
        tables.insert(0, system_table(found))
    if print_as(format, {**found.to_dict(), "bands": banded}, *tables):
        show_papers(first, cite, format)
        return
    for line in comparison_lines(found, banded, bold=bold, dim=dim):
        click.echo(line)
    for line in caution_lines(found):
        click.echo(line, err=True)
    if note := dataset_note(first.dataset):
        click.echo(f"\n{note}", err=True)
    show_papers(first, cite)


def read_systems(runs: Sequence[str], metrics: Sequence[Metric] = ()) -> dict[str, Report]:
    """The reports of run files by system: NAME= where given, else the run's name or the file's."""
    from argue_bench.analysis.score_table import run_name
    from argue_bench.errors import UsageError
    from argue_bench.eval.run import read_reports

    systems: dict[str, Report] = {}
    for text in runs:
        name, equals, rest = text.partition("=")
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


def _categories(chosen: DatasetOptions, scored: str) -> dict[str, tuple[str, ...]]:
    """The categories of each question. Raises UsageError where the runs are of another set."""
    if not chosen.dataset:
        return {}
    from argue_bench.errors import UsageError

    dataset = chosen.load()
    if dataset.title != scored:
        raise UsageError(
            f"the runs are of {scored}, and --dataset {chosen.dataset} is {dataset.title}: "
            "name its --split or --data"
        )
    return {question.id: question.categories for question in dataset}


def _write_bands(path: Path, banded: dict[str, Any] | None) -> None:
    from argue_bench.errors import UsageError
    from argue_bench.records.atomic import atomic_write

    if banded is None:
        raise UsageError("no score compared here has a better end, so there are no bands")
    with atomic_write(path) as file:
        file.write(json.dumps(banded, ensure_ascii=False, sort_keys=True, indent=1) + "\n")
    click.echo(f"wrote {path}", err=True)
