"""Scoring against hidden gold: the keys, the judges and their budget, the gold in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.board.options import (
    judge_key_env_option,
    key_env_option,
    print_codes_only,
    remote_and_token,
    remote_option,
    results_option,
    signing_env_option,
    spend_option,
)
from argue_bench.cli.commands import option
from argue_bench.cli.options import PATH, group_options

if TYPE_CHECKING:
    from argue_bench.judges import Judge
    from argue_bench.leaderboard.formats.season import Season
    from argue_bench.leaderboard.scoring.job import ScoringJob
    from argue_bench.leaderboard.signing.keys import Keys
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.models.providers import Provider


@dataclass(frozen=True)
class JobOptions:
    """The options of every command that scores against hidden gold."""

    remote: str
    results: str
    gold: Path | None
    out: Path
    budget: float | None
    minutes: float
    key_env: str
    signing_env: str
    judge_key_env: str

    @contextmanager
    def open_job(
        self,
        folder: Path,
        judges: Mapping[str, str],
        reason: str,
        sources: Path | None = None,
        expect_sources: str = "",
    ) -> Iterator[ScoringJob]:
        """The job of the season in ``folder``; while it is open, judges find their key.

        ``sources`` is the snapshot of the pages that answers cite, ``expect_sources`` its digest.

        Everything that can be refused is checked first, before a judge costs anything.
        """
        from argue_bench.leaderboard.formats.git_objects import open_objects
        from argue_bench.leaderboard.formats.layout import FETCHED
        from argue_bench.leaderboard.formats.season import read_season
        from argue_bench.leaderboard.scoring.job import JobSecrets, ScoringJob
        from argue_bench.leaderboard.scoring.results_branch import read_results_branch
        from argue_bench.leaderboard.scoring.web_pages import GivenSnapshot, season_snapshot
        from argue_bench.leaderboard.signing.keys import read_keys, secret_from

        if self.out.exists() and any(self.out.iterdir()):
            why = "what lies there could be taken for signed"
            raise click.UsageError(f"{self.out} is not empty: {why}")
        secrets = JobSecrets(
            secret_from(self.key_env), secret_from(self.signing_env, "signing key")
        )
        keys, season = read_keys(folder), read_season(folder)
        # What is scored again by its own pages is given them system by system.
        again = bool(reason) and season.sources == FETCHED
        place = sources if again else season_snapshot(season, folder, sources)
        snapshots = dict.fromkeys(
            season.settings if place else (), GivenSnapshot(place or folder, expect_sources)
        )
        check_signing(secrets.signing, keys, self.signing_env)
        dataset = open_gold(folder, season, self.gold, secrets.key)
        with judge_key(self.judge_key_env, named(judges, season).values()):
            specs = paid_by(judges, season, self.budget)
            with print_codes_only(), open_objects(*remote_and_token(self.remote)) as objects:
                state = read_results_branch(objects, season.season, self.results)
                yield ScoringJob(
                    season,
                    dataset,
                    state,
                    keys,
                    secrets,
                    banding,
                    specs,
                    reason,
                    snapshots=snapshots,
                    seconds=60 * self.minutes,
                )


job_options = group_options(
    "given",
    JobOptions,
    remote_option,
    results_option,
    option("--gold", type=PATH),
    option("--out", type=PATH, required=True),
    spend_option,
    option("--minutes", default=0.0),
    key_env_option,
    signing_env_option,
    judge_key_env_option,
)


def check_signing(secret: str, keys: Keys, variable: str) -> None:
    """Raises UsageError unless this key is among the board's active keys, before a judge costs anything."""
    from argue_bench.leaderboard.signing.keys import public_pem

    name, _ = public_pem(secret)
    if name not in keys.active:
        why = "was retired" if name in keys.retired else "is not in keys/"
        raise click.UsageError(
            f"{variable} is the key {name}, which {why}; {', '.join(keys.active) or 'none'} signs here"
        )


def open_gold(folder: Path, season: Season, gold: Path | None, key: str) -> Dataset:
    """The season's set with its gold, opened in memory. Raises DataError, SealError, UsageError."""
    from argue_bench.leaderboard.scoring.local_scoring import join_gold
    from argue_bench.leaderboard.seasons.revealing import sealed_gold
    from argue_bench.leaderboard.seasons.sealing import SEALED, gold_purpose
    from argue_bench.leaderboard.signing.seal import unseal
    from argue_bench.loaders.core import parse_gold

    dataset = season.load()
    if not dataset.sealed and gold is None:
        return dataset
    if season.sealed is not None and gold is None:
        path, content = folder / season.sealed.gold, sealed_gold(folder, key)
    else:
        path = gold or folder / SEALED
        content = unseal(_bytes(path), key, gold_purpose(season.season), str(path))
    return join_gold(dataset, parse_gold(content, path), str(path))


def named(judges: Mapping[str, str], season: Season) -> dict[str, str]:
    """Spec of every judge of a scoring by its name, the default one's being empty."""
    return season.judge_specs(judges)


@contextmanager
def judge_key(variable: str, specs: Iterable[str]) -> Iterator[None]:
    """While open, the variable of the judges' provider holds the key that is in ``variable``.

    The key goes to one provider only. Raises UsageError where the judges have several.
    """
    key = os.environ.get(variable, "").strip()
    asked = {p.name: p for spec in specs for p in _providers(spec)}
    wanting = {name: p for name, p in asked.items() if not p.keyless} or asked
    if not key or not wanting:
        yield
        return
    if len(wanting) > 1:
        own = ", ".join(wanting[name].key_variable for name in sorted(wanting))
        raise click.UsageError(
            f"{variable} holds one key, and judges of {', '.join(sorted(wanting))} want one each. "
            f"Set {own} instead"
        )
    (place,) = (p.key_variable for p in wanting.values())
    before = os.environ.get(place)
    os.environ[place] = key
    try:
        yield
    finally:
        if before is None:
            del os.environ[place]
        else:
            os.environ[place] = before


def _providers(spec: str) -> Iterator[Provider]:
    """The providers of a judge, or of the members of a panel."""
    from argue_bench.models.providers import list_providers

    if spec.startswith("panel:"):
        for one in filter(None, spec.removeprefix("panel:").split("+")):
            yield from _providers(one)
    elif (found := list_providers().get(spec.partition("/")[0])) is not None:
        yield found


def paid_by(
    judges: Mapping[str, str], season: Season, budget: float | None
) -> dict[str, str | Judge]:
    """The judges of a scoring by name; paid ones share one budget, and need one."""
    from argue_bench.judges import create_judge, is_paid, set_budget

    specs = named(judges, season)
    made: dict[str, str | Judge] = dict(specs)
    if any(map(is_paid, specs.values())):
        if budget is None:
            raise click.UsageError("a judge of this season costs money: say --budget USD")
        from argue_bench.models.budget import Budget

        shared = Budget(budget)
        for name, spec in specs.items():
            if is_paid(spec):
                judge = create_judge(spec)
                set_budget(judge, shared)
                made[name] = judge
    return made


def banding(score: str, average: Any, systems: Mapping[str, Any], clusters: Any) -> dict[str, Any]:
    """Rank bands by paired tests, where all scores are published."""
    from argue_bench.analysis.bands import rank_bands
    from argue_bench.leaderboard.scoring.disclosure import BAND_RESAMPLES

    return rank_bands(
        score,
        average,
        systems,
        clusters=clusters,
        resamples=BAND_RESAMPLES,
        permutations=BAND_RESAMPLES,
    )


def _bytes(path: Path) -> bytes:
    from argue_bench.leaderboard.signing.seal import MOST_BYTES
    from argue_bench.records.untrusted import Limits, open_bounded

    with open_bounded(path, Limits(file_bytes=MOST_BYTES), str(path)) as file:
        return file.read()
