"""Scores the answers of one system on a data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.evaluating.costs import paid_store, show_costs, show_spent
from argue_bench.cli.evaluating.rows import (
    rows_in,
    show_failed,
    show_few,
    show_invented,
    show_limits,
    show_rows,
    show_unstated,
)
from argue_bench.cli.evaluating.shards import run_shard
from argue_bench.cli.tables import print_as, show_papers, show_report, show_table
from argue_bench.errors import Code, DataError, Finding
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.cli.evaluating.command import AnswerOptions, JudgingOptions
    from argue_bench.cli.options import DatasetOptions
    from argue_bench.eval import Report
    from argue_bench.eval.driver import Case
    from argue_bench.judges import Judge
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.loaders.limits import Limited
    from argue_bench.loaders.rows import Rows
    from argue_bench.metrics import Metric
    from argue_bench.records import Answer

SHOWN = 5
"""How many unsupported sentences and missed nuggets are shown."""


def score_answers(
    answers: Path,
    chosen: DatasetOptions,
    answering: AnswerOptions,
    judging: JudgingOptions,
    out: Path | None,
    format: str,
) -> None:
    """Scores a file of answers and prints the report."""
    from argue_bench.cli.evaluating.stopping import told_when_stopped
    from argue_bench.cli.progress import JudgingMeter, progress
    from argue_bench.eval import evaluate
    from argue_bench.eval.judging import DEFAULT_JUDGE, JudgeLike
    from argue_bench.loaders.limits import AnswerLimits, within_limits

    judging = _checked(judging, answering.metrics)
    least = _thresholds(answering.fail_under)
    dataset, whole, rows = _input(answers, chosen, answering)
    long = within_limits(whole, dataset, AnswerLimits())
    given = long.answers if answering.cut else whole
    if judging.dry_run:
        earlier = judging.store or Path(f"{out or answers.stem}.verdicts")
        _show_request_counts(dataset, given, answering, judging, format, earlier)
        return
    store, spending = judging.store, judging.spending
    if not out:
        store = paid_store(store, answers.stem, judging.judges.values())
    kept = store or (Path(f"{out}.verdicts") if out else None)
    if judging.shard:
        _judge_shard(judging, kept, dataset, given, answering)
        return
    _, made = _judges(dataset, answering, judging)
    spending.limit(made.values(), stored=kept is not None)
    judges: dict[str, JudgeLike] = {**judging.judges, **made}
    cases = len(given) if answering.only_answered else len(dataset)
    meter = JudgingMeter(cases, made.values())
    with progress("scoring", cases, meter) as step, told_when_stopped(made.values(), kept):
        report = evaluate(
            dataset,
            whole,  # of a large file, which stays on disk; those that are cut are held alone
            list(answering.metrics) or None,
            judge=judges.pop("", DEFAULT_JUDGE),
            judges=judges,
            only_answered=answering.only_answered,
            cut=answering.cut,
            on_failure=judging.on_failure,
            system=answers.stem,
            out=out,
            store=store,
            batch=judging.batching,
            cluster=judging.shared_with,
            labels=answering.labels or None,
            progress=step,
        )
    _show(report, answering.all_scores, dataset.note, format)
    _show_too_long(long, answering.cut)
    show_invented(dataset, given)
    show_unstated(report, dataset, given)
    _write_beside(report, dataset, given, answering)
    _finish(report, rows, answering, least, format)


def _input(
    answers: Path, chosen: DatasetOptions, answering: AnswerOptions
) -> tuple[Dataset, Mapping[str, Answer], Rows | None]:
    """The rows with the data set that they form, or answers to the data set that the options name."""
    from argue_bench.loaders import contains_dataset

    web = answering.sources is not None
    rows = rows_in(answers, answering.columns, answering.answers_format, web)
    if rows is not None:
        show_rows(rows)
        given: Mapping[str, Answer] = dict(rows.answers)
        rows = replace(rows, dataset=_with_sources(rows.dataset, given, answering))
        return rows.dataset, given, rows
    if chosen.data is None and contains_dataset(chosen.dataset, answers):
        chosen = replace(chosen, data=answers)
    dataset = chosen.load()
    form = "web" if web and answering.answers_format == "auto" else answering.answers_format
    given = _read(answers, chosen.dataset, dataset, form)
    return _with_sources(dataset, given, answering), given, None


def _with_sources(
    dataset: Dataset, given: Mapping[str, Answer], answering: AnswerOptions
) -> Dataset:
    """The data set with the pages that the answers cite, where --sources names a snapshot."""
    if answering.sources is None:
        return dataset
    from argue_bench.loaders.web import with_sources

    return with_sources(dataset, given.values(), answering.sources, answering.passages)


def _checked(judging: JudgingOptions, texts: tuple[str, ...]) -> JudgingOptions:
    """The options, with the judges whose specs are written inside metric texts added to the
    named ones.

    Raises click.UsageError.
    """
    if judging.rerun:
        raise click.UsageError("--rerun goes with reports; for answers name another --store")
    from argue_bench.eval.judging import inline_judges
    from argue_bench.metrics import as_metric

    return replace(judging, judges={**inline_judges(map(as_metric, texts)), **judging.judges})


def _write_beside(
    report: Report, dataset: Dataset, given: Mapping[str, Answer], answering: AnswerOptions
) -> None:
    """The files that were asked for besides the report. Raises DataError, MissingExtra, UsageError."""
    if answering.annotated is not None:
        from argue_bench.cli.evaluating.annotated import annotated_answers, write_annotations

        write_annotations(answering.annotated, annotated_answers(report, dataset, given))
    if answering.plot is not None:
        report.plot(answering.plot)
        click.echo(f"wrote {answering.plot}", err=True)


def _finish(
    report: Report,
    rows: Rows | None,
    answering: AnswerOptions,
    least: Mapping[str, float],
    format: str,
) -> None:
    """Says what failed. Exits 3 where failures leave a score unset, 1 for rows or scores that are bad."""
    most = SHOWN if answering.show is None else answering.show
    if format == "text":
        show_failed(report, most)
        if rows is not None:
            show_limits(rows, answering.metrics)
        show_few(report.n)
    show_papers(report, answering.cite, format)
    low = _below(report, least)
    for line in low:
        click.echo(f"\n{line}", err=True)
    if any(score.failed and score.value is None for score in report.scores.values()):
        raise SystemExit(3)
    if low or (rows is not None and any(one.level == "error" for one in rows.findings)):
        raise SystemExit(1)


def _thresholds(texts: tuple[str, ...]) -> dict[str, float]:
    if not texts:
        return {}
    from argue_bench.eval.thresholds import parse_thresholds

    return parse_thresholds(texts)


def _below(report: Report, least: Mapping[str, float]) -> list[str]:
    if not least:
        return []
    from argue_bench.eval.thresholds import below

    return below(report, least)


def _show(report: Report, all_scores: bool, note: str, format: str) -> None:
    from argue_bench.eval.report_table import score_table

    whole = score_table(report, all_scores)
    if print_as(format, report.to_dict() if format == "json" else None, whole):
        return
    show_report(report, all_scores)
    if any("rules=" in text for text in report.signature):
        from argue_bench.cli.evaluating.alce import closing_lines

        for line in closing_lines(report):
            click.echo(f"\n{line}")
    show_spent(report.cost)
    if note:
        click.echo(f"\n{note}", err=True)


def _show_too_long(long: Limited, cut: bool) -> None:
    """Prints how many answers are too long, and whether they were cut."""
    for id, why in list(long.cut.items())[:1]:
        many = f"{len(long.cut):,} of {len(long.answers):,} answers are longer than allowed"
        done = "They were cut at the last sentence that fits." if cut else "--cut cuts them."
        click.echo(f"\n{many}, the first {id[:80]} with {why}. {done}", err=True)


def _read(path: Path, named: str, dataset: Dataset, format: str) -> Mapping[str, Answer]:
    """The answers; where their ids are unknown, the error names the other splits of the set."""
    from argue_bench.loaders import DATASETS, read_answers

    try:
        if format == "web":
            from argue_bench.loaders.web import read_web_answer_file

            read, findings = read_web_answer_file(path, dataset)
            if any(finding.level == "error" for finding in findings):
                raise DataError(findings)
            for finding in findings:
                click.echo(str(finding), err=True)
            return read
        return read_answers(path, dataset, format)
    except DataError as error:
        splits = DATASETS[named].splits if named in DATASETS else ()
        if len(splits) < 2 or all(finding.code != Code.UNKNOWN_ID for finding in error.findings):
            raise
        others = [f"--split {split}" for split in splits if split != dataset.split]
        why = f"the answers were read as answers to {dataset.title}"
        hint = f"Do they belong to another split? {', '.join(others)}"
        notice = Finding(Code.OTHER_SPLIT, why, level="notice", hint=hint)
        raise DataError([*error.findings, notice]) from None


def _cases(dataset: Dataset, given: Mapping[str, Answer], only_answered: bool) -> Iterator[Case]:
    from argue_bench.eval.driver import Case
    from argue_bench.records import Answer

    for question in dataset:
        if question.id in given or not only_answered:
            answer = given.get(question.id) or Answer(question.id)
            yield Case(question, answer, dataset.citable(question))


def _judges(
    dataset: Dataset, answering: AnswerOptions, judging: JudgingOptions
) -> tuple[tuple[Metric, ...], dict[str, Judge]]:
    """The metrics that will run on answers, and their judges."""
    from argue_bench.eval.judging import DEFAULT_JUDGE, judges_for, select

    default = judging.judges.get("", DEFAULT_JUDGE)
    metrics = select(dataset, list(answering.metrics) or None, default).metrics
    return metrics, judges_for(metrics, default, judging.judges)


def _judge_shard(
    judging: JudgingOptions,
    kept: Path | None,
    dataset: Dataset,
    given: Mapping[str, Answer],
    answering: AnswerOptions,
) -> None:
    metrics, judges = _judges(dataset, answering, judging)
    judging.spending.limit(judges.values())
    cases = _cases(dataset, given, answering.only_answered)
    run_shard(judging.shard, kept, metrics, judges, cases, len(dataset))


def _show_request_counts(
    dataset: Dataset,
    given: Mapping[str, Answer],
    answering: AnswerOptions,
    judging: JudgingOptions,
    format: str,
    store: Path,
) -> None:
    from argue_bench.eval.driver import refuse_sealed
    from argue_bench.eval.estimate import estimate_requests
    from argue_bench.eval.judging import DEFAULT_JUDGE, select
    from argue_bench.judges.prompted.spec import for_estimates

    default = judging.judges.get("", DEFAULT_JUDGE)
    # A model of a provider needs no key to say what it can answer.
    able = next(iter(for_estimates(default)), default)
    selection = select(dataset, list(answering.metrics) or None, able)
    cases = list(_cases(dataset, given, answering.only_answered))
    for case in cases:
        refuse_sealed(case.question)
    for text, why in selection.not_run.items():
        click.echo(f"not run: {text}: {why}", err=True)
    bounds = estimate_requests(cases, selection.metrics)
    rows = [
        (b.judge or "(default)", b.kind, f"{b.fewest:,}", f"{b.most:,}", ", ".join(b.metrics))
        for b in bounds
    ]
    table = Table(("judge", "request", "fewest", "most", "for"), rows, right=(2, 3))
    if print_as(format, [vars(bound) for bound in bounds], table):
        return
    if not bounds:
        click.echo("These metrics ask nothing.")
        return
    show_table(table)
    batches = judging.batching is not None
    show_costs(cases, selection.metrics, judging.judges, store, batches)
