"""``board init|workflows|rotate|ledger|queue|take|diagnosis``: what an organiser does beside scoring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from argue_bench.cli.board.steps import A_PATH, FOLDER, RESULTS, fail, of_remote
from argue_bench.leaderboard.formats.layout import EVENTS, SETTINGS

_remote = click.option(
    "--remote", required=True, help="The board's repository: https:// or file://."
)
_branch = click.option("--results", default=RESULTS, show_default=True, help="The results branch.")
_secrets = click.option(
    "--secrets", type=A_PATH, required=True, help="A folder outside repositories, for the keys."
)


@click.command()
@click.argument("out", type=A_PATH)
@click.option(
    "--data",
    type=A_PATH,
    required=True,
    help="A set in the core format with its gold, or a folder of `season new`.",
)
@_secrets
@click.option(
    "--key-file", type=A_PATH, help="The key of the season's gold, with a season's folder."
)
@click.option("--season", default="season-1", show_default=True, help="Its name.")
@click.option("--title", default="", help="How the board calls it.")
@click.option(
    "--setting", "settings", type=click.Choice(SETTINGS), multiple=True, help="[default: all]"
)
@click.option("-m", "--metric", "metrics", multiple=True, help="Metric text; may be repeated.")
@click.option("--judge", "specs", multiple=True, metavar="[NAME=]SPEC", help="As in `evaluate`.")
@click.option("--ranked", default="argue.f1", show_default=True, help="The score that ranks.")
@click.option("--quota", default=5, show_default=True, help="Scored runs an author; 0: any.")
@click.option(
    "--quota-days",
    type=click.IntRange(1, 10_000),
    metavar="DAYS",
    help="The quota is for any so many days in a row. [default: the season]",
)
@click.option(
    "--rounding", default=3, show_default=True, help="Decimals shown; 0: all, and no ladder."
)
@click.option(
    "--package",
    default="",
    metavar="OWNER/NAME@COMMIT",
    help="Where argue-bench's workflows are; without it none are written.",
)
@click.option("--answer-days", default=7, show_default=True, help="Promised in the README.")
@click.option(
    "--licence", default="CC-BY-4.0", show_default=True, help="Of answers whose metadata name none."
)
def init(
    out: Path,
    data: Path,
    secrets: Path,
    key_file: Path | None,
    season: str,
    title: str,
    settings: tuple[str, ...],
    metrics: tuple[str, ...],
    specs: tuple[str, ...],
    ranked: str,
    quota: int,
    quota_days: int | None,
    rounding: int,
    package: str,
    answer_days: int,
    licence: str,
) -> None:
    """Make a new board in OUT, ready to be pushed: season, sealed gold, public key, texts, workflows.

    Example: argue-bench board init my-board --data my-set --secrets ~/my-board-keys
    """
    from argue_bench.cli.evaluating.answers import judge_specs
    from argue_bench.leaderboard.scoring.disclosure import FEWEST
    from argue_bench.leaderboard.seasons.board_init import Promise, init_board
    from argue_bench.leaderboard.seasons.sealing import Terms

    judges = judge_specs(specs)
    given: dict[str, Any] = {"settings": settings, "metrics": metrics}
    terms = Terms(
        season,
        title,
        judge=judges.pop("", "lexical"),
        judges=judges,
        ranked=ranked,
        quota=quota or None,
        quota_days=quota_days,
        rounding=rounding or None,
        **{k: v for k, v in given.items() if v},
    )
    promise = Promise(answer_days, licence)
    made = init_board(out, data, terms, secrets, package, key_file, promise)
    click.echo(f"{out}: a board of {made.topics} topics; results are signed by key {made.key_id}.")
    click.echo(f"{made.secrets}: ANSWERS_KEY and SIGNING_KEY. Keep them out of the repository.")
    if rounding and made.topics < FEWEST:
        why = f"fewer than {FEWEST} topics: no score is told while gold is hidden"
        click.echo(f"{why}. For a try-out: --rounding 0", err=True)
    if not package:
        why = f"argue-bench board workflows {out} --package OWNER/NAME@COMMIT"
        click.echo(f"No workflows were written. For GitHub: {why}", err=True)


@click.command()
@click.argument("board", type=A_PATH, default=Path())
@click.option(
    "--package",
    required=True,
    metavar="OWNER/NAME@COMMIT",
    help="argue-bench's repository, and the commit in full that you looked at.",
)
def workflows(board: Path, package: str) -> None:
    """Write the workflows of the board in BOARD, or let them call another commit of argue-bench.

    Example: argue-bench board workflows my-board --package OWNER/argue-bench@COMMIT
    """
    from argue_bench.leaderboard.seasons.board_init import write_workflows

    for path in write_workflows(board, package):
        click.echo(f"{path}")


@click.command()
@click.argument("folder", type=A_PATH, default=FOLDER)
@_secrets
def rotate(folder: Path, secrets: Path) -> None:
    """Make a new signing key; the one before is retired, and verifies what it signed.

    Example: argue-bench board rotate leaderboard-submissions --secrets ~/my-board-keys/2027
    """
    from argue_bench.leaderboard.seasons.board_init import SECRETS
    from argue_bench.leaderboard.seasons.board_init import rotate_key as make

    name, old = make(folder, secrets)
    click.echo(f"{folder}/keys/{name}.pem signs from now on; retired: {', '.join(old) or 'none'}.")
    click.echo(f"{secrets / SECRETS}: the new SIGNING_KEY.")
    click.echo("Commit the keys folder, and put the new key where the scoring runs.", err=True)


@click.command()
@_remote
@_branch
@click.option("--add", "event", type=click.Choice(EVENTS), help="Add an event instead of listing.")
@click.option("--season", default="", help="Only this season; with --add, whose event it is.")
@click.option("--system", default="", help="Only this system; with --add, whose event it is.")
@click.option("--author", help="With --add owner: the new owner's id.")
@click.option("--reason", default="", help="With --add: why. Shown to everybody.")
@click.option("--json", "as_json", is_flag=True, help="Print the events as JSON.")
def ledger(
    remote: str,
    results: str,
    event: str | None,
    season: str,
    system: str,
    author: str | None,
    reason: str,
    as_json: bool,
) -> None:
    """List what ever happened on a board, or add what an organiser decides, with the reason.

    Example: argue-bench board ledger --remote file:///srv/board.git

    Example: argue-bench board ledger --remote URL --add hidden --season s1 --system x --reason "..."
    """
    from argue_bench.leaderboard.formats.layout import DESCRIBED, RUNS
    from argue_bench.leaderboard.formats.ledger import Event
    from argue_bench.leaderboard.formats.results import now
    from argue_bench.leaderboard.publishing.record import RecordTarget, record_events
    from argue_bench.table import aligned

    if event is not None:
        if event in (*RUNS, DESCRIBED, "re-scored"):
            raise click.UsageError(f"{event!r} is written by a scoring alone")
        if not reason or not season:
            raise click.UsageError("--add goes with --season and --reason")
        address, token = of_remote(remote)
        with fail():
            made = Event(event, now(), season, system, author, reason=reason)
            commit = record_events(RecordTarget(address, results, token=token), [made])
        click.echo(
            f"{results} is now {commit}: {' '.join(filter(None, (season, system)))}, {event}."
        )
        return
    events = [
        one
        for one in _events(remote, results)
        if season in ("", one.season) and system in ("", one.system)
    ]
    if as_json:
        from dataclasses import asdict

        click.echo(json.dumps([asdict(one) for one in events], ensure_ascii=False, indent=2))
        return
    rows = [("date", "event", "season", "system", "author", "reason")]
    rows += [(e.date, e.event, e.season, e.system, e.author or "", e.reason) for e in events]
    click.echo("\n".join(aligned(rows)))


@click.command()
@click.argument("pulls", type=A_PATH)
@click.option("--remote", default="", help="The board's repository, to see what was scored.")
@_branch
@click.option("--json", "as_json", is_flag=True, help="Print the queue as JSON.")
@click.option(
    "--out",
    type=A_PATH,
    help="Write it as JSON: results/queue.json of what the site is built from.",
)
def queue(pulls: Path, remote: str, results: str, as_json: bool, out: Path | None) -> None:
    """Show open pull requests with state and age; PULLS is what `gh pr list --json` prints.

    Example: argue-bench board queue pulls.json --remote https://example.org/board.git
    """
    from dataclasses import asdict

    from argue_bench.leaderboard.formats.results import now
    from argue_bench.leaderboard.publishing.queue import read_queue
    from argue_bench.records.atomic import atomic_write
    from argue_bench.table import aligned

    found = read_queue(pulls, _events(remote, results) if remote else [], now())
    said = json.dumps([asdict(one) for one in found], indent=2)
    if out is not None:
        with atomic_write(out) as file:
            file.write(f"{said}\n")
        click.echo(f"{out}: {len(found)} waiting.")
        return
    if as_json:
        click.echo(said)
        return
    rows = [("pull request", "author", "state", "since", "days")]
    rows += [(f"{one.number}", one.author, one.state, one.since, f"{one.days}") for one in found]
    click.echo("\n".join(aligned(rows, right=(0, 4))))


@click.command()
@click.argument("bundle", type=A_PATH)
@_remote
@_branch
@click.option("--author", required=True, help="The id that you give the sender.")
@click.option(
    "--folder", type=A_PATH, default=FOLDER, show_default=True, help="The board's folder."
)
@click.option(
    "--out", type=A_PATH, required=True, help="Where to write intake.json and the bundle."
)
def take(bundle: Path, remote: str, results: str, author: str, folder: Path, out: Path) -> None:
    """Take a private submission that was sent as a file; then score and record as ever.

    Example: argue-bench board take my.bundle --author lab-7 --remote URL --out /tmp/taken
    """
    from argue_bench.leaderboard.formats.outcome import StepOutcome, summarise
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.intake.pull_request import receive_bundle
    from argue_bench.records.digests import sha256

    season = read_season(folder)
    with fail():
        made, noticed = receive_bundle(
            bundle, author, season, season.load(), _events(remote, results)
        )
    raw = made.to_bytes()
    out.mkdir(parents=True, exist_ok=True)
    (out / "bundle").write_bytes(raw)
    StepOutcome(
        "intake",
        "ready",
        summarise(noticed),
        made.system,
        author,
        season.season,
        digest=sha256(raw),
    ).write(out)
    click.echo(f"digest={sha256(raw)}")


@click.command()
@click.argument("file", type=A_PATH)
@click.option("--key-env", default="ANSWERS_KEY", show_default=True, help="As in `board score`.")
@click.option("--digest", default="", help="Of its bundle. [default: as score.json beside it says]")
def diagnosis(file: Path, key_env: str, digest: str) -> None:
    """Open what a scoring says to the organiser alone: why it failed, how much of the gold is in it.

    FILE is diagnosis.sealed of the artifact "scored", or the folder that holds it. It tells of the gold: show
    it to nobody.

    Example: argue-bench board diagnosis scored/diagnosis.sealed
    """
    from argue_bench.leaderboard.scoring.diagnosis import NAME, open_diagnosis
    from argue_bench.leaderboard.signing.keys import secret_from

    path = file / NAME if file.is_dir() else file
    for line in open_diagnosis(path, secret_from(key_env), digest):
        click.echo(line)


def _events(remote: str, results: str) -> list[Any]:
    from argue_bench.leaderboard.formats.git_objects import check_ref, open_objects
    from argue_bench.leaderboard.formats.ledger import ledger_at

    with fail(), open_objects(*of_remote(remote)) as objects:
        ref = check_ref(results)
        tip = objects.refs(ref).get(ref)
        if tip is not None:
            objects.fetch([tip])
        return ledger_at(objects, tip)
