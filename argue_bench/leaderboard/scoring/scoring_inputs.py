"""The inputs of a scoring against hidden gold: season, gold, branch, keys, judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from argue_bench.errors import Code
from argue_bench.judges import Judge
from argue_bench.leaderboard.formats.git_objects import refusal
from argue_bench.leaderboard.formats.ledger import removed_systems
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.scoring.results_branch import RankedColumns, ResultsBranch
from argue_bench.leaderboard.signing.keys import Keys
from argue_bench.loaders.dataset import Dataset
from argue_bench.stats.averages import Average, Columns
from argue_bench.stats.groups import Groups
from argue_bench.version import __version__

Banding = Callable[[str, Average, Mapping[str, Columns], Groups | None], dict[str, Any]]
"""(score, average, columns by system, groups) to the bands of one setting, where everything is told."""


@dataclass(frozen=True)
class JobSecrets:
    """The secrets that decrypt tallies and sign; the caller reads them from the environment;
    they are never printed."""

    key: str = field(repr=False)
    signing: str = field(repr=False)


@dataclass
class Rescoring:
    """A re-scoring of many systems: its reason, and what it made so far that the branch has not yet."""

    reason: str
    tallies: dict[str, dict[str, RankedColumns]] = field(default_factory=dict)
    told: dict[str, dict[str, float]] = field(default_factory=dict)
    """System to setting to score."""

    def keep(self, system: str, tallies: dict[str, RankedColumns], told: dict[str, float]) -> None:
        """Keeps what one system got; the bands and bridges of the next ones rest on it."""
        self.tallies[system], self.told[system] = tallies, told


@dataclass(frozen=True)
class ScoringJob:
    """The inputs of one scoring."""

    season: Season
    dataset: Dataset
    """With its gold."""
    state: ResultsBranch
    keys: Keys
    secrets: JobSecrets
    banding: Banding
    judges: Mapping[str, str | Judge] = field(default_factory=dict)
    """By name, the default one's being empty; others are the season's."""
    again: Rescoring | None = None
    """Of a re-scoring: quota and ladder then do not apply, and only what was scored before is scored."""
    seconds: float = 0.0
    """How long the answers of one submission may be scored; 0: without limit."""

    @property
    def reason(self) -> str:
        """The reason of a re-scoring; empty for a scoring."""
        return self.again.reason if self.again else ""


def check_alike(job: ScoringJob, signature: Mapping[str, str] | None = None) -> None:
    """Raises SubmissionError where rows of the season have another signature than this one.

    Rows rank together only under one signature. After a change nothing new is scored until what stands is scored
    again (`board rescore`).

    Without one, those parts are compared that are known before anything is judged.
    """
    if job.again:
        return
    wanted = signature or {"data": job.dataset.title, "version": __version__}
    gone = removed_systems(job.state.events, job.season.season)
    standing = job.state.counted(job.state.systems, job.secrets.key)
    others = [
        system
        for system, settings in standing.items()
        if system not in gone
        and any(
            (dict(one.signature) if signature else {k: one.signature.get(k) for k in wanted})
            != dict(wanted)
            for one in settings.values()
        )
    ]
    if others:
        why = f"{len(others):,} rows of the season were made otherwise: by another release, judge or metric"
        hint = "The organiser scores them again first: argue-bench board rescore."
        raise refusal(Code.TALLIES_OTHER, why, hint=hint)
