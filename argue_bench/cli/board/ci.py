"""``board ci intake|fetch|record|comment``: the steps between a pull request and its row."""

from __future__ import annotations

from pathlib import Path

import click

from argue_bench.cli.board.options import (
    board_option,
    print_codes_only,
    remote_and_token,
    remote_option,
    results_option,
)
from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH


@command()
@remote_option
@option("--pr", type=int, required=True)
@option("--sha", required=True)
@option("--base", required=True)
@option("--author", required=True)
@results_option
@board_option
@option("--out", type=PATH, required=True)
@option("--allow-none", is_flag=True)
def intake(
    remote: str,
    pr: int,
    sha: str,
    base: str,
    author: str,
    results: str,
    folder: Path,
    out: Path,
    allow_none: bool,
) -> None:
    """Copy one submission out of a pull request, as data, into OUT/bundle.

    Reads git objects, never a work tree. Prints digest=SHA256 of the bundle, and fetch=true where the
    season fetches the pages that answers cite; codes go to stderr.

    Example: argue-bench board ci intake --remote file:///srv/board.git --pr 7 --sha SHA --base SHA
    --author 1234 --out /tmp/intake
    """
    from argue_bench.errors import DataError
    from argue_bench.leaderboard.formats.layout import FETCHED
    from argue_bench.leaderboard.formats.outcome import StepOutcome, summarise
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.intake.pull_request import (
        NoSubmission,
        PullRequest,
        receive_pull_request,
    )
    from argue_bench.records.digests import sha256

    season = read_season(folder)
    request = PullRequest(*(remote, pr, sha, base, author, results), remote_and_token(remote)[1])
    known = StepOutcome("intake", "refused", season=season.season, pr=pr if pr > 0 else None)
    try:
        bundle, noticed = receive_pull_request(request, season, season.load())
    except DataError as error:
        from dataclasses import replace

        if allow_none and isinstance(error, NoSubmission):
            noted = [replace(finding, level="notice") for finding in error.findings]
            replace(known, state="none", findings=summarise(noted)).write(out)
            return
        replace(known, findings=summarise(error.findings)).write(out)
        for finding in error.findings[:50]:
            click.echo(f"code: {finding.code}", err=True)
        raise SystemExit(1) from None
    raw = bundle.to_bytes()
    out.mkdir(parents=True, exist_ok=True)
    (out / "bundle").write_bytes(raw)
    StepOutcome(
        "intake",
        "ready",
        summarise(noticed),
        bundle.system,
        author,
        season.season,
        pr,
        sha,
        sha256(raw),
    ).write(out)
    click.echo(f"digest={sha256(raw)}")
    if season.sources == FETCHED:
        click.echo("fetch=true")


@command("fetch")
@board_option
@option("--bundle", type=PATH, required=True)
@option("--expect", required=True, metavar="SHA256")
@option("--minutes", default=60.0)
@option("--pause", type=click.FloatRange(min=0.0), default=1.0, metavar="SECONDS")
@option("--allow-loopback", is_flag=True)
@option("--out", type=PATH, required=True)
def ci_fetch(
    folder: Path,
    bundle: Path,
    expect: str,
    minutes: float,
    pause: float,
    allow_loopback: bool,
    out: Path,
) -> None:
    """Fetch the pages that the answers of a bundle cite into OUT/pages, for a season that is scored so.

    Prints sources=SHA256 of the snapshot; codes go to stderr. Needs neither gold nor secret.

    Example: argue-bench board ci fetch --bundle /tmp/intake/bundle --expect SHA256 --out /tmp/fetched
    """
    from dataclasses import replace

    from argue_bench.errors import DataError
    from argue_bench.leaderboard.formats.bundle import read_bundle
    from argue_bench.leaderboard.formats.layout import FETCHED
    from argue_bench.leaderboard.formats.outcome import StepOutcome, summarise
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.intake.cited_pages import fetch_cited
    from argue_bench.sources.fetching import FetchOptions
    from argue_bench.sources.snapshot import count_states

    season = read_season(folder)
    if season.sources != FETCHED:
        raise click.UsageError(
            f'{season.season} fetches no pages: its season.json has no "sources": "{FETCHED}"'
        )
    known = StepOutcome("fetch", "refused", season=season.season)
    options = FetchOptions(pause=pause, loopback=allow_loopback, seconds=60 * minutes)
    try:
        taken = read_bundle(bundle, expect)
        known = StepOutcome(
            "fetch",
            "refused",
            (),
            taken.system,
            taken.author,
            season.season,
            taken.pr,
            taken.commit,
        )
        snapshot, findings = fetch_cited(taken, out / "pages", options)
    except DataError as error:
        replace(known, findings=summarise(error.findings)).write(out)
        for finding in error.findings[:50]:
            click.echo(f"code: {finding.code}", err=True)
        raise SystemExit(1) from None
    replace(known, state="ready", findings=summarise(findings)).write(out)
    for state, number in sorted(count_states(snapshot.records()).items()):
        click.echo(f"{state}: {number:,}", err=True)
    click.echo(f"sources={snapshot.digest}")


@command()
@option("--outcome", type=PATH, required=True)
@remote_option
@results_option
@option("--pr", type=int)
@option("--sha", default="")
@board_option
def record(
    outcome: Path, remote: str, results: str, pr: int | None, sha: str, folder: Path
) -> None:
    """Commit a signed outcome to the results branch.

    Every signature and digest is checked again, and that the pull request has not moved. Prints the commit.

    Example: argue-bench board ci record --outcome /tmp/scored --remote file:///srv/board.git
    """
    from dataclasses import replace

    from argue_bench.errors import Code, DataError, SubmissionError
    from argue_bench.leaderboard.formats.layout import FAILED
    from argue_bench.leaderboard.formats.outcome import StepOutcome, summarise
    from argue_bench.leaderboard.publishing.record import (
        RecordTarget,
        read_decision,
        record_outcome,
    )
    from argue_bench.leaderboard.signing.keys import read_keys

    if not outcome.is_dir():
        raise click.UsageError(f"no such folder: {outcome}")
    keys = read_keys(folder)
    known = StepOutcome("record", "refused", pr=pr)
    (outcome / "record.json").unlink(missing_ok=True)  # of a try before
    with print_codes_only():
        try:
            if not (outcome / "score.json").exists():
                if _was_refused(outcome / "fetch.json"):
                    click.echo("state: nothing to record", err=True)
                    return
                why = "the job that scores ended without an outcome"
                raise SubmissionError.of(Code.SCORER_FAILED, why, "score.json")
            decided, files = read_decision(outcome, keys)
            if decided.state == "refused" or (decided.state == FAILED and decided.reason):
                click.echo("state: nothing to record", err=True)
                return
            known = replace(known, system=decided.system, season=decided.season)
            click.echo(
                record_outcome(
                    decided,
                    files,
                    RecordTarget(remote, results, pr, sha, remote_and_token(remote)[1]),
                )
            )
        except DataError as error:  # what the comment then says, and no score
            replace(known, findings=summarise(error.findings)).write(outcome)
            raise


def _was_refused(path: Path) -> bool:
    """Whether the previous step refused the submission, so that nothing was scored."""
    from argue_bench.leaderboard.formats.outcome import read_outcome

    return path.exists() and read_outcome(path).state == "refused"


@command()
@option("--outcome", type=PATH, required=True)
@option("--out", type=PATH, required=True)
def comment(outcome: Path, out: Path) -> None:
    """Write what the board answers to a pull request.

    Example: argue-bench board ci comment --outcome /tmp/scored --out comment.md
    """
    from argue_bench.leaderboard.formats.outcome import read_outcome
    from argue_bench.leaderboard.publishing.comment import write_comment
    from argue_bench.records.atomic import atomic_write

    there = [outcome / f"{step}.json" for step in ("record", "score", "fetch", "intake")]
    path = next((one for one in there if one.exists()), there[0])
    with print_codes_only():
        said = write_comment(read_outcome(path))
    with atomic_write(out) as file:
        file.write(said)
