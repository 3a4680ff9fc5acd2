"""``board import``: other people's boards in our layout."""

from __future__ import annotations

import os
from pathlib import Path

import click

from argue_bench.cli.board.options import signing_env_option
from argue_bench.cli.commands import command, option
from argue_bench.cli.options import FOLDER, PATH, SETTINGS
from argue_bench.cli.tables import show_findings


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
    listed = [
        one for path in files for one in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])
    ]
    sources = RunSources(known, answers, key)
    done = import_runs(listed, folder, read_season(folder), sources, setting or "")
    show_findings(done.findings)
    click.echo(f"{folder}: {len(done.systems)} runs, {len(done.findings)} left out")
    if not key:
        click.echo(f"{signing_env} holds no key: the results are not signed", err=True)
    if done.findings:
        raise SystemExit(1)
