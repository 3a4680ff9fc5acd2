"""``board rescore``: every system of a season anew, after a change of scorer, set or judge."""

from __future__ import annotations

from pathlib import Path

import click

from argue_bench.cli.board.ci_score import (
    banding,
    check_signing,
    judge_key,
    named,
    open_gold,
    paid_by,
)
from argue_bench.cli.board.options import (
    fail,
    judge_key_env_option,
    key_env_option,
    of_remote,
    remote_option,
    results_option,
    signing_env_option,
    spend_option,
    write_files,
)
from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, folder_argument


@command()
@folder_argument
@remote_option
@results_option
@option("--reason", required=True)
@option("--system", default="")
@option("--gold", type=PATH)
@option("--out", type=PATH, required=True)
@spend_option
@key_env_option
@signing_env_option
@judge_key_env_option
def rescore(
    folder: Path,
    remote: str,
    results: str,
    reason: str,
    system: str,
    gold: Path | None,
    budget: float | None,
    key_env: str,
    signing_env: str,
    judge_key_env: str,
    out: Path,
) -> None:
    """Score again what is merged in FOLDER and was scored before, each system into OUT/SYSTEM.

    Record them one by one, in the order of their names. Runs and quota stay as they are; old scores stay
    in the ledger, and on the branch before.

    Example: argue-bench board rescore --remote URL --reason "scorer 0.2" --out /tmp/again
    """
    from argue_bench.leaderboard.formats.bundle import Bundle
    from argue_bench.leaderboard.formats.git_objects import open_objects
    from argue_bench.leaderboard.formats.ledger import owners
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.scoring.hidden_scoring import (
        JobSecrets,
        ScoringJob,
        score_bundle,
        sign_outcome,
    )
    from argue_bench.leaderboard.scoring.results_branch import read_results_branch
    from argue_bench.leaderboard.signing.keys import read_keys, secret_from
    from argue_bench.leaderboard.submitting.sending import files_of
    from argue_bench.records.digests import sha256

    if out.exists() and any(out.iterdir()):
        raise click.UsageError(f"{out} is not empty")
    secrets = JobSecrets(secret_from(key_env), secret_from(signing_env, "signing key"))
    keys = read_keys(folder)
    check_signing(secrets.signing, keys, signing_env)
    season = read_season(folder)
    dataset = open_gold(folder, season, gold, secrets.key)
    bad = 0
    with (
        judge_key(judge_key_env, named({}, season).values()),
        fail(),
        open_objects(*of_remote(remote)) as objects,
    ):
        judges = paid_by({}, season, budget)
        state = read_results_branch(objects, season.season, results)
        known = owners(state.events)
        job = ScoringJob(season, dataset, state, keys, secrets, banding, judges, reason)
        names = [one for one in state.systems if one in known and system in ("", one)]
        for name in names:
            if not (folder / "metadata" / f"{name}.json").is_file():
                click.echo(f"{name}: its files are not merged here; left as it is", err=True)
                continue
            files = files_of(folder, name)
            if not any("-generations/" in path for path in files):
                why = "its answers are private; take its file again, then board ci score --rescore"
                click.echo(f"{name}: {why}; left as it is", err=True)
                continue
            bundle = Bundle(name, known[name], files)
            outcome, made = score_bundle(job, bundle, sha256(bundle.to_bytes()))
            write_files(out / name, sign_outcome(made, outcome, secrets.signing))
            bad += outcome.state in ("refused", "failed")
            click.echo(f"{name}: {outcome.state}{''.join(f' [{c}]' for c in outcome.codes)}")
    if bad:
        raise SystemExit(1)
