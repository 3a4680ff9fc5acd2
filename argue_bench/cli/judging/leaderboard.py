"""``argue-bench judge leaderboard``: runs judged as programs of trec-auto-judge do, and their files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import (
    PATH,
    CollectionOptions,
    DatasetOptions,
    Spending,
    TopicOptions,
    budget_option,
    collection_options,
    dataset_options,
    format_option,
    group_options,
    rpm_option,
    store_option,
    topic_options,
    tpm_option,
)
from argue_bench.cli.tables import points, print_as, show_table
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.analysis.judge_phases import OnMissing, Runs
    from argue_bench.analysis.score_table import ScoreTable
    from argue_bench.judges import Judge
    from argue_bench.loaders.dataset import Dataset

_LAYOUTS = ("ir_measures", "tot", "rag4reports", "jsonl")


@dataclass(frozen=True)
class BaseFiles:
    """The files of one judge; each has the name that trec-auto-judge gives it."""

    base: Path

    def of(self, ending: str) -> Path:
        """The file with this ending."""
        return self.base.with_name(f"{self.base.name}.{ending}")


@dataclass(frozen=True)
class PhaseOptions:
    """What is made before the runs are judged."""

    create_nuggets: bool
    create_qrels: bool
    force: bool


_phases = group_options(
    "phased",
    PhaseOptions,
    option("--create-nuggets", is_flag=True),
    option("--create-qrels", is_flag=True),
    option("--force", is_flag=True),
)


@command()
@click.argument("runs", type=PATH)
@dataset_options(default="trec")
@topic_options
@collection_options
@option("-m", "--metric", default="argue")
@option("--judge", "spec", default="lexical", metavar="SPEC")
@_phases
@option("--on-missing", type=click.Choice(["error", "zero", "leave"]), default="error")
@option("--layout", type=click.Choice(_LAYOUTS), default=_LAYOUTS[0])
@store_option
@budget_option
@rpm_option
@tpm_option
@option("--out", type=PATH, required=True, metavar="BASE")
@format_option
def leaderboard(
    runs: Path,
    chosen: DatasetOptions,
    topics: TopicOptions,
    cited: CollectionOptions,
    metric: str,
    spec: str,
    phased: PhaseOptions,
    on_missing: OnMissing,
    layout: str,
    store: Path | None,
    budget: float | None,
    rpm: float | None,
    tpm: float | None,
    out: Path,
    format: str,
) -> None:
    """Judge the RUNS of a track and write a leaderboard that `judge agreement` and auto-judge read.

    RUNS is a file of reports, or a folder with one file a run. Nuggets and labels that are there already
    are used again unless --force is given.

    Example: argue-bench judge leaderboard runs --data track --judge lexical --out mine
    """
    from argue_bench.analysis import judge_phases as phases
    from argue_bench.analysis.score_export import export_scores
    from argue_bench.judges import as_judge

    files = BaseFiles(out)
    dataset = topics.dataset(chosen, cited.open() if topics.nuggets else None)
    read = phases.read_runs(runs, dataset)
    judge = as_judge(spec)
    Spending(budget, rpm, tpm).limit([judge])
    if phased.create_nuggets:
        file = files.of("nuggets.jsonl")
        dataset = _with_nuggets(dataset, read, judge, file, store, phased.force)
    if phased.create_qrels:
        file = files.of("qrels.txt")
        dataset = _with_labels(dataset, read, judge, file, store, phased.force)
    found = phases.judge_runs(dataset, read, metric, judge, store)
    ids = [question.id for question in dataset]
    whole = phases.complete_scores(found, read, ids, on_missing)
    export_scores(whole, layout, files.of("eval.txt"), aggregates=True)
    about = {"judge": spec, "metric": metric, "data": dataset.title, "on_missing": on_missing}
    _write_about(files, {**about, **vars(phased), "layout": layout})
    _write_lines(files.of("responses.jsonl"), _responses(runs, whole))
    _show(whole, list(read), format)
    click.echo(f"{files.of('eval.txt')}: {len(read)} runs, {len(ids)} topics, {layout}", err=True)


def _write_about(files: BaseFiles, about: Mapping[str, object]) -> None:
    """Writes how the leaderboard was made."""
    named = {"name": files.base.name, **about}
    lines = (f"{key}: {json.dumps(value)}" for key, value in named.items())
    _write_lines(files.of("config.yml"), lines)


def _show(scores: ScoreTable, runs: list[str], format: str) -> None:
    """Prints the mean of each run, the best first."""
    names = list(scores.measures)
    given = [scores.given[name] for name in names]
    cells = [
        (run, *(points(values[run]) if run in values else "-" for values in given))
        for run in sorted(runs, key=lambda run: -given[0].get(run, -1.0))
    ]
    plain = [dict(zip(("run", *names), row, strict=True)) for row in cells]
    table = Table(("run", *names), cells, right=range(1, len(names) + 1))
    if not print_as(format, plain, table):
        show_table(table)


def _with_nuggets(
    dataset: Dataset, runs: Runs, judge: Judge, file: Path, store: Path | None, force: bool
) -> Dataset:
    """The topics with the nuggets in the file, which is made first where it is not there."""
    from argue_bench.analysis.judge_phases import pooled_nuggets
    from argue_bench.loaders.nuggets import read_topics
    from argue_bench.loaders.trec.autojudge import write_banks
    from argue_bench.records import Gold

    if force or not file.is_file():
        drafted = pooled_nuggets(dataset, runs, judge, store)
        write_banks(file, (one for one in drafted if one.gold is not None and one.gold.nuggets))
        click.echo(f"{file}: nuggets were drafted; look at them before you trust them", err=True)
    else:
        click.echo(f"{file}: nuggets that were there; --force makes them anew", err=True)
    banks, _ = read_topics(file)
    questions = (
        replace(one, gold=replace(one.gold or Gold(), nuggets=banks[one.id].nuggets))
        if one.id in banks
        else one
        for one in dataset
    )
    return replace(dataset, questions=tuple(questions), declared_digest="")


def _with_labels(
    dataset: Dataset, runs: Runs, judge: Judge, file: Path, store: Path | None, force: bool
) -> Dataset:
    """The topics with the labels in the file, which is made first where it is not there."""
    from argue_bench.analysis.judge_phases import grade_cited, with_labels
    from argue_bench.loaders.nuggets import read_qrels
    from argue_bench.loaders.trec.autojudge import RelevanceLabel, write_qrels

    if force or not file.is_file():
        write_qrels(file, grade_cited(dataset, runs, judge, store))
    else:
        click.echo(f"{file}: labels that were there; --force makes them anew", err=True)
    rows = read_qrels(file).items()
    labels = (RelevanceLabel(topic, id, grade) for topic, own in rows for id, grade in own.items())
    return with_labels(dataset, labels)


def _responses(runs: Path, scores: ScoreTable) -> Iterator[str]:
    """The lines of the runs, each with its scores under ``evaldata``."""
    from argue_bench.analysis.score_table import run_name
    from argue_bench.loaders.answer_parser import TOPIC_KEYS
    from argue_bench.loaders.answers import report_files
    from argue_bench.records.untrusted import read_lines

    by_report: dict[tuple[str, str], dict[str, float]] = {}
    for row in scores.rows(aggregates=False):
        by_report.setdefault((row.run, row.topic), {})[row.measure] = row.value
    for file in report_files(runs):
        for line in read_lines(file):
            if isinstance(line.value, Mapping):
                about = line.value.get("metadata")
                about = {**line.value, **(about if isinstance(about, Mapping) else {})}
                topic = next((str(about[key]) for key in (*TOPIC_KEYS, "id") if key in about), "")
                own = by_report.get((str(about.get("run_id") or run_name(file)), topic), {})
                yield json.dumps({**line.value, "evaldata": own}, ensure_ascii=False)


def _write_lines(path: Path, lines: Iterator[str]) -> None:
    from argue_bench.records.atomic import atomic_write

    with atomic_write(path) as file:
        file.writelines(f"{line}\n" for line in lines)
