"""``import``: other people's boards in our layout."""

from __future__ import annotations

from pathlib import Path

import click


@click.group(name="import")
def import_() -> None:
    """Bring another board's submissions and results into our layout.

    Example: argue-bench import fanoutqa leaderboard-submissions --out imported
    """


@import_.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Where to write.")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="FanOutQA's test.json; then what was imported is checked against it.",
)
def fanoutqa(folder: Path, out: Path, data: Path | None) -> None:
    """Import FanOutQA's submissions and results from FOLDER.

    Systems get short names, results the group "published elsewhere". Exits 1 where a file was left.

    Example: argue-bench import fanoutqa fanoutqa/leaderboard-submissions --out imported
    """
    from argue_bench.leaderboard.publishing.fanoutqa import import_fanoutqa

    done = import_fanoutqa(folder, out)
    for finding in done.findings:
        click.echo(str(finding), err=True)
    click.echo(
        f"{out}: {len(done.systems)} systems, {len(done.generations)} files of answers, "
        f"{len(done.results)} results."
    )
    if data is not None:
        from argue_bench.cli.submission.check import show_checked
        from argue_bench.leaderboard.submitting.checking import check_submissions
        from argue_bench.loaders import load

        dataset = load("fanoutqa", "test", data)
        show_checked(check_submissions(out, dataset), dataset)
    if done.failed:
        raise SystemExit(1)
