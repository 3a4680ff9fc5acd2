"""``submission``: what a participant does with a submission."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.evaluating.answers import DATA_HELP
from argue_bench.cli.submission.track import check_track, track_options

if TYPE_CHECKING:
    from argue_bench.leaderboard.submitting.checking import CheckedFolder
    from argue_bench.loaders.dataset import Dataset

FOLDER = Path("leaderboard-submissions")


@click.group()
def submission() -> None:
    """Prepare a submission.

    Example: argue-bench submission check leaderboard-submissions
    """


@submission.command()
@click.argument("folder", type=click.Path(path_type=Path), default=FOLDER)
@click.option("--on", default="", help="Data set: a name or a folder. [default: the season's]")
@click.option("--data", type=click.Path(path_type=Path), help=DATA_HELP)
@click.option("--split", default="", help="Split of the data set.")
@click.option("--system", default="", help="Check this system only.")
@track_options
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check(
    folder: Path,
    on: str,
    data: Path | None,
    split: str,
    system: str,
    track: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Check the submissions in FOLDER as the board will; with --track, a TREC run.

    Says everything that is wrong at once, as file:line: message. Exits 1 on any error.

    Example: argue-bench submission check --system my-system

    Example: argue-bench submission check my-run.jsonl --track ragtime26 --topics requests.jsonl
    """
    if track:
        check_track(folder, track, as_json, **options)
        return
    if set_without_track := [name for name, value in options.items() if value]:
        raise click.UsageError(f"--{set_without_track[0].replace('_', '-')} goes with --track NAME")
    if folder.is_file():
        raise click.UsageError(
            f"{folder} is a file, and submissions are a folder. A TREC run is checked with --track "
            "NAME; answers are scored by: argue-bench evaluate FILE"
        )
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.submitting.checking import check_submissions as run

    season = read_season(folder)
    dataset = season.load(on, split, data)
    checked = run(folder, dataset, season.settings, system)
    if as_json:
        click.echo(json.dumps(_plain(checked, dataset), ensure_ascii=False, indent=2))
    else:
        show_checked(checked, dataset)
    if not checked.ok:
        raise SystemExit(1)


def show_checked(checked: CheckedFolder, dataset: Dataset) -> None:
    from argue_bench.table import aligned

    for finding in checked.all_findings:
        click.echo(str(finding))
    rows = [("system", "setting", "answered", "")]
    for entry in checked.entries.values():
        for setting, one in entry.answered.items():
            good = "" if entry.ok else "see above"
            rows.append((entry.system, setting, f"{one.answered} of {one.of}", good))
    if len(rows) > 1:
        lines = aligned(rows, right=(2,))
        click.echo(click.style(lines[0], dim=True))
        click.echo("\n".join(lines[1:]))
    levels = Counter(finding.level for finding in checked.all_findings)
    said = ", ".join(
        f"{levels[level]} {level}{'s' if levels[level] != 1 else ''}"
        for level in ("error", "warning", "notice")
        if levels[level]
    )
    good = "Ready to send." if checked.entries else "Nothing to send."
    verdict = good if checked.ok else "Mend the errors, then check again."
    click.echo(f"Checked against {dataset.title}: {said or 'nothing to complain of'}. {verdict}")


def _plain(checked: CheckedFolder, dataset: Dataset) -> dict[str, object]:
    from dataclasses import asdict

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


def _add_commands() -> None:
    from argue_bench.cli.submission import participate

    for command in (
        participate.init,
        participate.preview,
        participate.send,
        participate.withdraw,
        participate.supersede,
    ):
        submission.add_command(command)


_add_commands()
