"""``board import``: converts other people's boards to our layout."""

from __future__ import annotations

import os
from pathlib import Path

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import FOLDER, PATH
from argue_bench.leaderboard.commands.board.options import SIGNING_KEY
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.publishing.fanoutqa import import_fanoutqa
from argue_bench.leaderboard.publishing.run_import import RunSources, import_runs
from argue_bench.satellites import TREC_FORMS, import_text


@command()
@click.argument("folder", type=PATH)
@option("--out", type=PATH, required=True, help="The folder to write.")
def fanoutqa(folder: Path, out: Path) -> None:
    """Import FanOutQA's submissions and results from FOLDER.

    Systems get short names, results the group "published elsewhere".

    Example: argue-bench board import fanoutqa fanoutqa/leaderboard-submissions --out imported
    """

    done = import_fanoutqa(folder, out)
    click.echo(
        f"{out}: {len(done.systems)} systems, {len(done.generations)} files of answers, "
        f"{len(done.results)} results."
    )


@command()
@click.argument("files", nargs=-1, required=True, type=PATH)
@option("--folder", type=PATH, default=FOLDER, help="The board's folder of submissions.")
@option(
    "--forms", type=PATH, help="TREC's submission forms, an object a line: teams and descriptions."
)
@option("--answers", type=PATH, help="A folder with each run's reports, to be shown too.")
def runs(
    files: tuple[Path, ...],
    folder: Path,
    forms: Path | None,
    answers: Path | None,
) -> None:
    """Put runs that were scored elsewhere on a board: FILES are run files, or folders of them.

    Results are signed where the variable SIGNING_KEY holds the board's key.

    Example: argue-bench board import runs tables/runs --folder board/leaderboard-submissions
    """

    known = import_text(TREC_FORMS)(forms) if forms is not None else {}
    key = os.environ.get(SIGNING_KEY, "").strip()
    listed: list[Path] = []
    for path in files:
        listed += sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    sources = RunSources(known, answers, key)
    done = import_runs(listed, folder, read_season(folder), sources)
    click.echo(f"{folder}: {len(done)} runs")
    if not key:
        click.echo(f"{SIGNING_KEY} holds no key: the results are not signed", err=True)
