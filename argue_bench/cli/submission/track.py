"""``submission check RUN --track NAME``: a TREC run checked by the rules of its track."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.commands import option
from argue_bench.cli.options import PATH
from argue_bench.cli.tables import count_levels, findings_table, print_as, show_findings

if TYPE_CHECKING:
    from argue_bench.loaders.trec.check import CheckedRun
    from argue_bench.text.length import Unit


@dataclass(frozen=True)
class TrackOptions:
    """Which track, and what of its rules is changed."""

    track: str
    topics: Path | None
    collection: Path | None
    strict: bool
    limit: int | None
    unit: Unit | None
    strict_on_length: bool


TRACK_OPTIONS = (
    option("--track", default=""),
    option("--topics", type=PATH),
    option("--collection", type=PATH),
    option("--strict", is_flag=True),
    option("--limit", type=click.IntRange(1)),
    option("--unit", type=click.Choice(["characters", "words"])),
    option("--strict-on-length", is_flag=True),
)


def check_track(path: Path, options: TrackOptions, format: str) -> None:
    """Checks a run file or every one of a folder; prints all findings; exits 1 on any error."""
    from argue_bench.cli.evaluating.collections import open_collection
    from argue_bench.loaders.answers import report_files
    from argue_bench.loaders.nuggets import read_requests
    from argue_bench.loaders.trec import tracks
    from argue_bench.loaders.trec.check import check_run

    rules = tracks.track(options.track)
    asked = read_requests(options.topics) if options.topics is not None else None
    documents = open_collection(options.collection) if options.collection else None
    hard = options.strict or ({"length"} if options.strict_on_length else False)
    checked = [
        check_run(
            file,
            rules,
            topics=asked,
            limit=options.limit,
            unit=options.unit,
            strict=hard,
            documents=documents,
        )
        for file in report_files(path)
    ]
    table = findings_table(finding for run in checked for finding in run.findings)
    plain = [_plain(run, options.track) for run in checked]
    if not print_as(format, plain, table, indent=2):
        _show(checked, rules.title)
    if not all(run.ok for run in checked):
        raise SystemExit(1)


def _show(checked: list[CheckedRun], title: str) -> None:
    findings = [finding for run in checked for finding in run.findings]
    show_findings(findings, err=False)
    reports, runs = sum(run.reports for run in checked), sum(len(run.runs) for run in checked)
    held = (
        f"{reports:,} report{'s' if reports != 1 else ''} of {runs:,} run{'s' if runs != 1 else ''}"
    )
    advice = "" if all(run.ok for run in checked) else " Correct the errors, then check again."
    click.echo(f"{held}, checked by {title}: {count_levels(findings)}.{advice}")


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
