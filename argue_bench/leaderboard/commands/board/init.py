"""``board init|rotate-key|import``: a new board, its workflows, its signing key, what others published."""

from __future__ import annotations

import os
from pathlib import Path

import click

from argue_bench.cli.commands import ADVANCED, command, option, options
from argue_bench.cli.options import PATH, folder_argument
from argue_bench.leaderboard.commands.board.options import (
    SIGNING_KEY,
    SeasonOptions,
    secrets_option,
)
from argue_bench.leaderboard.formats.layout import ROOT
from argue_bench.leaderboard.formats.season import Season, read_season, shown_bits
from argue_bench.leaderboard.publishing.importing import import_fanoutqa, import_runs
from argue_bench.leaderboard.seasons.board_init import SECRETS, init_board, write_workflows
from argue_bench.leaderboard.seasons.board_init import rotate_key as make
from argue_bench.leaderboard.seasons.real_data import answer_limit, read_season_data
from argue_bench.satellites import import_text

_PACKAGE = "OWNER/NAME@COMMIT"


@command("init")
@click.argument("out", type=PATH)
@option(
    "--data",
    default="",
    metavar="DATA",
    group="Input",
    help="NAME:FILE of a data set, such as fanoutqa:dev.json; a folder in the core format with its gold; "
    "with --track the track's own files.",
)
@option(
    "--pages",
    default="",
    metavar="DIR",
    group="Input",
    help="The pages that FanOutQA's questions rest on, PAGEID-dated.md; 'fetch' asks Wikipedia.",
)
@option(
    "--published",
    type=PATH,
    group=ADVANCED,
    help="Published answers: at most 1 % of them exceed the season's limit.",
)
@option(
    "--track",
    default="",
    group="Season",
    help="Terms of dragun25, rag25, rag26, ragtime25, ragtime26 or neuclir24.",
)
@secrets_option.but(required=False)
@options("season", SeasonOptions)
@option(
    "--package",
    default="",
    metavar=_PACKAGE,
    group="Repository",
    help="Repository with argue-bench's workflows; alone, a board that is there gets them.",
)
def board_init(
    out: Path,
    data: str,
    pages: str,
    published: Path | None,
    track: str,
    secrets: Path | None,
    season: SeasonOptions,
    package: str,
) -> None:
    """Make a new board in OUT, ready to be pushed: season, sealed gold, public key, texts, workflows.

    Example: argue-bench board init my-board --data my-set --secrets ~/my-board-keys

    Example: argue-bench board init fan-board --data fanoutqa:dev.json --secrets ~/fan-board-keys
    """
    if package and not data:
        click.echo("\n".join(map(str, write_workflows(out, package))))
        return
    if not data or secrets is None:
        raise click.UsageError("a new board needs --data DATA and --secrets DIR")
    given = read_season_data(data, pages)
    limit = answer_limit(published) if published is not None else {}
    terms = season.terms(track, {**given.terms, **limit})
    made = init_board(out, given, terms, secrets, package)
    click.echo(f"{out}: a board of {made.topics} topics; results are signed by key {made.key_id}.")
    click.echo(f"{made.secrets}: ANSWERS_KEY and SIGNING_KEY. Keep them out of the repository.")
    if terms.rehearsal:
        click.echo(
            f"This board is a rehearsal: {terms.ranked} rests on the lexical judge, which counts words. To rank, "
            "name a judge that reads (--judge PROVIDER/MODEL) or a score that needs none."
        )
    for line in made.notes:
        click.echo(line)
    click.echo(told_words(read_season(out / ROOT)))
    click.echo(
        f"Before participants come, set up the repository on GitHub: {out}/docs/operate.md lists every "
        "setting, and argue-bench board doctor --repository OWNER/NAME checks them."
    )
    if not package:
        click.echo(
            f"No workflows were written. For GitHub: argue-bench board init {out} --package OWNER/NAME@COMMIT",
            err=True,
        )


def told_words(season: Season) -> str:
    """What a season publishes about its hidden gold, and how many bits that is at most."""

    if season.step is None:
        return "Everything is told: gold can be read out of the scores. Rehearse with it, rank nothing."
    told = f"Authors learn {season.ranked} in steps of {season.step:g} points, and nothing else."
    if season.quota is None:
        return f"{told} Without a quota nothing bounds what an author learns of the gold."
    bits = shown_bits(season.quota, season.step, len(season.settings))
    most = f"{told} An author learns at most {bits:g} bits of the gold"
    if season.quota_days is None:
        return f"{most}."
    return f"{most} in any {season.quota_days} days; a season that stays open tells more with each such time."


@command("rotate-key")
@folder_argument
@secrets_option
def board_rotate_key(folder: Path, secrets: Path) -> None:
    """Make a new signing key; the one before is retired, and verifies what it signed.

    Example: argue-bench board rotate-key leaderboard-submissions --secrets ~/my-board-keys/2027
    """

    name, old = make(folder, secrets)
    click.echo(f"{folder}/keys/{name}.pem signs from now on; retired: {', '.join(old) or 'none'}.")
    click.echo(f"{secrets / SECRETS}: the new SIGNING_KEY.")
    click.echo("Commit the keys folder, and put the new key where the scoring runs.", err=True)


@command("import")
@click.argument("files", nargs=-1, required=True, type=PATH)
@option(
    "--out",
    type=PATH,
    required=True,
    help="The board's folder of submissions; of FanOutQA's and DRAGUN's files the folder to write.",
)
@option("--answers", type=PATH, help="Of run files: a folder with each run's reports, to be shown.")
@option(
    "--rubrics",
    type=PATH,
    help="Of DRAGUN's labels: the rubrics, a JSON file or a folder with one for each topic.",
)
def board_import(
    files: tuple[Path, ...], out: Path, answers: Path | None, rubrics: Path | None
) -> None:
    """Bring another board's submissions, labels and results into our layout.

    FILES are run files, or folders of them, that were scored elsewhere: they become rows of a board that tells all
    scores, signed where the variable SIGNING_KEY holds its key, under names that no participant has there. Or they are FanOutQA's folder of submissions, whose systems get short
    names. With --rubrics, a CSV file of TREC DRAGUN's labels becomes the track's tables, and run files.

    Example: argue-bench board import tables/runs --out board/leaderboard-submissions
    """
    if rubrics is not None:
        import_text("published.rubrics.dragun:dragun")(files[0], rubrics, out)
    elif files[0].is_dir() and not any(files[0].glob("*.jsonl")):
        click.echo(f"{out}: {len(import_fanoutqa(files[0], out))} systems")
    else:
        _import_runs(files, out, answers)


def _import_runs(files: tuple[Path, ...], folder: Path, answers: Path | None) -> None:
    key = os.environ.get(SIGNING_KEY, "").strip()
    listed = [
        one for path in files for one in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])
    ]
    click.echo(
        f"{folder}: {len(import_runs(listed, folder, read_season(folder), answers, key))} runs"
    )
    if not key:
        click.echo(f"{SIGNING_KEY} holds no key: the results are not signed", err=True)
