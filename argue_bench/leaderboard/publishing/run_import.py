"""The import of run files as rows of a board: runs that people labelled, or that were scored elsewhere.

A run file (`evaluate --out`, `board import dragun`) holds the tallies of every question, so the rows have
intervals, tests and bands like those that the board scored itself. Its results are signed where the
board's key is at hand; without, a board with keys shows them as published elsewhere.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.eval.run import read_reports
from argue_bench.leaderboard.formats.layout import SETTINGS
from argue_bench.leaderboard.formats.names import slug
from argue_bench.leaderboard.formats.results import Result, now, write_result
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.scoring.scored_settings import setting_of
from argue_bench.leaderboard.signing.keys import sign_bytes
from argue_bench.records.atomic import write_json
from argue_bench.records.digests import file_sha256

UNKNOWN_TEAM = "not known"


@dataclass
class ImportedRuns:
    """The systems that have a row now, and what was wrong with the others."""

    systems: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class RunSources:
    """Further facts about the runs besides their scores."""

    forms: Mapping[str, Any] = field(default_factory=dict)
    """Run to its submission form."""
    answers: Path | None = None
    """A folder with a file of reports for each run, which are then published too."""
    signing_key: str = ""


def import_runs(
    files: Sequence[Path], folder: Path, season: Season, sources: RunSources
) -> ImportedRuns:
    """Writes a result, a run file and metadata for each run under ``folder``.

    A run whose file lacks the board's ranked score, or whose name another has, is a finding and left
    out. Raises DataError where a file cannot be read or written.
    """
    done = ImportedRuns()
    where = season.settings[0]
    owners: dict[str, str] = {}
    for file in files:
        for name, report in read_reports(file).items():
            report = report.resampled()
            run = name or file.name.removesuffix(".jsonl").removesuffix(".run")
            system = slug(run)
            if not system or owners.setdefault(system, run) != run:
                why = f"the run {run!r:.80} has no name of its own on the board"
                hint = "Rename it: letters, digits and hyphens count."
                done.findings.append(Finding(Code.SYSTEM_TAKEN, why, str(file), hint=hint))
                continue
            if season.ranked not in report.scores:
                why = f"it holds no {season.ranked}, by which the season ranks"
                hint = f"It has {', '.join(list(report.scores)[:4])}."
                done.findings.append(Finding(Code.EMPTY, why, str(file), hint=hint))
                continue
            answers = _copy_answers(folder, where, system, run, sources.answers)
            metadata = _metadata(run, season, sources.forms.get(run), answers, where)
            inside = Path("metadata", f"{system}.json")
            write_json(folder / inside, metadata)
            scored = {str(inside): file_sha256(folder / inside)}
            if answers is not None:
                scored[str(answers.relative_to(folder))] = file_sha256(answers)
            result = Result(
                season.season,
                system,
                {where: setting_of(report)},
                scored,
                group=season.group or "",
                created=now(),
            )
            path = write_result(folder, result)
            if sources.signing_key:
                signature = sign_bytes(path.read_bytes(), sources.signing_key)
                path.with_name(f"{path.name}.sig").write_bytes(signature)
            _copy(file, folder / "runs" / season.season / where / f"{system}.run")
            done.systems.append(system)
    return done


def _copy_answers(
    folder: Path, setting: str, system: str, run: str, answers: Path | None
) -> Path | None:
    """The published file of a run's reports; None where there are none."""
    names = (run, f"{run}.jsonl")
    source = (
        next((answers / n for n in names if (answers / n).is_file()), None) if answers else None
    )
    if source is None:
        return None
    place = folder / f"{setting}-generations" / f"{system}.jsonl"
    _copy(source, place)
    return place


def _copy(source: Path, place: Path) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = place.with_name(f".{place.name}.part")
        shutil.copyfile(source, beside)
        beside.replace(place)
    except OSError as error:
        why = f"the file could not be written: {error.strerror}"
        raise DataError.of(Code.NOT_WRITTEN, why, place) from None


def _metadata(
    run: str,
    season: Season,
    form: Any,
    answers: Path | None,
    setting: str,
) -> dict[str, Any]:
    """The metadata of a run, of its submission form where there is one; addresses are left out."""
    links = dict.fromkeys(f"{one}_generations" for one in SETTINGS)
    if answers is not None:
        links[f"{setting}_generations"] = answers.name
    priority = f"priority: {form.priority}\n" if form and form.priority else ""
    return {
        "name": run[:80],
        "authors": (form.team if form else "") or UNKNOWN_TEAM,
        "url": None,
        "citation": season.title or season.season,
        "type": "OTHER",
        "context": 0,
        "is_trained_for_function_calling": False,
        **links,
        "details": f"{priority}{form.description}"[:20_000] if form else "",
    }
