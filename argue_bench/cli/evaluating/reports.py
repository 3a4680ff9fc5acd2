"""``argue-bench annotate``: have reports judged, sentence by sentence, and keep every verdict."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from argue_bench.cli.evaluating.costs import show_costs, show_spent, with_workers
from argue_bench.cli.evaluating.judgments import dataset_of, topics_options, write_rows
from argue_bench.cli.evaluating.workers import (
    Spent,
    judge_in_workers,
    limit,
    run_shard,
    sharing_options,
)
from argue_bench.metrics.argue.rules import Preset

if TYPE_CHECKING:
    from argue_bench.eval.annotate import Annotated, Overview
    from argue_bench.judges import Judge
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.metrics.argue import Argue
    from argue_bench.records import Document

A_PATH = click.Path(path_type=Path)
RULES = click.Choice(get_args(Preset))

JUDGMENTS = {
    "Entails": "SENTENCE_ATTESTED",
    "Answers": "SENTENCE_ANSWERS_QUESTION",
    "NeedsCitation": "REQUIRES_CITATION",
    "FirstInstance": "FIRST_INSTANCE",
    "NegativeAssertion": "NEGATIVE_ASSERTION",
    "Confirms": "(confirms a nugget without answers)",
    "Relevant": "CITED_DOCUMENT_RELEVANCE",
}
"""What ARGUE calls what we ask."""


@click.command()
@click.argument("reports", type=A_PATH)
@topics_options
@click.option(
    "-C", "--collection", default="", help="Where the cited documents are; or set DOC_LOOKUP."
)
@click.option("-c", "--subset", default="", help="A part of the collection.")
@click.option("--skip-bad-documents", is_flag=True, help="Leave out documents that can't be read.")
@click.option("--rules", type=RULES, default="default", show_default=True, help="How it counts.")
@click.option(
    "--support",
    type=click.Choice(["each", "joint"]),
    default="each",
    show_default=True,
    help="Attested by each cited document, or by all together.",
)
@click.option("--judge", "spec", default="lexical", show_default=True, help="Who judges.")
@click.option("--out", type=A_PATH, help="The run file to write.")
@click.option("--store", type=A_PATH, help="Verdict store; OUT.verdicts by default.")
@click.option("--rerun", is_flag=True, help="Ask everything anew; the old store is set aside.")
@click.option(
    "--on-failure",
    type=click.Choice(["refuse", "leave-out", "default"]),
    default="refuse",
    show_default=True,
    help="What a failed verdict does to its report.",
)
@sharing_options
@click.option("--scores", type=A_PATH, help="Write scores.tsv too.")
@click.option("--judgments", type=A_PATH, help="Write Auto-ARGUE's judgments file too.")
@click.option("--dry-run", is_flag=True, help="Print what would be asked, and ask nothing.")
def annotate(
    reports: Path,
    collection: str,
    subset: str,
    skip_bad_documents: bool,
    rules: Preset,
    support: str,
    spec: str,
    out: Path | None,
    store: Path | None,
    rerun: bool,
    on_failure: str,
    shard: str,
    workers: int,
    budget: float | None,
    scores: Path | None,
    judgments: Path | None,
    dry_run: bool,
    **topics: Any,
) -> None:
    """Judge the reports of one run or many against nuggets.

    REPORTS is a file of TREC reports, one a line, or a folder of such files. A run that was
    interrupted goes on where it was: the same command asks only what is not stored.

    Example: argue-bench annotate runs/ --nuggets nuggets/ -C docs.jsonl --rules auto-argue --out
    runs.judged --scores scores.tsv
    """
    from argue_bench.eval.annotate import cases, look_over
    from argue_bench.metrics import parse

    dataset = dataset_of(**topics, documents=_documents(collection, subset, skip_bad_documents))
    if dataset is None:
        raise click.UsageError("--nuggets PATH (or --on NAME) says which topics")
    metric: Argue = parse(f"argue(rules={rules},support={support})")  # type: ignore[assignment]
    overview = look_over(reports, dataset)
    for reason in sorted(overview.foreign):
        click.echo(f"left out: {reason}", err=True)
    if dry_run:
        _show_bounds(reports, dataset, metric, overview)
        show_costs(cases(reports, dataset, overview, missing=False), [metric], {"": spec})
        return
    if out is None:
        raise click.UsageError("--out FILE says where the judgments go (or use --dry-run)")
    judge, dataset = _judge(spec, dataset)
    limit(judge, budget, workers)
    if not dataset.documents:
        raise click.UsageError("--collection PATH says where the cited documents are")
    kept = store or Path(f"{out}.verdicts")
    if shard:
        missing = metric.decided.missing == "zero"
        shared = cases(reports, dataset, overview, missing)
        run_shard(shard, kept, [metric], {"": judge}, shared, overview.reports)
        return
    spent: list[Spent] = []
    if workers > 1:
        spent = judge_in_workers(workers, kept, budget, rerun)
        rerun = False
    done = _annotate(reports, dataset, metric, judge, out, store, on_failure, rerun, overview)
    if scores is not None:
        write_rows(scores, out, None, None, False)
    if judgments is not None:
        from argue_bench.eval.rebuild import judgments as judged
        from argue_bench.loaders.auto_argue import write_judgments

        write_judgments(judgments, judged(out, dataset, str(metric)))
    show_spent(with_workers({judge.name: vars(judge.counts)}, spent))
    _say(done, out)


def _annotate(
    reports: Path,
    dataset: Dataset,
    metric: Argue,
    judge: Judge,
    out: Path,
    store: Path | None,
    on_failure: str,
    rerun: bool,
    overview: Overview,
) -> Annotated:
    import asyncio

    from argue_bench.cli.progress import Progress
    from argue_bench.eval.annotate import annotate as judge_all

    missing = metric.decided.missing == "zero"
    total = len(overview.runs) * len(dataset) if missing else overview.reports
    with Progress("judging", total, extra=lambda: counted(judge)) as step:
        return asyncio.run(
            judge_all(
                reports,
                dataset,
                [metric],
                {"": judge},
                out,
                store=store,
                on_failure=on_failure,  # type: ignore[arg-type]
                missing=missing,
                rerun=rerun,
                overview=overview,
                progress=step,
            )
        )


def _judge(spec: str, dataset: Dataset) -> tuple[Judge, Dataset]:
    """The judge; ``recorded:FILE`` may be Auto-ARGUE's judgments, whose documents do for a
    collection where none was named."""
    from dataclasses import replace

    from argue_bench.eval.annotate import recorded_judgments
    from argue_bench.judges import as_judge
    from argue_bench.loaders.auto_argue import is_judgments

    name, _, file = spec.partition(":")
    if name != "recorded" or not Path(file).is_file() or not is_judgments(Path(file)):
        return as_judge(spec), dataset
    judge, documents, twice = recorded_judgments(Path(file), dataset)
    if twice:
        click.echo(f"{twice:,} asks were judged both ways in {file}: not recorded", err=True)
    return judge, dataset if dataset.documents else replace(dataset, documents=documents)


def counted(judge: Judge) -> str:
    """What a judge has done, in words."""
    counts = judge.counts
    return f"{counts.asked:,} asked, {counts.stored:,} stored, {counts.failed:,} failed"


def _documents(named: str, subset: str, skip_bad: bool) -> Mapping[str, Document]:
    """The collection, looked up on disk; a folder of the core format has its own documents."""
    from argue_bench.cli.collections import open_collection
    from argue_bench.loaders import load
    from argue_bench.loaders.collection import LOOKUP

    if not named and not subset and not os.environ.get(LOOKUP):
        return {}
    if named and (Path(named) / "set.json").is_file():
        return load(Path(named)).documents
    collection = open_collection(named, subset, skip_bad)
    for finding in collection.findings:
        click.echo(str(finding), err=True)
    return collection


def _show_bounds(reports: Path, dataset: Dataset, metric: Argue, overview: Overview) -> None:
    from argue_bench.eval.annotate import cases
    from argue_bench.eval.estimate import estimate_requests
    from argue_bench.table import aligned

    bounds = estimate_requests(cases(reports, dataset, overview, missing=False), [metric])
    rows: list[Sequence[str]] = [("judgment", "asked as", "fewest", "most")]
    rows += [
        (JUDGMENTS.get(b.kind, b.kind), b.kind, f"{b.fewest:,}", f"{b.most:,}") for b in bounds
    ]
    fewest, most = sum(b.fewest for b in bounds), sum(b.most for b in bounds)
    rows.append(("all", "", f"{fewest:,}", f"{most:,}"))
    for line in aligned(rows, right=(2, 3)):
        click.echo(line)
    runs = len(overview.runs)
    click.echo(f"{overview.reports:,} reports of {runs} runs; nothing was asked.", err=True)


def _say(done: Annotated, out: Path) -> None:
    click.echo(f"reports judged: {done.reports:,}, in {out}")
    if done.missing:
        click.echo(f"topics without a report, counted as 0: {done.missing:,}", err=True)
    if done.unknown:
        click.echo(
            f"citations of documents that are not in the collection: {done.unknown:,} of "
            f"{done.citations:,}; their sentences count as unsupported",
            err=True,
        )
    if done.failed:
        click.echo(f"reports with failed verdicts: {done.failed:,}; the first:", err=True)
        for failure in done.failures[:5]:
            click.echo(f"  {failure}", err=True)
        raise SystemExit(3)
