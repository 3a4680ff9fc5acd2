"""Reports of many runs judged by nuggets, with every verdict stored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.evaluating.costs import show_costs, show_spent
from argue_bench.cli.evaluating.shards import run_shard
from argue_bench.cli.tables import bold, dim, print_as, show_table
from argue_bench.records.display import escape
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.cli.evaluating.command import JudgingOptions, ReportOptions
    from argue_bench.cli.options import CollectionOptions, DatasetOptions, TopicOptions
    from argue_bench.eval.people.labelling import Labelling
    from argue_bench.eval.report_runs import ReportsOverview, ReportsResult
    from argue_bench.judges import Judge
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.metrics.argue.metric import Argue

JUDGMENTS = {
    "Entails": "SENTENCE_ATTESTED",
    "Answers": "SENTENCE_ANSWERS_QUESTION",
    "NeedsCitation": "REQUIRES_CITATION",
    "FirstInstance": "FIRST_INSTANCE",
    "NegativeAssertion": "NEGATIVE_ASSERTION",
    "Confirms": "(confirms a nugget without answers)",
    "Relevant": "CITED_DOCUMENT_RELEVANCE",
}
"""ARGUE's names for the judge requests."""


def judge_reports(
    reports: Path,
    topics: TopicOptions,
    cited: CollectionOptions,
    chosen: DatasetOptions,
    judging: JudgingOptions,
    reporting: ReportOptions,
    labels: tuple[Path, ...],
    out: Path | None,
    format: str,
) -> None:
    """Judges a file or folder of reports; prints the averages of each run, and what labels correct."""
    from argue_bench.cli.evaluating.judgments import ScoresFile, print_scores
    from argue_bench.eval.people.labelling import Labelling
    from argue_bench.eval.report_runs import check_reports, report_cases
    from argue_bench.judges.labels import as_labels
    from argue_bench.metrics import parse

    if topics.nuggets is None and cited.given:
        raise click.UsageError("--collection needs --nuggets: a data set has its own documents")
    dataset = topics.dataset(chosen, cited.open() if topics.nuggets else None)
    if cited.subsets:
        dataset = replace(dataset, source={**dataset.source, "subset": cited.subsets})
    rules = reporting.rules or "default"
    metric: Argue = parse(f"argue(rules={rules},support={reporting.support})")  # type: ignore[assignment]
    overview = check_reports(reports, dataset)
    for reason in sorted(overview.foreign):
        click.echo(f"left out: {reason}", err=True)
    if (further := {*judging.judges} - {""}) and not judging.dry_run:
        raise click.UsageError(f"--judge {further.pop()}=...: the metric argue names no judge")
    spec = judging.judges.get("", "lexical")
    if judging.dry_run:
        _show_request_counts(reports, dataset, metric, overview, format)
        cases = report_cases(reports, dataset, overview, missing=False)
        kept = judging.store or (out and Path(f"{out}.verdicts"))
        show_costs(cases, [metric], {"": spec}, kept, judging.batching is not None)
        return
    if out is None:
        raise click.UsageError("--out is required: name the run file to write, or use --dry-run")
    judge, dataset = _judge(spec, dataset)
    judging.spending.limit([judge])
    if not dataset.documents:
        raise click.UsageError(
            "--collection is required: name the collection of the cited documents"
        )
    store = judging.store or Path(f"{out}.verdicts")
    if judging.shard:
        missing = metric.decided.missing == "zero"
        shared = report_cases(reports, dataset, overview, missing)
        run_shard(judging.shard, store, [metric], {"": judge}, shared, overview.reports)
        return
    labelling = Labelling(as_labels(labels), [metric]) if labels else None
    done = _evaluate(reports, dataset, metric, judge, out, judging, overview, labelling)
    written = ScoresFile(reporting.scores, reporting.older_scores)
    print_scores(written, out, None, None, format=format)
    _write_judgments(reporting, out, dataset, metric)
    if labelling is not None and format == "text":
        _show_corrected(out, labelling)
    show_spent({judge.name: vars(judge.counts)})
    _say(done, out)


def _evaluate(
    reports: Path,
    dataset: Dataset,
    metric: Argue,
    judge: Judge,
    out: Path,
    judging: JudgingOptions,
    overview: ReportsOverview,
    labelling: Labelling | None,
) -> ReportsResult:
    import asyncio

    from argue_bench.cli.evaluating.stopping import told_when_stopped
    from argue_bench.cli.progress import JudgingMeter, progress
    from argue_bench.eval.report_runs import evaluate_reports

    missing = metric.decided.missing == "zero"
    total = len(overview.runs) * len(dataset) if missing else overview.reports
    meter, store = JudgingMeter(total, [judge]), judging.store or Path(f"{out}.verdicts")
    with progress("judging", total, meter) as step, told_when_stopped([judge], store):
        return asyncio.run(
            evaluate_reports(
                reports,
                dataset,
                [metric],
                {"": judge},
                out,
                store=judging.store,
                on_failure=judging.on_failure,
                missing=missing,
                rerun=judging.rerun,
                batch=judging.batching,
                cluster=judging.shared_with,
                overview=overview,
                progress=step,
                labelling=labelling,
            )
        )


def _write_judgments(reporting: ReportOptions, out: Path, dataset: Dataset, metric: Argue) -> None:
    """Auto-ARGUE's judgments file, where one is wanted."""
    if reporting.judgments_out is not None:
        from argue_bench.eval.judgments import auto_argue_judgments
        from argue_bench.loaders.auto_argue import write_judgments

        judged = auto_argue_judgments(out, dataset, str(metric))
        write_judgments(reporting.judgments_out, judged)


def _show_corrected(out: Path, labelling: Labelling) -> None:
    """Prints the corrected scores of each run, and remarks on the labels."""
    from argue_bench.eval.report_table import correction_lines
    from argue_bench.eval.run import read_reports
    from argue_bench.stats.bootstrap import RESAMPLES

    reports = read_reports(out, RESAMPLES).values()
    for report in reports:
        if report.corrected:
            click.echo(f"\n{bold(escape(report.system))}", nl=False)
            for line in correction_lines(report, dim=dim):
                click.echo(line)
    if not any(report.corrected for report in reports):
        click.echo("\nNo score is corrected by these labels.")
    for remark in labelling.remarks():
        click.echo(f"labels: {remark}.")


def _judge(spec: str, dataset: Dataset) -> tuple[Judge, Dataset]:
    """The judge, and the data set with its documents.

    For ``recorded:FILE`` with Auto-ARGUE's judgments, the documents of that file replace a missing
    collection.
    """
    from argue_bench.eval.report_runs import judge_from_judgments
    from argue_bench.judges import as_judge
    from argue_bench.loaders.auto_argue import is_judgments

    name, _, file = spec.partition(":")
    if name != "recorded" or not Path(file).is_file() or not is_judgments(Path(file)):
        return as_judge(spec), dataset
    judge, documents, twice = judge_from_judgments(Path(file), dataset)
    if twice:
        click.echo(f"{twice:,} requests were judged both ways in {file}: not recorded", err=True)
    return judge, dataset if dataset.documents else replace(dataset, documents=documents)


def _show_request_counts(
    reports: Path, dataset: Dataset, metric: Argue, overview: ReportsOverview, format: str
) -> None:
    from argue_bench.eval.estimate import estimate_requests
    from argue_bench.eval.report_runs import report_cases

    bounds = estimate_requests(report_cases(reports, dataset, overview, missing=False), [metric])
    rows = [(JUDGMENTS.get(b.kind, b.kind), b.kind, f"{b.fewest:,}", f"{b.most:,}") for b in bounds]
    fewest, most = sum(b.fewest for b in bounds), sum(b.most for b in bounds)
    rows.append(("all", "", f"{fewest:,}", f"{most:,}"))
    table = Table(("judgment", "request", "fewest", "most"), rows, right=(2, 3))
    if not print_as(format, [vars(bound) for bound in bounds], table):
        show_table(table)
    runs = len(overview.runs)
    click.echo(f"{overview.reports:,} reports of {runs} runs; nothing was asked.", err=True)


def _say(done: ReportsResult, out: Path) -> None:
    click.echo(f"{done.reports:,} reports judged: {out}", err=True)
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
