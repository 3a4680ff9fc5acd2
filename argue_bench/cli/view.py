"""``argue-bench view``: a run file in, pages to read its reports out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.evaluating.answers import DATA_HELP, HANDED_HELP

if TYPE_CHECKING:
    from argue_bench.loaders.dataset import Dataset


@click.command()
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Where the pages go: a folder."
)
@click.option("--on", default="", help="Data set: a name or a folder. [default: the run's]")
@click.option("--data", type=click.Path(path_type=Path), help=DATA_HELP)
@click.option("--split", default="", help="Split of the data set. [default: the run's]")
@click.option("-m", "--metric", "metrics", multiple=True, help=HANDED_HELP)
@click.option("--label", is_flag=True, help="Also make a page on which a person labels asks.")
@click.option("--sample", default=150, show_default=True, help="Asks to label, drawn by stratum.")
def view(
    run: Path,
    out: Path,
    on: str,
    data: Path | None,
    split: str,
    metrics: tuple[str, ...],
    label: bool,
    sample: int,
) -> None:
    """Show every report of a run with every judgment, as pages.

    The pages need no server.

    RUN is a file that 'evaluate --out' or 'annotate --out' wrote, with its verdict store beside it.

    Example: argue-bench view run.jsonl --out pages
    """
    from argue_bench.errors import UsageError
    from argue_bench.eval.run import read_header
    from argue_bench.metrics import as_metric
    from argue_bench.pages.view.pages import write_viewer as show

    if sample < 1:
        raise UsageError("--sample is at least 1")
    header = read_header(run)
    dataset = load_for(header.dataset, on, split, data)
    handed = [as_metric(text) for text in metrics]
    done = show(run, dataset, out, label=sample if label else 0, metrics=handed)
    for finding in done.findings:
        click.echo(str(finding), err=True)
    click.echo(f"{out}/index.html: {done.topics} topics.")
    if label:
        click.echo(f"{out}/label.html: {done.requests} asks to label.")


def load_for(title: str, on: str, split: str, data: Path | None) -> Dataset:
    """The set that a run names (``core-sample@5f2d9a54``), or the one that is told.

    Raises UsageError where the run's set has no name that can be loaded.
    """
    from argue_bench.errors import UsageError
    from argue_bench.loaders import DATASETS, load

    if on:
        return load(on, split, data)
    said = title.partition("@")[0]
    for name in sorted(DATASETS, key=len, reverse=True):
        if said == name or said.startswith(f"{name}-"):
            return load(name, split or said.removeprefix(name).lstrip("-"), data)
    raise UsageError(f"the run is of {title}; name that set with --on NAME or --on FOLDER")
