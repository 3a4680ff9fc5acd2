"""``argue-bench view``: the reports of a run file, or of Auto-ARGUE's judgments, as pages."""

from __future__ import annotations

import sys
from collections import ChainMap
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import (
    PATH,
    CollectionOptions,
    DatasetOptions,
    TopicOptions,
    collection_options,
    dataset_options,
    own_metric_option,
    seed_option,
    topic_options,
)
from argue_bench.cli.tables import show_findings

if TYPE_CHECKING:
    from argue_bench.eval.run import Header
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.metrics import Metric
    from argue_bench.pages.view.labels import WholeQuestions
    from argue_bench.pages.view.pages import ViewerResult


@command()
@click.argument("runs", metavar="RUN...", type=PATH, nargs=-1, required=True)
@dataset_options(default="")
@topic_options
@collection_options
@option("--out", type=PATH)
@option("--replies", type=PATH)
@option("--label", is_flag=True)
@option("--sample", type=click.IntRange(1), default=150)
@option("--questions", type=click.IntRange(1))
@option("--only", multiple=True, metavar="METRIC")
@option("--labels", multiple=True, type=PATH)
@seed_option
@own_metric_option
def view(
    runs: tuple[Path, ...],
    chosen: DatasetOptions,
    topics: TopicOptions,
    cited: CollectionOptions,
    out: Path | None,
    replies: Path | None,
    label: bool,
    sample: int,
    questions: int | None,
    only: tuple[str, ...],
    labels: tuple[Path, ...],
    seed: int | None,
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

    if not label and (questions is not None or labels or only or seed is not None):
        raise click.UsageError("--questions, --only, --labels and --seed go with --label")
    shown, out = out is None, out or Path(mkdtemp(prefix="argue-bench-view-"))
    from argue_bench.eval.run import is_run_file, read_header
    from argue_bench.loaders.auto_argue import is_judgments
    from argue_bench.pages.view.pages import write_viewer

    run = runs[0]
    if len(runs) > 1:
        if label or replies is not None or topics.nuggets is not None:
            raise click.UsageError("--label, --replies and --nuggets go with one run")
        from argue_bench.pages.view.compare import write_comparison

        headers = {one: read_header(one) for one in runs}
        rows = not chosen.dataset and all(
            "rows" in one.source or "hub" in one.source for one in headers.values()
        )
        # Own rows are a data set of their own for each system; else all runs are of the first one's.
        sets = [load_for(headers[one], one, chosen) for one in (runs if rows else runs[:1])]
        done = write_comparison(runs, sets, out, metrics)
    elif run.is_file() and not is_run_file(run) and is_judgments(run):
        if label:
            raise click.UsageError("--label goes with a run file: judgments have no requests")
        done = _view_judgments(run, topics, cited, chosen, out)
    else:
        header = read_header(run)
        if topics.nuggets is None:
            dataset = load_for(header, run, chosen)
        else:
            dataset = topics.dataset(chosen, cited.open())
        wanted = _wanted(sample, questions, only, labels, seed) if label else 0
        done = write_viewer(run, dataset, out, label=wanted, replies=replies, metrics=metrics)
    show_findings(done.findings)
    click.echo(f"{out}/index.html: {done.topics} topics.")
    if label:
        click.echo(f"{out}/label.html: {done.requests} requests to label.")
    if shown and sys.stdout.isatty():
        import webbrowser

        webbrowser.open((out / "index.html").resolve().as_uri())


def _wanted(
    sample: int,
    questions: int | None,
    only: tuple[str, ...],
    labels: tuple[Path, ...],
    seed: int | None,
) -> int | WholeQuestions:
    """What the label page shows. Raises DataError for label files with faults."""
    if questions is None and not labels:
        if only or seed is not None:
            raise click.UsageError("--only and --seed go with --questions")
        return sample
    from argue_bench.judges.labels import read_all_labels
    from argue_bench.pages.view.labels import WholeQuestions

    given = read_all_labels(labels) if labels else None
    return WholeQuestions(questions or 0, seed or 0, only, given)


def _view_judgments(
    path: Path,
    topics: TopicOptions,
    cited: CollectionOptions,
    chosen: DatasetOptions,
    out: Path,
) -> ViewerResult:
    """Auto-ARGUE's judgments as pages, with the documents that the file or the collection holds."""
    from argue_bench.eval.judgments import judged_documents, write_judged_run
    from argue_bench.pages.view.pages import write_viewer

    if topics.nuggets is None and not chosen.dataset:
        raise click.UsageError(f"{path} holds judgments: name their nuggets with --nuggets PATH")
    dataset = topics.dataset(chosen)
    documents = ChainMap(judged_documents(path), dict(dataset.documents), cited.open())  # type: ignore[arg-type]
    dataset = replace(dataset, documents=documents, declared_digest=dataset.digest)
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        judged = write_judged_run(path, dataset, "auto-argue", run)
        return write_viewer(run, dataset, out, judged=judged, name=path.name.partition(".")[0])


def load_for(header: Header, run: Path, chosen: DatasetOptions) -> Dataset:
    """The set that was chosen, or the one that a run file names.

    Raises UsageError where the run's set has no name that can be loaded, and DataError where its
    data are not where the run file says.
    """
    from argue_bench.errors import UsageError
    from argue_bench.eval.run import read_entries
    from argue_bench.loaders import DATASETS, load
    from argue_bench.loaders.source import load_source

    if chosen.dataset:
        return chosen.load()
    if header.source and chosen.data is None:
        return load_source(header.source, run, (entry.answer for entry in read_entries(run)))
    full = header.dataset.partition("@")[0]
    for name in sorted(DATASETS, key=len, reverse=True):
        if full == name or full.startswith(f"{name}-"):
            split = chosen.split or full.removeprefix(name).lstrip("-")
            return load(name, split, chosen.data)
    raise UsageError(f"the run is of {header.dataset}; name that set with --dataset NAME or FOLDER")
