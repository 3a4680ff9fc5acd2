"""``argue-bench compare``: which differences between systems are real."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.evaluating.answers import HANDED_HELP
from argue_bench.cli.numbers import A_SEED, TIMES

if TYPE_CHECKING:
    from argue_bench.eval.report import Report
    from argue_bench.metrics import Metric


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="[NAME=]RUN...")
@click.option("-m", "--metric", "metrics", multiple=True, help=HANDED_HELP)
@click.option("-s", "--score", "scores", multiple=True, help="Score to compare; may be repeated.")
@click.option("--all-scores", is_flag=True, help="Test every score, not the headlines alone.")
@click.option("--on", default="", help="Data set (name or folder) that knows the categories.")
@click.option("--data", type=click.Path(path_type=Path), help="A local copy of that data set.")
@click.option("--split", default="", help="Split of that data set.")
@click.option(
    "--resamples", type=TIMES, default=10_000, show_default=True, help="Of the bootstrap."
)
@click.option("--permutations", type=TIMES, help="Of the test; 10,000, more for long tables.")
@click.option("--seed", type=A_SEED, help="Of resamples and permutations.")
@click.option(
    "--bands", type=click.Path(path_type=Path), help="Write bands.json of the first score."
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def compare(
    runs: tuple[str, ...],
    metrics: tuple[str, ...],
    scores: tuple[str, ...],
    all_scores: bool,
    on: str,
    data: Path | None,
    split: str,
    resamples: int,
    permutations: int | None,
    seed: int | None,
    bands: Path | None,
    as_json: bool,
) -> None:
    """Compare systems from run files: intervals, paired tests, rank bands.

    RUN is what `evaluate --out RUN` wrote. Differences are the first system's score minus the
    second's; p is corrected over the whole table (Holm). Systems that were scored differently are
    refused.

    Example: argue-bench compare alpha.run.jsonl beta.run.jsonl
    """
    from argue_bench.analysis.compare import compare_reports, headline_scores
    from argue_bench.analysis.comparison_table import caution_lines, comparison_lines
    from argue_bench.loaders.core import dataset_note
    from argue_bench.metrics import as_metric
    from argue_bench.stats.bootstrap import SEED

    reports = read_systems(runs, [as_metric(text) for text in metrics])
    chosen = list(scores) or (None if all_scores else headline_scores(reports))
    found = compare_reports(
        reports,
        scores=chosen,
        resamples=resamples,
        categories=_categories(on, data, split, next(iter(reports.values())).dataset),
        permutations=permutations,
        seed=SEED if seed is None else seed,
    )
    banded = found.rank_bands()
    if bands is not None:
        _write_bands(bands, banded)
    if as_json:
        click.echo(json.dumps({**found.to_dict(), "bands": banded}, ensure_ascii=False))
        return
    styles = {"bold": partial(click.style, bold=True), "dim": partial(click.style, dim=True)}
    for line in comparison_lines(found, banded, **styles):
        click.echo(line)
    for line in caution_lines(found):
        click.echo(line, err=True)
    if note := dataset_note(next(iter(reports.values())).dataset):
        click.echo(f"\n{note}", err=True)


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


def _categories(on: str, data: Path | None, split: str, scored: str) -> dict[str, tuple[str, ...]]:
    """The categories of each question. Raises UsageError where the runs are of another set."""
    if not on:
        return {}
    from argue_bench.errors import UsageError
    from argue_bench.loaders import load

    dataset = load(on, split, data)
    if dataset.title != scored:
        raise UsageError(
            f"the runs are of {scored}, and --on {on} is {dataset.title}: name its --split or --data"
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
