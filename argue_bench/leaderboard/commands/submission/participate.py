"""``submission init|check|send``: what a participant does."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from argue_bench.cli.commands import as_field, command, option, options
from argue_bench.cli.options import (
    FOLDER,
    PATH,
    DatasetOptions,
    dataset_options,
    folder_argument,
    format_option,
)
from argue_bench.cli.tables import count_levels, findings_table, print_as, show_findings, show_table
from argue_bench.leaderboard.formats.layout import SETTINGS, TYPES
from argue_bench.leaderboard.formats.names import system_name_fault
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.submitting.checking import (
    CheckedFolder,
    check_submissions,
    write_metadata,
)
from argue_bench.loaders.answers import report_files
from argue_bench.loaders.dataset import Dataset
from argue_bench.records.table import Table
from argue_bench.satellites import (
    OPENED_COLLECTION,
    TREC_CHECK,
    TREC_REQUESTS,
    TREC_TRACK,
    import_text,
)


@dataclass(frozen=True)
class TrackOptions:
    """Which track, and what its runs are held against."""

    track: str = as_field(
        option(
            default="",
            group="TREC runs",
            help="Check a TREC run by this track's rules: plain, rag24, rag25, rag26, ragtime25, ragtime26, dragun25, biogen25, ikat25 or neuclir24.",
        )
    )
    topics: Path | None = as_field(
        option(type=PATH, group="TREC runs", help="Topics of the track, one a line.")
    )
    collection: Path | None = as_field(
        option(type=PATH, group="TREC runs", help="Collection in which cited documents must be.")
    )
    strict: bool = as_field(
        option(is_flag=True, group="TREC runs", help="Treat warnings as errors.")
    )


@command("check")
@folder_argument
@dataset_options("", help="Data set. [default: the season's]")
@option("--system", default="", group="Input", help="Check this system only.")
@options("track", TrackOptions)
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

    season = read_season(folder)
    dataset = season.load(chosen.dataset, chosen.split, chosen.data)
    checked = check_submissions(folder, dataset, season.settings, system, season.limits)
    if not print_as(
        format, _plain(checked, dataset), findings_table(checked.all_findings), indent=2
    ):
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
                "settings": {x: one._asdict() for x, one in entry.answered.items()},
                "findings": [asdict(finding) for finding in entry.findings],
            }
            for entry in checked.entries.values()
        },
    }


def check_track(path: Path, options: TrackOptions, format: str) -> None:
    """Checks a run file or every one of a folder; prints all findings; exits 1 on any error."""

    rules, check_run = import_text(TREC_TRACK)(options.track), import_text(TREC_CHECK)
    asked = import_text(TREC_REQUESTS)(options.topics) if options.topics is not None else None
    where = options.collection
    documents = import_text(OPENED_COLLECTION)(where) if where else None
    checked = [
        check_run(file, rules, topics=asked, strict=options.strict, documents=documents)
        for file in report_files(path)
    ]
    table = findings_table(finding for run in checked for finding in run.findings)
    if not print_as(format, [_plain_run(run, options.track) for run in checked], table, indent=2):
        _show(checked, rules.title)
    if not all(run.ok for run in checked):
        raise SystemExit(1)


def _show(checked: list[Any], title: str) -> None:
    findings = [finding for run in checked for finding in run.findings]
    show_findings(findings, err=False)
    reports, runs = sum(run.reports for run in checked), sum(len(run.runs) for run in checked)
    held = (
        f"{reports:,} report{'s' if reports != 1 else ''} of {runs:,} run{'s' if runs != 1 else ''}"
    )
    advice = "" if all(run.ok for run in checked) else " Correct the errors, then check again."
    click.echo(f"{held}, checked by {title}: {count_levels(findings)}.{advice}")


def _plain_run(run: Any, track: str) -> dict[str, Any]:
    return {
        "file": run.file,
        "track": track,
        "ok": run.ok,
        "reports": run.reports,
        "runs": [
            {"team": team, "run": name, "topics": sorted(topics)}
            for (team, name), topics in run.runs.items()
        ],
        "findings": [asdict(finding) for finding in run.findings],
    }


_folder = option(
    "--folder",
    type=PATH,
    default=FOLDER,
    help="The folder of submissions in your clone of the board.",
)
_system = option("--system", required=True, help="The name of your system's files.")


def _is_name(context: click.Context, option: click.Parameter, value: str) -> str:
    """The name of a system's files, which becomes a part of paths."""
    if why := system_name_fault(value):
        raise click.BadParameter(f"{value[:80]!r} {why}")
    return value


@command("init")
@_folder
@option(
    "--system",
    prompt="Name of the files (small letters, digits, -)",
    callback=_is_name,
    help="Name of the system's files.",
)
@option("--name", prompt="Name on the board", help="Name of the system on the board.")
@option("--authors", prompt="Authors", help="Authors of the system.")
@option(
    "--citation",
    prompt="How to cite it",
    help="Citation, such as: Example et al., 2026.",
)
@option(
    "--url",
    default="",
    prompt="https address, or nothing",
    help="Page about the system, an https address.",
)
@option("--type", "kind", type=click.Choice(TYPES), prompt="Kind", help="Type of the model.")
@option(
    "--context",
    type=int,
    default=0,
    prompt="Context window in tokens",
    help="Context window of the model, in tokens.",
)
@option(
    "--setting",
    "settings",
    type=click.Choice(SETTINGS),
    multiple=True,
    help="Setting to enter; may be repeated. [default: those with a file of answers]",
)
def submission_init(
    folder: Path,
    system: str,
    name: str,
    authors: str,
    citation: str,
    url: str,
    kind: str,
    context: int,
    settings: tuple[str, ...],
) -> None:
    """Write the metadata of a system, by options or by questions; further keys are added to the file.

    Example: argue-bench submission init --system my-system --name "My System" --type PROMPT
    """

    there = [s for s in SETTINGS if (folder / f"{s}-generations" / f"{system}.jsonl").is_file()]
    chosen = settings or tuple(there)
    if not chosen:
        raise click.UsageError(
            f"no file of answers is called {system}.jsonl yet: name the settings with --setting"
        )
    values: dict[str, Any] = {
        "name": name,
        "authors": authors,
        "url": url or None,
        "citation": citation,
        "type": kind,
        "context": context,
        "is_trained_for_function_calling": False,
        "details": None,
        **{f"{s}_generations": f"{system}.jsonl" if s in chosen else None for s in SETTINGS},
    }
    click.echo(f"{write_metadata(folder, system, values)}")
    for setting in chosen:
        if setting not in there:
            click.echo(
                f"Put the answers into {folder}/{setting}-generations/{system}.jsonl", err=True
            )


@command()
@_folder
@_system
@option("--remote", default="origin", help="Name of your fork's remote in git.")
@option("--base", default="", help="The board's main branch. [default: upstream/main, origin/main]")
@option("--dry-run", is_flag=True, help="Print what would be sent, and send nothing.")
def send(folder: Path, system: str, remote: str, base: str, dry_run: bool) -> None:
    """Check a submission and push it as a branch with one commit of exactly its files.

    Your working tree stays as it is. Prints the address that opens the pull request.

    Example: argue-bench submission send --system my-system --remote origin
    """
    from argue_bench.leaderboard.submitting.sending import send_submission

    season = read_season(folder)
    dataset = season.load()
    checked = check_submissions(folder, dataset, season.settings, system, season.limits)
    if not checked.ok:
        show_checked(checked, dataset)
        raise SystemExit(1)
    sent = send_submission(folder, system, remote, base, dry_run)
    click.echo("\n".join(sent.files))
    if dry_run:
        click.echo(
            f"would be pushed to {sent.remote} as {sent.branch}, on top of {sent.base[:12]}."
        )
        return
    click.echo(f"{sent.commit[:12]} was pushed to {sent.remote} as {sent.branch}.")
    click.echo(sent.url or f"Open a pull request from the branch {sent.branch}.")
