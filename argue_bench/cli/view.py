"""``argue-bench view``: the reports of a run file as pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, DatasetOptions, dataset_options, own_metric_option
from argue_bench.cli.tables import show_findings

if TYPE_CHECKING:
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.metrics import Metric


@command()
@click.argument("run", metavar="RUN", type=PATH)
@dataset_options(default="")
@option("--out", required=True, type=PATH)
@option("--label", is_flag=True)
@option("--sample", type=click.IntRange(1), default=150)
@own_metric_option
def view(
    run: Path, chosen: DatasetOptions, out: Path, label: bool, sample: int, metrics: list[Metric]
) -> None:
    """Show every report of a run with every judgment, as pages that need no server.

    RUN is a file that `evaluate --out` wrote, with its verdict store beside it.

    Example: argue-bench view run.jsonl --out pages
    """
    from argue_bench.eval.run import read_header
    from argue_bench.pages.view.pages import write_viewer

    dataset = load_for(read_header(run).dataset, chosen)
    done = write_viewer(run, dataset, out, label=sample if label else 0, metrics=metrics)
    show_findings(done.findings)
    click.echo(f"{out}/index.html: {done.topics} topics.")
    if label:
        click.echo(f"{out}/label.html: {done.requests} requests to label.")


def load_for(title: str, chosen: DatasetOptions) -> Dataset:
    """The set that a run names (``core-sample@5f2d9a54``), or the one that was chosen.

    Raises UsageError where the run's set has no name that can be loaded.
    """
    from argue_bench.errors import UsageError
    from argue_bench.loaders import DATASETS, load

    if chosen.dataset:
        return chosen.load()
    full = title.partition("@")[0]
    for name in sorted(DATASETS, key=len, reverse=True):
        if full == name or full.startswith(f"{name}-"):
            split = chosen.split or full.removeprefix(name).lstrip("-")
            return load(name, split, chosen.data)
    raise UsageError(f"the run is of {title}; name that set with --dataset NAME or FOLDER")
