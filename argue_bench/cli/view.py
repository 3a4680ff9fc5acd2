"""``argue-bench view``: the reports of a run file as pages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench import satellites
from argue_bench.cli.commands import ADVANCED, command, option
from argue_bench.cli.options import (
    PATH,
    CollectionOptions,
    DatasetOptions,
    TopicOptions,
    dataset_options,
    own_metric_option,
)
from argue_bench.cli.tables import show_findings

if TYPE_CHECKING:
    from argue_bench.eval.run import Header
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.metrics import Metric


@command()
@click.argument("runs", metavar="RUN...", type=PATH, nargs=-1, required=True)
@dataset_options("", help="Data set. [default: the run's]", without=("data",))
@option("--nuggets", type=PATH, group="Input", help="Nuggets, where the run file names none.")
@option("--out", type=PATH, group="Output", help="Folder for the pages.")
@option("--label", is_flag=True, group="Output", help="Make a page for labelling requests.")
@option(
    "--sample",
    type=click.IntRange(1),
    default=150,
    group="Output",
    help="Requests to label, drawn evenly over kinds and verdicts.",
)
@option(
    "--questions",
    type=click.IntRange(1),
    group="Output",
    help="Label every request of so many questions, for evaluate --labels.",
)
@option(
    "--labels",
    multiple=True,
    type=PATH,
    group=ADVANCED,
    help="Labels given so far: the page shows what they lack; may be repeated.",
)
@own_metric_option
def view(
    runs: tuple[Path, ...],
    chosen: DatasetOptions,
    nuggets: Path | None,
    out: Path | None,
    label: bool,
    sample: int,
    questions: int | None,
    labels: tuple[Path, ...],
    metrics: list[Metric],
) -> None:
    """Show every report of a run with every judgment, as pages that need no server.

    RUN is a file that `evaluate --out` wrote, with its verdict store beside it, or with --nuggets
    a judgments file of Auto-ARGUE. Two or more run files on one set are laid side by side.

    --label adds a page on which a person answers the run's requests: a sample of them, or with
    --questions every request of so many questions, for `evaluate --labels`. Without --out the pages lie in a temporary folder, and open in a browser where there is one.

    Example: argue-bench view run.jsonl
    """
    # Here, since --help imports every command.
    from tempfile import mkdtemp

    from argue_bench.eval.run import is_run_file, read_header
    from argue_bench.view.compare import write_comparison
    from argue_bench.view.pages import write_viewer

    if not label and (questions is not None or labels):
        raise click.UsageError("--questions and --labels go with --label")
    if len(runs) > 1 and (label or nuggets is not None):
        raise click.UsageError("--label and --nuggets go with one run")
    place = out or Path(mkdtemp(prefix="argue-bench-view-"))
    topics, cited = TopicOptions(nuggets), CollectionOptions()
    run = runs[0]
    if len(runs) > 1:
        headers = {one: read_header(one) for one in runs}
        rows = not chosen.dataset and all(
            "rows" in one.source or "hub" in one.source for one in headers.values()
        )
        # Own rows are a data set of their own for each system; else all runs are of the first one's.
        sets = [load_for(headers[one], one, chosen) for one in (runs if rows else runs[:1])]
        done = write_comparison(runs, sets, place, metrics)
    elif not is_run_file(run) and _is_judgments(run):
        if label:
            raise click.UsageError("--label goes with a run file: judgments have no requests")
        if nuggets is None and not chosen.dataset:
            raise click.UsageError(f"{run} holds judgments: name their nuggets with --nuggets PATH")
        write = satellites.import_text(satellites.JUDGMENTS[1])
        done = write(run, topics.dataset(chosen), cited.open(), place)
    else:
        header = read_header(run)
        own = nuggets is not None
        dataset = topics.dataset(chosen, cited.open()) if own else load_for(header, run, chosen)
        page = (
            satellites.import_text(satellites.LABEL_PAGE)(sample, questions, labels)
            if label
            else None
        )
        done = write_viewer(run, dataset, place, label=page, metrics=metrics)
    show_findings(done.findings)
    click.echo(f"{place}/index.html: {done.topics} {done.kind}.")
    if label:
        click.echo(f"{place}/label.html: {done.requests} requests to label.")
    if out is None and sys.stdout.isatty():
        click.launch((place / "index.html").resolve().as_uri())


def _is_judgments(path: Path) -> bool:
    """Whether the file is another program's judgments, if there is anything here that reads them."""
    if not path.is_file() or not satellites.is_here(satellites.JUDGMENTS[0]):
        return False
    return bool(satellites.import_text(satellites.JUDGMENTS[0])(path))


def load_for(header: Header, run: Path, chosen: DatasetOptions) -> Dataset:
    """The set that was chosen, or the one that a run file names.

    Raises UsageError where the run's set has no name that can be loaded, and DataError where its
    data are not where the run file says.
    """
    from argue_bench.eval.run import read_entries
    from argue_bench.loaders.source import load_source, load_titled

    if chosen.dataset:
        return chosen.load()
    if header.source and chosen.data is None:
        return load_source(header.source, run, (entry.answer for entry in read_entries(run)))
    return load_titled(header.dataset, chosen.split, chosen.data)
