"""``board rescore``: scores every system of a season again, after a change of scorer, set or judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.board.job import JobOptions, job_options
from argue_bench.cli.board.options import write_files
from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, folder_argument

if TYPE_CHECKING:
    from argue_bench.leaderboard.scoring.job import ScoringJob


@command()
@folder_argument
@option("--reason", required=True)
@option("--system", default="")
@option("--sources", type=PATH, metavar="DIR")
@job_options
def rescore(
    folder: Path, reason: str, system: str, sources: Path | None, given: JobOptions
) -> None:
    """Score again what is merged in FOLDER and was scored before, each system into OUT/SYSTEM.

    Where the season shows every score by now, so does this, those that were held back too.

    Record them one by one, in the order of their names. Runs and quota stay as they are; old scores stay
    in the ledger, and on the branch before.

    Example: argue-bench board rescore --remote URL --reason "scorer 0.2" --out /tmp/again
    """
    from argue_bench.leaderboard.formats.bundle import Bundle
    from argue_bench.leaderboard.formats.layout import FETCHED
    from argue_bench.leaderboard.formats.ledger import owners
    from argue_bench.leaderboard.scoring.hidden_scoring import score_bundle, sign_outcome
    from argue_bench.leaderboard.scoring.web_pages import find_snapshots, snapshots_of
    from argue_bench.leaderboard.submitting.sending import files_of
    from argue_bench.records.digests import sha256

    bad = 0
    with given.open_job(folder, {}, reason, sources) as job:
        own = job.season.sources == FETCHED
        there = find_snapshots(sources) if own and sources is not None else {}
        known = owners(job.state.events)
        for name in _names(job, [n for n in known if system in ("", n)]):
            if not (folder / "metadata" / f"{name}.json").is_file():
                click.echo(f"{name}: its files are not merged here; left as it is", err=True)
                continue
            files = files_of(folder, name)
            if not any("-generations/" in path for path in files):
                why = "its answers are private; take its file again, then board ci score --rescore"
                click.echo(f"{name}: {why}; left as it is", err=True)
                continue
            bundle = Bundle(name, known[name], files)
            before = job.state.result(name, job.keys) if own else None
            this = job if before is None else replace(job, snapshots=snapshots_of(before, there))
            outcome, made = score_bundle(this, bundle, sha256(bundle.to_bytes()))
            write_files(given.out / name, sign_outcome(made, outcome, job.secrets.signing))
            bad += outcome.state in ("refused", "failed")
            click.echo(f"{name}: {outcome.state}{''.join(f' [{c}]' for c in outcome.codes)}")
    if bad:
        raise SystemExit(1)


def _names(job: ScoringJob, known: Sequence[str]) -> list[str]:
    """The systems to score again. Raises ClickException where there is none, and says why."""
    from argue_bench.leaderboard.formats.layout import UNCHANGED

    season, told = job.season, set(job.state.systems)
    ran = {e.system for e in job.state.events if (e.season, e.event) == (season.season, UNCHANGED)}
    there = [name for name in sorted(known) if name in told | ran]
    names = [name for name in there if season.step is None or name in told]
    held = ", ".join(name for name in there if name not in names)
    why = f'{held}: no score was told, and none is while season.json says "told": "ranked"'
    if names and held:
        click.echo(f"{why}; left as it is", err=True)
    elif held:
        raise click.ClickException(why)
    elif not names:
        raise click.ClickException(f"no such system was scored in {season.season}")
    return names
