"""``board ci score``: one submission against hidden gold, as the scoring job runs it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.board.options import (
    fail,
    judge_key_env_option,
    key_env_option,
    of_remote,
    results_option,
    signing_env_option,
    spend_option,
    write_files,
)
from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, folder_argument, judge_option

if TYPE_CHECKING:
    from argue_bench.judges import Judge
    from argue_bench.leaderboard.formats.season import Season
    from argue_bench.leaderboard.signing.keys import Keys
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.models.providers import Provider


@command()
@folder_argument
@option("--bundle", type=PATH, required=True)
@option("--expect", required=True, metavar="SHA256")
@option("--remote", default="")
@results_option
@option("--gold", type=PATH)
@option("--rescore", default="", metavar="REASON")
@option("--pad", default=0, metavar="SECONDS")
@option("--out", type=PATH, required=True)
@judge_option
@spend_option
@key_env_option
@signing_env_option
@judge_key_env_option
def score(
    folder: Path,
    bundle: Path,
    expect: str,
    remote: str,
    results: str,
    gold: Path | None,
    rescore: str,
    pad: int,
    out: Path,
    judges: dict[str, str],
    budget: float | None,
    key_env: str,
    signing_env: str,
    judge_key_env: str,
) -> None:
    """Score a bundle against the sealed gold of the season in FOLDER: quota, ladder, rounding.

    The decision in OUT is signed, and shows nothing of the gold. Exits 1 where it is refused.

    Example: argue-bench board ci score --bundle /tmp/intake/bundle --expect SHA256 --out /tmp/scored
    """
    from argue_bench.leaderboard.formats.bundle import read_bundle
    from argue_bench.leaderboard.formats.git_objects import open_objects
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.scoring.hidden_scoring import (
        JobSecrets,
        ScoringJob,
        score_bundle,
        sign_outcome,
    )
    from argue_bench.leaderboard.scoring.results_branch import read_results_branch
    from argue_bench.leaderboard.signing.keys import read_keys, secret_from

    started = time.monotonic()
    if out.exists() and any(out.iterdir()):
        raise click.UsageError(f"{out} is not empty: what lies there could be taken for signed")
    secrets = JobSecrets(secret_from(key_env), secret_from(signing_env, "signing key"))
    season = read_season(folder)
    dataset = open_gold(folder, season, gold, secrets.key)
    keys = read_keys(folder)
    check_signing(secrets.signing, keys, signing_env)
    with judge_key(judge_key_env, named(judges, season).values()):
        specs = paid_by(dict(judges), season, budget)
        with fail():
            read = read_bundle(bundle, expect)
            with open_objects(*of_remote(remote)) as objects:
                state = read_results_branch(objects, season.season, results)
                job = ScoringJob(season, dataset, state, keys, secrets, banding, specs, rescore)
                outcome, files = score_bundle(job, read, expect)
    write_files(out, sign_outcome(files, outcome, secrets.signing))
    if pad:
        time.sleep(-(time.monotonic() - started) % pad)
    click.echo(f"state: {outcome.state}", err=True)
    for code in outcome.codes:
        click.echo(f"code: {code}", err=True)
    if outcome.state in ("refused", "failed"):
        raise SystemExit(1)


def check_signing(secret: str, keys: Keys, variable: str) -> None:
    """Before anything is spent: does this key sign here? Raises UsageError; record asks again."""
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
    """Inside, the key in ``variable`` stands where the provider of these judges is looked for.

    A key is given to one provider and to no other. Raises UsageError where several could mean it.
    """
    from argue_bench.models.providers import PROVIDERS

    key = os.environ.get(variable, "").strip()
    asked = {p.name: p for spec in specs for p in _providers(spec)}
    wanting = {name: p for name, p in asked.items() if not p.keyless} or asked
    if not key or not wanting:
        yield
        return
    if len(wanting) > 1:
        own = ", ".join(PROVIDERS[name].key for name in sorted(wanting))
        raise click.UsageError(
            f"{variable} holds one key, and judges of {', '.join(sorted(wanting))} want one each. "
            f"Set {own} instead"
        )
    (place,) = (p.key for p in wanting.values())
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
    """Where a judge, or the members of a panel, are asked."""
    from argue_bench.models.providers import PROVIDERS

    if spec.startswith("panel:"):
        for one in filter(None, spec.removeprefix("panel:").split("+")):
            yield from _providers(one)
    elif (name := spec.partition("/")[0]) in PROVIDERS:
        yield PROVIDERS[name]


def paid_by(judges: dict[str, str], season: Season, budget: float | None) -> dict[str, str | Judge]:
    """The judges of a scoring by name; paid ones share one budget, and need one."""
    from argue_bench.judges import costs, create_judge, set_budget

    specs = named(judges, season)
    made: dict[str, str | Judge] = dict(specs)
    if any(map(costs, specs.values())):
        if budget is None:
            raise click.UsageError("a judge of this season costs money: say --budget USD")
        from argue_bench.models.budget import Budget

        shared = Budget(budget)
        for name, spec in specs.items():
            if costs(spec):
                judge = create_judge(spec)
                set_budget(judge, shared)
                made[name] = judge
    return made


def banding(
    score: str, average: Any, systems: Mapping[str, Any], digits: int | None
) -> dict[str, Any]:
    from argue_bench.analysis.bands import rank_bands
    from argue_bench.leaderboard.scoring.disclosure import BAND_RESAMPLES

    return rank_bands(
        score,
        average,
        systems,
        digits=digits,
        resamples=BAND_RESAMPLES,
        permutations=BAND_RESAMPLES,
    )


def _bytes(path: Path) -> bytes:
    from argue_bench.leaderboard.signing.seal import MOST_BYTES
    from argue_bench.records.untrusted import Limits, open_bounded

    with open_bounded(path, Limits(file_bytes=MOST_BYTES), str(path)) as file:
        return file.read()
