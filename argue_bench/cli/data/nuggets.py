"""``argue-bench data nuggets`` and ``data edit``: nuggets drafted from documents or reports, and edited by people."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from argue_bench.baselines.drafting import (
    DRAFTS,
    Draft,
    DraftedNugget,
    Topic,
    draft_nuggets,
    editable,
    expected_cost,
    nugget_from_json,
    read_drafts,
    save,
    topics_of,
    topics_of_reports,
)
from argue_bench.cli.commands import command, option
from argue_bench.cli.evaluate import show_rows
from argue_bench.cli.judging import hold_to_budget, show_spent
from argue_bench.cli.options import PATH, budget_option, dry_run_option, limit_spending
from argue_bench.cli.progress import progress
from argue_bench.cli.tables import show_table
from argue_bench.errors import Code, DataError
from argue_bench.judges import as_judge
from argue_bench.judges.base import costs_of
from argue_bench.judges.prompted import Prompted
from argue_bench.judges.prompted.spec import for_estimates
from argue_bench.loaders import DATASETS, load, read_answers
from argue_bench.loaders.core import is_core_folder, write_folder
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.loaders.rows import read_rows
from argue_bench.loaders.rows.columns import parse_columns
from argue_bench.records.atomic import write_text
from argue_bench.records.table import Table
from argue_bench.records.untrusted import GOLD_LIMITS, read_json
from argue_bench.view.nugget_page import edit_page


@command("nuggets")
@click.argument("source", metavar="FOLDER|ROWS|NAME")
@option("--split", default="", help="Split of the data set.")
@option(
    "--columns", multiple=True, metavar="ROLE=NAME", help="Name a column of rows; may be repeated."
)
@option(
    "--reports",
    type=PATH,
    multiple=True,
    metavar="FILE",
    help="Draft from these reports in place of documents; may be repeated.",
)
@option(
    "--out",
    type=PATH,
    metavar="FOLDER",
    help="The folder for the data set with its nuggets. [default: SOURCE, where it is such a folder]",
)
@option(
    "--judge", default="lexical", metavar="SPEC", help="Who drafts: a language model, or lexical."
)
@budget_option
@dry_run_option
def draft(
    source: str,
    split: str,
    columns: tuple[str, ...],
    reports: tuple[Path, ...],
    out: Path | None,
    judge: str,
    budget: float | None,
    dry_run: bool,
) -> None:
    """Draft nuggets for questions that have none, from their documents or from --reports.

    SOURCE is a folder of the core format, rows with contexts, or the name of a data set. The nuggets
    become gold in --out, with a file for each topic and drafts.jsonl, which `data edit` opens. The
    same command goes on where it was interrupted. A language model drafts best: --judge PROVIDER/MODEL.

    Example: argue-bench data nuggets rows.jsonl --out my-set --dry-run
    """

    dataset = _dataset(source, split, columns)
    if out is None and is_core_folder(Path(source)):
        out = Path(source)
    if out is None and not dry_run:
        raise click.UsageError(
            "--out FOLDER is required: the data set with its nuggets is written there"
        )
    wanted = [q for q in dataset if not (q.gold and q.gold.nuggets)]
    if not wanted:
        raise click.UsageError(
            f"all {len(dataset):,} questions have nuggets; open them with: argue-bench data edit FOLDER"
        )
    part = replace(dataset, questions=tuple(wanted))
    if reports:
        given = [
            replace(one, run=one.run or path.stem)
            for path in reports
            for one in read_answers(path, part).values()
        ]
        topics = topics_of_reports(part, given, dataset.documents)
    else:
        topics = topics_of(part)
    if not any(topic.passages for topic in topics):
        raise click.UsageError("no question has documents; give --reports FILE or contexts")
    if dry_run:
        _show_costs(topics, judge, budget)
        return
    drafts = _draft(topics, judge, budget, out or Path(f"{part.name}-drafts"))
    _write(drafts, dataset, out or Path())
    _finish(drafts)


def _dataset(source: str, split: str, columns: tuple[str, ...]) -> Dataset:

    path = Path(source)
    if source in DATASETS and not path.exists():
        return load(source, split)
    if is_core_folder(path):
        return load(path)
    rows = read_rows(path, parse_columns(columns))
    show_rows(rows)
    return rows.dataset


def _draft(topics: Sequence[Topic], spec: str, budget: float | None, out: Path) -> list[Draft]:

    judge = as_judge(spec)
    # A language model rates ten nuggets in a call.
    if isinstance(judge, Prompted) and "asking=" not in spec:
        judge = judge.with_mode("batched")
    limit_spending(budget, [judge])
    store = out.parent / f"{out.name}.verdicts"
    count = itertools.count(1)
    with progress("drafting", len(topics)) as step:
        drafts = draft_nuggets(topics, judge, store=store, progress=lambda _: step(next(count)))
    show_spent(costs_of([judge]))
    return drafts


def _show_costs(topics: Sequence[Topic], judge: str, budget: float | None) -> None:

    cost = expected_cost(topics, [model.with_mode("batched") for model in for_estimates(judge)])
    price = "not known" if cost.price is None else f"${cost.price:.4f}"
    click.echo(
        f"{len(topics):,} topics, at most {cost.calls:,} calls of language models, {cost.tokens_in:,} tokens in, "
        f"{cost.tokens_out:,} out: {price}"
    )
    hold_to_budget(cost.price or 0.0, budget)


def _write(drafts: Sequence[Draft], dataset: Dataset, out: Path) -> None:

    if not is_core_folder(out):
        write_folder(out, dataset)
    there = load(out)
    ids = dict(zip(dataset.by_id, there.by_id, strict=True))
    documents = dict(zip(dataset.documents, there.documents, strict=True))
    drafted = [
        replace(
            one,
            topic=ids[one.topic],
            references=tuple(documents[id] for id in one.references if id in documents),
        )
        for one in editable(drafts)
    ]
    named = {one.topic for one in drafted}
    kept = read_drafts(out, there) if (out / DRAFTS).is_file() else []
    saved = save(out, [*(one for one in kept if one.topic not in named), *drafted])
    rows = [
        (
            ids[one.topic],
            str(len(one.nuggets)),
            str(sum(n.importance == "vital" for n in one.nuggets)),
            str(len(one.dropped)),
            str(len(one.merged)),
            str(len(one.failures)),
        )
        for one in drafts
    ]
    head = ("topic", "nuggets", "vital", "unsupported", "merged", "failures")
    show_table(Table(head, rows, right=range(1, 6)))
    click.echo(f"\n{saved.nuggets:,} nuggets are gold in {out}; no person has read them yet:")
    click.echo(f"  argue-bench data edit {out}")
    if saved.without_file:
        click.echo(
            f"no nugget file for {len(saved.without_file):,} topics: their ids hold '_' or '/', "
            f"the first {saved.without_file[0]}",
            err=True,
        )


def _finish(drafts: Sequence[Draft]) -> None:
    """Says what failed. Exits 3 where something did: the same command asks only that again."""
    failures = [f"{one.topic}: {failure}" for one in drafts for failure in one.failures]
    if not failures:
        return
    for line in failures[:5]:
        click.echo(line, err=True)
    click.echo(
        f"{len(failures):,} failures. The same command asks again for what failed.", err=True
    )
    raise SystemExit(3)


@command()
@click.argument("folder", type=PATH)
@option(
    "--apply", type=PATH, metavar="FILE", help="Take the edits in this file, which the page saved."
)
def edit(folder: Path, apply: Path | None) -> None:
    """Write FOLDER.html, a page on which people accept, edit, merge and weight the nuggets in FOLDER.

    The page opens in a browser where there is one, needs no server, and saves a file. With --apply the
    edits in that file become the gold and the nugget files of FOLDER.

    Example: argue-bench data edit my-set
    """

    dataset = load(folder)
    if apply is not None:
        done = save(folder, _read_edits(apply, dataset))
        click.echo(f"{done.nuggets:,} nuggets are gold in {folder}")
        return
    nuggets = read_drafts(folder, dataset)
    place = folder.with_name(f"{folder.absolute().name}.html")
    write_text(place, edit_page(dataset, nuggets))
    click.echo(
        f"{place}: {len(nuggets):,} nuggets. Afterwards: argue-bench data edit {folder} --apply FILE"
    )
    if sys.stdout.isatty():
        click.launch(place.resolve().as_uri())


def _read_edits(path: Path, dataset: Dataset) -> list[DraftedNugget]:
    """The nuggets in a file that the page saved. Raises DataError with every finding."""

    value = read_json(path, GOLD_LIMITS)
    if not isinstance(value, list):
        raise DataError.of(
            Code.WRONG_SHAPE, "this is not a list of nuggets, as the page saves one", path
        )
    found = Findings(path)
    read: list[DraftedNugget] = []
    for number, given in enumerate(value, 1):
        try:
            read.append(nugget_from_json(given, dataset))
        except DataError as error:
            for one in error.findings:
                found.add(Code.WRONG_SHAPE, f"nugget {number}: {one.message}")
    found.raise_errors()
    return read
