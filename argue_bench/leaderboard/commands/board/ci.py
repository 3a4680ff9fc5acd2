"""``board ci intake|record|comment``: the steps between a pull request and its row."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH
from argue_bench.errors import Code, DataError, SubmissionError
from argue_bench.leaderboard.commands.board.options import (
    board_option,
    print_codes_only,
    remote_and_token,
    remote_option,
    results_option,
)
from argue_bench.leaderboard.formats.layout import FAILED
from argue_bench.leaderboard.formats.outcome import StepOutcome, read_outcome, summarise
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.intake.pull_request import (
    HeldSubmission,
    NoSubmission,
    PullRequest,
    receive_pull_request,
)
from argue_bench.leaderboard.publishing.comment import write_comment
from argue_bench.leaderboard.publishing.record import RecordTarget, read_decision, record_outcome
from argue_bench.leaderboard.signing.keys import read_keys
from argue_bench.records.atomic import atomic_write
from argue_bench.records.digests import sha256


@command()
@remote_option
@option("--pr", type=int, required=True, help="The number of the pull request.")
@option("--sha", required=True, help="Its head commit, as it was reviewed.")
@option("--base", required=True, help="The commit of the board's main branch.")
@option("--author", required=True, help="The numeric id of its sender.")
@results_option
@board_option
@option("--out", type=PATH, required=True, help="The folder for intake.json and the bundle.")
@option(
    "--allow-none",
    is_flag=True,
    help="Exit 0 also where nothing is changed but what a review guards.",
)
@option("--screened", is_flag=True, help="A maintainer has looked at what was held: hold nothing.")
@option(
    "--open",
    "pulls",
    type=PATH,
    help="A file with a line NUMBER AUTHOR for each open pull request; the oldest has a name.",
)
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
    screened: bool,
    pulls: Path | None,
) -> None:
    """Copy one submission out of a pull request, as data, into OUT/bundle.

    Reads git objects, never a work tree. Prints digest=SHA256 of the bundle; codes go to stderr.

    Example: argue-bench board ci intake --remote file:///srv/board.git --pr 7 --sha SHA --base SHA
    --author 1234 --out /tmp/intake
    """

    season = read_season(folder)
    token = remote_and_token(remote)[1]
    about = (remote, pr, sha, base, author, results, token)
    request = PullRequest(*about, screened, _open_pulls(pulls))
    known = StepOutcome("intake", "refused", season=season.season, pr=pr if pr > 0 else None)
    try:
        bundle, noticed = receive_pull_request(request, season, season.load())
    except DataError as error:
        if allow_none and isinstance(error, NoSubmission):
            noted = [replace(finding, level="notice") for finding in error.findings]
            replace(known, state="none", findings=summarise(noted)).write(out)
            return
        _write_refusal(error, known, out)
        raise SystemExit(1) from None
    raw = bundle.to_bytes()
    out.mkdir(parents=True, exist_ok=True)
    (out / "bundle").write_bytes(raw)
    told = (summarise(noticed), bundle.system, author, season.season, pr, sha, sha256(raw))
    StepOutcome("intake", "ready", *told).write(out)
    click.echo(f"digest={sha256(raw)}")


def _write_refusal(error: DataError, known: StepOutcome, out: Path) -> None:
    """Writes why a submission was refused, and the bundle of one that is held; prints the codes."""

    replace(known, findings=summarise(error.findings)).write(out)
    if isinstance(error, HeldSubmission):
        (out / "bundle").write_bytes(error.bundle.to_bytes())  # for `board screen`
    # Codes alone: the log of a workflow is public, and a message may quote the submission.
    for finding in error.findings[:50]:
        click.echo(f"code: {finding.code}", err=True)


def _open_pulls(path: Path | None) -> dict[int, str]:
    """The open pull requests in a file, each with the id of its author."""
    lines = [] if path is None else path.read_text(encoding="utf-8").splitlines()
    return {int(line.split()[0]): line.split()[1] for line in lines if line.strip()}


@command()
@option("--outcome", type=PATH, required=True, help="The folder that `board ci score` wrote.")
@remote_option
@results_option
@option("--pr", type=int, help="The number of the pull request.")
@option("--sha", default="", help="The head commit that was scored.")
@board_option
def record(
    outcome: Path, remote: str, results: str, pr: int | None, sha: str, folder: Path
) -> None:
    """Commit a signed outcome to the results branch.

    Every signature and digest is checked again, and that the pull request has not moved. Prints the commit.

    Example: argue-bench board ci record --outcome /tmp/scored --remote file:///srv/board.git
    """

    if not outcome.is_dir():
        raise click.UsageError(f"no such folder: {outcome}")
    keys = read_keys(folder)
    known = StepOutcome("record", "refused", pr=pr)
    (outcome / "record.json").unlink(missing_ok=True)  # of a try before
    with print_codes_only():
        try:
            if not (outcome / "score.json").exists():
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


@command()
@option(
    "--outcome",
    type=PATH,
    required=True,
    help="The folder with score.json, or with intake.json where it came no further.",
)
@option("--out", type=PATH, required=True, help="The Markdown file to write.")
def comment(outcome: Path, out: Path) -> None:
    """Write what the board answers to a pull request.

    Example: argue-bench board ci comment --outcome /tmp/scored --out comment.md
    """

    there = [outcome / f"{step}.json" for step in ("record", "score", "intake")]
    path = next((one for one in there if one.exists()), there[0])
    with print_codes_only():
        said = write_comment(read_outcome(path))
    with atomic_write(out) as file:
        file.write(said)
