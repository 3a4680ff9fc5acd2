"""``submission check``: check a folder of submissions, or a TREC run, before it is sent."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import (
    DatasetOptions,
    dataset_options,
    folder_argument,
    format_option,
    group_options,
)
from argue_bench.cli.submission.track import TRACK_OPTIONS, TrackOptions, check_track
from argue_bench.cli.tables import count_levels, findings_table, print_as, show_findings, show_table
from argue_bench.errors import Code, DataError
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.leaderboard.submitting.checking import CheckedFolder
    from argue_bench.loaders.dataset import Dataset


@command("check")
@folder_argument
@dataset_options(default="")
@option("--system", default="")
@group_options("track", TrackOptions, *TRACK_OPTIONS)
@format_option
def submission_check(
    folder: Path, chosen: DatasetOptions, system: str, track: TrackOptions, format: str
) -> None:
    """Check the submissions in FOLDER as the board will; with --track, a TREC run.

    Lists everything that is wrong, as file:line: message. Exits 1 on any error.

    Example: argue-bench submission check --system my-system

    Example: argue-bench submission check my-run.jsonl --track ragtime26 --topics requests.jsonl
    """
    if track.track:
        check_track(folder, track, format)
        return
    for name, value in vars(track).items():
        if value:
            raise click.UsageError(f"--{name.replace('_', '-')} goes with --track NAME")
    if folder.is_file():
        raise click.UsageError(
            f"{folder} is a file, and submissions are a folder. A TREC run is checked with --track "
            "NAME; answers are scored by: argue-bench evaluate FILE"
        )
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.publishing.fanoutqa import is_fanoutqa
    from argue_bench.leaderboard.submitting.checking import check_submissions as run

    if is_fanoutqa(folder):
        raise DataError.of(
            Code.LINK_NAME,
            "these are submissions as FanOutQA keeps them, under any file name",
            folder,
            hint=f"Bring them into our layout: argue-bench board import fanoutqa {folder} --out board",
        )
    season = read_season(folder)
    dataset = season.load(chosen.dataset, chosen.split, chosen.data)
    checked = run(folder, dataset, season.settings, system, season.limits)
    table = findings_table(checked.all_findings)
    if not print_as(format, _plain(checked, dataset), table, indent=2):
        show_checked(checked, dataset)
    if not checked.ok:
        raise SystemExit(1)


def show_checked(checked: CheckedFolder, dataset: Dataset) -> None:
    """Every finding, the answers of each system and setting, and what to do next."""
    show_findings(checked.all_findings, err=False)
    rows = [
        (entry.system, setting, f"{one.answered} of {one.of}", "" if entry.ok else "see above")
        for entry in checked.entries.values()
        for setting, one in entry.answered.items()
    ]
    if rows:
        show_table(Table(("system", "setting", "answered", ""), rows, right=(2,)), dim_head=True)
    ready = "Ready to send." if checked.entries else "Nothing to send."
    advice = ready if checked.ok else "Correct the errors, then check again."
    click.echo(f"Checked against {dataset.title}: {count_levels(checked.all_findings)}. {advice}")


def _plain(checked: CheckedFolder, dataset: Dataset) -> dict[str, object]:
    return {
        "ok": checked.ok,
        "set": dataset.title,
        "findings": [asdict(finding) for finding in checked.findings],
        "systems": {
            entry.system: {
                "ok": entry.ok,
                "settings": {
                    setting: {"answered": one.answered, "of": one.of, "missing": one.missing}
                    for setting, one in entry.answered.items()
                },
                "findings": [asdict(finding) for finding in entry.findings],
            }
            for entry in checked.entries.values()
        },
    }
