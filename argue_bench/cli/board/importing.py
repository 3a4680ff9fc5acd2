"""``board import``: converts other people's boards to our layout."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.board.options import signing_env_option
from argue_bench.cli.commands import command, option
from argue_bench.cli.options import FOLDER, PATH, SETTINGS, format_option
from argue_bench.cli.tables import points, print_as, show_findings, show_table
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.metrics.compat.dragun import DragunRules

Row = Mapping[str, object]


@command()
@click.argument("folder", type=PATH)
@option("--out", type=PATH, required=True)
@option("--data", type=PATH)
@option("--commit", default="", metavar="SHA")
@option("--answers/--no-answers", default=True)
def fanoutqa(folder: Path, out: Path, data: Path | None, commit: str, answers: bool) -> None:
    """Import FanOutQA's submissions and results from FOLDER.

    Systems get short names, results the group "published elsewhere". Exits 1 where a file was left out.

    Example: argue-bench board import fanoutqa fanoutqa/leaderboard-submissions --out imported
    """
    from argue_bench.leaderboard.publishing.fanoutqa import import_fanoutqa

    done = import_fanoutqa(folder, out, commit, answers)
    show_findings(done.findings)
    click.echo(
        f"{out}: {len(done.systems)} systems, {len(done.generations)} files of answers, "
        f"{len(done.results)} results."
    )
    if data is not None:
        from argue_bench.cli.submission.check import show_checked
        from argue_bench.leaderboard.formats.season import read_season
        from argue_bench.leaderboard.submitting.checking import check_submissions
        from argue_bench.loaders import load

        dataset = load("fanoutqa", "test", data)
        limits = read_season(out).limits
        show_checked(check_submissions(out, dataset, limits=limits), dataset)
    if done.failed:
        raise SystemExit(1)


@command()
@click.argument("files", nargs=-1, required=True, type=PATH)
@option("--folder", type=PATH, default=FOLDER)
@option("--forms", type=PATH)
@option("--answers", type=PATH)
@option("--setting", type=click.Choice(SETTINGS))
@signing_env_option
def runs(
    files: tuple[Path, ...],
    folder: Path,
    forms: Path | None,
    answers: Path | None,
    setting: str | None,
    signing_env: str,
) -> None:
    """Put runs that were scored elsewhere on a board: FILES are run files, or folders of them.

    Results are signed where the variable of --signing-env holds the board's key. Exits 1 where a run was
    left out.

    Example: argue-bench board import runs tables/runs --folder board/leaderboard-submissions
    """
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.publishing.run_import import RunSources, import_runs
    from argue_bench.loaders.trec.forms import read_forms

    known = read_forms(forms) if forms is not None else {}
    key = os.environ.get(signing_env, "").strip()
    listed: list[Path] = []
    for path in files:
        listed += sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    sources = RunSources(known, answers, key)
    done = import_runs(listed, folder, read_season(folder), sources, setting or "")
    show_findings(done.findings)
    click.echo(f"{folder}: {len(done.systems)} runs, {len(done.findings)} left out")
    if not key:
        click.echo(f"{signing_env} holds no key: the results are not signed", err=True)
    if done.findings:
        raise SystemExit(1)


@command()
@click.argument("labels", type=PATH)
@option("--rubrics", type=PATH, required=True)
@option("--reports", type=PATH)
@option("--compound", type=PATH)
@option("--rules", type=click.Choice(["dragun", "default"]), default="dragun")
@option("--out", type=PATH, required=True)
@format_option
def dragun(
    labels: Path,
    rubrics: Path,
    reports: Path | None,
    compound: Path | None,
    rules: DragunRules,
    out: Path,
    format: str,
) -> None:
    """Make TREC DRAGUN's tables of its LABELS and rubrics, and run files for `compare`.

    LABELS is a CSV file of the assessors or of the track's judge. OUT gets per_topic_results.csv and
    per_run_results.csv, and for reports runs/RUN.jsonl.

    Example: argue-bench board import dragun labels.csv --rubrics rubrics.json --out tables
    """
    from argue_bench.eval.people.runs import write_labelled_runs
    from argue_bench.loaders.trec import dragun as files
    from argue_bench.metrics.compat.dragun import report_tables, score_questions, score_reports

    read = files.read_rubrics(rubrics)
    if compound is not None:
        if reports is not None or rules != "dragun":
            raise click.UsageError(
                "--compound is of questions: --reports and --rules go without it"
            )
        rows = files.read_question_labels(labels)
        topics, runs = score_questions(read, rows, files.read_compound(compound))
    else:
        scores = score_reports(read, files.read_report_labels(labels), rules)
        words = None if reports is None else files.report_words(reports)
        topics, runs = report_tables(scores, words)
        write_labelled_runs(out / "runs", scores, labels, rules)
    _write(out / "per_topic_results.csv", topics)
    _write(out / "per_run_results.csv", runs)
    names = [name for name in runs[0] if name != "run_tag"]
    cells = [(str(row["run_tag"]), *(_shown(name, row[name]) for name in names)) for row in runs]
    table = Table(("run", *(name.replace("_", " ") for name in names)), cells, right=range(1, 9))
    if not print_as(format, runs, table):
        show_table(table)
    click.echo(f"{out}: {len(runs)} runs, {len(topics):,} rows by topic", err=True)


def _shown(name: str, value: object) -> str:
    if not isinstance(value, (int, float)):
        return "-"
    if "word_count" in name:
        return f"{value:,.1f}".removesuffix(".0")
    return points(value) if not name.startswith("normalized") else f"{value:.6f}"


def _write(path: Path, rows: Sequence[Row]) -> None:
    from argue_bench.records.atomic import atomic_write

    with atomic_write(path) as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
