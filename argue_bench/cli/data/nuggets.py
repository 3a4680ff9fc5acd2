"""``argue-bench data nuggets``: nuggets drafted from documents or reports, with their sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import (
    PATH,
    Spending,
    budget_option,
    dry_run_option,
    format_option,
    group_options,
    rpm_option,
    store_option,
    strict_model_option,
    tpm_option,
)
from argue_bench.cli.tables import print_as, show_table
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.drafting import Draft, Topic
    from argue_bench.judges import Judge
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.records import Answer


@dataclass(frozen=True)
class DraftingOptions:
    """Who drafts, how many nuggets, how much it may cost, and where replies are kept."""

    judge: str
    most: int
    store: Path | None
    budget: float | None
    rpm: float | None
    tpm: float | None
    strict_model: bool
    dry_run: bool


@command("nuggets")
@click.argument("source", metavar="FOLDER|ROWS|NAME")
@option("--split", default="")
@option("--columns", multiple=True, metavar="ROLE=NAME")
@option("--reports", type=PATH, multiple=True, metavar="FILE")
@option("--out", type=PATH, metavar="FOLDER")
@group_options(
    "drafting",
    DraftingOptions,
    option("--judge", default="lexical", metavar="SPEC"),
    option("--most", type=click.IntRange(1, 200), default=30, metavar="N"),
    store_option,
    budget_option,
    rpm_option,
    tpm_option,
    strict_model_option,
    dry_run_option,
)
@option("--against-gold", is_flag=True)
@format_option
def draft(
    source: str,
    split: str,
    columns: tuple[str, ...],
    reports: tuple[Path, ...],
    out: Path | None,
    drafting: DraftingOptions,
    against_gold: bool,
    format: str,
) -> None:
    """Draft nuggets for questions that have none, from their documents or from --reports.

    SOURCE is a folder of the core format, rows with contexts, or the name of a data set. The nuggets
    become gold in --out, with a file for each topic and drafts.jsonl, which `data edit` opens. The
    same command goes on where it was interrupted. A language model drafts best: --judge PROVIDER/MODEL.

    Example: argue-bench data nuggets rows.jsonl --out my-set --dry-run
    """
    from argue_bench.drafting import topics_of, topics_of_reports
    from argue_bench.loaders.core.writing import is_core_folder

    dataset = _dataset(source, split, columns)
    if out is None and is_core_folder(Path(source)):
        out = Path(source)
    if out is None and not (drafting.dry_run or against_gold):
        raise click.UsageError(
            "--out FOLDER is required: the data set with its nuggets is written there"
        )
    wanted = [q for q in dataset if against_gold or not (q.gold and q.gold.nuggets)]
    if not wanted:
        raise click.UsageError(
            f"all {len(dataset):,} questions have nuggets; open them with: argue-bench data edit FOLDER"
        )
    part = replace(dataset, questions=tuple(wanted))
    if reports:
        given = [answer for path in reports for answer in _reports(path, part)]
        topics = topics_of_reports(part, given, dataset.documents)
    else:
        topics = topics_of(part)
    if not any(topic.passages for topic in topics):
        raise click.UsageError("no question has documents; give --reports FILE or contexts")
    if drafting.dry_run:
        _show_costs(topics, drafting, format)
        return
    drafts = _draft(topics, drafting, out or Path(f"{part.name}-drafts"))
    if against_gold:
        _show_recall(drafts, part, format)
    else:
        _write(drafts, dataset, out or Path(), format)
    _finish(drafts)


def _dataset(source: str, split: str, columns: tuple[str, ...]) -> Dataset:
    from argue_bench.cli.evaluating.rows import show_rows
    from argue_bench.loaders import DATASETS, load
    from argue_bench.loaders.core.writing import is_core_folder
    from argue_bench.loaders.rows import read_rows
    from argue_bench.loaders.rows.columns import parse_columns

    path = Path(source)
    if source in DATASETS and not path.exists():
        return load(source, split)
    if is_core_folder(path):
        return load(path)
    rows = read_rows(path, parse_columns(columns))
    show_rows(rows)
    return rows.dataset


def _reports(path: Path, dataset: Dataset) -> Sequence[Answer]:
    from argue_bench.loaders import read_answers

    found = read_answers(path, dataset)
    return [replace(one, run=one.run or path.stem) for one in found.values()]


def _draft(topics: Sequence[Topic], drafting: DraftingOptions, out: Path) -> list[Draft]:
    from argue_bench.cli.evaluating.costs import show_spent
    from argue_bench.cli.progress import progress
    from argue_bench.drafting import draft_nuggets
    from argue_bench.judges.base import costs_of

    judge = _judge(drafting)
    store = drafting.store or out.parent / f"{out.name}.verdicts"
    with progress("drafting", len(topics)) as step:
        done = 0

        def tell(draft: Draft) -> None:
            nonlocal done
            done += 1
            step(done)

        drafts = draft_nuggets(topics, judge, store=store, most=drafting.most, progress=tell)
    show_spent(costs_of([judge]))
    return drafts


def _judge(drafting: DraftingOptions) -> Judge:
    """The judge within its limits; a language model rates ten nuggets in a call."""
    from argue_bench.judges import as_judge
    from argue_bench.judges.prompted import Prompted

    judge = as_judge(drafting.judge)
    if isinstance(judge, Prompted) and "asking=" not in drafting.judge:
        judge = judge.with_mode("batched")
    spending = Spending(drafting.budget, drafting.rpm, drafting.tpm, drafting.strict_model)
    spending.limit([judge])
    return judge


def _show_costs(topics: Sequence[Topic], drafting: DraftingOptions, format: str) -> None:
    from argue_bench.drafting.drafts import expected_cost, expected_requests
    from argue_bench.judges.prompted.spec import for_estimates

    expected = expected_requests(topics, drafting.most)
    rows = [
        ("create", f"{expected.create:,}", f"{expected.create:,}"),
        *(
            (step, f"{low:,}", f"{high:,}")
            for step, (low, high) in {
                "rate": expected.rate,
                "check": expected.check,
                "merge": expected.merge,
            }.items()
        ),
    ]
    table = Table(("step", "fewest", "most requests"), rows, right=(1, 2))
    models = [model.with_mode("batched") for model in for_estimates(drafting.judge)]
    cost = expected_cost(topics, models, drafting.most)
    data = {"topics": len(topics), "steps": vars(expected), "most": vars(cost)}
    if print_as(format, data, table):
        return
    show_table(table)
    if models:
        price = "not known" if cost.price is None else f"${cost.price:.4f}"
        click.echo(
            f"\n{len(topics):,} topics, at most {cost.calls:,} calls, {cost.tokens_in:,} tokens in, "
            f"{cost.tokens_out:,} out: {price}"
        )


def _write(drafts: Sequence[Draft], dataset: Dataset, out: Path, format: str) -> None:
    from argue_bench.drafting.gold import DRAFTS, editable, read_drafts, save
    from argue_bench.loaders import load
    from argue_bench.loaders.core.writing import is_core_folder, write_folder

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
    table = Table(head, rows, right=range(1, 6))
    if print_as(format, [dict(zip(head, row, strict=True)) for row in rows], table):
        return
    show_table(table)
    click.echo(f"\n{saved.nuggets:,} nuggets are gold in {out}; no person has read them yet:")
    click.echo(f"  argue-bench data edit {out}")
    if saved.without_file:
        click.echo(
            f"no nugget file for {len(saved.without_file):,} topics: their ids hold '_' or '/', "
            f"the first {saved.without_file[0]}",
            err=True,
        )


def _show_recall(drafts: Sequence[Draft], dataset: Dataset, format: str) -> None:
    from argue_bench.drafting.recall import compare_with_gold

    found = compare_with_gold(drafts, dataset)
    shares: Mapping[str, tuple[float | None, str]] = {
        "recall": (found.recall, f"{found.found:,} of {found.facts:,} gold facts are in a draft"),
        "redundancy": (
            found.redundancy,
            f"{found.repeating:,} of {found.holding:,} drafts repeat gold facts",
        ),
        "beside": (
            found.beside,
            f"{found.drafts - found.holding:,} of {found.drafts:,} drafts hold no gold fact",
        ),
    }
    rows = [
        (name, "-" if value is None else f"{100 * value:.1f}", why)
        for name, (value, why) in shares.items()
    ]
    table = Table(("measure", "value", ""), rows, right=(1,))
    data = {**{name: value for name, (value, _) in shares.items()}, "missed": found.missed}
    if print_as(format, data, table):
        return
    show_table(table)
    for fact in found.missed[:5]:
        click.echo(f"missed: {fact}", err=True)


def _finish(drafts: Sequence[Draft]) -> None:
    """Says what failed. Exits 3 where something did: the same command asks only that again."""
    failures = [f"{one.topic}: {failure}" for one in drafts for failure in one.failures]
    if failures:
        for line in failures[:5]:
            click.echo(line, err=True)
        more = len(failures) - 5
        if more > 0:
            click.echo(f"... and {more:,} more failures", err=True)
        click.echo("The same command asks again for what failed.", err=True)
        raise SystemExit(3)
