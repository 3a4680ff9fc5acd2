"""``board import``: other people's boards in our layout."""

from __future__ import annotations

from pathlib import Path

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH
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
