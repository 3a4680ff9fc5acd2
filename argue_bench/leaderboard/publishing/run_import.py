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

from argue_bench.errors import Code, DataError
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
) -> list[str]:
    """Writes a result, a run file and metadata for each run under ``folder``; the systems that have a row now.

    Raises DataError where a file cannot be read, or a run lacks the board's ranked score.
    """
    systems = []
    where = season.settings[0]
    for file in files:
        for name, report in read_reports(file).items():
            run = name or file.name.removesuffix(".jsonl").removesuffix(".run")
            system = slug(run)
            if not system or system in systems:
                why = f"the run {run!r:.80} has no name of its own on the board"
                hint = "Rename it: letters, digits and hyphens count."
                raise DataError.of(Code.SYSTEM_TAKEN, why, file, hint=hint)
            if season.ranked not in report.scores:
                why = f"it holds no {season.ranked}, by which the season ranks"
                hint = f"It has {', '.join(list(report.scores)[:4])}."
                raise DataError.of(Code.EMPTY, why, file, hint=hint)
            answers = _copy_answers(folder, where, system, run, sources.answers)
            inside = Path("metadata", f"{system}.json")
            metadata = _metadata(run, season, sources.forms.get(run), answers, where)
            write_json(folder / inside, metadata)
            written = [inside] if answers is None else [inside, answers.relative_to(folder)]
            result = Result(
                season.season,
                system,
                {where: setting_of(report.resampled())},
                {str(path): file_sha256(folder / path) for path in written},
                group=season.group or "",
                created=now(),
            )
            path = write_result(folder, result)
            if sources.signing_key:
                signature = sign_bytes(path.read_bytes(), sources.signing_key)
                path.with_name(f"{path.name}.sig").write_bytes(signature)
            _copy(file, folder / "runs" / season.season / where / f"{system}.run")
            systems.append(system)
    return systems


def _copy_answers(
    folder: Path, setting: str, system: str, run: str, answers: Path | None
) -> Path | None:
    """The published file of a run's reports; None where there are none."""
    places = [answers / name for name in (run, f"{run}.jsonl")] if answers else []
    for source in places:
        if source.is_file():
            return _copy(source, folder / f"{setting}-generations" / f"{system}.jsonl")
    return None


def _copy(source: Path, place: Path) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(source, place))


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
