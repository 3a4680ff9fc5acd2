"""``submission check RUN --track NAME``: is a TREC run what its track asks for?"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from argue_bench.loaders.trec.check import CheckedRun, Unit

A_PATH = click.Path(path_type=Path)
_OPTIONS = (
    click.option(
        "--track",
        default="",
        help="Check a TREC run by this track's rules: plain, rag24, rag25, rag26, ragtime25, "
        "ragtime26, dragun25, biogen25, ikat25 or neuclir24.",
    ),
    click.option("--topics", type=A_PATH, help="Topics or requests of the track, one a line."),
    click.option("--limit", type=click.IntRange(1), help="The longest a report may be."),
    click.option("--unit", type=click.Choice(["characters", "words"]), help="What --limit counts."),
    click.option("--strict", is_flag=True, help="Warnings are errors."),
    click.option("--strict-on-length", is_flag=True, help="A report that is too long is an error."),
    click.option("--collection", type=A_PATH, help="Where the cited documents must be."),
)


def track_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that go with ``--track``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_track(
    path: Path,
    track: str,
    as_json: bool,
    *,
    topics: Path | None,
    limit: int | None,
    unit: Unit | None,
    strict: bool,
    strict_on_length: bool,
    collection: Path | None,
) -> None:
    """Checks a run file or every one of a folder; prints all findings; exits 1 on any error."""
    from argue_bench.cli.collections import open_collection
    from argue_bench.loaders.answers import report_files
    from argue_bench.loaders.nuggets import read_requests
    from argue_bench.loaders.trec import tracks
    from argue_bench.loaders.trec.check import check_run

    rules = tracks.track(track)
    asked = read_requests(topics) if topics is not None else None
    documents = None if collection is None else open_collection(collection)
    hard = strict or ({"length"} if strict_on_length else False)
    checked = [
        check_run(
            file, rules, topics=asked, limit=limit, unit=unit, strict=hard, documents=documents
        )
        for file in report_files(path)
    ]
    if as_json:
        click.echo(
            json.dumps([_plain(run, track) for run in checked], ensure_ascii=False, indent=2)
        )
    else:
        _show(checked, rules.title)
    if not all(run.ok for run in checked):
        raise SystemExit(1)


def _show(checked: list[CheckedRun], title: str) -> None:
    for run in checked:
        for finding in run.findings:
            click.echo(str(finding))
    levels = Counter(finding.level for run in checked for finding in run.findings)
    said = ", ".join(
        f"{levels[level]} {level}{'s' if levels[level] != 1 else ''}"
        for level in ("error", "warning", "notice")
        if levels[level]
    )
    reports, runs = sum(run.reports for run in checked), sum(len(run.runs) for run in checked)
    held = (
        f"{reports:,} report{'s' if reports != 1 else ''} of {runs:,} run{'s' if runs != 1 else ''}"
    )
    verdict = "" if all(run.ok for run in checked) else " Mend the errors, then check again."
    click.echo(f"{held}, checked by {title}: {said or 'nothing to complain of'}.{verdict}")


def _plain(run: CheckedRun, track: str) -> dict[str, Any]:
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
