"""Local scoring: every system of a folder, scored with gold at hand, kept as unsigned results.

A system with findings is refused and the others are scored all the same. `hidden_scoring` scores
one submission against hidden gold, within quota and ladder, and signs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.errors import ArgueBenchError, DataError, Finding, NoGold
from argue_bench.leaderboard.formats.results import Result, now, write_result
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.scoring.scored_settings import (
    Judging,
    gold_digest,
    score_settings,
    setting_of,
)
from argue_bench.leaderboard.submitting.checking import CheckedSystem, check_submissions
from argue_bench.records.digests import file_sha256

if TYPE_CHECKING:
    from argue_bench.loaders.dataset import Dataset


@dataclass(frozen=True)
class ScoredSystem:
    """The outcome for one system: its result and the place of its file, or why it has none."""

    system: str
    result: Result | None = None
    path: Path | None = None
    findings: tuple[Finding, ...] = ()
    problem: str = ""


def score_folder(
    folder: Path,
    season: Season,
    dataset: Dataset,
    out: Path,
    judging: Judging | None = None,
    system: str = "",
) -> Iterator[ScoredSystem]:
    """Checks and scores every system in a folder, and writes ``out/results/SEASON/SYSTEM.json``.

    One at a time, in the order of their names. Raises DataError (the folder itself), NoGold and
    what `evaluate` raises where no system at all could be scored, such as an unknown metric.
    """
    if dataset.sealed:
        raise NoGold(
            f"the {dataset.split} split of {dataset.name} is sealed: name its gold with --gold"
        )
    checked = check_submissions(folder, dataset, season.settings, system, season.limits)
    # Faults of no one system, such as a file that belongs nowhere; the systems are scored all the same.
    if any(finding.level == "error" for finding in checked.findings):
        yield ScoredSystem("", findings=tuple(checked.findings))
    digest = gold_digest(dataset)
    for entry in checked.entries.values():
        if not entry.ok:
            yield ScoredSystem(entry.system, findings=tuple(entry.findings))
        elif entry.generations:
            options = judging or Judging({})
            yield _score(entry, folder, season, dataset, out, options, digest)


def _score(
    entry: CheckedSystem,
    folder: Path,
    season: Season,
    dataset: Dataset,
    out: Path,
    judging: Judging,
    digest: str,
) -> ScoredSystem:
    """All settings of one system. What goes wrong with it is its own problem."""
    system = entry.system
    files = (
        f"metadata/{system}.json",
        *(f"{s}-generations/{system}.jsonl" for s in entry.generations),
    )
    try:
        submission = {file: file_sha256(folder / file) for file in files}
        settings = {
            setting: replace(setting_of(one.report), answers=one.facts)
            for setting, one in score_settings(season, dataset, folder, system, judging)
        }
        group = season.group or ""
        result = Result(
            season.season, system, settings, submission, digest, None, None, group, now()
        )
        return ScoredSystem(system, result, write_result(out, result))
    except DataError as error:
        return ScoredSystem(system, findings=error.findings)
    except ArgueBenchError as error:
        if error.exit_code == 2:  # the season or the command is wrong, not the system
            raise
        return ScoredSystem(system, problem=str(error))
