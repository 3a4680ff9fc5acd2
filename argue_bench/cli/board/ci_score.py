"""``board ci score``: one submission against hidden gold, as the scoring job runs it."""

from __future__ import annotations

import time
from pathlib import Path

import click

from argue_bench.cli.board.job import JobOptions, job_options
from argue_bench.cli.board.options import write_files
from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, folder_argument, judge_option


@command("score")
@folder_argument
@option("--bundle", type=PATH, required=True)
@option("--expect", required=True, metavar="SHA256")
@option("--rescore", default="", metavar="REASON")
@option("--sources", type=PATH, metavar="DIR")
@option("--expect-sources", default="", metavar="SHA256")
@option("--pad", default=0, metavar="SECONDS")
@judge_option
@job_options
def ci_score(
    folder: Path,
    bundle: Path,
    expect: str,
    rescore: str,
    sources: Path | None,
    expect_sources: str,
    pad: int,
    judges: dict[str, str],
    given: JobOptions,
) -> None:
    """Score a bundle against the sealed gold of the season in FOLDER, within its quota and steps.

    The decision in OUT is signed, and shows nothing of the gold. Exits 1 where it is refused.

    Example: argue-bench board ci score --bundle /tmp/intake/bundle --expect SHA256 --out /tmp/scored
    """
    from argue_bench.leaderboard.formats.bundle import read_bundle
    from argue_bench.leaderboard.scoring.hidden_scoring import score_bundle, sign_outcome

    started = time.monotonic()
    # A workflow names the folder always, and its digest where a job before made a snapshot there.
    made = sources if expect_sources else None
    with given.open_job(folder, judges, rescore, made, expect_sources) as job:
        outcome, files = score_bundle(job, read_bundle(bundle, expect), expect)
    signed = sign_outcome(files, outcome, job.secrets.signing)
    if (
        pad
    ):  # how long a scoring took could tell something of the gold; so could the dates of its files
        time.sleep(-(time.monotonic() - started) % pad)
    write_files(given.out, signed)
    click.echo(f"state: {outcome.state}", err=True)
    for code in outcome.codes:
        click.echo(f"code: {code}", err=True)
    if outcome.state in ("refused", "failed"):
        raise SystemExit(1)
