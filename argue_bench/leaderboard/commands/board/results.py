"""Results and repository of a board: ledger, signatures, queue, settings, gold, diagnosis, screening."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, folder_argument, format_option
from argue_bench.cli.tables import print_as, show_findings, show_table
from argue_bench.errors import Code, DataError
from argue_bench.leaderboard.commands.board.options import (
    ANSWERS_KEY,
    RESULTS,
    print_codes_only,
    remote_option,
    results_option,
)
from argue_bench.leaderboard.commands.site import read_site
from argue_bench.leaderboard.formats.bundle import read_bundle
from argue_bench.leaderboard.formats.git_objects import open_objects
from argue_bench.leaderboard.formats.layout import (
    ARCHIVED,
    DESCRIBED,
    EVENTS,
    FAILED,
    MAIN,
    RETURNED,
    ROOT,
    RUNS,
)
from argue_bench.leaderboard.formats.ledger import Event, is_over, read_ledger
from argue_bench.leaderboard.formats.names import board_name
from argue_bench.leaderboard.formats.outcome import read_outcome
from argue_bench.leaderboard.formats.results import now
from argue_bench.leaderboard.formats.season import Season, read_season
from argue_bench.leaderboard.publishing.assemble import EARLIER, assemble_board, left_out_results
from argue_bench.leaderboard.publishing.published import read_queue
from argue_bench.leaderboard.publishing.record import (
    BoardSnapshot,
    RecordTarget,
    days_kept,
    is_as_before,
    record_events,
    record_snapshot,
    verify_archive,
)
from argue_bench.leaderboard.publishing.verifying import (
    compare_with_bands,
    compare_with_ledger,
    find_missing,
    find_unsigned,
    verify_board,
    verify_ledger,
)
from argue_bench.leaderboard.scoring.containment import NAME, open_diagnosis
from argue_bench.leaderboard.scoring.results_branch import plain_tallies, read_results_branch
from argue_bench.leaderboard.screening.answers import (
    MOST,
    flagged,
    honest_baselines,
    read_submitted,
    row_values,
    usual_range,
)
from argue_bench.leaderboard.screening.copies import CopyScreen, screen_copies
from argue_bench.leaderboard.seasons.doctor import Platform, check_settings
from argue_bench.leaderboard.seasons.sealing import (
    published_key,
    reveal_season,
    sealed_gold,
    verify_season,
)
from argue_bench.leaderboard.signing.keys import (
    check_secret,
    read_keys,
    refuse_repository,
    secret_from,
    write_secret,
)
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import few
from argue_bench.pages.exports import board_files
from argue_bench.records import Answer
from argue_bench.records.atomic import write_json
from argue_bench.records.display import escape
from argue_bench.records.table import Table


@command()
@remote_option
@option("--add", "event", type=click.Choice(EVENTS), help="Add an event instead of listing.")
@option("--season", default="", help="List only this season; with --add, the season of the event.")
@option("--system", default="", help="List only this system; with --add, the system of the event.")
@option("--author", help="With --add owner: the new owner's id.")
@option("--reason", default="", help="With --add: the reason for the event, which is public.")
@format_option
def ledger(
    remote: str,
    event: str | None,
    season: str,
    system: str,
    author: str | None,
    reason: str,
    format: str,
) -> None:
    """Show the board's event log, or add an organiser's decision with its reason.

    Example: argue-bench board ledger --remote file:///srv/board.git

    Example: argue-bench board ledger --remote URL --add hidden --season s1 --system x --reason "..."
    """

    if event is not None:
        if event in (*RUNS, FAILED, DESCRIBED, "re-scored", ARCHIVED):
            raise click.UsageError(f"{event!r} is written by a scoring or `board archive` alone")
        if not reason or not season:
            raise click.UsageError("--add goes with --season and --reason")
        if event in OF_SYSTEMS:
            _check_there(remote, season, system)
        made = Event(event, now(), season, system, author, reason=reason)
        read_ledger(made.to_bytes() + b"\n", "the new event")
        with print_codes_only():
            commit = record_events(RecordTarget(remote, RESULTS), [made])
        click.echo(
            f"{RESULTS} is now {commit}: {' '.join(filter(None, (season, system)))}, {event}."
        )
        return
    events = [
        one
        for one in events_of(remote)
        if season in ("", one.season) and system in ("", one.system)
    ]
    rows = [(e.date, e.event, e.season, e.system, e.author or "", e.reason) for e in events]
    table = Table(("date", "event", "season", "system", "author", "reason"), rows)
    if not print_as(format, [asdict(one) for one in events], table, indent=2):
        show_table(table)


# Decisions on one system, which has a row or once had one.
OF_SYSTEMS = ("hidden", "shown", "removed", "owner", RETURNED)


def _check_there(remote: str, season: str, system: str) -> None:
    """Raises UsageError where no event of the ledger, and no result that main ever had, is of this system and season.

    The ledger keeps a decision for ever, and what was meant would stay as it is.
    """
    there = {(one.season, one.system) for one in events_of(remote) if one.system}
    with print_codes_only(), open_objects(remote) as objects:
        for tip in objects.refs(MAIN).values():
            objects.fetch([tip])
            there |= {
                (path.parent.name, path.stem)
                for name, _ in objects.versions(tip, f"{ROOT}/results")
                for path in [Path(name)]
            }
    if (season, system) not in there:
        known = (
            f"{season} has {systems}"
            if (systems := few(sorted(name for one, name in there if one == season)))
            else f"seasons: {few(sorted({one for one, _ in there}))}"
        )
        raise click.UsageError(f"--system {system or 'NAME'} is not there: {known}")


def events_of(remote: str, results: str = RESULTS) -> Sequence[Event]:
    """The ledger of every season."""
    with print_codes_only(), open_objects(remote) as objects:
        return read_results_branch(objects, "", results).events


@command("verify")
@folder_argument
@option("--keys", type=PATH, help="A folder of submissions with other public keys.")
@option("--allow-empty", is_flag=True, help="Exit 0 also where there are no results yet.")
def board_verify(folder: Path, keys: Path | None, allow_empty: bool) -> None:
    """Check every signature and snapshot in FOLDER, and the chain of its ledger, without secret or network.

    Exits 1 where FOLDER holds no results: they are on the branch leaderboard-results, and `board fetch`
    brings them beside the submissions.

    Example: argue-bench board verify leaderboard-submissions
    """

    if not folder.is_dir():
        raise DataError.of(
            Code.NO_SUCH_FILE,
            "no such folder",
            folder,
            hint="Name the folder that holds results/ and keys/.",
        )
    known = read_keys(keys or folder)
    found = list(verify_board(folder, known))
    # Who holds a public key has its own season signed.
    declared = read_season(folder).season if known.active else ""
    events, findings = verify_ledger(folder)
    missing = left_out_results(folder)
    earlier = {one.file for one in missing if one.code == EARLIER}
    if not findings:  # a ledger that can't be read says of nothing that it is not there
        findings += compare_with_ledger(found, events, earlier)
        findings += find_missing(folder, found, events, {one.file for one in missing})
        findings += compare_with_bands(folder, found, events, earlier)
        findings += verify_archive(folder, events)
    findings += find_unsigned(found, events, declared)
    if not (found or events or findings or missing or allow_empty):
        raise click.ClickException(
            f"{folder} holds no results: they are on the branch {RESULTS} of the board's repository. Bring them: "
            f"argue-bench board fetch {folder} --remote URL --out OUT, then board verify OUT. A new board: --allow-empty"
        )
    if found:
        show_table(
            Table(
                ("file", "signature", "key", ""),
                [(one.path, one.seal, one.key, one.why) for one in found],
            )
        )
    show_findings([*missing, *findings], err=False)
    faults = any(one.level == "error" for one in findings)
    signed = sum(one.seal == "verified" for one in found)
    counted = f"{len(events)} event{'s' * (len(events) != 1)}"
    click.echo(
        f"{signed} signed files looked at; ledger of {counted}: {'broken' if faults else 'whole'}."
    )
    if faults or any(one.seal == "broken" for one in found):
        raise SystemExit(1)


@command("fetch")
@folder_argument
@remote_option
@results_option
@option(
    "--out",
    type=PATH,
    required=True,
    help="An empty folder for the submissions and results to show.",
)
@option(
    "--pulls",
    type=PATH,
    help="Show open pull requests with state and age, too: what `gh pr list --json` prints.",
)
def board_fetch(folder: Path, remote: str, results: str, out: Path, pulls: Path | None) -> None:
    """Bring results beside the merged submissions of FOLDER, ready for `site build OUT`.

    Example: argue-bench board fetch --remote https://example.org/board.git --out /tmp/board
    """

    waiting = [] if pulls is None else read_queue(pulls, events_of(remote, results), now())
    with print_codes_only():
        left = assemble_board(folder, remote, results, read_keys(folder), out)
    show_findings(left)
    shown = len(list(out.glob("results/*/*.json")))
    gone = sum(finding.code != EARLIER for finding in left)
    click.echo(f"{out}: {shown} files of results, {gone} left out.")
    if pulls is not None:
        write_json(out / "results" / "queue.json", [asdict(one) for one in waiting], indent=2)
        rows = [
            (f"{one.number}", one.author, one.state, one.since, f"{one.days}") for one in waiting
        ]
        show_table(Table(("pull request", "author", "state", "since", "days"), rows, right=(0, 4)))


@command()
@folder_argument
@remote_option
@results_option
def archive(folder: Path, remote: str, results: str) -> None:
    """Keep the boards of FOLDER, which `board fetch` brought, under archive/DAY of the results branch.

    A snapshot never changes, and every later build lays it out, so a paper can cite its address. A day
    has one at most, and none where no row is shown or nothing has changed since the last.

    Example: argue-bench board archive /tmp/board --remote https://example.org/board.git
    """

    date = now()
    site, _, findings = read_site(folder)
    show_findings(findings)
    made = BoardSnapshot(date[:10], site.title, board_files(site))
    if not made.files:
        why = "no row is shown yet"
    elif is_as_before(folder, made):
        why = f"nothing has changed since {days_kept(folder)[0]}"
    else:
        with print_codes_only():
            commit = record_snapshot(
                made, read_season(folder).season, date, RecordTarget(remote, results)
            )
        if commit is not None:
            click.echo(f"{RESULTS} is now {commit}: archive/{made.day}, {len(made.files)} files.")
            return
        why = f"there is a snapshot of {made.day}, and it never changes"
    click.echo(f"Nothing archived: {why}.")


@command()
@option(
    "--repository", required=True, metavar="OWNER/NAME", help="The board's repository on GitHub."
)
def doctor(repository: str) -> None:
    """Check the settings of the board's repository on GitHub; reads, and changes nothing.

    The token is in GH_TOKEN; it needs to read administration, environments and secrets' names, else those
    settings are not visible. Exits 1 where a setting is wrong.

    Example: argue-bench board doctor --repository OWNER/NAME
    """

    # GitHub sets the variable in its workflows, to its own address or a company's server.
    api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    found = check_settings(Platform(repository, os.environ.get("GH_TOKEN", ""), api))
    show_table(Table(("", "where", "wanted"), found))
    states = [state for state, _, _ in found]
    wrong, unseen = states.count("wrong"), states.count("not visible")
    click.echo(
        f"{len(found)} settings: {wrong} wrong, {unseen} not visible to this token: look at those yourself.",
        err=True,
    )
    if wrong:
        raise SystemExit(1)


@command("open")
@folder_argument
@option("--out", type=PATH, help="Of gold: the file to write, outside repositories.")
def season_open(folder: Path, out: Path | None) -> None:
    """Open the sealed gold of a season, or the diagnosis of a scoring, with the key in ANSWERS_KEY.

    A diagnosis, diagnosis.sealed of the artifact "scored", says why a scoring failed, and how much of the gold is in
    the answers: show it to no participant.

    Example: argue-bench board season open leaderboard-submissions --out /tmp/gold.jsonl

    Example: argue-bench board season open scored/diagnosis.sealed
    """
    diagnosis = folder / NAME if folder.is_dir() else folder
    if out is None and not diagnosis.is_file():
        raise click.UsageError("--out FILE says where the gold goes, which is not printed")
    if out is None:
        for line in open_diagnosis(diagnosis, secret_from(ANSWERS_KEY)):
            click.echo(line)
        return
    refuse_repository(out, "gold")
    write_secret(out, sealed_gold(folder, secret_from(ANSWERS_KEY)))
    click.echo(f"{out}: the gold. `argue-bench board score` opens it by itself.", err=True)


@command("reveal")
@folder_argument
@remote_option
def season_reveal(folder: Path, remote: str) -> None:
    """Publish a season's gold on its last day, with the key in ANSWERS_KEY and everybody's tallies.

    Example: argue-bench board season reveal leaderboard-submissions --remote URL
    """

    key, season = secret_from(ANSWERS_KEY), read_season(folder).season
    with print_codes_only(), open_objects(remote) as objects:
        state = read_results_branch(objects, season, RESULTS)
        tallies = plain_tallies(state.counted(state.systems, key))
    if not is_over(state.events, season):
        raise click.UsageError(
            f"{season} is open: whoever reads the gold could still send answers. Close it first: "
            f'argue-bench board ledger --remote URL --season {season} --add "season closed" --reason "..."'
        )
    click.echo("\n".join(map(str, reveal_season(folder, key, tallies))))
    click.echo(
        "Whoever has the key opens every sealed file of the season. `board rescore --reason "
        '"gold revealed"` now tells every score; commit all of it.',
        err=True,
    )


@command("verify")
@folder_argument
def season_verify(folder: Path) -> None:
    """Check a season's folder: set and promised hashes; with the key in ANSWERS_KEY, or a published one, its gold.

    Example: argue-bench board season verify leaderboard-submissions
    """

    given = os.environ.get(ANSWERS_KEY, "")
    key = check_secret(given, "key") if given else ""
    findings = verify_season(folder, key)
    show_findings(findings)
    if findings:
        click.echo(f"{len(findings)} finding{'s' * (len(findings) != 1)}.", err=True)
        raise SystemExit(1)
    gold = "; the gold opens, and fits the topics" if key or published_key(folder) else ""
    click.echo(f"{folder}: topics and documents are whole{gold}.")


# Answers that are shown of each kind of flag.
MOST_SHOWN = 5


@command()
@folder_argument
@option(
    "--bundle", type=PATH, required=True, help="The bundle that `board ci intake` wrote, or held."
)
def screen(folder: Path, bundle: Path) -> None:
    """Show what the screening sees in a submission, beside what is usual on the board in FOLDER.

    Example: argue-bench board screen leaderboard-submissions --bundle taken/bundle
    """

    season = read_season(folder)
    dataset, given = season.load(), read_bundle(bundle)
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        given.unpack(Path(name))
        for path in sorted(Path(name).glob(f"*-generations/{given.system}.jsonl")):
            click.echo(f"\n{path.parent.name}, {given.system}")
            answers, _ = read_submitted(path, season, dataset)
            others = [
                one
                for one in sorted((folder / path.parent.name).glob("*.jsonl"))
                if board_name(one.stem) != given.system
            ]
            _values(answers, others, season, dataset)
            # In any setting and all together, as intake compares them.
            rows = {
                f"{other.parent.name}/{other.name}": other.read_bytes
                for other in sorted(folder.glob("*-generations/*.jsonl"))
                if board_name(other.stem) != given.system
            }
            for finding in screen_copies(answers, rows.items(), dataset, season.limits, "", True):
                click.echo(f"\n{finding.message}")
                label, by_id = finding.message.split()[-1], {one.id: one.plain for one in answers}
                copied = CopyScreen(answers, dataset, season.limits).copied(rows[label](), by_id)
                for id, text in [*copied.items()][:MOST_SHOWN]:
                    click.echo(f"\n{id}:\n  here: {escape(by_id[id], 400)}")
                    click.echo(f"  {label}: {escape(text, 400)}")
    # What intake saw besides, such as an open pull request or another name.
    if (outcome := bundle.with_name("intake.json")).exists():
        for _, code, _, message in read_outcome(outcome).findings:
            click.echo(f"\n{code}: {message}")


def _values(answers: list[Answer], others: list[Path], season: Season, dataset: Dataset) -> None:
    """A table of values with the board's usual range and the highest of honest baselines, then passages."""

    merged = [answer for path in others for answer in read_submitted(path, season, dataset)[0]]
    own, board, honest = (
        usual_range(rows, dataset, season.limits)
        for rows in (answers, merged, honest_baselines(dataset))
    )
    seen = {
        one.id: flagged(values) for one, _, values in row_values(answers, dataset, season.limits)
    }
    rows = [
        (
            name,
            *(_span(one.get(name)) for one in (own, board)),
            f"{honest[name][1]:.2f}" if name in honest else "-",
            f"{most:g}",
            f"{sum(name in flags for flags in seen.values()):,}",
        )
        for name, most in MOST.items()
    ]
    show_table(
        Table(
            (
                "value",
                "5 to 95 % here",
                "on the board",
                "honest baselines",
                "flagged above",
                "flagged",
            ),
            rows,
            right=(5,),
        )
    )
    by_id = {answer.id: answer for answer in answers}
    for name in MOST:
        for id in [id for id, flags in seen.items() if name in flags][:MOST_SHOWN]:
            click.echo(f"\n{name}, {id}: {escape(by_id[id].text, 400)}")


def _span(values: tuple[float, float] | None) -> str:
    return "-" if values is None else f"{values[0]:.2f} to {values[1]:.2f}"
