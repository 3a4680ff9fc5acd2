"""``board intake|record|comment|verify``: the steps between a pull request and its row."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

FOLDER = Path("leaderboard-submissions")
RESULTS = "leaderboard-results"
A_PATH = click.Path(path_type=Path)
_remote = click.option(
    "--remote", required=True, help="The board's repository: https:// or file://."
)
_folder = click.option(
    "--folder",
    type=A_PATH,
    default=FOLDER,
    show_default=True,
    help="The board's own folder of submissions: season and public keys.",
)


def of_remote(remote: str) -> tuple[str, str]:
    """The address and the token for it, which comes from the environment alone (GH_TOKEN)."""
    return remote, os.environ.get("GH_TOKEN", "")


@contextmanager
def fail() -> Iterator[None]:
    """Where a step is refused nothing but codes is printed, and the exit code is 1."""
    from argue_bench.errors import DataError

    try:
        yield
    except DataError as error:
        for finding in error.findings[:50]:
            click.echo(f"code: {finding.code}", err=True)
        raise SystemExit(1) from None


@click.command()
@_remote
@click.option("--pr", type=int, required=True, help="The number of the pull request.")
@click.option("--sha", required=True, help="Its head commit, as it was reviewed.")
@click.option("--base", required=True, help="The commit of the board's main branch.")
@click.option("--author", required=True, help="The numeric id of who sent it.")
@click.option("--results", default=RESULTS, show_default=True, help="The branch with the results.")
@_folder
@click.option(
    "--out", type=A_PATH, required=True, help="Where to write intake.json and the bundle."
)
def intake(
    remote: str, pr: int, sha: str, base: str, author: str, results: str, folder: Path, out: Path
) -> None:
    """Copy one submission out of a pull request, as data, into OUT/bundle.

    Reads git objects, never a work tree. Prints digest=SHA256 of the bundle; codes go to stderr.

    Example: argue-bench board intake --remote file:///srv/board.git --pr 7 --sha SHA --base SHA
    --author 1234 --out /tmp/intake
    """
    from argue_bench.errors import DataError
    from argue_bench.leaderboard.formats.outcome import StepOutcome, summarise
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.intake.pull_request import PullRequest
    from argue_bench.leaderboard.intake.pull_request import receive_pull_request as take
    from argue_bench.records.digests import sha256

    season = read_season(folder)
    request = PullRequest(*(remote, pr, sha, base, author, results), of_remote(remote)[1])
    known = StepOutcome("intake", "refused", season=season.season, pr=pr if pr > 0 else None)
    try:
        bundle, noticed = take(request, season, season.load())
    except DataError as error:
        from dataclasses import replace

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


@click.command()
@click.option("--outcome", type=A_PATH, required=True, help="The folder that `board score` wrote.")
@_remote
@click.option("--branch", default=RESULTS, show_default=True, help="The branch with the results.")
@click.option("--pr", type=int, help="The pull request it is of.")
@click.option("--sha", default="", help="The head commit that was scored.")
@_folder
def record(outcome: Path, remote: str, branch: str, pr: int | None, sha: str, folder: Path) -> None:
    """Commit a signed outcome to the results branch.

    Every signature and digest is checked again, and that the pull request has not moved. Prints the commit.

    Example: argue-bench board record --outcome /tmp/scored --remote file:///srv/board.git
    """
    from dataclasses import replace

    from argue_bench.errors import DataError
    from argue_bench.leaderboard.formats.outcome import StepOutcome, summarise
    from argue_bench.leaderboard.publishing.record import RecordTarget, read_decision
    from argue_bench.leaderboard.publishing.record import record_outcome as write
    from argue_bench.leaderboard.signing.keys import read_keys

    keys = read_keys(folder)
    known = StepOutcome("record", "refused", pr=pr)
    (outcome / "record.json").unlink(missing_ok=True)  # of a try before
    with fail():
        try:
            decided, files = read_decision(outcome, keys)
            if decided.state in ("refused", "failed"):
                click.echo("state: nothing to record", err=True)
                return
            known = replace(known, system=decided.system, season=decided.season)
            click.echo(
                write(decided, files, RecordTarget(remote, branch, pr, sha, of_remote(remote)[1]))
            )
        except DataError as error:  # what the comment then says, and no score
            replace(known, findings=summarise(error.findings)).write(outcome)
            raise


@click.command()
@click.option(
    "--outcome",
    type=A_PATH,
    required=True,
    help="The folder with score.json, or with intake.json where it came no further.",
)
@click.option("--out", type=A_PATH, required=True, help="The Markdown file to write.")
def comment(outcome: Path, out: Path) -> None:
    """Write what the board answers to a pull request.

    Example: argue-bench board comment --outcome /tmp/scored --out comment.md
    """
    from argue_bench.leaderboard.formats.outcome import read_outcome
    from argue_bench.leaderboard.publishing.comment import write_comment as text
    from argue_bench.records.atomic import atomic_write

    there = [outcome / f"{step}.json" for step in ("record", "score", "intake")]
    path = next((one for one in there if one.exists()), there[0])
    with fail():
        said = text(read_outcome(path))
    with atomic_write(out) as file:
        file.write(said)


@click.command()
@click.argument("folder", type=A_PATH, default=FOLDER)
@click.option("--keys", type=A_PATH, help="A folder of submissions with other public keys.")
@click.option("--strict", is_flag=True, help="Exit 1 also where a result is not signed.")
def verify(folder: Path, keys: Path | None, strict: bool) -> None:
    """Check every signature in FOLDER, and the chain of its ledger; needs no secret and no network.

    Example: argue-bench board verify leaderboard-submissions
    """
    from argue_bench.errors import Code, DataError
    from argue_bench.leaderboard.publishing.assemble import EARLIER, left_out
    from argue_bench.leaderboard.publishing.verifying import (
        compare_with_ledger,
        verify_board,
        verify_ledger,
    )
    from argue_bench.leaderboard.signing.keys import read_keys
    from argue_bench.table import aligned

    if not folder.is_dir():
        raise DataError.of(
            Code.NO_SUCH_FOLDER,
            "there is no such folder",
            folder,
            hint="Name the folder that holds results/ and keys/.",
        )
    found = list(verify_board(folder, read_keys(keys or folder)))
    events, findings = verify_ledger(folder)
    summarise = left_out(folder)
    earlier = {one.file for one in summarise if one.code == EARLIER}
    findings += compare_with_ledger(found, events, earlier) if events else []
    if found:
        rows = [("file", "signature", "key", "")]
        rows += [(one.path, one.seal, one.key, one.why) for one in found]
        click.echo("\n".join(aligned(rows)))
    for finding in [*summarise, *findings]:
        click.echo(str(finding))
    chain = "whole" if not findings else "broken"
    click.echo(f"{len(found)} signed files looked at; ledger of {len(events)} events: {chain}.")
    bad = [one for one in found if one.seal == "broken" or (strict and one.seal == "unsigned")]
    if bad or findings:
        raise SystemExit(1)


@click.command()
@click.argument("folder", type=A_PATH, default=FOLDER)
@_remote
@click.option("--results", default=RESULTS, show_default=True, help="The branch with the results.")
@click.option("--out", type=A_PATH, required=True, help="An empty folder for what is to be shown.")
def fetch(folder: Path, remote: str, results: str, out: Path) -> None:
    """Bring results beside the merged submissions of FOLDER, ready for `site build OUT`.

    Example: argue-bench board fetch --remote https://example.org/board.git --out /tmp/board
    """
    from argue_bench.leaderboard.publishing.assemble import EARLIER, assemble_board
    from argue_bench.leaderboard.signing.keys import read_keys

    with fail():
        left = assemble_board(folder, remote, results, read_keys(folder), out, of_remote(remote)[1])
    for finding in left:
        click.echo(str(finding), err=True)
    shown = len(list(out.glob("results/*/*.json")))
    gone = sum(finding.code != EARLIER for finding in left)
    click.echo(f"{out}: {shown} files of results, {gone} left out.")
