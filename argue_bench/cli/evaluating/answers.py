"""``argue-bench evaluate``: answers in, a table of scores out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.evaluating.costs import paid_store, show_costs, show_spent, with_workers
from argue_bench.cli.evaluating.workers import (
    Spent,
    judge_in_workers,
    run_shard,
    share,
    sharing_options,
)
from argue_bench.errors import Code, DataError, Finding

if TYPE_CHECKING:
    from argue_bench.eval import Report
    from argue_bench.eval.driver import Case, OnFailure
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.records import Answer

DATA_HELP = "A local copy of the named data set."
HANDED_HELP = "A metric of the run that is not in the catalogue, module:name; may be repeated."


@click.command()
@click.argument("answers", type=click.Path(path_type=Path))
@click.option("--on", default="core", show_default=True, help="Data set: a name or a folder.")
@click.option("--data", type=click.Path(path_type=Path), help=DATA_HELP)
@click.option(
    "--split", default="", help="Split of the data set. [default: its first; of core dev]"
)
@click.option(
    "--answers-format", default="auto", show_default=True, help="See: argue-bench formats"
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    help="Metric text, or module:name, which is imported; may be repeated. [default: the data set's]",
)
@click.option(
    "--judge",
    "specs",
    multiple=True,
    metavar="[NAME=]SPEC",
    help="Who answers what metrics ask; NAME= for one that a metric text names.",
)
@click.option("--only-answered", is_flag=True, help="Leave out questions without an answer.")
@click.option(
    "--on-failure",
    type=click.Choice(["refuse", "leave-out", "default"]),
    default="refuse",
    show_default=True,
    help="What a failed verdict does to its score.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be asked, and ask nothing.")
@click.option("--all-scores", is_flag=True, help="Print every score, not the headlines alone.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
@sharing_options
@click.option("--out", type=click.Path(path_type=Path), help="Write a run file.")
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    help="Where verdicts are kept. [default: OUT.verdicts; without --out, and for a judge that may "
    "cost money, ANSWERS.verdicts in this folder]",
)
def evaluate(
    answers: Path,
    on: str,
    data: Path | None,
    split: str,
    answers_format: str,
    metrics: tuple[str, ...],
    specs: tuple[str, ...],
    only_answered: bool,
    on_failure: OnFailure,
    dry_run: bool,
    all_scores: bool,
    as_json: bool,
    shard: str,
    workers: int,
    budget: float | None,
    out: Path | None,
    store: Path | None,
) -> None:
    """Score the answers in a file.

    ANSWERS holds lines {"id", "answer"} or TREC report objects.

    What can be named here is listed by: argue-bench datasets, metrics, judges, formats.

    Example: argue-bench evaluate answers.jsonl --on core --split sample
    """
    from argue_bench.cli.progress import Progress
    from argue_bench.eval import evaluate as score
    from argue_bench.loaders import contains_dataset, load

    if data is None and contains_dataset(on, answers):
        data = answers
    dataset = load(on, split, data)
    given = _read(answers, on, dataset, answers_format)
    chosen = list(metrics) or None
    judges = judge_specs(specs)
    if dry_run:
        _show_bounds(dataset, given, chosen, judges, only_answered)
        return
    store = store if out else paid_store(store, answers.stem, judges.values())
    kept = store or (Path(f"{out}.verdicts") if out else None)
    spent: list[Spent] = []
    if shard:
        _judge_shard(shard, kept, dataset, given, chosen, judges, only_answered, budget)
        return
    if workers > 1:
        if kept is None:
            raise click.UsageError("--workers wants --out RUN or --store FILE")
        spent = judge_in_workers(workers, kept, budget)
        budget = None if budget is None else share(budget, workers)
    with Progress("scoring", len(dataset)) as step:
        report = score(
            dataset,
            given.values(),
            chosen,
            judge=judges.pop("", "lexical"),
            judges=judges,
            only_answered=only_answered,
            on_failure=on_failure,
            system=answers.stem,
            out=out,
            store=store,
            budget=budget,
            progress=step,
        )
    report = replace(report, cost=with_workers(report.cost, spent))
    if as_json:
        click.echo(json.dumps(report.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        _show(report, all_scores, dataset.note)
    if any(score.failed and score.value is None for score in report.scores.values()):
        raise SystemExit(3)


def _show(report: Report, all_scores: bool, note: str) -> None:
    from argue_bench.cli.evaluating.alce import closing_lines
    from argue_bench.cli.tables import show_report

    show_report(report, all_scores)
    for line in closing_lines(report):
        click.echo(f"\n{line}")
    show_spent(report.cost)
    if note:
        click.echo(f"\n{note}", err=True)


def _read(path: Path, on: str, dataset: Dataset, format: str) -> dict[str, Answer]:
    from argue_bench.loaders import read_answers

    try:
        return read_answers(path, dataset, format)
    except DataError as error:
        raise _with_splits(error, on, dataset) from None


def _with_splits(error: DataError, on: str, dataset: Dataset) -> DataError:
    """The error, and where ids are unknown, what other splits the set has."""
    from argue_bench.loaders import DATASETS

    splits = DATASETS[on].splits if on in DATASETS else ()
    if len(splits) < 2 or all(finding.code != Code.UNKNOWN_ID for finding in error.findings):
        return error
    others = [f"--split {split}" for split in splits if split != dataset.split]
    hint = Finding(
        Code.OTHER_SPLIT,
        f"the answers were read as answers to {dataset.title}",
        level="notice",
        hint=f"Do they belong to another split? {', '.join(others)}",
    )
    return DataError([*error.findings, hint])


def judge_specs(specs: tuple[str, ...]) -> dict[str, str]:
    """``("lexical", "nli=nli:DIR")`` as a mapping from names to specs; "" is the default."""
    judges: dict[str, str] = {}
    for spec in specs:
        name, equals, rest = spec.partition("=")
        key, value = (name, rest) if equals and ":" not in name and "/" not in name else ("", spec)
        if key in judges:
            raise click.UsageError(f"--judge {spec}: this name was given twice")
        judges[key] = value
    return judges


def _cases(
    dataset: Dataset, given: Mapping[str, Answer], only_answered: bool = False
) -> Iterator[Case]:
    from argue_bench.eval.driver import Case
    from argue_bench.records import Answer

    for question in dataset:
        if question.id in given or not only_answered:
            answer = given.get(question.id) or Answer(question.id)
            yield Case(question, answer, dataset.citable(question))


def _judge_shard(
    shard: str,
    kept: Path | None,
    dataset: Dataset,
    given: Mapping[str, Answer],
    chosen: list[str] | None,
    specs: Mapping[str, str],
    only_answered: bool,
    budget: float | None,
) -> None:
    from argue_bench.eval.judging import select
    from argue_bench.judges import as_judge, set_budget
    from argue_bench.models.budget import Budget

    metrics = select(dataset, chosen).metrics
    named = {"": "lexical", **specs}
    judges = {
        name: as_judge(named.get(name, name))
        for name in {metric.judge_name for metric in metrics if metric.requests}
    }
    if budget is not None:
        purse = Budget(budget)
        for judge in judges.values():
            set_budget(judge, purse)
    run_shard(shard, kept, metrics, judges, _cases(dataset, given, only_answered), len(dataset))


def _show_bounds(
    dataset: Dataset,
    given: Mapping[str, Answer],
    chosen: list[str] | None,
    judges: Mapping[str, str],
    only_answered: bool,
) -> None:
    from argue_bench.eval.driver import refuse_sealed
    from argue_bench.eval.estimate import estimate_requests
    from argue_bench.eval.judging import select
    from argue_bench.table import aligned

    selection = select(dataset, chosen)
    cases = list(_cases(dataset, given, only_answered))
    for case in cases:
        refuse_sealed(case.question)
    for text, why in selection.not_run.items():
        click.echo(f"not run: {text}: {why}", err=True)
    bounds = estimate_requests(cases, selection.metrics)
    if not bounds:
        click.echo("These metrics ask nothing.")
        return
    rows = [("judge", "asks", "fewest", "most", "for")]
    rows += [
        (b.judge or "(default)", b.kind, f"{b.fewest:,}", f"{b.most:,}", ", ".join(b.metrics))
        for b in bounds
    ]
    for line in aligned(rows, right=(2, 3)):
        click.echo(line)
    show_costs(cases, selection.metrics, judges)
